package score_test

import (
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/score"
)

// pythonCase is what the Python package computed of some rows: testdata/python.json, whose first member says with which versions.
type pythonCase struct {
	Name   string             `json:"name"`
	Rows   []responses.Object `json:"rows"`
	Answer string             `json:"answer"`
	Subset string             `json:"subset"`
	Scores []string           `json:"scores"`

	Agent       map[string]float64 `json:"agent"`
	Groups      []responses.Object `json:"groups"`
	Pass        map[string]any     `json:"pass"`
	HighestPass map[string]float64 `json:"highest_pass"`
	HighestAvg  map[string]float64 `json:"highest_avg"`
}

func (c pythonCase) options() score.PassMajority {
	p := score.PassMajority{Answer: c.Answer, SampleStdDev: true}
	if c.Subset != "" {
		p.Subsets = []string{c.Subset}
	}
	if len(c.Scores) > 0 {
		p.Scores = func(row responses.Object) (out score.Metrics) {
			for _, name := range c.Scores {
				if v, ok := row.Float(name); ok {
					out = append(out, score.Metric{Name: name, Value: v})
				}
			}
			return out
		}
	}
	return p
}

func pythonCases(t *testing.T) []pythonCase {
	t.Helper()
	b, err := os.ReadFile("testdata/python.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cases []pythonCase `json:"cases"`
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) < 10 {
		t.Fatalf("%d cases, want all", len(file.Cases))
	}
	return file.Cases
}

// TestPython holds the statistics, pass@k and the rest against what Python and pandas compute of the same rows.
func TestPython(t *testing.T) {
	for _, c := range pythonCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			r := score.Hooks{Metrics: c.options().Metrics}.Aggregate(c.Rows)
			base, pass := split(t, r)
			if diff := cmp.Diff(c.Agent, base, near); diff != "" {
				t.Errorf("statistics (-Python +here):\n%s", diff)
			}
			if diff := cmp.Diff(c.Pass, pass, near); diff != "" {
				t.Errorf("pass@k and majority@k (-Python +here):\n%s", diff)
			}
			pythonGroups(t, c, r)
			if diff := cmp.Diff(c.HighestPass, asMap(r.Agent.HighestK("pass@{k}", nil)), near); diff != "" {
				t.Errorf("highest pass@k (-Python +here):\n%s", diff)
			}
			answered := func(score string) bool { return score != "no_answer" }
			if diff := cmp.Diff(c.HighestAvg, asMap(r.Agent.HighestK("pass@1[avg-of-{k}]", answered)), near); diff != "" {
				t.Errorf("highest average (-Python +here):\n%s", diff)
			}
		})
	}
}

// split takes the report's numbers apart into those that every run has and those that the environment asked for.
func split(t *testing.T, r score.Report) (base map[string]float64, pass map[string]any) {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Agent map[string]any `json:"agent_metrics"`
	}
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	base, pass = map[string]float64{}, map[string]any{}
	for name, v := range doc.Agent {
		switch stat, _, _ := strings.Cut(name, "/"); {
		case stat == "missing": // ours
		case slices.Contains([]string{"mean", "max", "min", "median", "std"}, stat):
			base[name] = v.(float64)
		default:
			pass[name] = v
		}
	}
	return base, pass
}

func pythonGroups(t *testing.T, c pythonCase, r score.Report) {
	t.Helper()
	if len(r.Groups) != len(c.Groups) {
		t.Fatalf("%d groups, want %d", len(r.Groups), len(c.Groups))
	}
	for i, want := range c.Groups {
		b, err := json.Marshal(r.Groups[i])
		if err != nil {
			t.Fatal(err)
		}
		got, err := responses.ParseObject(b)
		if err != nil {
			t.Fatal(err)
		}
		for name, v := range want.All() {
			var w, g any
			have, _ := got.Get(name)
			if json.Unmarshal(v, &w) != nil || json.Unmarshal(have, &g) != nil {
				t.Fatalf("group %d has no %s", i, name)
			}
			if diff := cmp.Diff(w, g, near); diff != "" {
				t.Errorf("%s of group %d (-Python +here):\n%s", name, i, diff)
			}
		}
	}
}

// TestPassMajority_AG03 is the case with 200 attempts, whose binomials no float64 holds.
func TestPassMajority_AG03(t *testing.T) {
	for _, c := range []struct {
		n, c, k int
		want    float64
	}{{5, 2, 3, 90}, {4, 1, 2, 50}, {200, 1, 100, 50}, {10, 3, 5, 100 * 11 / 12.0}} {
		rows := make([]responses.Object, c.n)
		for i := range rows {
			rows[i].SetInt("_ng_rollout_index", int64(i))
			rows[i].SetBool("reward", i < c.c)
		}
		m := score.PassMajority{}.Metrics([]score.Task{{Rows: rows}}).Agent
		got, ok := m.Get("pass@" + strconv.Itoa(c.k) + "/accuracy")
		if !ok || math.Abs(got-c.want) > 1e-9 {
			t.Errorf("pass@%d with %d of %d: %v, %v; want %v", c.k, c.c, c.n, got, ok, c.want)
		}
	}
}

// AG-01: a task with fewer attempts than k is left out of pass@k, whether or not one passed; nobody is given a 1 for it.
func TestPassMajority_AG01(t *testing.T) {
	m := score.PassMajority{}.Metrics([]score.Task{{Rows: rows(t, `{"reward":0}`, `{"reward":0}`)}}).Agent
	if v, ok := m.Get("pass@5/accuracy"); ok {
		t.Errorf("pass@5 of two attempts is %v, want none", v)
	}
	if v, ok := m.Get("pass@2/accuracy"); !ok || v != 0 {
		t.Errorf("pass@2 is %v, %v; want 0", v, ok)
	}
}

// AG-05: of scores that are not 0 or 1 the best of the first k counts.
func TestPassMajority_AG05(t *testing.T) {
	m := score.PassMajority{}.Metrics([]score.Task{{Rows: rows(t, `{"reward":0.2}`, `{"reward":0.9}`, `{"reward":0.5}`)}}).Agent
	for name, want := range map[string]float64{"pass@1/accuracy": 20, "pass@2/accuracy": 90, "pass@3/accuracy": 90} {
		if got, ok := m.Get(name); !ok || math.Abs(got-want) > 1e-9 {
			t.Errorf("%s is %v, %v; want %v", name, got, ok, want)
		}
	}
}

func TestPassMajority_without_rows(t *testing.T) {
	if c := (score.PassMajority{}).Metrics(nil); len(c.Agent) != 0 || c.More.Len() != 0 {
		t.Errorf("got %v, want nothing", c)
	}
}

// A reward that is missing is no score: it does not count as failed.
func TestPassMajority_missing_reward(t *testing.T) {
	m := score.PassMajority{}.Metrics([]score.Task{{Rows: rows(t, `{"reward":null}`, `{"reward":1}`, `{}`)}}).Agent
	if got, _ := m.Get("pass@1/accuracy"); got != 100 {
		t.Errorf("pass@1 = %v, want 100", got)
	}
	if _, ok := m.Get("pass@2/accuracy"); ok {
		t.Error("pass@2 of one reward exists")
	}
}

func TestHooks(t *testing.T) {
	h := score.Hooks{
		Metrics: func(tasks []score.Task) score.Custom {
			if len(tasks) != 2 || tasks[1].Index != 4 || len(tasks[1].Rows) != 2 {
				t.Errorf("tasks = %v", tasks)
			}
			c := score.Custom{
				Agent: score.Metrics{{Name: "mean/reward", Value: 9}, {Name: "elo", Value: 1200}, {Name: "bad", Value: math.NaN()}},
				Tasks: score.PerTask(map[int64]score.Metrics{4: {{Name: "hard", Value: 1}}, 7: {{Name: "hard", Value: 2}}}),
			}
			c.More.SetString("note", "x")
			return c
		},
		Key: func(m score.Metrics) score.Metrics { return m.WithPrefix("elo") },
	}
	got := encode(t, h.Aggregate(rows(t,
		`{"_ng_task_index":4,"_ng_rollout_index":1,"reward":1}`,
		`{"_ng_task_index":4,"_ng_rollout_index":0,"reward":1}`,
		`{"_ng_task_index":0,"reward":1}`,
	)))
	for _, want := range []string{
		`"agent_metrics":{"mean/reward":9,"max/reward":1,"min/reward":1,"median/reward":1,"std/reward":0,"elo":1200,"note":"x"}`,
		`"key_metrics":{"elo":1200}`,
		`"reward":1}],"hard":1}]`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	if strings.Count(got, `"hard"`) != 1 {
		t.Errorf("a task that is not there: %s", got)
	}
}

func TestMetrics_HighestK(t *testing.T) {
	m := score.Metrics{{Name: "pass@2/accuracy", Value: 1}, {Name: "pass@10/accuracy", Value: 2}, {Name: "pass@10/no_answer", Value: 3},
		{Name: "pass@1[avg-of-10]/accuracy", Value: 4}, {Name: "pass@1[avg-of-10]/accuracy/std_err_across_runs", Value: 5},
		{Name: "easy/pass@64/accuracy", Value: 6}, {Name: "pass@x/accuracy", Value: 7}, {Name: "pass@99999999999999999999/accuracy", Value: 8}}
	if diff := cmp.Diff(score.Metrics{m[1], m[2]}, m.HighestK("pass@{k}", nil)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(score.Metrics{m[3]}, m.HighestK("pass@1[avg-of-{k}]", nil)); diff != "" {
		t.Error(diff)
	}
	if got := m.HighestK("nothing@{k}", nil); got != nil {
		t.Errorf("got %v", got)
	}
	if got := m.HighestK("pass@2", nil); got != nil {
		t.Errorf("a pattern without a k: %v", got)
	}
}
