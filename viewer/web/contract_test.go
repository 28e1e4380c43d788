package web_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestContract holds docs/viewer-api.md against the golden files: each example in the text has the members of the real answer, no
// more and no less. What a name in capitals stands for is looked up in its own example.
func TestContract(t *testing.T) {
	text, err := os.ReadFile("../../docs/viewer-api.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := examplesOf(t, string(text))
	files := map[string][]string{
		"/api/v1/status": {"status"}, "/api/v1/runs?": {"runs"}, "/api/v1/services?": {"services"}, "/api/v1/runs/{run}?": {"run", "run_filtered"},
		"/api/v1/runs/{run}/rollouts?": {"rollouts", "rollouts_page"}, "/api/v1/runs/{run}/tasks?": {"tasks"}, "/api/v1/traces?": {"traces"},
		"/api/v1/traces/{trace}?": {"trace", "trace_plain"}, "/api/v1/traces/{trace}/spans?": {"spans", "spans_odd"}, "/api/v1/traces/{trace}/spans/{span}?": {"span"},
		"/api/v1/traces/{trace}/conversation?": {"conversation", "conversation_none"}, "/api/v1/traces/{trace}/logs?": {"logs"},
		"/api/v1/runs/{run}/logs?": {"run_logs", "run_logs_text"}, "/api/v1/metrics?": {"metrics"}, "/api/v1/metrics/chart?": {"chart", "chart_rate", "chart_value"},
		"/api/v1/groups?": {"groups", "groups_all"}, "/api/v1/names?": {"names"}, "/api/v1/compare/runs?": {"compare_runs"},
		"/api/v1/compare/traces?": {"compare_traces"}, "/api/v1/complete?": {"complete_fields", "complete_values"}, "/api/v1/find?": {"find", "find_rollout"},
		"Errors": {"error_query", "error_removed", "error_not_found", "error_parameter"},
	}
	for heading, names := range files {
		want, ok := examples[heading]
		if !ok {
			t.Errorf("the text has no example under %s; it has %q", heading, slices.Sorted(maps.Keys(examples)))
			continue
		}
		for _, name := range names {
			body, err := os.ReadFile(filepath.Join("testdata", "api", name+".json"))
			if err != nil {
				t.Fatal(err)
			}
			var got any
			if err := json.Unmarshal(body, &got); err != nil {
				t.Fatal(err)
			}
			sameShape(t, examples, name, want, got)
		}
	}
}

var (
	heading   = regexp.MustCompile("(?m)^##+ (.*)$")
	fence     = regexp.MustCompile("(?s)```json\n(.*?)```")
	named     = regexp.MustCompile("(?s)\n(RUN|ROLLOUT|TRACE|METRIC):\n\n```json\n(.*?)```")
	attribute = regexp.MustCompile("ATTRIBUTE: `(.*?)`")
	bare      = regexp.MustCompile(`([\[: ])(RUN|ROLLOUT|TRACE|METRIC|ATTRIBUTE|STATUS)([\],} ])`)
)

// examplesOf returns the first example under each heading, by the path in it, and those that have a name.
func examplesOf(t *testing.T, text string) map[string]any {
	t.Helper()
	out := map[string]any{}
	parse := func(name, body string) {
		var v any
		if err := json.Unmarshal([]byte(bare.ReplaceAllString(body, `$1"@$2"$3`)), &v); err != nil {
			t.Fatalf("the example %s is no JSON: %v", name, err)
		}
		out[name] = v
	}
	for _, m := range named.FindAllStringSubmatch(text, -1) {
		parse("@"+m[1], m[2])
	}
	parse("@ATTRIBUTE", attribute.FindStringSubmatch(text)[1])
	places := heading.FindAllStringSubmatchIndex(text, -1)
	for i, p := range places {
		end := len(text)
		if i+1 < len(places) {
			end = places[i+1][0]
		}
		m := fence.FindStringSubmatch(text[p[1]:end])
		if m == nil {
			continue
		}
		name := text[p[2]:p[3]]
		if _, path, ok := strings.Cut(name, "GET "); ok {
			name = strings.TrimSuffix(path, "`")
			if i := strings.IndexByte(name, '?'); i >= 0 {
				name = name[:i+1]
			}
		}
		parse(name, m[1])
	}
	return out
}

// sameShape compares the names of members all the way down; null fits everything, and an empty list every list.
func sameShape(t *testing.T, examples map[string]any, where string, want, got any) {
	t.Helper()
	if name, ok := want.(string); ok && strings.HasPrefix(name, "@") {
		want = examples[name]
	}
	switch got := got.(type) {
	case map[string]any:
		w, ok := want.(map[string]any)
		if !ok {
			if want != nil {
				t.Errorf("%s is an object, the text says %v", where, want)
			}
			return
		}
		if a, b := slices.Sorted(maps.Keys(w)), slices.Sorted(maps.Keys(got)); !slices.Equal(a, b) {
			t.Errorf("%s has the members\n%q, the text says\n%q", where, b, a)
		}
		for name, v := range got {
			if w[name] != nil {
				sameShape(t, examples, where+"."+name, w[name], v)
			}
		}
	case []any:
		w, ok := want.([]any)
		if !ok {
			t.Errorf("%s is a list, the text says %v", where, want)
			return
		}
		for i, v := range got {
			switch {
			case len(w) == len(got): // a pair, of unlike things
				sameShape(t, examples, where+"[]", w[i], v)
			case len(w) > 0:
				sameShape(t, examples, where+"[]", w[0], v)
			}
		}
	case string, float64, bool:
		if want != nil && kindName(want) != kindName(got) {
			t.Errorf("%s is %v, the text says %v", where, got, want)
		}
	}
}

func kindName(v any) string {
	switch v.(type) {
	case string:
		return "string"
	case float64:
		return "number"
	case bool:
		return "bool"
	case []any:
		return "list"
	}
	return "object"
}
