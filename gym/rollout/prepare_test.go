package rollout

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/responses"
)

const good = `{"responses_create_params":{"input":"hi"},"agent_ref":{"name":"simple_agent"}}`

func TestPrepare_files_of_the_cases(t *testing.T) {
	for name, want := range map[string]struct {
		tasks []int // task index of each row
		err   string
	}{
		"bom.jsonl":              {[]int{0, 1}, ""},     // JL-01
		"duplicate-rows.jsonl":   {[]int{0, 0, 1}, ""},  // JL-07
		"malformed-line-3.jsonl": {nil, ".jsonl:3: "},   // JL-05
		"nan-token.jsonl":        {nil, ".jsonl:2: "},   // JL-09
		"gone.jsonl":             {nil, "no such file"}, //
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, "")
			f.o.Input = filepath.Join("testdata", name)
			p, err := Prepare(f.o)
			if want.err != "" {
				if err == nil || !strings.Contains(err.Error(), filepath.FromSlash("testdata/"+name)) || !strings.Contains(err.Error(), want.err) {
					t.Errorf("error %v, want one with %q", err, want.err)
				}
				if _, err := os.Stat(f.path("out")); err == nil {
					t.Error("the output's folder was made")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var tasks []int
			for _, in := range p.inputs {
				tasks = append(tasks, in.task)
			}
			if !slices.Equal(tasks, want.tasks) {
				t.Errorf("tasks %v, want %v", tasks, want.tasks)
			}
		})
	}
}

// JL-03: rows of any length.
func TestPrepare_long_rows(t *testing.T) {
	for name, size := range map[string]int{"200 KB": 200 << 10, "20 MB": 20 << 20} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, strings.Replace(good, `"hi"`, `"`+strings.Repeat("x", size)+`"`, 1)+"\n"+good+"\n")
			a := newAgent(t)
			if s := f.run(a); s.Scored != 2 {
				t.Errorf("%d scored, want 2", s.Scored)
			}
			if got := len(a.bodies()[0]) + len(a.bodies()[1]); got < size {
				t.Errorf("%d bytes sent, want more than %d", got, size)
			}
		})
	}
}

func TestPrepare_rows(t *testing.T) {
	for name, c := range map[string]struct{ text, want string }{
		"good":                  {good + "\n", ""},
		"no last line end":      {good + "\n" + good, ""},
		"CRLF":                  {good + "\r\n" + good + "\r\n", ""},
		"blank last lines":      {good + "\n\n \n", ""},
		"blank inner line":      {good + "\n\n" + good + "\n", "in.jsonl:2: it is blank; only the end of the file may be"},
		"no rows":               {"\n", "in.jsonl holds no rows"},
		"not an object":         {"[1]\n", "in.jsonl:1: "},
		"two objects":           {good + good + "\n", "in.jsonl:1: "},
		"no parameters":         {`{"agent_ref":{"name":"simple_agent"}}` + "\n", "in.jsonl:1: it has no responses_create_params"},
		"parameters of a type":  {strings.Replace(good, `{"input":"hi"}`, `7`, 1), "responses_create_params must be an object, not a number"},
		"no input":              {strings.Replace(good, `{"input":"hi"}`, `{}`, 1), "responses_create_params has no input"},
		"input of a type":       {strings.Replace(good, `"hi"`, `{"a":1}`, 1), "responses_create_params.input must be a text or a list, not an object"},
		"item of a type":        {strings.Replace(good, `"hi"`, `[{},"x"]`, 1), "responses_create_params.input[1] must be an object, not a text"},
		"no agent":              {`{"responses_create_params":{"input":"hi"}}`, "it has no agent_ref, and no agent was given for such rows (--agent); the configuration has \"simple_agent\", \"other_agent\""},
		"agent of a type":       {strings.Replace(good, `{"name":"simple_agent"}`, `"x"`, 1), "agent_ref must be an object, not a text"},
		"agent without name":    {strings.Replace(good, `{"name":"simple_agent"}`, `{}`, 1), "agent_ref has no name"},
		"unknown agent":         {strings.Replace(good, "simple_agent", "simple_agnet", 1), `the configuration has no agent "simple_agnet"; did you mean "simple_agent"?`},
		"far agent":             {strings.Replace(good, "simple_agent", "zzz", 1), `the configuration has no agent "zzz"; it has "simple_agent", "other_agent"`},
		"no agent but a server": {strings.Replace(good, "simple_agent", "rs", 1), `"rs" is no agent but one of resources_servers`},
		"task index":            {strings.Replace(good, "{", `{"_ng_task_index":-1,`, 1), "_ng_task_index must be a whole number from 0"},
		"rollout id":            {strings.Replace(good, "{", `{"_ng_rollout_id":"a b",`, 1), `_ng_rollout_id is "a b"; it must be`},
		"NaN":                   {strings.Replace(good, "{", `{"x":NaN,`, 1), "NaN and Infinity are not JSON"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, c.text)
			_, err := Prepare(f.o)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// GY-27: all bad rows are found, and told at once.
func TestPrepare_all_bad_rows_in_one_error(t *testing.T) {
	f := newFixture(t, good+"\n"+
		`{"responses_create_params":{"input":5}}`+"\n"+
		"{\n"+
		good+"\n"+
		`{"agent_ref":{"name":"simple_agent"}}`+"\n")
	_, err := Prepare(f.o)
	var rows *RowsError
	if !errors.As(err, &rows) || rows.Total != 3 {
		t.Fatalf("error %v", err)
	}
	var got []int
	for _, r := range rows.Rows {
		got = append(got, r.Line)
	}
	if !slices.Equal(got, []int{2, 3, 5}) {
		t.Errorf("lines %v", got)
	}
	if text := rows.Rows[0].Text; !strings.Contains(text, "input must be") || !strings.Contains(text, "no agent_ref") {
		t.Errorf("line 2: %s", text)
	}

	f.write("in.jsonl", strings.Repeat("x\n", 1000))
	_, err = Prepare(f.o)
	if !errors.As(err, &rows) || rows.Total != 1000 || len(rows.Rows) != maxProblems || !strings.HasSuffix(err.Error(), "\n  and 950 more") {
		t.Errorf("a thousand bad rows: %.300v", err)
	}
}

func TestPrepare_options(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*fixture)
		env    string
		want   string
	}{
		"no output":            {func(f *fixture) { f.o.Output = "" }, "", "no output file"},
		"output is compressed": {func(f *fixture) { f.o.Output = f.path("x.jsonl.zst") }, "", "x.jsonl.zst: they are not compressed"},
		"output of a sidecar": {func(f *fixture) {
			f.write("x_failures.jsonl", "{}")
			f.o.Output = f.path("x_failures.jsonl")
		}, "", "for what stands beside results"},
		"no input":          {func(f *fixture) { f.o.Input = "" }, "", "no input file"},
		"limit":             {func(f *fixture) { f.o.Limit = -1 }, "", "limit is -1"},
		"repeats":           {func(f *fixture) { f.o.Repeats = -1 }, "", "num_repeats is -1"},
		"concurrency":       {func(f *fixture) { f.o.Concurrency = -1 }, "", "concurrency is -1"},
		"timeout":           {func(f *fixture) { f.o.Timeout = -1 }, "", "the rollout timeout is -1ns"},
		"agent":             {func(f *fixture) { f.o.Agent = "othr_agent" }, "", `did you mean "other_agent"?`},
		"attempts":          {func(f *fixture) { f.o.MaxAttempts = -1 }, "", "attempts is -1"},
		"attempts of env":   {func(*fixture) {}, "none", `NEMO_GYM_MAX_ROLLOUT_ATTEMPTS is "none"`},
		"output is input":   {func(f *fixture) { f.o.Output = f.o.Input }, "", "overwrite its own input"},
		"input is a folder": {func(f *fixture) { f.o.Input = f.dir }, "", "is a folder"},
		"input is materialized": {func(f *fixture) {
			f.o.Output = f.path("x.jsonl")
			f.o.Input = f.path("x_materialized_inputs.jsonl")
			f.write("x_materialized_inputs.jsonl", good)
		}, "", "overwrite its own input"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(maxAttemptsEnv, c.env)
			f := newFixture(t, good)
			c.change(f)
			if _, err := Prepare(f.o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestPrepare_task_indexes(t *testing.T) {
	with := func(task int) string {
		return strings.Replace(good, "{", fmt.Sprintf(`{"_ng_task_index":%d,`, task), 1)
	}
	f := newFixture(t, strings.Join([]string{good, with(1), good + " ", with(1), good}, "\n"))
	var got []int
	for _, in := range f.prepare().inputs {
		got = append(got, in.task)
	}
	// The third row differs by a blank; 1 is taken; the last row equals the first although no line end follows it.
	if want := []int{0, 1, 2, 1, 0}; !slices.Equal(got, want) {
		t.Errorf("tasks %v, want %v", got, want)
	}
}

func TestPrepare_limit(t *testing.T) {
	f := newFixture(t, inputRows(3)+"bad\n")
	f.o.Limit = 2
	f.o.Repeats = 3
	if got := f.prepare().Expected(); got != 6 {
		t.Errorf("%d expected, want 6", got)
	}
}

// Materialized inputs are what agents are sent: repeats in the order aabbcc, rollouts counted over rows of one text,
// parameters laid over.
func TestMaterialize(t *testing.T) {
	f := newFixture(t, "")
	f.o.Input = "testdata/duplicate-rows.jsonl"
	f.o.Repeats = 2
	var err error
	if f.o.Params, err = responses.ParseObject([]byte(`{"temperature":0.5,"reasoning":{"effort":"low"}}`)); err != nil {
		t.Fatal(err)
	}
	a := newAgent(t)
	if s := f.run(a); s.Expected != 6 || s.Scored != 6 {
		t.Errorf("summary %+v", s)
	}
	const row = `{"responses_create_params": {"input":[{"role": "user", "content": "hi"}],"temperature":0.5,"reasoning":{"effort":"low"}},` +
		`"agent_ref":{"type": "responses_api_agents", "name": "simple_agent"},"n":%d,"_ng_task_index":%d,"_ng_rollout_index":%d}`
	var want []string
	for _, k := range [][3]int{{1, 0, 0}, {1, 0, 1}, {1, 0, 2}, {1, 0, 3}, {2, 1, 0}, {2, 1, 1}} {
		want = append(want, fmt.Sprintf(row, k[0], k[1], k[2]))
	}
	compact := func(s string) string { return strings.ReplaceAll(s, " ", "") }
	got := f.read("out/rollouts_materialized_inputs.jsonl")
	if compact(got) != compact(strings.Join(want, "\n")+"\n") {
		t.Errorf("materialized:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
	}
	sent := a.bodies()
	slices.Sort(sent)
	lines := strings.Split(strings.TrimSpace(got), "\n")
	slices.Sort(lines)
	if !slices.Equal(sent, lines) {
		t.Errorf("sent:\n%s\nmaterialized:\n%s", strings.Join(sent, "\n"), strings.Join(lines, "\n"))
	}
}

func TestMaterialize_agent_for_rows_that_name_none(t *testing.T) {
	f := newFixture(t, `{"responses_create_params":{"input":"hi"},"_ng_attempt_index":4}`+"\n")
	f.o.Agent = "other_agent"
	f.run(newAgent(t))
	want := `{"responses_create_params":{"input":"hi"},"agent_ref":{"type":"responses_api_agents","name":"other_agent"},"_ng_task_index":0,"_ng_rollout_index":0}` + "\n"
	if got := f.read("out/rollouts_materialized_inputs.jsonl"); got != want {
		t.Errorf("got %swant %s", got, want)
	}
}
