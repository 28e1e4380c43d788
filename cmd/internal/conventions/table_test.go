package conventions_test

import (
	"strings"
	"testing"

	"github.com/lensgo/lens/cmd/internal/conventions"
)

// small is a table that has one name of each kind.
const small = `
files:
  - file: one.go
    title: One
    brief: A topic.
    groups:
      - id: any_span
        type: attribute_group
        stability: stable
        brief: On any span.
        attributes:
          - {id: a.mark, go: Mark, type: boolean, brief: A mark.}
      - id: a.attributes
        type: attribute_group
        stability: development
        brief: Some.
        attributes:
          - {id: a.text, go: Text, type: string, pattern: "[a-z]+", brief: A text., examples: [x]}
          - id: a.word
            go: Word
            stability: stable
            brief: A word.
            type:
              members:
                - {go: WordOne, value: one, brief: The first.}
          - {id: a.count, go: Count, type: int, brief: A number.}
          - {id: a.list, go: List, type: "string[]", brief: Texts.}
      - id: a.resource
        type: entity
        stability: stable
        brief: Where.
        attributes:
          - {id: a.place, go: Place, type: string, brief: A place.}
      - id: a.spans
        type: span
        stability: stable
        brief: Spans.
        spans:
          - {name: work, go: SpanWork, span_kind: internal, brief: Work., attributes: [a.count], extends: [a.attributes]}
          - {name: "do {a.text}", span_kind: client, brief: A call., attributes: [a.text]}
          - {name: "do it", span_kind: client, brief: The usual call., attributes: [a.word]}
      - id: a.events
        type: event
        stability: stable
        brief: Events.
        events:
          - {name: a.broke, go: EventBroke, brief: It broke., attributes: [a.text]}
      - id: a.metrics
        type: metric
        stability: stable
        brief: Metrics.
        metrics:
          - {metric_name: a.time, go: MetricTime, instrument: histogram, unit: s, brief: How long., attributes: [a.word]}
      - id: a.scopes
        type: scope
        stability: stable
        brief: Scopes.
        scopes:
          - {name: lib, brief: A library., attributes: [a.text]}
`

// TestParse: what is wrong with a table is said, with its name.
func TestParse(t *testing.T) {
	if _, err := conventions.Parse([]byte(small)); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ from, to, says string }{
		"a field that is none":             {"brief: A mark.", "brief: A mark., kind: x", "unknown field"},
		"a type that is none":              {"type: int", "type: integer", `attribute a.count: type "integer" is none`},
		"no stability":                     {"stability: development\n", "\n", `attribute a.text: stability "" is none`},
		"no brief":                         {"brief: How long.", `brief: ""`, "metric a.time has no brief"},
		"an instrument that is none":       {"instrument: histogram", "instrument: timer", `metric a.time: instrument "timer" is none`},
		"a kind that is none":              {"span_kind: internal", "span_kind: inside", `span work: span_kind "inside" is none`},
		"a name that is none":              {"metric_name: a.time", "metric_name: a time", "metric a time: a name is words"},
		"an attribute twice":               {"id: a.count", "id: a.text", "attribute a.text is there twice"},
		"a constant twice":                 {"go: Count", "go: Text", `attribute a.count: Text is "a.text" already`},
		"no constant":                      {"go: Count, ", "", "attribute a.count has no go"},
		"a constant that is none":          {"go: Count", "go: count", `go "count" is no exported identifier`},
		"an unknown attribute":             {"attributes: [a.count]", "attributes: [a.coutn]", "span work: there is no attribute a.coutn"},
		"an unknown group":                 {"extends: [a.attributes]", "extends: [a.other]", "span work: extends: there is no group of attributes a.other"},
		"a group of another kind":          {"type: metric", "type: event", "group a.metrics has the type event"},
		"an attribute that is not its own": {"do {a.text}", "do {a.word}", "span do {a.word}: {a.word} is no attribute of it"},
		"a pattern that is none":           {`pattern: "[a-z]+"`, `pattern: "[a-z"`, "attribute a.text: pattern"},
		"no group for any span":            {"id: any_span", "id: a.marks", "there is no group any_span"},
		"a reference to nothing":           {"- {id: a.mark, go: Mark, type: boolean, brief: A mark.}", "- {ref: a.nothing}", "ref: there is no attribute a.nothing"},
		"a reference that defines":         {"- {id: a.mark, go: Mark, type: boolean, brief: A mark.}", "- {ref: a.text, type: int}", "ref a.text: it can only add members"},
	} {
		t.Run(name, func(t *testing.T) {
			text := strings.Replace(small, c.from, c.to, 1)
			if text == small {
				t.Fatalf("%q is not in the table", c.from)
			}
			if _, err := conventions.Parse([]byte(text)); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("it says %v, want %q", err, c.says)
			}
		})
	}
}

// TestConstants: what the table makes, in full.
func TestConstants(t *testing.T) {
	table, err := conventions.Parse([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	outputs, err := table.Outputs()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"// Code generated from semconv/conventions.yaml by go generate ./semconv. DO NOT EDIT.\n\npackage semconv\n",
		"// On any span.\nconst (\n\t// Mark: boolean, stable. A mark.\n\tMark = \"a.mark\"\n)\n",
		"\t// Text: string, development. A text.\n\tText = \"a.text\"\n",
		"// Values of the attributes above.\nconst (\n\t// WordOne is a value of a.word. The first.\n\tWordOne = \"one\"\n)\n",
		"// Spans.\nconst (\n\t// SpanWork: internal span, stable. Work.\n\tSpanWork = \"work\"\n)\n",
		"\t// EventBroke: event, stable. It broke.\n\tEventBroke = \"a.broke\"\n",
		"\t// MetricTime: histogram s, stable. How long.\n\tMetricTime = \"a.time\"\n",
	} {
		if !strings.Contains(string(outputs["semconv/one.go"]), want) {
			t.Errorf("the constants lack\n%s\nin\n%s", want, outputs["semconv/one.go"])
		}
	}
	for _, want := range []string{
		"\n## One\n\nA topic.\n",
		"| `a.text` | string | development | A text.<br>For example `x` |\n",
		"| `a.word` | string | stable | A word.<br>`one`: The first. |\n",
		"| `work` | internal | stable | Work. | [a.attributes](#aattributes), `a.count` |\n",
		"| `a.broke` | stable | It broke. | `a.text` |\n",
		"| `a.time` | histogram | `s` | stable | How long. | `a.word` |\n",
	} {
		if !strings.Contains(string(outputs["docs/semantic-conventions.md"]), want) {
			t.Errorf("the page lacks\n%s\nin\n%s", want, outputs["docs/semantic-conventions.md"])
		}
	}
}
