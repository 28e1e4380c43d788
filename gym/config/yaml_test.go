package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is printed reads back as the same tree.
func TestYAML_reads_back(t *testing.T) {
	text := "words: [yes, 'true', 'null', '7', 7, '1e3', 1e3, '2024-01-01', '~', '', 'a: b', 'a #b', '- x', ' x', \"a\\nb\", \"\\u2028\\u007f\", '\\${x}', é, 'on', n, 'x:', '*a', '&a', '!x', '%x', '@x', '`x']\n" +
		"'odd key: x': {}\n'7': []\nnested: [[1, [2, {a: [3]}]], {b: {c: [], d: [{}]}, e: f}, []]\nurl: http://127.0.0.1:1/v1\n" + model("1")
	write(t, map[string]string{"a.yaml": text})
	g := mustLoad(t, Overrides{}, "a.yaml")
	for name, printed := range map[string][]byte{"YAML": g.YAML(), "annotated": g.AnnotatedYAML(), "JSON": g.JSON()} {
		write(t, map[string]string{"b.yaml": string(printed)})
		again, err := Load([]string{"b.yaml"}, Overrides{})
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, printed)
		}
		if diff := cmp.Diff(string(g.JSON()), string(again.JSON())); diff != "" {
			t.Errorf("%s (-want +got):\n%s\n%s", name, diff, printed)
		}
	}
}

func TestAnnotatedYAML(t *testing.T) {
	write(t, map[string]string{"a.yaml": "limit: 3\n" + model("[1]"), "b.yaml": "m: {responses_api_models: {x: {w: 2}}}\n"})
	g := mustLoad(t, Overrides{Args: []string{"+limit=4"}}, "a.yaml", "b.yaml")
	want := `limit: 4  # override +limit
m:
  responses_api_models:
    x:
      entrypoint: app.py  # a.yaml:5
      v:
      - 1  # a.yaml:6
      w: 2  # b.yaml:1
      host: "127.0.0.1"  # a.yaml:5
`
	if diff := cmp.Diff(want, string(g.AnnotatedYAML())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(string(g.YAML()), "limit: 4\nm:\n") {
		t.Errorf("%s", g.YAML())
	}
}
