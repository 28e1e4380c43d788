package model

import (
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

func TestParseSyntheticSettings(t *testing.T) {
	defaults := DefaultSyntheticSettings()
	change := func(f func(*SyntheticSettings)) SyntheticSettings {
		s := DefaultSyntheticSettings()
		f(&s)
		return s
	}
	tests := []struct {
		name, block string
		want        SyntheticSettings
	}{
		{"no block", ``, defaults},
		{"empty", `{}`, defaults},
		{"keys of the server", `{"entrypoint":"app.py","host":"127.0.0.1","port":1,"num_workers":1,"anything":[]}`, defaults},
		{"nulls", `{"seed":null,"model":null,"mistake_rate":null,"latency":null,"failures":null,"tokens":null}`, defaults},
		{"plain values", `{"seed":-3,"model":"m","mistake_rate":0}`, change(func(s *SyntheticSettings) {
			s.Seed, s.Model, s.MistakeRate = -3, "m", 0
		})},
		{"one value of a block", `{"latency":{"median_ms":1.5}}`, change(func(s *SyntheticSettings) {
			s.Latency.Median = 1500 * time.Microsecond
		})},
		{"another distribution", `{"latency":{"distribution":"uniform","min_ms":1,"max_ms":2}}`, change(func(s *SyntheticSettings) {
			s.Latency.Distribution, s.Latency.Min, s.Latency.Max = Uniform, time.Millisecond, 2*time.Millisecond
		})},
		{"failures", `{"failures":{"rate":0.5,"kinds":[503,"empty","malformed_arguments"]}}`, change(func(s *SyntheticSettings) {
			s.Failures = Failures{0.5, []FailureKind{{Status: 503}, {Name: Empty}, {Name: MalformedArguments}}}
		})},
		{"failures of all kinds", `{"failures":{"rate":0.5}}`, change(func(s *SyntheticSettings) {
			s.Failures = Failures{0.5, allFailures}
		})},
		{"no failures", `{"failures":{"rate":0}}`, defaults},
		{"tokens", `{"tokens":{"report":"fixed","input":5,"output":6}}`, change(func(s *SyntheticSettings) {
			s.Tokens = Tokens{TokensFixed, 5, 6}
		})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ParseSyntheticSettings(jsontext.Value(tt.block))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestParseSyntheticSettings_errors(t *testing.T) {
	tests := []struct {
		name, block string
		want        []string // all in one error
	}{
		{"not a number", `{"seed":"one"}`, []string{"seed"}},
		{"rates", `{"mistake_rate":1.5,"failures":{"rate":-1}}`, []string{"mistake_rate is 1.5", "failures: rate is -1", "from 0 to 1"}},
		{"typing error in a block", `{"latency":{"median":40}}`, []string{"latency", "median"}},
		{"distribution", `{"latency":{"distribution":"gauss"}}`, []string{`"gauss"`, "none, constant, uniform, lognormal"}},
		{"negative wait", `{"latency":{"median_ms":-1}}`, []string{"median_ms is -1"}},
		{"endless wait", `{"latency":{"distribution":"constant","constant_ms":1e300}}`, []string{"constant_ms", "from 0 to 600000"}},
		{"limits the wrong way round", `{"latency":{"distribution":"uniform","min_ms":3,"max_ms":2}}`, []string{"min_ms is 3", "max_ms, which is 2"}},
		{"sigma", `{"latency":{"sigma":-1}}`, []string{"sigma is -1"}},
		{"kinds", `{"failures":{"kinds":[200,"late"]}}`, []string{"200", `"late"`, "malformed_arguments"}},
		{"kind of no kind", `{"failures":{"kinds":[{}]}}`, []string{"failures", "{}"}},
		{"no kinds", `{"failures":{"rate":0.1,"kinds":[]}}`, []string{"kinds is empty"}},
		{"tokens", `{"tokens":{"report":"fixed","input":-5}}`, []string{"input is -5"}},
		{"report", `{"tokens":{"report":"all"}}`, []string{`"all"`, "none, fixed, estimated"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := ParseSyntheticSettings(jsontext.Value(tt.block))
			if err == nil {
				t.Fatal("no error")
			}
			for _, part := range append(tt.want, "cannot") {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not say %q", err, part)
				}
			}
		})
	}
}

func TestNewSynthetic_checks_settings(t *testing.T) {
	if _, err := NewSynthetic(SyntheticSettings{Failures: Failures{Rate: 0.5}}); err == nil {
		t.Error("a failure rate without kinds is accepted")
	}
}
