package score_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/lensgo/lens/gym/score"
)

// The reference does what the specification says in the most literal way: whole rows as maps, a full table with holes,
// sums in 2,000 bits.

type table struct {
	names []string
	rows  []map[string]float64
}

func reference(texts []string) (agent map[string]float64, groups map[int64]map[string]float64) {
	byTask := map[int64]*table{}
	all := &table{}
	for _, text := range texts {
		var r map[string]any
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			panic(err)
		}
		task := int64(0)
		if v, ok := r["_ng_task_index"].(float64); ok {
			task = int64(v)
		}
		flat := flatten(r)
		if byTask[task] == nil {
			byTask[task] = &table{}
		}
		byTask[task].add(flat)
		all.add(flat)
	}
	groups = map[int64]map[string]float64{}
	for task, tb := range byTask {
		groups[task] = tb.describe()
	}
	return all.describe(), groups
}

func flatten(r map[string]any) map[string]float64 {
	merged := map[string]any{}
	for k, v := range r {
		merged[k] = v
	}
	if reply, ok := r["response"].(map[string]any); ok {
		if usage, ok := reply["usage"].(map[string]any); ok {
			for k, v := range usage {
				merged[k] = v
			}
		}
	}
	delete(merged, "_ng_task_index")
	delete(merged, "_ng_rollout_index")
	flat := map[string]float64{}
	for k, v := range merged {
		switch v := v.(type) {
		case float64:
			flat[k] = v
		case bool:
			flat[k] = 0
			if v {
				flat[k] = 1
			}
		}
	}
	return flat
}

func (tb *table) add(flat map[string]float64) {
	for k := range flat {
		if !slices.Contains(tb.names, k) {
			tb.names = append(tb.names, k)
		}
	}
	tb.rows = append(tb.rows, flat)
}

func (tb *table) describe() map[string]float64 {
	out := map[string]float64{}
	stds := map[string]float64{}
	for _, name := range tb.names {
		var v []float64
		for _, r := range tb.rows {
			if x, ok := r[name]; ok {
				v = append(v, x)
			}
		}
		slices.Sort(v)
		out["mean/"+name] = exactMean(v)
		out["max/"+name] = v[len(v)-1]
		out["min/"+name] = v[0]
		out["median/"+name] = (v[(len(v)-1)/2] + v[len(v)/2]) / 2
		stds[name] = exactStd(v)
		if n := len(tb.rows) - len(v); n > 0 {
			out["missing/"+name] = float64(n)
		}
	}
	if !slices.Contains(tb.names, "reward") {
		out["missing/reward"] = float64(len(tb.rows))
	}
	allUndefined := true
	for _, s := range stds {
		allUndefined = allUndefined && math.IsNaN(s)
	}
	for name, s := range stds {
		if allUndefined && out["missing/"+name] == 0 {
			s = 0
		}
		if !math.IsNaN(s) {
			out["std/"+name] = s
		}
	}
	return out
}

func exact(x float64) *big.Float { return new(big.Float).SetPrec(2000).SetFloat64(x) }

func exactMean(v []float64) float64 {
	s := exact(0)
	for _, x := range v {
		s.Add(s, exact(x))
	}
	f, _ := s.Quo(s, exact(float64(len(v)))).Float64()
	return f
}

func exactStd(v []float64) float64 {
	if len(v) < 2 {
		return math.NaN()
	}
	mean := exact(0)
	for _, x := range v {
		mean.Add(mean, exact(x))
	}
	mean.Quo(mean, exact(float64(len(v))))
	s := exact(0)
	for _, x := range v {
		d := exact(x)
		d.Sub(d, mean)
		s.Add(s, d.Mul(d, d))
	}
	f, _ := s.Quo(s, exact(float64(len(v)-1))).Sqrt(s).Float64()
	return f
}

// nearly allows for what a deviation loses when the values are far larger than it.
func nearly(scale float64) cmp.Option {
	return cmp.Comparer(func(a, b float64) bool {
		return a == b || math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b)) || math.Abs(a-b) <= 1e-14*scale
	})
}

func TestAggregate_against_reference(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 300 {
		texts := make([]string, 1+r.IntN(12))
		for i := range texts {
			texts[i] = randomRow(r)
		}
		agent, groups := reference(texts)
		got := score.Aggregate(rows(t, texts...))
		if diff := cmp.Diff(agent, asMap(got.Agent), nearly(1)); diff != "" {
			t.Fatalf("agent metrics of %v (-want +got):\n%s", texts, diff)
		}
		if len(got.Groups) != len(groups) {
			t.Fatalf("%d groups, want %d", len(got.Groups), len(groups))
		}
		for i, g := range got.Groups {
			if i > 0 && g.Task <= got.Groups[i-1].Task {
				t.Fatalf("groups are not in order: task %d after %d", g.Task, got.Groups[i-1].Task)
			}
			if diff := cmp.Diff(groups[g.Task], asMap(g.Metrics), nearly(1)); diff != "" {
				t.Fatalf("metrics of task %d of %v (-want +got):\n%s", g.Task, texts, diff)
			}
		}
	}
}
