// Package metrics records numbers: those of Gym (how long rollouts, model calls and verifications take, what waits where, how
// many servers and sandboxes there are), of an inference server, of a trainer, and of any library that declares its own.
//
// Each number of Gym has a method of [Gym], with the name, unit and buckets that the Python system has for it, so that one
// dashboard shows a mixed run; those of an inference server are at [Inference]. A call site is one line:
//
//	metrics.Gym.Verified(ctx, time.Since(began), err == nil)
//
// A library registers a [Group] and then records values by their keys. [RL] and [Training] are groups for trainers.
//
//	metrics.MustRegister(metrics.Group{Name: "mylib", Metrics: []metrics.Metric{
//		{Key: "loss", Name: "mylib.loss"},
//		{Key: "step", Name: "mylib.step.duration_ms", Kind: metrics.Histogram, Unit: "ms"},
//	}})
//	metrics.Record(ctx, "mylib", metrics.Values{"loss": 0.31, "step": 1204}, metrics.Str("phase", "train"))
//
// Numbers go to the provider that package telemetry sets up, or else to OpenTelemetry's global one. They do not depend on
// span groups: a program that wants metrics and no spans sets the spec "" and has all of them.
//
// Guarantees. No call that records returns an error, panics or blocks; an instrument that cannot be made, or that breaks,
// records nothing, and the log says so once. A callback that is slow or broken costs only itself. Everything is safe for concurrent use. Instruments are made once for each provider, at their first use. Without
// a provider a call costs a few nanoseconds and allocates nothing; with one it allocates nothing after the first call with
// the same attributes. A histogram's sample carries the trace of ctx as its exemplar. Text that would make series without
// end (a class of failure that an agent made up, a finish reason) becomes "other" when it is no word, or one of too many.
//
// A build with the tag lens_off has the same names; they do nothing, and link no OpenTelemetry.
package metrics
