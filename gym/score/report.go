package score

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
)

// Report is the answer of /aggregate_metrics. The zero value is the report of no rows.
type Report struct {
	// Groups has one entry a task, by task index.
	Groups []Group
	// Agent is over all rows.
	Agent Metrics
	// More is what belongs to the agent's metrics and is no single number, such as per_sample_aggregate.
	More responses.Object
	// Key is the few that a summary shows: every mean, unless the environment chooses others.
	Key Metrics
}

// MarshalJSONTo writes {"group_level_metrics":[...],"agent_metrics":{...},"key_metrics":{...}}.
func (r Report) MarshalJSONTo(enc *jsontext.Encoder) error {
	return json.MarshalEncode(enc, struct {
		Groups []Group          `json:"group_level_metrics"`
		Agent  responses.Object `json:"agent_metrics"`
		Key    Metrics          `json:"key_metrics"`
	}{r.Groups, r.agent(), r.Key})
}

// agent is the agent's metrics with what is no number.
func (r Report) agent() responses.Object {
	o := r.Agent.object()
	o.Merge(r.More)
	return o
}

// Group is what is known about the rollouts of one task.
type Group struct {
	// Task is the _ng_task_index; 0 for rows without one.
	Task int64
	// Metrics is over the task's rows.
	Metrics Metrics
	// Sample stands for the task's input row. The rows of /aggregate_metrics do not carry it, so there it is only a
	// nameless agent, as in Python.
	Sample responses.Object
	// Rollouts is how many rows there are; Expected how many there should be. Aggregate knows of no others than it was
	// given, so there the two are equal.
	Rollouts, Expected int
	// Infos has one entry a row, by rollout index: its ids, its reward as it came, and its other numbers.
	Infos []responses.Object
	// More is what the environment adds, see [Custom].
	More responses.Object
}

// MarshalJSONTo writes the metrics and the rest as members of one object.
func (g Group) MarshalJSONTo(enc *jsontext.Encoder) error {
	o := responses.Object{}
	o.SetInt(taskIndex, g.Task)
	o.Merge(g.Metrics.object())
	for _, m := range []struct {
		name  string
		value any
	}{
		{"sample", g.Sample},
		{"num_rollouts", g.Rollouts},
		{"expected_num_rollouts", g.Expected},
		{"missing_num_rollouts", g.Expected - g.Rollouts},
		{"reward_profile_completion_pct", completion(g.Rollouts, g.Expected)},
		{"rollout_infos", g.Infos},
	} {
		if err := o.SetAny(m.name, m.value); err != nil {
			return err
		}
	}
	o.Merge(g.More)
	return o.MarshalJSONTo(enc)
}

// completion is the share of the expected rollouts that are there, in percent.
func completion(have, expected int) float64 {
	if expected == 0 {
		return 100
	}
	return 100 * float64(have) / float64(expected)
}
