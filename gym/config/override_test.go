package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOverride_values(t *testing.T) {
	for value, want := range map[string]string{
		``:                           `""`,
		`x`:                          `"x"`,
		`null`:                       `null`,
		`NULL`:                       `null`,
		`True`:                       `true`,
		`false`:                      `false`,
		`7`:                          `7`,
		`+7`:                         `7`,
		`-1_000`:                     `-1000`,
		`007`:                        `"007"`,
		`12345678901234567890123`:    `12345678901234567890123`,
		`0.5`:                        `0.5`,
		`.5`:                         `0.5`,
		`5.`:                         `5`,
		`1e-3`:                       `1e-3`,
		`1.2.3`:                      `"1.2.3"`,
		`yes`:                        `"yes"`,
		`a b  c `:                    `"a b  c"`,
		`http://h:1/v1?a=b&c=d`:      `"http://h:1/v1?a=b&c=d"`,
		`C:\dir\file`:                `"C:\\dir\\file"`,
		`a\,b\ `:                     `"a,b "`,
		`\7`:                         `"\\7"`,
		`\[1\]`:                      `"[1]"`,
		`'7'`:                        `"7"`,
		`"a, [b] = {c}"`:             `"a, [b] = {c}"`,
		`'it\'s'`:                    `"it's"`,
		`'a\b\\'`:                    `"a\\b\\"`,
		`"a\\\"b"`:                   `"a\\\"b"`,
		`[]`:                         `[]`,
		`[1, a ,'b c',[null],{}]`:    `[1,"a","b c",[null],{}]`,
		`{a: 1, 'b c' : [x], d:{}}`:  `{"a":1,"b c":["x"],"d":{}}`,
		`{url: http://h:1/}`:         `{"url":"http://h:1/"}`,
		`{a:,b:1}`:                   ``,
		`${top}/x`:                   `"T/x"`,
		`"${top}, ${list[1]}"`:       `"T, 2"`,
		`${oc.env:LENS_NO_SUCH,a,b}`: `"a,b"`,
		`\${top}`:                    `"${top}"`,
		`nan`:                        ``,
		`-inf`:                       ``,
		`a,b`:                        ``,
		`choice(a,b)`:                ``,
		`[1`:                         ``,
		`[1,]`:                       ``,
		`[,1]`:                       ``,
		`{a 1}`:                      ``,
		`{a: 1`:                      ``,
		`{a: 1, a: 2}`:               ``,
		`'x`:                         ``,
		`'x' y`:                      ``,
		`a[0]`:                       ``,
		`${x`:                        ``,
		`[1] 2`:                      ``,
	} {
		t.Run(value, func(t *testing.T) {
			write(t, map[string]string{"a.yaml": "top: T\nlist: [1, 2]\n" + model("0")})
			arg := "m.responses_api_models.x.v=" + value
			g, err := Load([]string{"a.yaml"}, Overrides{Args: []string{arg}})
			if parsed := ParseOverride(arg); (parsed == nil) != (want != "") || !IsOverride(arg) {
				t.Errorf("ParseOverride: %v", parsed)
			}
			if want == "" {
				if err == nil || !strings.Contains(err.Error(), "override m.responses_api_models.x.v:1:") {
					t.Errorf("error %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := settings(t, g); got != `{"v":`+want+`}` {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestOverride_apply(t *testing.T) {
	const text = "list: [{a: 1}, 2]\nscalar: 7\nempty: null\n" + "m:\n  responses_api_models:\n    x:\n      entrypoint: app.py\n      v: {a: 1, b: {c: 2}}\n"
	for name, c := range map[string]struct {
		args []string
		want string // of v, else the problem
	}{
		"change":             {[]string{"m.responses_api_models.x.v.b.c=3"}, `{"a":1,"b":{"c":3}}`},
		"merge":              {[]string{"m.responses_api_models.x.v={b: {d: 4}}"}, `{"a":1,"b":{"c":2,"d":4}}`},
		"replace by a value": {[]string{"m.responses_api_models.x.v=1"}, `1`},
		"add":                {[]string{"+m.responses_api_models.x.v.new.deep=3"}, `{"a":1,"b":{"c":2},"new":{"deep":3}}`},
		"force":              {[]string{"++m.responses_api_models.x.v.a.deep=3"}, `{"a":{"deep":3},"b":{"c":2}}`},
		"add what is there":  {[]string{"+m.responses_api_models.x.v.a=3"}, `{"a":3,"b":{"c":2}}`},
		"in order":           {[]string{"+m.responses_api_models.x.v.a=3", "m.responses_api_models.x.v.a=4"}, `{"a":4,"b":{"c":2}}`},
		"delete":             {[]string{"~m.responses_api_models.x.v.b"}, `{"a":1}`},
		"delete with value":  {[]string{"~m.responses_api_models.x.v.a=1"}, `{"b":{"c":2}}`},
		"list":               {[]string{"list[0].a=5", "list.1=6", "+list[2]=7", "m.responses_api_models.x.v=${list}"}, `[{"a":5},6,7]`},
		"list, delete":       {[]string{"~list.0", "m.responses_api_models.x.v=${list}"}, `[2]`},
		"known key":          {[]string{"responses_create_params.reasoning.effort=low", "m.responses_api_models.x.v=${responses_create_params}"}, `{"reasoning":{"effort":"low"}}`},
		"reference":          {[]string{"++m.responses_api_models.x.v=${scalar}"}, `7`},

		"no such key":       {[]string{"m.responses_api_models.x.w=1"}, `override m.responses_api_models.x.w: there is no m.responses_api_models.x.w to change; there is "entrypoint" and "v"; to add it, write +m.responses_api_models.x.w=VALUE`},
		"near":              {[]string{"scalr.a=1"}, `override scalr.a: there is no scalr to change; did you mean "scalar"?; to add it, write +scalr.a=VALUE`},
		"nothing to delete": {[]string{"~m.responses_api_models.y"}, `override ~m.responses_api_models.y: there is no m.responses_api_models.y to delete; there is "x"`},
		"other value":       {[]string{"~scalar=8"}, `override ~scalar: scalar has another value, so it was not deleted`},
		"beyond the list":   {[]string{"+list[4]=1"}, `override +list[4]: list is a list of 2: its elements are 0 to 1, and 2 adds one`},
		"no key":            {[]string{"=1"}, `override : an override needs a key`},
		"no value":          {[]string{"+a"}, `override +a: an override needs a value: write +a=VALUE`},
		"group":             {[]string{"db/x=1"}, `config groups and packages (/)`},
		"package":           {[]string{"x@y=1"}, `config groups and packages (@)`},
		"open index":        {[]string{"list[0=1"}, `holds an index that is not closed`},
		"empty part":        {[]string{"a..b=1"}, `holds an empty part`},
		"not UTF-8":         {[]string{"a=\xff"}, `must be UTF-8`},
		"sweep":             {[]string{"scalar=a,b"}, `override scalar:1:9: a comma makes several values`},
		"all of them":       {[]string{"a=[", "b=]"}, `2 problems`},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, map[string]string{"a.yaml": text})
			g, err := Load([]string{"a.yaml"}, Overrides{Args: c.args})
			if err != nil {
				if !strings.Contains(err.Error(), c.want) {
					t.Errorf("error %v\nwant  %s", err, c.want)
				}
				return
			}
			if got := settings(t, g); got != `{"v":`+c.want+`}` {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// A value of the command line may be a key: no message shows it.
func TestOverride_problems_show_no_value(t *testing.T) {
	write(t, map[string]string{"a.yaml": model("0")})
	for _, arg := range []string{"policy_api_key=[sk-abcdef", "policy_api_key=sk-abcdef,x", "policy_api_key='sk-abcdef", "nope.key=sk-abcdef",
		"policy_api_key=${oc.env:LENS_NO_SUCH sk-abcdef}", "policy_api_key=${x.y,sk-abcdef}", "policy_api_key={a: sk-abcdef, a: sk-abcdef}",
		"+default_host=[sk-abcdef]", "~m=sk-abcdef", "policy_api_key={sk-abcdef}"} {
		_, err := Load([]string{"a.yaml"}, Overrides{Args: []string{arg}})
		if err == nil || strings.Contains(err.Error(), "sk-abcdef") {
			t.Errorf("%s: %v", arg, err)
		}
	}
}

func TestIsOverride(t *testing.T) {
	for arg, want := range map[string]bool{"a=1": true, "+a": true, "~a.b": true, "++a={}": true, "run": false, "--a=1": false, "": false} {
		if got := IsOverride(arg); got != want {
			t.Errorf("%q: %v", arg, got)
		}
	}
}

// GY-17: every unset value in one error, also one in a list, with an override that sets it; and that override works.
func TestLoad_unset_values(t *testing.T) {
	const text = "policy_base_url: ???\nm:\n  responses_api_models:\n    x:\n      entrypoint: app.py\n      v: [1, {a: ???}]\n      url: ${policy_base_url}\n"
	want := []string{
		`1:18: policy_base_url is ??? and nothing sets it: give it a value in a file, in env.yaml, or with ++policy_base_url=VALUE`,
		`6:18: m.responses_api_models.x.v[1].a is ??? and nothing sets it: give it a value in a file, in env.yaml, or with ++m.responses_api_models.x.v[1].a=VALUE`,
	}
	if diff := cmp.Diff(want, problemsOf(t, text)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
	g := mustLoad(t, Overrides{Args: []string{"++policy_base_url=u", "++m.responses_api_models.x.v[1].a=7"}}, "a.yaml")
	if got := settings(t, g); got != `{"v":[1,{"a":7}],"url":"u"}` {
		t.Errorf("settings %s", got)
	}
}

func FuzzOverride(f *testing.F) {
	for _, arg := range []string{"a=1", "+a.b[0]=[1,{a: 'b'}]", "~a=x", "a=\"\\\"\"", "a={b:${c},d:[]}", "++a=\\,", "a=1e9", "a=${a}", "a=f(x)"} {
		f.Add(arg)
	}
	f.Fuzz(func(t *testing.T, arg string) {
		var ps problems
		o, ok := parseOverride(arg, &ps)
		if ok == (len(ps.list) > 0) {
			t.Fatalf("ok %v with problems %v", ok, ps.list)
		}
		if !ok {
			return
		}
		tree := parse("f", []byte("a: {b: [1]}\nc: 7\n"), &ps)
		o.apply(tree, &ps)
		text := tree.json()
		if !text.IsValid() {
			t.Fatalf("not JSON: %s", text)
		}
		if o.value == nil || o.op == opDelete || len(ps.list) > 0 || o.isConfigPaths() {
			return
		}
		n := tree
		for _, part := range o.path {
			if n = n.child(part); n == nil {
				t.Fatalf("%s is not in %s", arg, text)
			}
		}
	})
}

const echoAt = "a:\n  resources_servers:\n    echo: {entrypoint: app.py, domain: other, host: %s, port: 9001}\n"

func TestGraphOverride(t *testing.T) {
	g, err := Decode([]byte(strings.Replace(echoAt, "%s", "127.0.0.1", 1)))
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Override(Overrides{Args: []string{"a.resources_servers.echo.port=9002", "limit=3"}}); err != nil {
		t.Fatal(err)
	}
	limit := 0
	if err := g.DecodeValue("limit", &limit); err != nil || limit != 3 || g.Instance("a").URL() != "http://127.0.0.1:9002" {
		t.Errorf("limit %d, %v, URL %s", limit, err, g.Instance("a").URL())
	}
	if err := g.Override(Overrides{Args: []string{"nothing.here=1"}}); err == nil {
		t.Error("an override of nothing is taken")
	}
}
