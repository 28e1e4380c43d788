// Package runs knows what a run, a rollout, an attempt and a task are. It reads that from the spans of any program that names
// them as Gym does, Go or Python, and keeps it ready for a page that shows it.
//
//	m := runs.NewModel(runs.Options{})
//	s, err := store.Open(dir, store.Options{Summary: m}) // feeds the model with every span, and keeps its summaries in the files
//	page, err := m.Rollouts("demo-1130-1402", q, runs.Page{Sort: "-dur"})
//
// # Rollouts
//
// A rollout is the subtree of an outermost span gym.rollout. Several in a trace are normal: a Python run may put thousands below one
// gym.job span, and a Python agent opens a second gym.rollout below that of our driver, which is then no rollout of its own. The run is
// nemo.run.id of that span's resource. Attempt is nemo.gym.rollout.index + 1, retry is nemo.gym.rollout.attempt; where the attributes are
// missing they are read from the rollout's id. What gym.rollout does not say is taken from the spans below it: the environment is the
// resources server, turns are calls that reached a model server, tool calls are those that reached a tool's route.
//
// While gym.rollout has not ended it is not here. Then the spans below the missing parent that name a rollout stand for it:
// [Rollout.Guessed] is true and the outcome is [Running].
//
// # Where the time goes
//
// Duration is that of the root span, total is the wait for admission and the duration. The critical path assigns each moment of
// the duration to one span, and so to one [Part]; the six sum to the total to the nanosecond, also when calls run in parallel. From
// the end of a span backwards the path is in the child that ended last before the point, then on from that child's start; time that
// this leaves and another child covers is in that child; what no child covers belongs to the span. A span's own work belongs to
// its process: a model server's to Model; a resources server's to Verify below /verify, to Other below /seed_session, and to Tools
// below every other route; that of agents and drivers to Other. A span that says nothing (a database client, say) belongs where its
// parent does. The wait for a connection at the beginning of a call is Pool, wherever the call is made. A judge model behind /verify is
// a model server, so its time is Model.
//
// Nothing is corrected silently. Children are cut at the ends of their parents, so a server whose clock is off by more than the
// call took has no time on the path and [Rollout.Skewed] counts it. A parent that never came leaves its children out of the rollout
// above it. A circle of parents is cut at its earliest span. Of several spans with one id the earliest is the one that children hang on;
// an equal copy is counted and not looked at. A span without an end lasts as long as what is around it.
//
// [Analyse] does all that for the spans of one trace, as a pure function.
//
// # The model
//
// A [Model] keeps a row for each rollout and each trace, and counts and histograms for each kind of span. What it shows does not depend on
// the order in which the spans came, or on how they were cut into chunks: sums are sums, rows are functions of the set of a trace's
// spans, and of two equal things the smaller id comes first. [Model.Seal] writes what a chunk added, [Model.Merge] adds that to another model, so that
// a restart reads footers and no span; the result is the same model. [Model.Forget] takes a chunk away.
//
// Spans are remembered one by one only as long as their trace is young ([Options.MaxSpans]). What comes later is counted at once, and
// its rollout brought up to date by [Model.Heal], which loads the trace from the store. Copies are told apart only among remembered spans;
// a whole request that comes again is the store's to know.
//
// A trace counts for the run of its root. A span counts for the run that its own resource names.
//
// # Cost
//
// A span costs about a microsecond of processor time, and 30 bytes of memory for as long as it is stored: a row for its trace and
// one for its rollout. To take it is to write a record; how a trace hangs together is found out when a reader asks, or when a rollout has ended and
// its trace was quiet for a chunk. So the footers of a busy store have the rows of few rollouts that go on: after a clean end
// ([Model.Settle]) all are there, after a kill Heal reads those. Large traces may take a twentieth of the time. What retention takes
// away is forgotten, with names and runs of which nothing is left.
//
// A list looks at each of its rows, 100,000 in some milliseconds. A trace, a rollout of a task and the [Outline] of a run are looked up.
//
// # Concurrency
//
// One writer (the store) and any number of readers. A reader works on a snapshot that never changes, and gets it without waiting:
// it brings it up to date itself when the writer is idle, else it takes the last one and asks the writer for a newer one, which comes
// within 50 ms of writing. Rows that were handed out are immutable.
package runs
