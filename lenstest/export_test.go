package lenstest

import (
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
)

// SpanOf shows the tests how a span of the SDK is read.
func SpanOf(s sdktrace.ReadOnlySpan) Span { return spanOf(s) }

// ExporterRules shows the tests the rules of TestExporter by name, without package testing around them.
func ExporterRules(e Exporter) map[string]func(t testing.TB) {
	rules := map[string]func(t testing.TB){}
	for _, c := range exporterCases(e) {
		rules[c.name] = c.run
	}
	return rules
}
