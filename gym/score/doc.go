// Package score turns the results of rollouts into the numbers that a run is judged by.
//
// [Aggregate] is what answers /aggregate_metrics: for every numeric or boolean member of the results, and for the token
// counts of their responses, mean, max, min, median and standard deviation, over all rollouts and for each task.
//
//	report := score.Aggregate(rows) // rows: verify responses as they came
//	mean, ok := report.Agent.Get("mean/reward")
//	body, err := json.Marshal(report)
//
// The keys and numbers are those of the Python system, which takes them from pandas: a value that is missing, null or no
// number is left out, true counts as 1, the standard deviation is the sample's (divided by n-1), and a statistic that is
// not defined has no key. One addition is ours: missing/<name> says how many rows had no value, so that a mean over half
// of the rows does not look like a mean over all; it is there only when a value was missing.
//
// An environment adds its own numbers with [Hooks]: [PassMajority] gives pass@k, majority@k and what belongs to them, and
// [Metrics.HighestK] picks from these what a summary shows. [Rows] computes the statistics of files that do not fit into memory.
//
// Functions are pure and safe for concurrent use. Equal rows in any order give equal bytes: rows are taken by task and
// rollout, keys are sorted. No NaN and no infinity is ever in a report, so it is always valid JSON.
package score
