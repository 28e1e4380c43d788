package rollout

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/internal/jsonl"
	"github.com/lensgo/lens/gym/responses"
)

// resumeFixture is a folder with the files of the case GY-03.
func resumeFixture(t testing.TB) *fixture {
	t.Helper()
	f := newFixture(t, "")
	f.o.Input, f.o.Resume, f.o.MaxAttempts = "", true, 3
	for _, name := range []string{"rollouts.jsonl", "rollouts_failures.jsonl", "rollouts_materialized_inputs.jsonl"} {
		b, err := os.ReadFile(filepath.Join("testdata", "resume", name))
		if err != nil {
			t.Fatal(err)
		}
		f.write("out/"+name, string(b))
	}
	return f
}

func (f *fixture) append(name, text string) {
	f.Helper()
	f.write(name, f.read(name)+text)
}

// GY-03: only (1,0) runs, as its second attempt; (1,1) is terminal; the blank line in the failures file is nothing.
func TestResume(t *testing.T) {
	f := resumeFixture(t)
	a := newAgent(t)
	s := f.run(a)
	if s.Expected != 4 || s.Skipped != 2 || s.GivenUp != 1 || s.Scored != 1 || s.Missing != 0 || s.Interrupted {
		t.Errorf("summary %+v", s)
	}
	if s.Agents[0].Tasks != 2 || s.Agents[0].Rollouts != 3 || s.Agents[0].MeanReward != 2.0/3 {
		t.Errorf("agent %+v", s.Agents[0])
	}
	sent := a.bodies()
	if len(sent) != 1 || !strings.HasSuffix(sent[0], `"_ng_task_index":1,"_ng_rollout_index":0,"_ng_attempt_index":1}`) {
		t.Errorf("sent %q", sent)
	}
	if got := f.keys("out/rollouts.jsonl"); !slices.Equal(got, []string{"0:0", "0:1", "1:0"}) {
		t.Errorf("results %v", got)
	}
	if got := f.rows("out/rollouts.jsonl")[2]; !strings.Contains(string(got.AppendTo(nil)), `"_ng_attempt_index":1`) {
		t.Errorf("result %s", got.AppendTo(nil))
	}
}

func TestResume_attempts_used_up(t *testing.T) {
	f := resumeFixture(t)
	f.append("out/rollouts_failures.jsonl", strings.Repeat(`{"_ng_task_index":1,"_ng_rollout_index":0,"_ng_failure_class":"x"}`+"\n", 2))
	a := newAgent(t)
	if s := f.run(a); s.GivenUp != 2 || s.Scored != 0 || len(a.bodies()) != 0 {
		t.Errorf("summary %+v", s)
	}
	f.o.MaxAttempts = 0
	t.Setenv(maxAttemptsEnv, "4")
	if s := f.run(a); s.GivenUp != 1 || s.Scored != 1 {
		t.Errorf("with four attempts: %+v", s)
	}
}

func TestResume_torn_last_lines(t *testing.T) {
	f := resumeFixture(t)
	f.append("out/rollouts.jsonl", `{"_ng_task_index":1,"_ng_rollout_index":0,"rew`)
	f.append("out/rollouts_failures.jsonl", "\x00\x00\x00")
	s := f.run(newAgent(t))
	if s.Scored != 1 || len(s.Notes) != 3 || !strings.Contains(s.Notes[1], "rollouts.jsonl was torn: its 46 bytes") || !strings.Contains(s.Notes[2], "failures.jsonl was torn: its 3 bytes") {
		t.Errorf("summary %+v", s)
	}
	if got := f.keys("out/rollouts.jsonl"); !slices.Equal(got, []string{"0:0", "0:1", "1:0"}) {
		t.Errorf("results %v", got)
	}
	if strings.Contains(f.read("out/rollouts_failures.jsonl"), "\x00") {
		t.Error("the failures file is not cut")
	}
}

func TestResume_refuses(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*fixture)
		want   string
	}{
		"no materialized inputs": {func(f *fixture) { os.Remove(f.path("out/rollouts_materialized_inputs.jsonl")) }, "which says what they belong to, does not exist"},
		"a line in the middle":   {func(f *fixture) { f.append("out/rollouts.jsonl", "{\n{}\n") }, "rollouts.jsonl:3: "},
		"another run's result":   {func(f *fixture) { f.append("out/rollouts.jsonl", `{"_ng_task_index":9,"_ng_rollout_index":0}`+"\n") }, "the two files do not belong together"},
		"no indexes":             {func(f *fixture) { f.append("out/rollouts_failures.jsonl", "{}\n") }, "rollouts_failures.jsonl:4: it has no _ng_task_index and _ng_rollout_index"},
		"a row twice": {func(f *fixture) {
			f.append("out/rollouts_materialized_inputs.jsonl", f.read("out/rollouts_materialized_inputs.jsonl"))
		}, "stands here a second time"},
		"torn inputs": {func(f *fixture) { f.append("out/rollouts_materialized_inputs.jsonl", "{") }, "is torn; run without --resume"},
		"no inputs":   {func(f *fixture) { f.write("out/rollouts_materialized_inputs.jsonl", "") }, "holds no rows"},
		"unknown agents": {func(f *fixture) {
			f.write("out/rollouts_materialized_inputs.jsonl", strings.ReplaceAll(f.read("out/rollouts_materialized_inputs.jsonl"), "simple", "simpel"))
		}, `did you mean "simple_agent"?`},
		"nothing at all": {func(f *fixture) { os.RemoveAll(f.path("out")) }, "there is nothing to resume at"},
	} {
		t.Run(name, func(t *testing.T) {
			f := resumeFixture(t)
			c.change(f)
			before := f.read("out/rollouts.jsonl")
			if _, err := Prepare(f.o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if f.read("out/rollouts.jsonl") != before {
				t.Error("the results were changed")
			}
		})
	}
}

// What another collector wrote between the preparation and the run is not cut off.
func TestResume_changed_meanwhile(t *testing.T) {
	f := resumeFixture(t)
	p := f.prepare()
	f.append("out/rollouts.jsonl", `{"_ng_task_index":1,"_ng_rollout_index":0}`+"\n")
	before := f.read("out/rollouts.jsonl")
	if s, err := p.Run(t.Context(), newAgent(t).client(t)); s != nil || err == nil || !strings.Contains(err.Error(), "was changed by another program") {
		t.Errorf("%+v, %v", s, err)
	}
	if f.read("out/rollouts.jsonl") != before {
		t.Error("the results were changed")
	}
}

// A run that was cut before its first result is resumed from what it had materialized.
func TestResume_before_the_first_result(t *testing.T) {
	f := newFixture(t, inputRows(2))
	f.run(newAgent(t))
	if err := os.Remove(f.path("out/rollouts.jsonl")); err != nil {
		t.Fatal(err)
	}
	f.o.Resume = true
	if s := f.run(newAgent(t)); s.Scored != 2 || len(s.Notes) != 0 {
		t.Errorf("summary %+v", s)
	}
}

// snapshot is what the files of a folder hold.
func (f *fixture) snapshot(folder string) map[string]string {
	f.Helper()
	entries, err := os.ReadDir(f.path(folder))
	if err != nil {
		f.Fatal(err)
	}
	out := map[string]string{}
	for _, e := range entries {
		if !e.IsDir() {
			out[e.Name()] = f.read(filepath.Join(folder, e.Name()))
		}
	}
	return out
}

// A run that starts over results of another one and comes to its end at once, wherever that is, has lost none of them, or has lost
// them all; no resume takes the results of one for those of the other.
func TestRun_starting_over_cut_short(t *testing.T) {
	all := []string{"rollouts.jsonl", "rollouts_materialized_inputs.jsonl", "rollouts_run.json"}
	for name, c := range map[string]struct {
		spoil func(f *fixture) // so that the start fails there
		kept  []string
		says  string // the resume after it, or a note of it
	}{
		"while inputs are written": {
			func(f *fixture) { f.write("in.jsonl", strings.Replace(inputRows(3), "hi", "ho", 3)) },
			all, "it is of another run",
		},
		"when there are no tasks any more": {
			func(f *fixture) { os.Remove(f.o.Input) }, all, "the tasks cannot be compared", //nolint:errcheck // then it does not fail
		},
		"when the old run is taken away": {
			func(f *fixture) { f.write("out/rollouts_run.json/x", "") }, all[:1], "it has results, but",
		},
		"when its aggregates are": {
			func(f *fixture) { f.write("out/rollouts_aggregate_metrics.json/x", "") }, all[:1], "it has results, but",
		},
		"when the new run is written": {
			func(f *fixture) { f.write("out/rollouts_run.json.tmp/x", "") }, []string{}, "nothing to resume",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, inputRows(2))
			f.run(newAgent(t))
			before := f.snapshot("out")
			f.write("in.jsonl", strings.Replace(inputRows(3), "hi", "new", 3))
			p := f.prepare()
			if strings.HasPrefix(name, "when the old") {
				if err := os.Remove(f.path("out/rollouts_run.json")); err != nil {
					t.Fatal(err)
				}
			}
			c.spoil(f)
			if s, err := p.Run(t.Context(), newAgent(t).client(t)); err == nil || s != nil {
				t.Fatalf("%+v, %v", s, err)
			}
			after := f.snapshot("out")
			for _, file := range all {
				if file == "rollouts.jsonl" && len(c.kept) == 0 && after[file] == "" {
					continue
				}
				if kept := slices.Contains(c.kept, file); kept && after[file] != before[file] || !kept && after[file] != "" {
					t.Errorf("%s holds %q", file, after[file])
				}
			}
			if _, left := after["rollouts_materialized_inputs.jsonl.tmp"]; left {
				t.Error("what was begun is left over")
			}
			f.o.Resume = true
			said := ""
			if p, err := Prepare(f.o); err != nil {
				said = err.Error()
			} else {
				said = strings.Join(p.Notes(), "\n")
			}
			if !strings.Contains(said, c.says) {
				t.Errorf("a resume says %q, want %q", said, c.says)
			}
			if len(c.kept) > 0 {
				return
			}
			if err := os.RemoveAll(f.path("out/rollouts_run.json.tmp")); err != nil {
				t.Fatal(err)
			}
			a := newAgent(t)
			if s := f.run(a); s.Scored != 3 || !strings.Contains(a.bodies()[0], `"new"`) {
				t.Errorf("it runs %q: %+v", a.bodies(), s)
			}
		})
	}
}

func TestResume_nothing_there_starts_over(t *testing.T) {
	f := newFixture(t, inputRows(2))
	f.o.Resume = true
	if s := f.run(newAgent(t)); s.Scored != 2 || len(s.Notes) != 1 || !strings.Contains(s.Notes[0], "nothing to resume") {
		t.Errorf("summary %+v", s)
	}
}

func TestResume_everything_is_there(t *testing.T) {
	f := newFixture(t, inputRows(2))
	f.run(newAgent(t))
	f.o.Resume, f.o.DisableAggregation = true, false
	a := newAgent(t)
	s := f.run(a)
	if s.Skipped != 2 || s.Scored != 0 || len(a.bodies()) != 0 || s.AggregateFile == "" || s.AggregateErr != nil {
		t.Errorf("summary %+v", s)
	}
}

func FuzzScanRows(f *testing.F) {
	f.Add([]byte(`{"_ng_task_index":1,"_ng_rollout_index":0}` + "\n\n{"))
	f.Add([]byte("\uFEFF{}\r\nx\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		e, err := scanRows("f", strings.NewReader(string(data)), func(at jsonl.Line, o responses.Object) string {
			if at.Torn || at.Blank {
				t.Fatalf("a row of %+v", at)
			}
			if _, ok := keyOf(o); !ok {
				return "no key"
			}
			return ""
		})
		if e.size() != int64(len(data)) || e.whole > 0 && data[e.whole-1] != '\n' || strings.Contains(string(data[e.whole:]), "\n") {
			t.Fatalf("%+v of %q, %v", e, data, err)
		}
	})
}
