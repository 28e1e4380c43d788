package score_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/score"
)

func rows(t testing.TB, texts ...string) []responses.Object {
	t.Helper()
	out := make([]responses.Object, len(texts))
	for i, s := range texts {
		o, err := responses.ParseObject([]byte(s))
		if err != nil {
			t.Fatal(err)
		}
		out[i] = o
	}
	return out
}

func encode(t testing.TB, r score.Report) string {
	t.Helper()
	b, err := json.Marshal(r)
	if err != nil {
		t.Fatalf("cannot marshal report: %v", err)
	}
	return string(b)
}

func asMap(m score.Metrics) map[string]float64 {
	out := map[string]float64{}
	for _, x := range m {
		out[x.Name] = x.Value
	}
	return out
}

func TestAggregate(t *testing.T) {
	tests := []struct {
		name string
		rows []string
		want map[string]float64
	}{
		{"AG-09: booleans count as 0 and 1, usage may be null, response may be missing",
			[]string{
				`{"_ng_task_index":0,"_ng_rollout_index":0,"reward":true,"response":{"usage":null}}`,
				`{"_ng_task_index":0,"_ng_rollout_index":1,"reward":false}`,
			},
			map[string]float64{"mean/reward": 0.5, "max/reward": 1, "min/reward": 0, "median/reward": 0.5,
				"std/reward": math.Sqrt(0.5)}},
		{"one row: the deviation is 0 for what it has",
			[]string{`{"reward":0.25,"note":"x","extra":null}`},
			map[string]float64{"mean/reward": 0.25, "max/reward": 0.25, "min/reward": 0.25, "median/reward": 0.25,
				"std/reward": 0}},
		{"two rows, one value: no deviation, and the gap is counted",
			[]string{`{"reward":1,"a":3}`, `{"reward":1}`},
			map[string]float64{"mean/reward": 1, "mean/a": 3, "max/reward": 1, "max/a": 3, "min/reward": 1, "min/a": 3,
				"median/reward": 1, "median/a": 3, "std/reward": 0, "missing/a": 1}},
		{"usage is flattened and wins, even with null",
			[]string{`{"reward":1,"total_tokens":7,"input_tokens":5,"response":{"usage":{"total_tokens":9,"input_tokens":null,"input_tokens_details":{"cached_tokens":1}}}}`},
			map[string]float64{"mean/reward": 1, "max/reward": 1, "min/reward": 1, "median/reward": 1, "std/reward": 0,
				"mean/total_tokens": 9, "max/total_tokens": 9, "min/total_tokens": 9, "median/total_tokens": 9, "std/total_tokens": 0}},
		{"the attempt counts as a number, the indexes do not",
			[]string{`{"_ng_task_index":3,"_ng_rollout_index":4,"_ng_attempt_index":2,"reward":0}`},
			map[string]float64{"mean/reward": 0, "max/reward": 0, "min/reward": 0, "median/reward": 0, "std/reward": 0,
				"mean/_ng_attempt_index": 2, "max/_ng_attempt_index": 2, "min/_ng_attempt_index": 2,
				"median/_ng_attempt_index": 2, "std/_ng_attempt_index": 0}},
		{"a number no float64 holds is missing; a mean near the end of the range is not",
			[]string{`{"reward":1e999,"x":1.7e308}`, `{"reward":2,"x":1.7e308}`},
			map[string]float64{"mean/reward": 2, "max/reward": 2, "min/reward": 2, "median/reward": 2, "missing/reward": 1,
				"mean/x": 1.7e308, "max/x": 1.7e308, "min/x": 1.7e308, "median/x": 1.7e308, "std/x": 0}},
		{"no reward at all is visible",
			[]string{`{"note":"x"}`, `{"reward":null}`},
			map[string]float64{"missing/reward": 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := asMap(score.Aggregate(rows(t, tt.rows...)).Agent)
			if diff := cmp.Diff(tt.want, got, near); diff != "" {
				t.Errorf("agent metrics (-want +got):\n%s", diff)
			}
		})
	}
}

// near is the tolerance that the wire contract asks for.
var near = cmp.Comparer(func(a, b float64) bool {
	return a == b || math.Abs(a-b) <= 1e-9*max(math.Abs(a), math.Abs(b))
})

// AG-11.
func TestAggregate_no_rows(t *testing.T) {
	const want = `{"group_level_metrics":[],"agent_metrics":{},"key_metrics":{}}`
	if got := encode(t, score.Aggregate(nil)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := encode(t, score.Report{}); got != want {
		t.Errorf("zero report: got %s, want %s", got, want)
	}
}

// AG-07.
func TestAggregate_missing_rewards(t *testing.T) {
	b, err := os.ReadFile("testdata/agg-missing-rewards.json")
	if err != nil {
		t.Fatal(err)
	}
	var body struct {
		Rows []responses.Object `json:"verify_responses"`
	}
	if err := json.Unmarshal(b, &body); err != nil {
		t.Fatal(err)
	}
	r := score.Aggregate(body.Rows)
	if m, _ := r.Agent.Get("mean/reward"); m != 0.5 {
		t.Errorf("mean/reward = %v, want 0.5", m)
	}
	if m, _ := r.Agent.Get("missing/reward"); m != 2 {
		t.Errorf("missing/reward = %v, want 2", m)
	}
	if _, ok := r.Key.Get("mean/reward"); !ok || len(r.Key) != 1 {
		t.Errorf("key metrics = %v, want mean/reward only", r.Key)
	}
	if s := encode(t, r); strings.Contains(s, "NaN") {
		t.Errorf("report has a NaN: %s", s)
	}
}

func TestAggregate_json(t *testing.T) {
	got := encode(t, score.Aggregate(rows(t,
		`{"_ng_task_index":1,"_ng_rollout_index":0,"reward":0.5,"ok":true}`,
		`{"_ng_task_index":0,"_ng_rollout_index":1,"reward":1.0,"response":{"usage":{"total_tokens":12345678901234567890}}}`,
		`{"_ng_task_index":0,"_ng_rollout_index":0,"reward":null}`,
	)))
	const want = `{"group_level_metrics":[` +
		`{"_ng_task_index":0,"mean/reward":1,"mean/total_tokens":12345678901234567000,"max/reward":1,"max/total_tokens":12345678901234567000,` +
		`"min/reward":1,"min/total_tokens":12345678901234567000,"median/reward":1,"median/total_tokens":12345678901234567000,` +
		`"missing/reward":1,"missing/total_tokens":1,"sample":{"agent_ref":{"name":"agent"}},"num_rollouts":2,"expected_num_rollouts":2,` +
		`"missing_num_rollouts":0,"reward_profile_completion_pct":100,"rollout_infos":[` +
		`{"rollout_id":"0:0","_ng_task_index":0,"_ng_rollout_index":0,"reward":null},` +
		`{"rollout_id":"0:1","_ng_task_index":0,"_ng_rollout_index":1,"reward":1.0,"total_tokens":12345678901234567890}]},` +
		`{"_ng_task_index":1,"mean/ok":1,"mean/reward":0.5,"max/ok":1,"max/reward":0.5,"min/ok":1,"min/reward":0.5,"median/ok":1,"median/reward":0.5,` +
		`"std/ok":0,"std/reward":0,"sample":{"agent_ref":{"name":"agent"}},"num_rollouts":1,"expected_num_rollouts":1,` +
		`"missing_num_rollouts":0,"reward_profile_completion_pct":100,"rollout_infos":[` +
		`{"rollout_id":"1:0","_ng_task_index":1,"_ng_rollout_index":0,"reward":0.5,"ok":1}]}],` +
		`"agent_metrics":{"mean/ok":1,"mean/reward":0.75,"mean/total_tokens":12345678901234567000,"max/ok":1,"max/reward":1,"max/total_tokens":12345678901234567000,` +
		`"min/ok":1,"min/reward":0.5,"min/total_tokens":12345678901234567000,"median/ok":1,"median/reward":0.75,"median/total_tokens":12345678901234567000,` +
		`"std/reward":0.3535533905932738,"missing/ok":2,"missing/reward":1,"missing/total_tokens":2},` +
		`"key_metrics":{"mean/ok":1,"mean/reward":0.75,"mean/total_tokens":12345678901234567000}}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

func TestGroup_expected(t *testing.T) {
	b, err := json.Marshal(score.Group{Task: 2, Rollouts: 3, Expected: 4})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"_ng_task_index":2,"sample":{},"num_rollouts":3,"expected_num_rollouts":4,"missing_num_rollouts":1,` +
		`"reward_profile_completion_pct":75,"rollout_infos":[]}`
	if diff := cmp.Diff(want, string(b)); diff != "" {
		t.Errorf("group (-want +got):\n%s", diff)
	}
}

// randomRow is one result with a mess of members, as text.
func randomRow(r *rand.Rand) string {
	value := func() string {
		switch r.IntN(9) {
		case 0:
			return "null"
		case 1:
			return "true"
		case 2:
			return "false"
		case 3:
			return `"text"`
		case 4:
			return fmt.Sprint(r.IntN(5))
		case 5:
			return fmt.Sprintf("%.6e", r.NormFloat64()*1e12)
		case 6:
			return fmt.Sprint(1e9 + r.Float64())
		default:
			return fmt.Sprint(r.Float64())
		}
	}
	members := []string{}
	if r.IntN(10) > 0 {
		members = append(members, fmt.Sprintf(`"_ng_task_index":%d`, r.IntN(4)))
	}
	if r.IntN(10) > 0 {
		members = append(members, fmt.Sprintf(`"_ng_rollout_index":%d`, r.IntN(6)))
	}
	for _, name := range []string{"reward", "a", "b", "total_tokens"} {
		if r.IntN(4) > 0 {
			members = append(members, fmt.Sprintf("%q:%s", name, value()))
		}
	}
	switch r.IntN(5) {
	case 0:
	case 1:
		members = append(members, `"response":null`)
	case 2:
		members = append(members, `"response":{"usage":null}`)
	default:
		members = append(members, fmt.Sprintf(`"response":{"id":"r","usage":{"total_tokens":%s,"cost":%s}}`, value(), value()))
	}
	r.Shuffle(len(members), func(i, j int) { members[i], members[j] = members[j], members[i] })
	return "{" + strings.Join(members, ",") + "}"
}

// The order in which rollouts happen to end must not show in the report.
func TestAggregate_order_of_rows(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		texts := make([]string, 1+r.IntN(30))
		for i := range texts {
			texts[i] = randomRow(r)
		}
		want := encode(t, score.Aggregate(rows(t, texts...)))
		r.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
		if got := encode(t, score.Aggregate(rows(t, texts...))); got != want {
			t.Fatalf("report changes with the order of rows:\n%s\n%s", want, got)
		}
	}
}

func BenchmarkAggregate(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	texts := make([]string, 1000)
	for i := range texts {
		texts[i] = randomRow(r)
	}
	in := rows(b, texts...)
	b.ReportAllocs()
	for b.Loop() {
		score.Aggregate(in)
	}
}
