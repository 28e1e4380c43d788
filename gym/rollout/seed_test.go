package rollout

import (
	"fmt"
	"strings"
	"testing"
)

// GY-21: overrides that nest, and a seed for each rollout where model servers look for it.
func TestRun_seeds(t *testing.T) {
	f := newFixture(t, `{"responses_create_params":{"input":"hi","metadata":{"extra_body":"{\"top_k\": 5}","who":"me"}},"agent_ref":{"name":"simple_agent"}}`+"\n")
	f.o.Repeats, f.o.AddSeed, f.o.Concurrency = 3, true, 1
	f.o.Params.Set("reasoning", []byte(`{"effort":"low"}`))
	a := newAgent(t)
	f.run(a)
	for i, body := range a.bodies() {
		want := fmt.Sprintf(`{"responses_create_params":{"input":"hi","metadata":{"extra_body":"{\"top_k\": 5,\"seed\":%d}","who":"me"},"reasoning":{"effort":"low"}},`, i)
		if !strings.HasPrefix(strings.ReplaceAll(body, `": `, `":`), strings.ReplaceAll(want, `": `, `":`)) {
			t.Errorf("rollout %d is %s\nwant %s", i, body, want)
		}
	}
	if n := len(a.bodies()); n != 3 {
		t.Errorf("%d rollouts", n)
	}
}

func TestPrepare_seeds(t *testing.T) {
	for metadata, want := range map[string]string{
		`null`:                     "",
		`{}`:                       "",
		`{"extra_body":null}`:      "",
		`7`:                        "metadata must be an object to take a seed, not a number",
		`{"extra_body":{}}`:        "extra_body must be a JSON object written as a text to take a seed, not {}",
		`{"extra_body":"[1]"}`:     "extra_body must be a JSON object written as a text",
		`{"extra_body":"{\"a\":"}`: "extra_body must be a JSON object written as a text",
	} {
		f := newFixture(t, strings.Replace(good, `"input"`, `"metadata":`+metadata+`,"input"`, 1))
		f.o.AddSeed = true
		if _, err := Prepare(f.o); want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), "in.jsonl:1: ") || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: error %v, want %q", metadata, err, want)
		}
	}
}
