package config

import (
	"fmt"
	"strings"
	"testing"
)

// repeat writes n of a form, each with its number.
func repeat(n int, form string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.ReplaceAll(form, "#", fmt.Sprint(i)))
	}
	return b.String()
}

// A mapping that is written in lines costs the library the square of its keys: what would take minutes is refused before it begins.
func TestParse_many_keys(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		line int // that is refused, 0 for none
	}{
		"as many as may be":          {repeat(maxKeys, "k#: 1\n"), 0},
		"one more":                   {repeat(maxKeys+1, "k#: 1\n"), maxKeys + 1},
		"very many":                  {repeat(100_000, "k#: 1\n"), maxKeys + 1},
		"quoted":                     {repeat(maxKeys+1, "\"k#\": 1\n"), maxKeys + 1},
		"tagged":                     {repeat(maxKeys+1, "!!str k#: 1\n"), maxKeys + 1},
		"with question marks":        {repeat(maxKeys+1, "? k#\n: 1\n"), 2 * (maxKeys + 1)},
		"of something":               {"a:\n" + repeat(maxKeys+1, "  k#: 1\n"), maxKeys + 2},
		"in a list":                  {"a:\n- x: 1\n" + repeat(maxKeys, "  k#: 1\n"), maxKeys + 2},
		"with lists":                 {repeat(maxKeys+1, "k#:\n- 1\n"), 2*maxKeys + 1},
		"with mappings":              {repeat(maxKeys+1, "k#:\n  a: {b: 1}\n"), 2*maxKeys + 1},
		"in many mappings":           {repeat(100, "k#:\n"+strings.ReplaceAll(repeat(1000, "  k#: 1\n"), "#", "")), 25_183},
		"in many small mappings":     {"a:\n" + repeat(3000, "- {x: 1}\n- a: 1\n  b: 2\n  c: 3\n"), 0},
		"in braces":                  {"a: {" + repeat(20_000, "k#: 1, ") + "}\n", 0},
		"in braces over many lines":  {"a: {\n" + repeat(20_000, "  k#: 1,\n") + "}\n", 0},
		"in a text of several lines": {"a: |\n" + repeat(20_000, "  k#: 1\n"), 0},
		"in a quoted text":           {"a: '" + repeat(20_000, "k#: 1\n ") + "'\n", 0},
	} {
		t.Run(name, func(t *testing.T) {
			var ps problems
			tree := parse("a.yaml", []byte(c.text), &ps)
			if c.line == 0 {
				if tree == nil {
					t.Error(ps.err())
				}
				return
			}
			if tree != nil || len(ps.list) != 1 || ps.list[0].Line != c.line || !strings.Contains(ps.list[0].Text, "more than 5000 keys in one mapping") {
				t.Errorf("%v, want a refusal of line %d", ps.err(), c.line)
			}
		})
	}
}

func TestDecodeYAML(t *testing.T) {
	for text, want := range map[string]string{
		"user: x":                            "",
		"{user: 'x'}":                        "",
		"user: x\nusr: y":                    "usr",
		"user: 7":                            "f.yaml:1:7: user must be a text",
		"user: x\nuser: y":                   `f.yaml:2:1: mapping key "user" already defined`,
		"- x":                                "f.yaml:1:1: the file must be a mapping",
		"user: \xff":                         "f.yaml:1:7: the file is not UTF-8",
		"user: " + strings.Repeat("[", 2000): "f.yaml:1:1007: nested deeper than 1000",
	} {
		var v struct {
			User string `json:"user"`
		}
		err := DecodeYAML("f.yaml", []byte(text), &v)
		if want == "" && (err != nil || v.User != "x") || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%.40q: %q, %v; want %q", text, v.User, err, want)
		}
	}
}
