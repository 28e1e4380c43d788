package lenstest

import "testing"

// ExporterRules shows the tests the rules of TestExporter by name, without package testing around them.
func ExporterRules(e Exporter) map[string]func(t testing.TB) {
	rules := map[string]func(t testing.TB){}
	for _, c := range exporterCases(e) {
		rules[c.name] = c.run
	}
	return rules
}
