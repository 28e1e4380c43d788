package lens

import "context"

// With gives a context whose attributes are written on every span that is started below it, whichever group that belongs
// to. Spans that are open already are left alone, and nothing leaves the process with it: see [WithBaggage] for that.
//
// Of two values of one key the innermost wins, and in one call the last. What a span is given itself, at its start or by
// a setter, wins over all of them. Strings are redacted as [Span.Str] does it. The sampler and the span processors of
// OpenTelemetry see the attributes as ones that the span was started with.
//
// The spans of lens have them under any provider. Those that other instrumentations start have them where
// telemetry.Setup made the provider, and behind lensotel.TracerProvider.
//
// With works whatever is on: a group that is switched on below finds the attributes. So it costs one allocation a call (one
// more for more than eight attributes, and one for each list), and what makes its values costs what it costs: on a hot path
// put it behind [Group.Enabled]. Starting a span below costs nothing more while the span is off. No attributes: ctx as
// given. A build with lens_off gives ctx as given.
func With(ctx context.Context, attrs ...Attr) context.Context {
	if ctx == nil {
		ctx = context.Background()
	}
	if !compiled || len(attrs) == 0 {
		return ctx
	}
	return with(ctx, attrs)
}
