package config

import (
	"strings"
	"testing"
)

func TestDirectives(t *testing.T) {
	const generic = "generic:\n  responses_api_models:\n    x: {entrypoint: app.py, v: 1, w: 2, deep: {a: 1, b: 2}}\n"
	for name, c := range map[string]struct {
		text string
		args []string
		want string // instances with their settings, or a problem
	}{
		"inherit": {generic + "m:\n  _inherit_from: generic\n  responses_api_models: {x: {v: 7, deep: {b: 3}}}\n", nil,
			`m{"v":7,"w":2,"deep":{"a":1,"b":3}}`},
		"inherit, short": {generic + "m: ${inherit_from:generic}\n", nil, `m{"v":1,"w":2,"deep":{"a":1,"b":2}}`},
		"copy":           {generic + "m:\n  _copy: generic\n  responses_api_models: {x: {v: 7}}\n", nil, `generic{"v":1,"w":2,"deep":{"a":1,"b":2}} m{"v":7,"w":2,"deep":{"a":1,"b":2}}`},
		"copy, short":    {generic + "m: ${copy:generic}\n", nil, `generic{"v":1,"w":2,"deep":{"a":1,"b":2}} m{"v":1,"w":2,"deep":{"a":1,"b":2}}`},
		"by override":    {generic, []string{"++m=${inherit_from:generic}", "generic.responses_api_models.x.v=8"}, `m{"v":8,"w":2,"deep":{"a":1,"b":2}}`},
		"two heirs":      {generic + "m: ${inherit_from:generic}\nn: ${inherit_from:generic}\n", nil, `m{"v":1,"w":2,"deep":{"a":1,"b":2}} n{"v":1,"w":2,"deep":{"a":1,"b":2}}`},
		"chain": {"m:\n  _inherit_from: middle\n  responses_api_models: {x: {v: 9}}\nmiddle:\n  _inherit_from: generic\n  responses_api_models: {x: {w: 8}}\n" + generic, nil,
			`m{"v":9,"w":8,"deep":{"a":1,"b":2}}`},
		"through a directive": {"m:\n  responses_api_models:\n    x: {entrypoint: app.py, v: \"${copy:middle.responses_api_models.x.deep.a}\"}\nmiddle:\n  _copy: generic\n" + generic, nil,
			`m{"v":1} middle{"v":1,"w":2,"deep":{"a":1,"b":2}} generic{"v":1,"w":2,"deep":{"a":1,"b":2}}`},
		"deep, and what is left empty goes": {"m:\n  responses_api_models:\n    x:\n      _inherit_from: generic.responses_api_models.x\n      v: 5\n" + generic, nil,
			`m{"v":5,"w":2,"deep":{"a":1,"b":2}}`},
		"in a list":          {"p: {a: 1}\n" + "m:\n  responses_api_models:\n    x: {entrypoint: app.py, v: [{_copy: p, b: 2}, \"${copy:p}\"]}\n", nil, `m{"v":[{"a":1,"b":2},{"a":1}]}`},
		"delete":             {generic + "m:\n  _inherit_from: generic\n  responses_api_models:\n    x: {_delete_key: v}\nn:\n  responses_api_models:\n    x: {entrypoint: app.py, _delete_key: \"a, b\", a: 1, b: 2, c: 3}\n", nil, `m{"v":1,"w":2,"deep":{"a":1,"b":2}} n{"c":3}`},
		"delete inherited":   {"m:\n  responses_api_models:\n    x:\n      _copy: generic.responses_api_models.x\n      _delete_key: [v, deep]\n" + generic, nil, `m{"w":2} generic{"v":1,"w":2,"deep":{"a":1,"b":2}}`},
		"delete what is ???": {"m:\n  responses_api_models:\n    x: {entrypoint: app.py, v: ???, w: 1, _delete_key: v}\n", nil, `m{"w":1}`},
		"references follow":  {"a: {b: 5}\n" + "m:\n  responses_api_models:\n    x: {entrypoint: app.py, v: \"${c.b}\"}\nc: ${inherit_from:a}\n", nil, `m{"v":5}`},

		"nothing there":     {generic + "m: ${inherit_from:genric}\n", nil, `a.yaml:4:4: m: genric names nothing: there is no genric; did you mean "generic"?`},
		"nothing deep":      {generic + "m: ${copy:generic.resources}\n", nil, `there is no generic.resources; there is "responses_api_models"`},
		"a circle":          {"a: {_inherit_from: b}\nb: {_inherit_from: a}\n", nil, `inherits from itself, or from something inside of it`},
		"itself":            {"a: {_inherit_from: a}\n", nil, `a inherits from a, which it is a part of`},
		"its own part":      {"a: {_inherit_from: a.b, b: {}}\n", nil, `a inherits from itself, or from something inside of it`},
		"what it is in":     {"a: {b: {_copy: a}}\n", nil, `a.b inherits from a, which it is a part of`},
		"two sources":       {generic + "m: {_copy: generic, _inherit_from: generic}\n", nil, `has both _inherit_from and _copy`},
		"not a path":        {"a: {_copy: 7}\n", nil, `a._copy must be a dotted path`},
		"no mapping":        {"p: 7\na: {_copy: p}\n", nil, `a._copy: p is no mapping`},
		"nothing to delete": {generic + "m: {_copy: generic, _delete_key: nothing}\n", nil, `m._delete_key names "nothing", and there is no such key; there is "responses_api_models"`},
		"unset source":      {"p: ???\nm: {_copy: p}\n", nil, `m is ??? and nothing sets it`},
		"at the top":        {"_delete_key: a\n" + generic, nil, `_delete_key has no meaning at the top level`},
		"inside of a text":  {generic + "m: x${copy:generic}\n", nil, `m: ${copy:...} must be the whole value`},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, map[string]string{"a.yaml": c.text})
			g, err := Load([]string{"a.yaml"}, Overrides{Args: c.args})
			if err != nil {
				if !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v\nwant  %s", err, c.want)
				}
				return
			}
			var got []string
			for _, in := range g.Instances {
				got = append(got, in.Name+strings.NewReplacer(`"entrypoint":"app.py",`, "").Replace(string(in.Settings)))
			}
			if s := strings.Join(got, " "); s != c.want {
				t.Errorf("got  %s\nwant %s", s, c.want)
			}
		})
	}
}

// A name that may belong to a file which is not merged this time is a note.
func TestDirectives_notes(t *testing.T) {
	write(t, map[string]string{"a.yaml": "m:\n  responses_api_models:\n    x: {entrypoint: app.py, _delete_key: gone}\n"})
	g := mustLoad(t, Overrides{}, "a.yaml")
	if want := `a.yaml:3: m.responses_api_models.x._delete_key names "gone", and there is no such key`; len(g.Notes) != 1 || g.Notes[0] != want {
		t.Errorf("notes %q", g.Notes)
	}
}
