package rollout

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/responses"
)

const secretGraph = graphText + `policy_model:
  responses_api_models:
    openai_model: {entrypoint: app.py, openai_model: small, openai_api_key: sk-very-secret, port: 4000}
`

func (f *fixture) graph(text string) {
	f.Helper()
	g, err := config.Decode([]byte(text))
	if err != nil {
		f.Fatal(err)
	}
	f.o.Graph = g
}

// halfRun is a run of four rows of which two failed; they are left to a resume.
func halfRun(t testing.TB) *fixture {
	t.Helper()
	f := newFixture(t, inputRows(4))
	f.graph(secretGraph)
	f.o.Params.Set("temperature", []byte("0.5"))
	a := newAgent(t)
	a.run = func(w http.ResponseWriter, _ *http.Request, row responses.Object) {
		if n(row) > 1 {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		_, _ = w.Write([]byte(`{"reward":1}`))
	}
	if s := f.run(a); s.Scored != 2 || s.Failed != 2 {
		t.Fatalf("%+v", s)
	}
	f.o.Resume = true
	return f
}

// GY-05: a resume does not go on with something else than the run began with, and says what differs.
func TestResume_another_run(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*fixture)
		want   []string // nothing: it goes on
	}{
		"the same": {func(*fixture) {}, nil},
		"another way to run it": {func(f *fixture) {
			f.o.Concurrency, f.o.MaxAttempts, f.o.Adapt = 3, 9, true
			f.write("in.jsonl.gz", compressed(f, "x.gz", inputRows(4)))
			f.o.Input = f.path("in.jsonl.gz")
			f.graph(strings.NewReplacer("4000", "5000", "sk-very-secret", "sk-new").Replace(secretGraph))
		}, nil},
		"less said": {func(f *fixture) { f.o.Params = responses.Object{} }, nil},
		"data and parameters": {func(f *fixture) {
			f.write("in.jsonl", inputRows(3))
			f.o.Params.Set("temperature", []byte("1"))
		}, []string{"the data was 4 rows of ", ", and is 3 rows of ", "responses_create_params.temperature was 0.5, and is 1", "--force"}},
		"a row": {func(f *fixture) {
			f.write("in.jsonl", strings.Replace(inputRows(4), "hi", "ho", 1))
		}, []string{"the data was 4 rows of ", ", and is 4 rows of "}},
		"a model": {func(f *fixture) {
			f.graph(strings.Replace(secretGraph, "small", "large", 1))
		}, []string{`config.policy_model.responses_api_models.openai_model.openai_model was "small", and is "large"`}},
		"a setting more": {func(f *fixture) {
			f.graph(strings.Replace(secretGraph, "port: 4000", "max_retries: 3", 1))
		}, []string{`openai_model.max_retries was not set, and is 3`}},
		"repeats":  {func(f *fixture) { f.o.Repeats = 2 }, []string{"num_repeats was 1, and is 2"}},
		"by agent": {func(f *fixture) { f.o.AgentRepeats = map[string]int{"_default": 2} }, []string{"num_repeats._default was not set, and is 2"}},
		"seeds":    {func(f *fixture) { f.o.AddSeed = true }, []string{"num_repeats_add_seed was false, and is true"}},
		"limit":    {func(f *fixture) { f.o.Limit = 3 }, []string{"limit was 0, and is 3"}},
		"a prompt": {func(f *fixture) { f.o.Prompt = prompt(f, f, "user: '{n}'") }, []string{`prompt_config was "", and is "user:`}},
		"a shard":  {func(f *fixture) { f.o.Shard = Shard{1, 2} }, []string{"the shard was everything, and is 1/2"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := halfRun(t)
			c.change(f)
			before := f.read("out/rollouts.jsonl")
			p, err := Prepare(f.o)
			if len(c.want) == 0 {
				if err != nil || len(p.Notes()) != 0 {
					t.Fatalf("notes %q, error %v", p.Notes(), err)
				}
				if s, err := p.Run(t.Context(), newAgent(t).client(t)); err != nil || s.Scored != 2 {
					t.Errorf("%+v, %v", s, err)
				}
				return
			}
			for _, want := range c.want {
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want %q", err, want)
				}
			}
			if f.read("out/rollouts.jsonl") != before {
				t.Error("the results were changed")
			}
		})
	}
}

// By force it goes on, with the rows that the run began with, and what it was mixed with is kept.
func TestResume_by_force(t *testing.T) {
	f := halfRun(t)
	f.o.Params.Set("temperature", []byte("1"))
	f.o.Force = true
	a := newAgent(t)
	s := f.run(a)
	if s.Scored != 2 || len(s.Notes) != 1 || s.Notes[0] != "resumed by force: responses_create_params.temperature was 0.5, and is 1" {
		t.Errorf("%+v", s)
	}
	if sent := a.bodies()[0]; !strings.Contains(sent, `"temperature":0.5`) {
		t.Errorf("sent %s", sent)
	}
	if got := f.read("out/rollouts_run.json"); !strings.Contains(got, `"responses_create_params.temperature was 0.5, and is 1"`) {
		t.Errorf("the run is said to be of %s", got)
	}
	f.o.Force = false // it is still of what it began with
	if _, err := Prepare(f.o); err == nil || !strings.Contains(err.Error(), "temperature") {
		t.Errorf("error %v", err)
	}
}

// A resume keeps the name, and a fresh run has a new one.
func TestPlan_RunID(t *testing.T) {
	f := halfRun(t)
	first := f.prepare().RunID()
	f.o.RunID = "another"
	if p := f.prepare(); p.RunID() != first || len(p.Notes()) != 1 || !strings.Contains(p.Notes()[0], "the run keeps its name "+first+"; another is not used") {
		t.Errorf("resumed: %s, %q; it began as %s", p.RunID(), p.Notes(), first)
	}
	f.o.Resume = false
	if p := f.prepare(); p.RunID() != "another" {
		t.Errorf("given: %s", p.RunID())
	}
	f.o.RunID = ""
	if id := f.prepare().RunID(); id == first || id == "" {
		t.Errorf("afresh: %s after %s", id, first)
	}
}

func TestRun_secrets_stay_out(t *testing.T) {
	f := halfRun(t)
	got := f.read("out/rollouts_run.json")
	for _, secret := range []string{"sk-very-secret", "api_key"} {
		if strings.Contains(got, secret) {
			t.Errorf("%q stands in %s", secret, got)
		}
	}
	if !strings.Contains(got, `"openai_model": "small"`) {
		t.Errorf("no configuration in %s", got)
	}
}

// What cannot be compared is said.
func TestResume_not_comparable(t *testing.T) {
	f := halfRun(t)
	if err := os.Remove(f.o.Input); err != nil {
		t.Fatal(err)
	}
	if notes := f.prepare().Notes(); len(notes) != 1 || !strings.Contains(notes[0], "the tasks cannot be compared") {
		t.Errorf("notes %q", notes)
	}
	for text, want := range map[string]string{"{": "unexpected EOF", `{"version":99}`: "it has no options or no config"} {
		f.write("out/rollouts_run.json", text)
		_, err := Prepare(f.o)
		if err == nil || !strings.Contains(err.Error(), "rollouts_run.json, which says what the results are of") || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}
