package rollout

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// JL-13: how often each row runs.
func TestPrepare_repeats(t *testing.T) {
	two := inputRows(1) + strings.ReplaceAll(inputRows(1), "simple_agent", "other_agent")
	for name, c := range map[string]struct {
		repeats int
		agents  map[string]int
		want    int // rollouts
		err     string
		note    string
	}{
		"none":               {0, nil, 2, "", ""},
		"three":              {3, nil, 6, "", ""},
		"below one":          {-1, nil, 0, "num_repeats is -1; it must be at least 1", ""},
		"of one agent":       {0, map[string]int{"simple_agent": 2}, 0, `num_repeats has no entry for "other_agent"; add one, or _default`, ""},
		"of both":            {0, map[string]int{"simple_agent": 2, "other_agent": 5}, 7, "", ""},
		"of all others":      {0, map[string]int{"_default": 3}, 6, "", ""},
		"of one, and others": {0, map[string]int{"_default": 3, "other_agent": 1}, 4, "", ""},
		"of nobody":          {0, map[string]int{"typo": 1, "_default": 1}, 2, "", `an entry for "typo", which no row names`},
		"of one below one":   {0, map[string]int{"_default": 1, "simple_agent": 0}, 0, "num_repeats of simple_agent is 0; it must be at least 1", ""},
		"both forms":         {2, map[string]int{"_default": 1}, 0, "a number and a mapping at once", ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, two)
			f.o.Repeats, f.o.AgentRepeats = c.repeats, c.agents
			p, err := Prepare(f.o)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if notes := strings.Join(p.Notes(), "\n"); p.Expected() != c.want || !strings.Contains(notes, c.note) || (notes == "") != (c.note == "") {
				t.Errorf("%d rollouts, notes %q; want %d, %q", p.Expected(), notes, c.want, c.note)
			}
			if s, err := p.Run(t.Context(), newAgent(t).client(t)); err != nil || s.Scored != c.want {
				t.Errorf("%+v, %v", s, err)
			}
		})
	}
}

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
		"user: x\nusr: y":                    "usr",
		"user: 7":                            "both texts",
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

func compressed(t testing.TB, name, text string) string {
	t.Helper()
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b)
	if err != nil {
		t.Fatal(err)
	}
	write, done := w.Write, w.Close
	if strings.HasSuffix(name, ".gz") {
		g := gzip.NewWriter(&b)
		write, done = g.Write, g.Close
	}
	if _, err := write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := done(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// Tasks come compressed too, and are the same data then.
func TestRun_compressed(t *testing.T) {
	f := newFixture(t, inputRows(5))
	plain := f.prepare()
	for _, name := range []string{"in.jsonl.gz", "in.jsonl.zst", "misnamed.jsonl"} {
		kind := name
		if name == "misnamed.jsonl" {
			kind = "x.gz"
		}
		f.write(name, compressed(t, kind, inputRows(5)))
		f.o.Input = f.path(name)
		p := f.prepare()
		if p.run.Data.Hash != plain.run.Data.Hash {
			t.Errorf("%s has another hash", name)
		}
		if s, err := p.Run(t.Context(), newAgent(t).client(t)); err != nil || s.Scored != 5 {
			t.Errorf("%s: %+v, %v", name, s, err)
		}
	}
	whole := compressed(t, "x.gz", inputRows(100))
	f.write("in.jsonl.gz", whole[:len(whole)/2])
	f.o.Input = f.path("in.jsonl.gz")
	if _, err := Prepare(f.o); err == nil || !strings.Contains(err.Error(), "in.jsonl.gz:") {
		t.Errorf("of a file that is cut off: %v", err)
	}
	f.write("in.jsonl.gz", compressed(t, "x.gz", "{}\n{\n"))
	if _, err := Prepare(f.o); err == nil || !strings.Contains(err.Error(), "in.jsonl.gz:2: ") {
		t.Errorf("of bad rows: %v", err)
	}
}

func TestParseShard(t *testing.T) {
	for text, want := range map[string]Shard{"0/1": {0, 1}, "3/4": {3, 4}, " 1 / 2 ": {1, 2}} {
		if s, err := ParseShard(text); err != nil || s != want {
			t.Errorf("%q: %v, %v", text, s, err)
		}
	}
	for _, text := range []string{"", "1", "4/4", "-1/4", "0/0", "a/b", "1/2/3"} {
		if s, err := ParseShard(text); err == nil {
			t.Errorf("%q is taken for %v", text, s)
		}
	}
}

func TestShardFromEnv(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		want Shard
		from string
		err  string
	}{
		"nothing":              {nil, Shard{}, "", ""},
		"an array":             {map[string]string{envSlurmTask: "3", envSlurmCount: "4", envSlurmMin: "0"}, Shard{3, 4}, envSlurmTask, ""},
		"an array from one":    {map[string]string{envSlurmTask: "1", envSlurmCount: "4", envSlurmMin: "1"}, Shard{0, 4}, envSlurmTask, ""},
		"an array in steps":    {map[string]string{envSlurmTask: "8", envSlurmCount: "4", envSlurmMin: "0", envSlurmStep: "4"}, Shard{2, 4}, envSlurmTask, ""},
		"an array with gaps":   {map[string]string{envSlurmTask: "9", envSlurmCount: "2", envSlurmMin: "1"}, Shard{}, envSlurmTask, "number the array without gaps"},
		"an array of nothing":  {map[string]string{envSlurmTask: "0"}, Shard{}, envSlurmTask, `SLURM_ARRAY_TASK_COUNT is ""`},
		"an array of a text":   {map[string]string{envSlurmTask: "x", envSlurmCount: "4", envSlurmMin: "1"}, Shard{}, envSlurmTask, `SLURM_ARRAY_TASK_ID is "x"`},
		"a job":                {map[string]string{envKubeIndex: "2", envShardCount: "8"}, Shard{2, 8}, envKubeIndex, ""},
		"a job without number": {map[string]string{envKubeIndex: "2"}, Shard{}, envKubeIndex, "set NEMO_GYM_SHARD_COUNT to the completions of the job"},
		"a job of fewer":       {map[string]string{envKubeIndex: "2", envShardCount: "2"}, Shard{}, envKubeIndex, "2/2"},
	} {
		s, from, err := ShardFromEnv(func(name string) string { return c.env[name] })
		if c.err == "" && (err != nil || s != c.want || from != c.from) || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %v from %q, %v", name, s, from, err)
		}
	}
}

func TestShard_Output(t *testing.T) {
	for _, c := range []struct {
		s          Shard
		path, want string
	}{
		{Shard{}, "out/r.jsonl", "out/r.jsonl"},
		{Shard{0, 1}, "out/r.jsonl", "out/r.jsonl"},
		{Shard{2, 4}, "out/r.jsonl", "out/r-shard-2-of-4.jsonl"},
		{Shard{7, 100}, "r.d/r", "r.d/r-shard-07-of-100"},
		{Shard{1, 2}, "out/.jsonl", "out/.jsonl-shard-1-of-2"},
	} {
		if got := c.s.Output(c.path); got != c.want {
			t.Errorf("%v of %s is %s, want %s", c.s, c.path, got, c.want)
		}
	}
}

// Four shards together are the run without shards: the same rows with the same indexes, and one name.
func TestRun_shards(t *testing.T) {
	f := newFixture(t, inputRows(9)+inputRows(3)) // rows of the same text are one task, wherever they stand
	f.o.Repeats = 2
	f.run(newAgent(t))
	whole := strings.Split(f.read("out/rollouts_materialized_inputs.jsonl"), "\n")
	slices.Sort(whole)

	var parts, names []string
	output := f.o.Output
	for i := range 4 {
		f.o.Shard = Shard{i, 4}
		f.o.Output = f.o.Shard.Output(output)
		p := f.prepare()
		names = append(names, p.RunID())
		s, err := p.Run(t.Context(), newAgent(t).client(t))
		if err != nil || s.Scored != s.Expected || s.Scored == 0 {
			t.Fatalf("%+v, %v", s, err)
		}
		parts = append(parts, strings.Split(strings.TrimSpace(f.read(fmt.Sprintf("out/rollouts-shard-%d-of-4_materialized_inputs.jsonl", i))), "\n")...)
	}
	parts = append(parts, "")
	slices.Sort(parts)
	if !slices.Equal(parts, whole) {
		t.Errorf("shards ran\n%s\nwant\n%s", strings.Join(parts, "\n"), strings.Join(whole, "\n"))
	}
	if len(slices.Compact(names)) != 1 || names[0] == "" {
		t.Errorf("shards have the names %v", names)
	}
}

// A shard may have nothing to do.
func TestRun_empty_shard(t *testing.T) {
	f := newFixture(t, inputRows(2))
	f.o.Shard, f.o.DisableAggregation = Shard{3, 4}, false
	for range 2 {
		s := f.run(newAgent(t))
		if s.Expected != 0 || s.Missing != 0 || s.Interrupted || s.AggregateErr != nil {
			t.Errorf("%+v", s)
		}
		f.o.Resume = true
	}
}
