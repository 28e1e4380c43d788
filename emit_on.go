//go:build !lens_off

package lens

import (
	"context"
	"log/slog"
	"math/big"
	"slices"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens/internal/decimal"
	"github.com/lensgo/lens/internal/tracecontext"
	"github.com/lensgo/lens/semconv"
)

// emit is the rest of Emit and EmitWith, behind the state word.
func (g *Group) emit(ctx context.Context, name string, e EmitConfig, attrs []Attr) Ref {
	c := g.config.Load()
	tracer := c.current()
	if tracer == nil {
		return Ref{}
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if e.Root {
		ctx = tracecontext.Detach(ctx)
	}
	start, end := wall(e.Start), wall(e.End)
	var marks []Attr
	if end.Before(start) {
		marks = inversion(start, end)
		g.reg.log([]message{inverted(name, start, end)})
		end = start
	}
	options := append(slices.Clone(e.Kind.options()), trace.WithTimestamp(start))
	_, span := c.startSpan(ctx, tracer, name, linked(options, e.Links))
	ref := refOf(span.SpanContext())
	if span.IsRecording() {
		r := c.keep(closedSpan{span, end})
		defer r.end(end) // also when Fill panics
		r.set(attrs)
		if e.Fill != nil {
			e.Fill(Span{r})
		}
		r.set(marks)
	}
	return ref
}

// closedSpan is a span whose end has been: what happens to it now has happened by then.
type closedSpan struct {
	trace.Span
	end time.Time
}

func (s closedSpan) AddEvent(name string, options ...trace.EventOption) {
	s.Span.AddEvent(name, append([]trace.EventOption{trace.WithTimestamp(s.end)}, options...)...)
}

// wall returns t as the wall clock has it; the zero time means now. It is a new time, without what t points to: else all that
// Emit is given would have to be on the heap, while it is off as well.
func wall(t time.Time) time.Time {
	if t.IsZero() {
		t = time.Now()
	}
	return time.Unix(t.Unix(), int64(t.Nanosecond()))
}

// inversion returns the marks of a span that ended before it began.
func inversion(start, end time.Time) []Attr {
	return []Attr{
		Bool(semconv.InvertedSkew, true),
		Str(semconv.InvertedStart, epochSeconds(start)),
		Str(semconv.InvertedEnd, epochSeconds(end)),
		Str(semconv.InvertedDelta, decimal.Text(new(big.Int).Sub(nanoseconds(start), nanoseconds(end)), 9)),
	}
}

func inverted(name string, start, end time.Time) message {
	return warning("a span ends before it begins, perhaps by clocks that differ: its end is put at its start, and it is marked with "+
		semconv.InvertedSkew+"=true",
		slog.String("span", name), slog.String("start", epochSeconds(start)), slog.String("end", epochSeconds(end)),
		slog.Duration("inversion", start.Sub(end)))
}

// epochSeconds writes a time as seconds since 1970, exactly.
func epochSeconds(t time.Time) string { return decimal.Text(nanoseconds(t), 9) }

// nanoseconds since 1970, of any time: those of the zero time do not fit into an int64.
func nanoseconds(t time.Time) *big.Int {
	n := new(big.Int).Mul(big.NewInt(t.Unix()), big.NewInt(int64(time.Second)))
	return n.Add(n, big.NewInt(int64(t.Nanosecond())))
}
