package rollout

import (
	"os"
	"strings"
	"testing"
)

func prompt(t testing.TB, f *fixture, text string) *Prompt {
	t.Helper()
	f.write("prompt.yaml", text)
	p, err := ReadPrompt(f.path("prompt.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestRun_prompt(t *testing.T) {
	f := newFixture(t, `{"responses_create_params":{"temperature":1,"input":[]},"agent_ref":{"name":"simple_agent"},"q":"1 < \"2\"?","n":3,"deep":{"a":["x",{"b":"\u00e4"}]}}`+"\n"+
		`{"agent_ref":{"name":"simple_agent"},"q":"","n":null,"deep":{"a":["y",{"b":true}]}}`+"\n")
	f.o.Prompt = prompt(t, f, "system: 'Answer in {{braces}}.'\nuser: |\n  {q} {n} {deep[a][0]} {deep.a[1].b}\n")
	f.o.Concurrency = 1
	a := newAgent(t)
	f.run(a)
	for i, want := range []string{
		`{"responses_create_params":{"temperature":1,"input":[{"role":"system","content":"Answer in {braces}."},{"role":"user","content":"1 < \"2\"? 3 x ä\n"}]},`,
		`"responses_create_params":{"input":[{"role":"system","content":"Answer in {braces}."},{"role":"user","content":" null y true\n"}]}`,
	} {
		if got := a.bodies()[i]; !strings.Contains(got, want) {
			t.Errorf("row %d is sent as %s\nwant %s", i, got, want)
		}
	}
	if got := f.read("out/rollouts_materialized_inputs.jsonl"); !strings.Contains(got, `null y true`) {
		t.Errorf("materialized %s", got)
	}
}

// Rows that bring an input are all told of at once, and so are those without a field that the prompt wants.
func TestPrepare_prompt(t *testing.T) {
	row := `{"agent_ref":{"name":"simple_agent"},"q":"x"}` + "\n"
	f := newFixture(t, good+"\n"+row+good+"\n"+strings.Replace(row, `"q"`, `"p"`, 1)+strings.Replace(row, `"q"`, `"responses_create_params":7,"q"`, 1))
	f.o.Prompt = prompt(t, f, "user: '{q}'")
	_, err := Prepare(f.o)
	for _, want := range []string{
		"4 bad rows", "in.jsonl:1: responses_create_params.input is there already, and a prompt was given: one or the other", "in.jsonl:3: responses_create_params.input",
		"in.jsonl:4: the prompt wants {q}, which the row does not have", "in.jsonl:5: responses_create_params must be an object, not a number",
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	f.o.Params.Set("input", []byte(`"hi"`))
	if _, err := Prepare(f.o); err == nil || !strings.Contains(err.Error(), "is overridden and a prompt was given") {
		t.Errorf("error %v", err)
	}
}

func TestReadPrompt(t *testing.T) {
	f := newFixture(t, "")
	for text, want := range map[string]string{
		"system: x":                          "it has no user",
		"user: {a: b}":                       "both texts",
		"user: x\nusr: y":                    "prompt.yaml:2:6: usr means nothing here",
		"user: 7":                            "prompt.yaml:1:7: user must be a text, and is a number",
		"user: x\nuser: y":                   `mapping key "user" already defined`,
		"user: " + strings.Repeat("[", 2000): "nested deeper than 1000",
		"user: '{q'":                         `the { before "q" has no }; write {{ for a brace`,
		"user: 'q}'":                         "a } stands alone; write }} for a brace",
		"user: '{}'":                         "{} names no field of a row",
		"user: '{q:>10}'":                    "conversions and formats are not understood",
		"user: '{q!r}'":                      "conversions and formats are not understood",
		"user: x\nsystem: '{'":               "system: the {",
		"user: '{{}} {a[0].b}'":              "",
		"user: ''\nsystem: ''":               "",
	} {
		f.write("prompt.yaml", text)
		if _, err := ReadPrompt(f.path("prompt.yaml")); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "prompt.yaml")) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	if _, err := ReadPrompt(f.path("gone.yaml")); !os.IsNotExist(unwrap(err)) {
		t.Errorf("error %v", err)
	}
}

func unwrap(err error) error {
	for {
		u, ok := err.(interface{ Unwrap() error })
		if !ok {
			return err
		}
		err = u.Unwrap()
	}
}
