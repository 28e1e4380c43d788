package tracecontext

import (
	"context"

	"go.opentelemetry.io/otel/baggage"
)

// WithBaggage gives a context with one more member of baggage, the number of members, and of bytes as sent. Limits are the
// caller's.
func WithBaggage(ctx context.Context, key, value string) (with context.Context, members, size int, err error) {
	m, err := baggage.NewMemberRaw(key, value)
	if err != nil {
		return nil, 0, 0, err
	}
	b, err := baggage.FromContext(ctx).SetMember(m)
	if err != nil {
		return nil, 0, 0, err
	}
	return baggage.ContextWithBaggage(ctx, b), b.Len(), len(b.String()), nil
}

// Baggage gives the value of a member, or "".
func Baggage(ctx context.Context, key string) string {
	return baggage.FromContext(ctx).Member(key).Value()
}
