//go:build !lens_off

package emitted_test

import (
	"strings"
	"testing"

	"github.com/lensgo/lens/cmd/internal/conventions"
	"github.com/lensgo/lens/cmd/internal/emitted"
)

const (
	root  = "../../.."
	house = "github.com/lensgo/lens"
)

// others have names of their own: programs of somebody else, as far as the table is concerned.
var others = map[string]string{
	"examples": "they are libraries and programs of users, with names of theirs",
	"lenstest": "it has spans that an exporter must bear, whatever is on them",
}

// inner are the functions that hand on what they are given: the inside of lens, of metrics and of bridges. It is looked at where it is
// given to them.
var inner = map[string]string{
	".keyValues":                "attributes",
	".override":                 "attributes by With",
	".(*buffer).add":            "attributes",
	".(*record).put":            "attributes",
	".(*record).rename":         "a name by SetName",
	".(*config).startSpan":      "a name by Start",
	".(*config).lookUp":         "a library's namespace is its scope",
	".(*bridge).start":          "a package that speaks OpenTelemetry",
	".(*otelSpan).AddEvent":     "a package that speaks OpenTelemetry",
	".(*otelSpan).SetName":      "a package that speaks OpenTelemetry",
	".(closedSpan).AddEvent":    "an event of what is emitted",
	"metrics.newSet":            "labels",
	"metrics.number":            "a label by Int",
	"metrics.(*lexicon).learn":  "a label that is too long",
	"telemetry.(*tracer).Start": "a tracer around the SDK's",
	"resource.inherited":        "OTEL_RESOURCE_ATTRIBUTES",

	"telemetry/internal/repair.repairRecord":        "what OTLP would refuse",
	"telemetry/internal/repair.(*fixer).attributes": "what OTLP would refuse",
	"telemetry/lensslog.(logger).Emit":              "the bridge of slog",
}

// open are the functions to which data or people give names that are none of ours.
var open = map[string]string{
	"lensgrpc.(*edge).start":           "the method of a call, which may be of any service",
	"resource.Parse":                   "OTEL_RESOURCE_ATTRIBUTES",
	"cmd/lens.(*wrapped).span":         "a span is named after its command, or by whoever runs it",
	"cmd/internal/emit.(Target).emit":  "names of scripts",
	"cmd/internal/emit.parseAttribute": "names of scripts",
	"cmd/internal/emit.attribute":      "names of scripts",
	"cmd/internal/emit.number":         "names of scripts",
}

// elsewhere are the beginnings of names that our code has for programs of others and does not write itself.
var elsewhere = map[string]string{
	"nv.dl.": "the program, or whoever starts it, says which part of a training it is",
	"rl.":    "a trainer records its metrics with these",
}

// TestNames: what our code gives a name to has one of the table. Which attribute stands on which span is held by the test that looks at
// what a run exports.
func TestNames(t *testing.T) {
	table, err := conventions.Read(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOOS", "linux") // where there is most to tell
	names, err := emitted.Find(t.Context(), root, "work")
	if err != nil {
		t.Fatal(err)
	}
	met, said := map[string]bool{}, map[string]bool{}
	kinds := map[string]int{}
	written := map[string]bool{}
	for _, n := range names {
		pkg := strings.TrimPrefix(strings.TrimPrefix(n.Package, house), "/")
		room, _, _ := strings.Cut(pkg, "/")
		in := pkg + "." + n.Func
		switch {
		case others[room] != "":
			met[room] = true
			continue
		case inner[in] != "":
			met[in] = true
			continue
		case n.Text == conventions.Hole && open[in] != "":
			met[in] = true
			continue
		}
		kinds[n.Kind]++
		written[n.Kind+" "+n.Text] = true
		if problem := problem(table, n); problem != "" && !said[problem] {
			said[problem] = true // one of several places that the name gets to
			t.Error(problem)
		}
	}
	for _, exceptions := range []map[string]string{others, inner, open} {
		for name := range exceptions {
			if !met[name] {
				t.Errorf("%s needs no exception any more", name)
			}
		}
	}
	for _, name := range unwritten(table, written) {
		t.Errorf("no code writes the %s of %s", name, conventions.File)
	}
	if kinds["span"] < 20 || kinds["attribute"] < 200 || kinds["metric"] < 70 || kinds["event"] < 3 || kinds["scope"] < 3 {
		t.Errorf("the scanner finds only %v; it is broken", kinds)
	}
}

// unwritten are names of the table that nothing in the source writes. Of spans, those that have attributes in their names are not looked
// for.
func unwritten(table *conventions.Table, written map[string]bool) (out []string) {
	for _, kind := range []string{conventions.SpanName, conventions.EventName, conventions.AttributeKey, conventions.MetricName, conventions.ScopeName} {
		for _, name := range table.Names(kind) {
			if written[kind+" "+name] || strings.Contains(name, "{") || writtenElsewhere(name) {
				continue
			}
			out = append(out, kind+" "+name)
		}
	}
	return out
}

func writtenElsewhere(name string) bool {
	for prefix := range elsewhere {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// problem says what the table has against a name; nothing where it has nothing.
func problem(table *conventions.Table, n emitted.Name) string {
	shown := n.Kind + " " + strings.ReplaceAll(n.Text, conventions.Hole, "*")
	want := table.TypeOf(n.Text)
	switch {
	case n.Text == conventions.Hole:
		return n.Position + ": the source does not tell which " + n.Kind + " " + n.Call + " gets here. Use a constant of package semconv, or " +
			"say in cmd/internal/emitted/names_test.go why the name is none of ours"
	case !table.Has(n.Kind, n.Text):
		return n.Origin + ": the " + shown + " is not in " + conventions.File + ": add it there, with what it means, and run go generate ./semconv"
	case n.Kind == conventions.AttributeKey && n.Type != "" && n.Type != want:
		return n.Position + ": " + n.Call + " gives the " + shown + " the type " + n.Type + "; in " + conventions.File + " it has " + want
	}
	return ""
}
