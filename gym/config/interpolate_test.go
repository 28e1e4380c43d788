package config

import (
	"strings"
	"testing"
)

func TestReferences(t *testing.T) {
	t.Setenv("LENS_GYM_SET", "from, env")
	t.Setenv("LENS_GYM_EMPTY", "")
	const top = "a: {b: [10, {c: deep}], n: 7, self: \"${.n}\", up: {x: \"${..n}\"}, t: true}\nname: a\nplain: '\\${x}'\nholder: {p: \"${plain}\"}\n"
	for value, want := range map[string]string{
		"${a.n}":                            `7`,
		"${a.b[1].c}":                       `"deep"`,
		"${a.b.0}":                          `10`,
		"${a.b}":                            `[10,{"c":"deep"}]`,
		"<${a.n}/${a.t}>":                   `"<7/true>"`,
		"${a.self}${a.up.x}":                `"77"`,
		"${${name}.n}":                      `7`,
		"${a.up}":                           `{"x":7}`,
		"${.w}":                             `"sibling"`,
		"${oc.env:LENS_GYM_SET}":            `"from, env"`,
		"${oc.env:LENS_GYM_EMPTY,x}":        `""`,
		"${oc.env:LENS_GYM_UNSET,x}":        `"x"`,
		"${oc.env:LENS_GYM_UNSET, 'a, b' }": `"a, b"`,
		"${oc.env:LENS_GYM_UNSET,}":         `""`,
		"${oc.env:LENS_GYM_UNSET,null}":     `null`,
		"${oc.env:LENS_GYM_UNSET,7}":        `"7"`,
		"${oc.env:LENS_GYM_UNSET,${a.n}}":   `"7"`,
		"x-${oc.env:LENS_GYM_UNSET,y}":      `"x-y"`,
		"${holder}":                         `{"p":"${x}"}`,
		"${holder.p}":                       `"${x}"`,
		"${ a.n }":                          `7`,
		"$ {a}":                             `"$ {a}"`,
		"${a.nothing}":                      `!there is no nothing in a; there is "b", "n", "self", "t" and "up"`,
		"${a.b[2]}":                         `!there is no 2 in a.b`,
		"${a.n.x}":                          `!there is no x in a.n`,
		"text ${a.b}":                       `!${a.b} is a mapping or a list, which cannot stand inside a text`,
		"${m.responses_api_models}":         `!${m.responses_api_models} leads back to itself`,
		"${.v}":                             `!${.v} leads back to itself`,
		"${......n}":                        `!${......n} leads out of the configuration`,
		"${oc.env:LENS_GYM_UNSET}":          `!the environment variable LENS_GYM_UNSET is not set; set it, or give a default: ${oc.env:LENS_GYM_UNSET,default}`,
		"${oc.env:}":                        `!${oc.env:...} must name a variable`,
		"${oc.create:x}":                    `!there is no ${oc.create:...} here`,
		"${a b}":                            `!${a b} is no reference`,
		"${}":                               `!${} is no reference`,
		"${${a.b}}":                         `!what is inside of ${${a.b}} is a mapping or a list`,
	} {
		t.Run(value, func(t *testing.T) {
			text := top + "m:\n  responses_api_models:\n    x:\n      entrypoint: app.py\n      w: sibling\n      v: " + string(appendString(nil, value)) + "\n"
			write(t, map[string]string{"a.yaml": text})
			g, err := Load([]string{"a.yaml"}, Overrides{})
			if problem, ok := strings.CutPrefix(want, "!"); ok {
				if err == nil || !strings.Contains(err.Error(), "a.yaml:10:10: m.responses_api_models.x.v: ") || !strings.Contains(err.Error(), problem) {
					t.Errorf("error %v\nwant %s", err, problem)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := settings(t, g); got != `{"w":"sibling","v":`+want+`}` {
				t.Errorf("got %s, want %s", got, want)
			}
			b, err := g.Encode()
			if err != nil {
				t.Fatal(err)
			}
			again, err := Decode(b)
			if err != nil || string(again.Instance("m").Settings) != strings.Replace(string(g.Instance("m").Settings), "}", `,"host":"127.0.0.1","port":0}`, 1) && !strings.Contains(want, "}") {
				t.Errorf("after Encode and Decode: %s, %v", again.Instance("m").Settings, err)
			}
		})
	}
}

// A few references may stand for more than a machine holds: that is a problem, not an end.
func TestReferences_are_bounded(t *testing.T) {
	for name, c := range map[string]struct {
		head, pair, want string
	}{
		"text":   {"a0: xxxxxxxxxxxxxxxx\n", `"${A}${A}"`, "of text"},
		"values": {"a0: [1]\n", `["${A}", "${A}"]`, "values"},
		"chain":  {"a0: 1\n", `"${A}"`, "references lead to each other"},
	} {
		t.Run(name, func(t *testing.T) {
			n := 60
			if name == "chain" {
				n = 3000
			}
			var b strings.Builder
			b.WriteString(c.head)
			prev := "a0"
			var lines []string
			for i := range n {
				name := "a" + strings.Repeat("b", i%50) + string(rune('A'+i/50%26)) + strings.Repeat("c", i/1300)
				lines = append(lines, name+": "+strings.ReplaceAll(c.pair, "A", prev)+"\n")
				prev = name
			}
			for i := len(lines) - 1; i >= 0; i-- {
				b.WriteString(lines[i])
			}
			got := problemsOf(t, b.String())
			if len(got) == 0 || !strings.Contains(strings.Join(got, "\n"), c.want) {
				t.Errorf("problems %q, want %q", got[:min(len(got), 3)], c.want)
			}
		})
	}
}

func FuzzReferences(f *testing.F) {
	for _, text := range []string{"${a.b}", `\\${a}`, "${oc.env:X,${a}}", "${${a}}", "${.b}", "${copy:a}", "x${inherit_from:a.b}", "${a.b[0]}", "${", "???"} {
		f.Add(text, "${v}")
	}
	f.Fuzz(func(t *testing.T, one, two string) {
		entries := []entry{
			{name: "v", value: stringNode(one, position{})},
			{name: "a", value: &node{kind: '{', entries: []entry{
				{name: "b", value: &node{kind: '[', items: []*node{stringNode(two, position{}), stringNode(one, position{})}}},
				{name: "_copy", value: stringNode("c", position{})},
			}}},
			{name: "c", value: &node{kind: '{', entries: []entry{{name: "d", value: stringNode(two, position{})}}}},
		}
		tree := &node{kind: '{', entries: append(entries, parse("f", []byte(model("1")), &problems{}).entries...)}
		var ps problems
		g, err := build(tree, []string{"f"}, &ps)
		if (g == nil) == (err == nil) {
			t.Fatalf("graph %v and error %v", g, err)
		}
		if g != nil {
			roundTrip(t, g)
		}
	})
}
