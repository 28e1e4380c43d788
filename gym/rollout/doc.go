// Package rollout collects rollouts: it reads tasks, sends each one to its agent as often as asked, and keeps every
// result as it comes.
//
//	plan, err := rollout.Prepare(rollout.Options{Input: "tasks.jsonl", Output: "out/rollouts.jsonl", Repeats: 2, Graph: graph})
//	if err != nil { ... }                       // every bad row, with file and line, before anything is started
//	summary, err := plan.Run(ctx, client)       // the servers of graph run by now
//
// # Files
//
// Beside the output, whose name without its suffix is STEM, stand STEM_materialized_inputs.jsonl (one line for each
// rollout, exactly what its agent is sent, written before the first one is sent), STEM_failures.jsonl (rollouts that
// ended without a result and why, when there are any), STEM_run.json (what the output is of: a run's name, hashes of data, options and
// configuration, and these themselves without secrets) and STEM_aggregate_metrics.json. The output holds one line for
// each rollout with a result, in the order in which they ended, written with one write call each. Lines are made durable
// together, every half second.
//
// # Guarantees
//
// A failing rollout never stops the run: it becomes a line of the failures file. The run is cut short only when the
// caller's context ends, when an agent's port refuses connections for good, or when a file cannot be written; what was
// finished is on disk then, and [Options].Resume does the rest. A resume with another configuration, other options or other
// data than the output is of is refused with the differences, unless it is forced. One output belongs to one collector at a time; on
// systems with flock a second one is refused.
//
// Rows are read when their rollout begins and results are let go when they are written, and not more than 32 MiB of answers
// are read before they are. So memory grows with the rollouts in flight and, by less than a hundred bytes, with the rollouts
// planned. The aggregation at the end reads the results once more, and sends them without their conversations through a file beside the
// output. The client should have no more connections to an agent than rollouts run at a time: net/http opens several times as many else.
//
// # Shards
//
// With [Options].Shard several processes share a run, each with an output of its own. A task has the indexes in its shard that it has
// without shards, so that the outputs together are those of one run, and [Plan.RunID] is the same for all.
//
// # Admission
//
// With [Options].Adapt the number of rollouts at a time follows what servers bear: more while all goes well, half when one of them
// says that it has too much to do, less when rollouts take much longer than they did. A rollout that was refused for that reason begins
// again behind the others, up to [Options].MaxAttempts.
//
// # Scoring again
//
// [PrepareReverify] and [Reverification.Run] post the results of a run once more to the servers that score them, without agents and
// without a model; what they write has the form of a run.
//
// # Traces
//
// Run opens gym.job, and for each rollout gym.rollout, as a root with a link to gym.job (attribute nemo.gym.link=job).
// A span that the caller of Run has in its context is the parent of both instead. While a gym.rollout is recorded, its
// requests carry the mark: the baggage member nemo.gym.rollout.id. With the group rollout off, each rollout is given a
// trace id of its own by a reserved parent (tracestate member lens=r).
//
// nemo.gym.rollout.turns is the number of model calls as far as the answer shows it: each unbroken run of items in
// response.output that a model writes counts as one turn, so two calls in a row with nothing between them, which happens
// after an answer of reasoning alone, count as one. nemo.gym.rollout.tool_calls is the number of function_call items.
//
// # Concurrency
//
// A [Plan] is used once. Drain may be called at any time from any goroutine; everything else belongs to one.
package rollout
