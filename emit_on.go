//go:build !lens_off

package lens

import (
	"context"
	"log/slog"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"

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
		Str(semconv.InvertedDelta, decimalSeconds(nanoseconds(start).Sub(nanoseconds(start), nanoseconds(end)))),
	}
}

func inverted(name string, start, end time.Time) message {
	return warning("a span ends before it begins, perhaps by clocks that differ: its end is put at its start, and it is marked with "+
		semconv.InvertedSkew+"=true",
		slog.String("span", name), slog.String("start", epochSeconds(start)), slog.String("end", epochSeconds(end)),
		slog.Duration("inversion", start.Sub(end)))
}

// epochSeconds writes a time as seconds since 1970, exactly.
func epochSeconds(t time.Time) string { return decimalSeconds(nanoseconds(t)) }

// nanoseconds since 1970, of any time: those of the zero time do not fit into an int64.
func nanoseconds(t time.Time) *big.Int {
	n := new(big.Int).Mul(big.NewInt(t.Unix()), big.NewInt(int64(time.Second)))
	return n.Add(n, big.NewInt(int64(t.Nanosecond())))
}

// decimalSeconds writes nanoseconds as seconds, as Python writes a Decimal without zeros at its end: 0.25, 1E-9.
func decimalSeconds(nanoseconds *big.Int) string {
	digits, sign := new(big.Int).Abs(nanoseconds).String(), ""
	if nanoseconds.Sign() < 0 {
		sign = "-"
	}
	short := strings.TrimRight(digits, "0")
	if exponent := len(digits) - 1 - 9; short != "" && exponent < -6 {
		if len(short) > 1 {
			short = short[:1] + "." + short[1:]
		}
		return sign + short + "E" + strconv.Itoa(exponent)
	}
	digits = strings.Repeat("0", max(0, 10-len(digits))) + digits
	whole, fraction := digits[:len(digits)-9], strings.TrimRight(digits[len(digits)-9:], "0")
	if fraction != "" {
		whole += "." + fraction
	}
	return sign + whole
}
