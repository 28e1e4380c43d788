// Package lens lets a program say more or less about itself while it runs.
//
// Every place that is worth a span belongs to a named group. A user switches groups with one spec string; a group that
// is off costs a load and a branch, a group that is on emits standard OpenTelemetry spans.
//
// # Declaring groups
//
// A library makes its groups once and registers them from an init function, with presets that name useful sets:
//
//	var (
//		Step       = lens.NewGroup("step")
//		Microbatch = lens.NewGroup("microbatch")
//	)
//
//	func init() {
//		lens.MustRegister(lens.Library{
//			Namespace: "megatron",
//			Groups:    []*lens.Group{Step, Microbatch},
//			Presets: lens.Presets{
//				"default":  {"step"},
//				"per_step": {"step", "microbatch"},
//			},
//		})
//	}
//
// # Recording spans
//
//	func trainStep(ctx context.Context, i int) (err error) {
//		ctx, span := Step.Start(ctx, "train.step")
//		defer span.EndErr(&err)
//		span.Int("iteration", i)
//		...
//	}
//
// [Group.Do] and [Wrap] do the same around a function, and [Group.Emit] for what is over already. Work that only a span needs
// goes behind [Group.Enabled] or, where a span is at hand, [Span.Recording]. [With] puts attributes on all spans below.
//
// # Trace context
//
// [Inject] and [Extract] carry a trace over the edge of a process, in a [Header] or a [Map]; package lenshttp does it for
// net/http, package carrier for what has no headers: bytes, child processes, the workers of a job. Context passes through
// groups that are off, so a trace stays one whatever is switched.
//
// # Switching
//
// [SetSpec] takes names of groups and presets, separated by commas: "default,sandbox". "all" is every registered group,
// and "-name" takes away: "all,-layer". Package telemetry reads the spec from the environment, connects exporters and
// calls SetSpec; a program that uses plain OpenTelemetry needs only SetSpec, since spans go to the global provider
// wherever no other was set. [CurrentState] tells what is on and what the spec named in vain.
//
// Nothing in a spec is an error. A name that nobody registered is warned about, with the nearest registered name, and
// counts as soon as somebody registers it.
//
// # Without telemetry
//
// A program that is built with the tag lens_off has the same surface and nothing behind it: call sites compile to nothing,
// no package of OpenTelemetry is linked, and [Wrap] returns its function. Trace context and baggage still go through, as
// they came, so that a trace which passes the program stays one. Registering does nothing and never fails, a registry
// holds nothing, and every name in a spec is pending.
//
// # Guarantees
//
//   - Off costs a load and a branch: Start returns the caller's context and the zero Span; nothing is allocated,
//     formatted or timed. Start, Enabled and the setters are inlined. Tests hold both.
//   - A nil *Group is off. The zero Span is off, and every method on it is a no-op.
//   - Everything here is safe for concurrent use. The check of a gate takes no lock. A switch holds for every check that
//     happens after it; a span keeps what it started with.
//   - Telemetry does not break the program: nothing here panics on bad input save MustRegister, for a declaration that
//     can never be right, and panics of the program go through a span with the same value.
//   - Strings under sensitive keys are redacted: see [Redact].
//   - No OpenTelemetry type is in the exported surface; package lensotel bridges to them.
package lens
