package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

const weather = `policy_base_url: http://127.0.0.1:9/v1
policy_model_name: tiny
telemetry:
  enabled: true
  span_groups: default
policy_model:
  responses_api_models:
    openai_model:
      entrypoint: app.py
      domain: agent
      openai_base_url: ${policy_base_url}/responses
      openai_model: ${policy_model_name}
      seed: 12345678901234567890123
weather:
  resources_servers:
    example_single_tool_call:
      entrypoint: app.py
      domain: agent
      port: 7001
weather_agent:
  responses_api_agents:
    simple_agent:
      entrypoint: app.py
      resources_server: {type: resources_servers, name: weather}
      model_server: {type: responses_api_models, name: policy_model}
      datasets:
      - {name: example, type: example, jsonl_fpath: a.jsonl}
`

// write puts files into a folder and makes it the current one, so that names in errors are short.
func write(t *testing.T, files map[string]string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

func mustLoad(t *testing.T, over Overrides, paths ...string) *Graph {
	t.Helper()
	g, err := Load(paths, over)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestLoad(t *testing.T) {
	write(t, map[string]string{"a.yaml": weather})
	g := mustLoad(t, Overrides{}, "a.yaml")

	var names []string
	for _, in := range g.Instances {
		names = append(names, in.Name+" "+in.Type+" "+in.Impl)
	}
	want := []string{
		"policy_model responses_api_models openai_model",
		"weather resources_servers example_single_tool_call",
		"weather_agent responses_api_agents simple_agent",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("instances (-want +got):\n%s", diff)
	}

	model := g.Instance("policy_model")
	wantSettings := `{"entrypoint":"app.py","openai_base_url":"http://127.0.0.1:9/v1/responses","openai_model":"tiny","seed":12345678901234567890123}`
	if got := string(model.Settings); got != wantSettings {
		t.Errorf("settings\n got %s\nwant %s", got, wantSettings)
	}
	if model.File != "a.yaml" || model.Line != 6 || model.Host != "127.0.0.1" || model.Port != 0 || model.Domain != "" {
		t.Errorf("model: %+v", model)
	}
	rs := g.Instance("weather")
	if rs.Domain != "agent" || rs.URL() != "http://127.0.0.1:7001" {
		t.Errorf("resources server: %+v, %s", rs, rs.URL())
	}
	wantRefs := []Ref{
		{Key: "resources_server", Type: TypeResources, Name: "weather", File: "a.yaml", Line: 24, Column: 57},
		{Key: "model_server", Type: TypeModel, Name: "policy_model", File: "a.yaml", Line: 25, Column: 56},
	}
	if diff := cmp.Diff(wantRefs, g.Instance("weather_agent").Refs); diff != "" {
		t.Errorf("refs (-want +got):\n%s", diff)
	}
	if got := g.Environment("weather_agent"); got != "weather" {
		t.Errorf("environment %q", got)
	}
	if got := string(g.Telemetry()); got != `{"enabled":true,"span_groups":"default"}` {
		t.Errorf("telemetry %s", got)
	}
	if got := g.Names(TypeAgent); !slices.Equal(got, []string{"weather_agent"}) {
		t.Errorf("agents %q", got)
	}
	var settings struct {
		Model string `json:"openai_model"`
	}
	if err := model.DecodeSettings(&settings); err != nil || settings.Model != "tiny" {
		t.Errorf("decoded %+v, %v", settings, err)
	}
	if g.Instance("nobody") != nil || g.Environment("nobody") != "" || g.Value("nobody") != nil {
		t.Error("something was found that is not there")
	}
}

func TestLoad_merge(t *testing.T) {
	write(t, map[string]string{
		"a.yaml": weather,
		"b.yaml": "policy_model_name: big\npolicy_model:\n  responses_api_models:\n    openai_model:\n      extra: {a: 1}\n      list: [1, 2]\n",
		"c.yaml": "policy_model:\n  responses_api_models:\n    openai_model:\n      extra: {b: 2}\n      list: [3]\n",
	})
	g := mustLoad(t, Overrides{Values: map[string]string{"policy_base_url": "http://x"}}, "a.yaml", "b.yaml", "c.yaml")
	want := `{"entrypoint":"app.py","openai_base_url":"http://x/responses","openai_model":"big","seed":12345678901234567890123,"extra":{"a":1,"b":2},"list":[3]}`
	if got := string(g.Instance("policy_model").Settings); got != want {
		t.Errorf("settings\n got %s\nwant %s", got, want)
	}
	if g.Instances[0].Name != "policy_model" {
		t.Errorf("a later file moved an instance: %s first", g.Instances[0].Name)
	}
}

func TestLoad_yaml_values(t *testing.T) {
	const text = `base: &base
  entrypoint: app.py
  domain: math
  n: 0x10
one:
  resources_servers:
    x:
      <<: *base
      domain: games
      yes_is: yes
      truth: true
      none: ~
      pi: 3.25
      big: 1e400
      tagged: !!str 007
      block: |
        two
        lines
      folded: >-
        one
        line
      'quoted key': "a\tb"
      1: one
      empty: {}
      alias: *base
`
	write(t, map[string]string{"a.yaml": text})
	g := mustLoad(t, Overrides{}, "a.yaml")
	want := `{"domain":"games","yes_is":"yes","truth":true,"none":null,"pi":3.25,"big":1e400,"tagged":"007","block":"two\nlines\n",` +
		`"folded":"one line","quoted key":"a\tb","1":"one","empty":{},"alias":{"entrypoint":"app.py","domain":"math","n":16},"entrypoint":"app.py","n":16}`
	if got := string(g.Instance("one").Settings); got != want {
		t.Errorf("settings\n got %s\nwant %s", got, want)
	}
}

func TestLoad_interpolation(t *testing.T) {
	const head = "one:\n  responses_api_models:\n    m:\n      entrypoint: app.py\n      v: "
	for name, c := range map[string]struct{ top, value, want string }{
		"whole":     {"a: 7\n", "${a}", `7`},
		"inside":    {"a: 7\nb: x\n", "<${a}-${b}>", `"<7-x>"`},
		"chain":     {"a: ${b}\nb: ${c}!\nc: deep\n", "${a}", `"deep!"`},
		"escaped":   {"", `'\${a}'`, `"${a}"`},
		"backslash": {"a: 7\n", `'\\${a}'`, `"\\7"`},
		"odd":       {"", `'\\\${a} \'`, `"\\${a} \\"`},
		"null":      {"a: null\n", "${a}", `null`},
		"dollar":    {"", "costs $5 {x}", `"costs $5 {x}"`},
	} {
		t.Run(name, func(t *testing.T) {
			write(t, map[string]string{"a.yaml": c.top + head + c.value + "\n"})
			g := mustLoad(t, Overrides{}, "a.yaml")
			var got struct {
				V jsontext.Value `json:"v"`
			}
			if err := g.Instance("one").DecodeSettings(&got); err != nil || string(got.V) != c.want {
				t.Errorf("got %s, %v; want %s", got.V, err, c.want)
			}
			b, err := g.Encode()
			if err != nil {
				t.Fatal(err)
			}
			again, err := Decode(b)
			if err != nil {
				t.Fatal(err)
			}
			if err := again.Instance("one").DecodeSettings(&got); err != nil || string(got.V) != c.want {
				t.Errorf("after Encode and Decode: %s, %v; want %s", got.V, err, c.want)
			}
		})
	}
}

func TestEncode_and_Decode(t *testing.T) {
	write(t, map[string]string{"a.yaml": "default_host: 127.0.0.2\n" + weather})
	g := mustLoad(t, Overrides{}, "a.yaml")
	for i, in := range g.Instances {
		in.Port = 9000 + i
	}
	b, err := g.Encode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	for i, in := range g.Instances {
		got := again.Instances[i]
		if got.Name != in.Name || got.Type != in.Type || got.Impl != in.Impl || got.Host != "127.0.0.2" || got.Port != 9000+i || got.Domain != in.Domain {
			t.Errorf("%s came back as %+v", in.Name, got)
		}
	}
	if string(again.Telemetry()) != string(g.Telemetry()) {
		t.Errorf("telemetry %s", again.Telemetry())
	}
	if _, err := (&Graph{}).Encode(); err == nil {
		t.Error("an empty graph was encoded")
	}
}

// What a Python supervisor hands down is YAML, was checked there, and may hold what we do not know.
func TestDecode_python(t *testing.T) {
	const text = `config_paths: [a.yaml]
_copy: null
head_server:
  host: 127.0.0.1
  port: 11000
counter:
  resources_servers:
    example_session_state_mgmt:
      entrypoint: app.py
      domain: agent
      host: 127.0.0.1
      port: 12345
      num_workers: null
half:
  resources_servers: {}
agent:
  responses_api_agents:
    simple_agent:
      entrypoint: app.py
      resources_server:
        type: resources_servers
        name: gone
    second: {}
`
	g, err := Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Instances) != 2 || g.Instance("counter").Port != 12345 || g.Instance("agent").Impl != "simple_agent" {
		t.Errorf("instances %+v", g.Instances)
	}
	if _, err := Decode([]byte("a: [1\n")); err == nil || !strings.Contains(err.Error(), ": 1:4: ") {
		t.Errorf("broken YAML: %v", err)
	}
}

// problemsOf loads one text and gives what is wrong, each line without the file's name.
func problemsOf(t *testing.T, text string) []string {
	t.Helper()
	write(t, map[string]string{"a.yaml": text})
	g, err := Load([]string{"a.yaml"}, Overrides{})
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("got graph %v and error %v, want an *Error", g, err)
	}
	var lines []string
	for _, p := range e.Problems {
		lines = append(lines, strings.TrimPrefix(p.String(), "a.yaml:"))
	}
	return lines
}

func TestLoad_every_problem_in_one_error(t *testing.T) {
	const text = `policy_model:
  responses_api_models:
    openai_model:
      openai_base_url: ${policy_base_ulr}
      port: 70000
policy_base_url: ???
bad name:
  resources_servers:
    x: {entrypoint: /abs.py}
two:
  resources_servers:
    a: {entrypoint: app.py, domain: mathe}
    b: {entrypoint: app.py, domain: math}
  responses_api_agents:
    c: {entrypoint: app.py}
none:
  responses_api_agents: {}
default_host: 7
agent:
  responses_api_agents:
    simple_agent:
      entrypoint: app.py
      _inherit_from: tow
      model_server: {type: responses_api_models, name: policy_modle}
      resources_server: {type: responses_api_models, name: two}
      other: {type: resource_servers, name: two}
      datasets: [{name: x, type: train, jsonl_fpath: y}, {type: what, num_repeats: 0}]
      a: ${oc.env:LENS_GYM_NOT_SET}
      b: ${oc.decode:x}
typo:
  resource_servers:
    x: {entrypoint: app.py}
`
	want := []string{
		`3:5: policy_model: openai_model has no entrypoint; add entrypoint: app.py`,
		`4:24: policy_model.responses_api_models.openai_model.openai_base_url: ${policy_base_ulr} names nothing: there is no policy_base_ulr at the top level; did you mean "policy_base_url"?`,
		`5:13: policy_model: port must be a whole number from 0 to 65535`,
		`6:18: policy_base_url is ??? and nothing sets it: give it a value in a file, in env.yaml, or with ++policy_base_url=VALUE`,
		"7:1: the name \"bad name\" holds \" \": a session cookie is named after the instance, so it may hold letters, digits and !#$%&'*+-.^_`|~ only",
		`9:5: bad name: a resources server needs a domain, one of math, coding, agent, knowledge, instruction_following, long_context, safety, games, translation, e2e, rlhf, other`,
		`9:21: bad name: entrypoint must be a relative path, for example app.py`,
		`12:37: two: domain must be one of math, coding, agent, knowledge, instruction_following, long_context, safety, games, translation, e2e, rlhf, other; did you mean "math"?`,
		`13:5: two: resources_servers has a second implementation "b" beside "a": an instance has exactly one`,
		`14:3: two has both resources_servers and responses_api_agents: an instance has exactly one type`,
		`17:3: none: responses_api_agents names no implementation: exactly one is needed, for example simple_agent`,
		`18:15: default_host must be a text`,
		`23:22: agent.responses_api_agents.simple_agent: tow names nothing: there is no tow; did you mean "two"?`,
		`24:56: agent: model_server names "policy_modle", and there is no such instance of responses_api_models; did you mean "policy_model"?`,
		`25:60: agent: resources_server names "two" as one of responses_api_models, but it is one of resources_servers`,
		`26:21: agent: "resource_servers" is no server type; did you mean "resources_servers"?`,
		"27:18: agent: a data set needs license when its type is train",
		"27:58: agent: a data set needs jsonl_fpath",
		"27:58: agent: a data set needs name",
		"27:58: agent: the type of a data set must be one of train, validation, example, benchmark",
		"27:84: agent: num_repeats must be a whole number from 1",
		"28:10: agent.responses_api_agents.simple_agent.a: the environment variable LENS_GYM_NOT_SET is not set; set it, or give a default: ${oc.env:LENS_GYM_NOT_SET,default}",
		"29:10: agent.responses_api_agents.simple_agent.b: there is no ${oc.decode:...} here; there is ${a.b}, ${oc.env:VARIABLE,default}, ${inherit_from:a.b} and ${copy:a.b}",
		`31:3: typo: "resource_servers" is no server type; did you mean "resources_servers"?`,
	}
	if diff := cmp.Diff(want, problemsOf(t, text)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestLoad_references(t *testing.T) {
	const text = `policy_model:
  responses_api_models:
    m: {entrypoint: app.py}
agent:
  responses_api_agents:
    simple_agent:
      entrypoint: app.py
      model_server: {type: responses_api_models, name: policy_modle}
      resources_server: {type: resources_servers, name: policy_model}
      other: {type: resource_servers, name: x}
      far: {type: responses_api_models, name: entirely_different}
`
	want := []string{
		`8:56: agent: model_server names "policy_modle", and there is no such instance of responses_api_models; did you mean "policy_model"?`,
		`9:57: agent: resources_server names "policy_model" as one of resources_servers, but it is one of responses_api_models`,
		`10:21: agent: "resource_servers" is no server type; did you mean "resources_servers"?`,
		`11:47: agent: far names "entirely_different", and there is no such instance of responses_api_models; there is "policy_model"`,
	}
	if diff := cmp.Diff(want, problemsOf(t, text)); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestLoad_almost_servers_allowed(t *testing.T) {
	write(t, map[string]string{"a.yaml": "error_on_almost_servers: false\nodd:\n  resources_servers: {x: {entrypoint: app.py}}\n" + weather})
	if g := mustLoad(t, Overrides{}, "a.yaml"); len(g.Instances) != 3 {
		t.Errorf("%d instances, want 3", len(g.Instances))
	}
}

// GY-19: a YAML error has its place; a missing file reads otherwise.
func TestLoad_unreadable(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"tab in line 3":    {"a:\n  b: 1\n\tc: 2\n", "3:1: "},
		"duplicate key":    {"a: 1\nb: 2\na: 3\n", "3:1: "},
		"unclosed list":    {"a: [1, 2\n", "1:4: "},
		"not UTF-8":        {"a: 1\nb: \xff\n", "2:4: the file is not UTF-8 here"},
		"a list":           {"- 1\n", "1:1: the file must be a mapping of names to values"},
		"two documents":    {"a: 1\n---\nb: 2\n", "3:"},
		"unknown alias":    {"a: *nobody\n", "1:4: *nobody stands before, or without, an anchor &nobody"},
		"NaN":              {"a: .nan\n", "1:4: .nan is a number that JSON does not have"},
		"unknown tag":      {"a: !secret x\n", "1:4: the tag !secret is not known here"},
		"nothing":          {"", " no server instance in a.yaml: at least one entry with responses_api_agents, responses_api_models, resources_servers is needed"},
		"unclosed":         {"a: x ${b\n", `1:4: a: ${ without its }; write \${ for the two characters themselves`},
		"circle":           {"a: ${b}\nb: ${a}\n", "2:4: b: ${a} leads back to itself"},
		"billion laughs":   {laughs(12), "the aliases of this file stand for more than"},
		"merge of a value": {"a:\n  <<: 7\n", "<< takes a mapping"},
	} {
		t.Run(name, func(t *testing.T) {
			got := problemsOf(t, c.text)
			if len(got) == 0 || !strings.Contains(got[0], strings.TrimSpace(c.want)) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	write(t, map[string]string{"a.yaml": weather})
	_, err := Load([]string{"a.yaml", "gone.yaml"}, Overrides{})
	if !errors.Is(err, fs.ErrNotExist) || err.Error() != "cannot load the configuration: gone.yaml: there is no such file" {
		t.Errorf("missing file: %v", err)
	}
	if _, err := Load(nil, Overrides{}); err == nil {
		t.Error("no file: no error")
	}
}

// laughs is a text whose aliases stand for ten to the power of n values.
func laughs(n int) string {
	var b strings.Builder
	b.WriteString("a0: &a0 [1]\n")
	for i := 1; i <= n; i++ {
		prev := "*a" + string(rune('0'+(i-1)/10)) + string(rune('0'+(i-1)%10))
		if i == 1 {
			prev = "*a0"
		}
		name := "a" + string(rune('0'+i/10)) + string(rune('0'+i%10))
		b.WriteString(name + ": &" + name + " [" + strings.Repeat(prev+", ", 9) + prev + "]\n")
	}
	return b.String()
}

// A file that nests without end is refused before it takes memory by the square of its depth.
func TestLoad_depth(t *testing.T) {
	const deep = 50_000
	for name, text := range map[string]string{
		"lists":             "a: " + strings.Repeat("[", deep) + strings.Repeat("]", deep),
		"lists, not closed": "a: " + strings.Repeat("[", deep),
		"mappings":          "a: " + strings.Repeat("{b: ", deep) + "1" + strings.Repeat("}", deep),
		"dashes":            "a:\n  " + strings.Repeat("- ", deep) + "x",
		"keys":              "a: " + strings.Repeat("b: ", deep) + "x",
		"tags":              "a: " + strings.Repeat("!!str ", deep) + "x",
		"anchors":           "a: " + strings.Repeat("&a ", deep) + "x",
	} {
		write(t, map[string]string{"a.yaml": text + "\n" + model("1")})
		if _, err := Load([]string{"a.yaml"}, Overrides{}); err == nil || !strings.Contains(err.Error(), "nested deeper than 1000") {
			t.Errorf("%s: got %.200v", name, err)
		}
	}
	wide := "a: [" + strings.Repeat("[], ", 5000) + strings.Repeat("{b: 1}, ", 5000) + "1]\n"
	write(t, map[string]string{"a.yaml": wide + model("1")}) // many beside each other are none inside each other
	mustLoad(t, Overrides{}, "a.yaml")
}

func TestNear(t *testing.T) {
	names := []string{"policy_model", "policy_judge", "weather"}
	for name, want := range map[string][]string{
		"policy_modle": {"policy_model"},
		"Weather":      {"weather"},
		"x":            nil,
		"":             nil,
	} {
		if got := Near(name, names); !slices.Equal(got, want) {
			t.Errorf("Near(%q) = %q, want %q", name, got, want)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(weather))
	f.Add([]byte(laughs(3)))
	f.Add([]byte("a: &x {<<: *x}\n? [1]\n: !!str 7\n"))
	f.Add([]byte(`{"a":{"resources_servers":{"x":{"port":1}}},"b":"${a}"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var ps problems
		if tree := parse("f", data, &ps); tree != nil {
			g, err := build(tree, []string{"f"}, &ps)
			if (g == nil) == (err == nil) {
				t.Fatalf("graph %v and error %v", g, err)
			}
			if g != nil {
				roundTrip(t, g)
			}
		} else if ps.err() == nil {
			t.Fatal("neither a tree nor a problem")
		}
		if g, err := Decode(data); err == nil {
			roundTrip(t, g)
		}
	})
}

func roundTrip(t *testing.T, g *Graph) {
	b, err := g.Encode()
	if err != nil {
		t.Fatal(err)
	}
	if !jsontext.Value(b).IsValid() {
		t.Fatalf("not JSON: %s", b)
	}
	again, err := Decode(b)
	if err != nil {
		t.Fatalf("%v\n%s", err, b)
	}
	if c, err := again.Encode(); err != nil || string(c) != string(b) {
		t.Fatalf("%v\n%s\n%s", err, b, c)
	}
	printed := g.YAML()
	if g, err := Decode(printed); err != nil || string(g.JSON()) != string(again.JSON()) {
		t.Fatalf("%v\n%s", err, printed)
	}
	if shown := g.Redacted().JSON(); !jsontext.Value(shown).IsValid() {
		t.Fatalf("not JSON: %s", shown)
	}
}

// What holds for the whole run can be asked of each instance, where the configuration was read and in a server's process.
func TestDecodeGlobal(t *testing.T) {
	write(t, map[string]string{"a.yaml": "observability_enabled: true\ntools:\n  resources_servers:\n    x: {entrypoint: app.py, domain: agent}\n"})
	g := mustLoad(t, Overrides{}, "a.yaml")
	encoded, err := g.Encode()
	if err != nil {
		t.Fatal(err)
	}
	there, err := Decode(encoded)
	if err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]*Instance{"loaded": g.Instance("tools"), "decoded": there.Instance("tools")} {
		on, absent := false, "as it was"
		if err := errors.Join(in.DecodeGlobal("observability_enabled", &on), in.DecodeGlobal("results_dir", &absent)); err != nil || !on || absent != "as it was" {
			t.Errorf("%s: %v, %q, %v", name, on, absent, err)
		}
		if err := in.DecodeGlobal("observability_enabled", new(int)); err == nil {
			t.Errorf("%s: true was read into a number", name)
		}
	}
	if err := (&Instance{}).DecodeGlobal("observability_enabled", new(bool)); err != nil {
		t.Error(err)
	}
}
