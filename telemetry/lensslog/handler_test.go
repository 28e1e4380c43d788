//go:build !lens_off

package lensslog_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/slogtest"

	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/telemetry/lensslog"
)

const (
	parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03"
	ids    = " trace_id=0af7651916cd43dd8448eb211c80319c span_id=b7ad6b7169203331 trace_flags=03\n"
)

// inside gives ctx with a span.
func inside(tb testing.TB, ctx context.Context) context.Context {
	tb.Helper()
	ref, err := lens.ParseRef(parent, "")
	if err != nil {
		tb.Fatal(err)
	}
	return lens.WithParent(ctx, ref)
}

// always hands records on as if they had been logged in ctx.
type always struct {
	slog.Handler
	ctx context.Context
}

func (a always) Handle(_ context.Context, r slog.Record) error { return a.Handler.Handle(a.ctx, r) }
func (a always) WithAttrs(attrs []slog.Attr) slog.Handler {
	return always{a.Handler.WithAttrs(attrs), a.ctx}
}
func (a always) WithGroup(name string) slog.Handler { return always{a.Handler.WithGroup(name), a.ctx} }

// TestConforms runs the suite of the standard library, without a span and in one.
func TestConforms(t *testing.T) {
	for name, ctx := range map[string]context.Context{"no span": t.Context(), "in a span": inside(t, t.Context())} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			slogtest.Run(t, func(*testing.T) slog.Handler {
				out.Reset()
				return always{lensslog.NewHandler(slog.NewJSONHandler(&out, nil)), ctx}
			}, func(t *testing.T) map[string]any {
				var m map[string]any
				if err := json.Unmarshal(out.Bytes(), &m); err != nil {
					t.Fatal(err)
				}
				if m["trace_id"] != nil != (name == "in a span") {
					t.Errorf("the record is %v", m)
				}
				delete(m, "trace_id")
				delete(m, "span_id")
				delete(m, "trace_flags")
				return m
			})
		})
	}
}

// pair logs the same through the handler and without it.
type pair struct {
	ours, plain     *slog.Logger
	ourOut, thatOut bytes.Buffer
}

func newPair() *pair {
	p := &pair{}
	noTime := &slog.HandlerOptions{AddSource: true, ReplaceAttr: func(groups []string, a slog.Attr) slog.Attr {
		if len(groups) == 0 && a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		if len(groups) > 0 && a.Key == "seen" {
			a.Value = slog.StringValue(strings.Join(groups, "/"))
		}
		return a
	}}
	p.ours = slog.New(lensslog.NewHandler(slog.NewTextHandler(&p.ourOut, noTime)))
	p.plain = slog.New(slog.NewTextHandler(&p.thatOut, noTime))
	return p
}

func (p *pair) each(fn func(l *slog.Logger) *slog.Logger) { p.ours, p.plain = fn(p.ours), fn(p.plain) }

// check logs a record in ctx and wants what the wrapped handler writes, and the ids behind it.
func (p *pair) check(t *testing.T, ctx context.Context, behind string, args ...any) {
	t.Helper()
	p.ourOut.Reset()
	p.thatOut.Reset()
	for _, l := range []*slog.Logger{p.ours, p.plain} {
		l.ErrorContext(ctx, "message", args...)
	}
	want := strings.TrimSuffix(p.thatOut.String(), "\n") + behind
	if got := p.ourOut.String(); got != want {
		t.Errorf("written is\n%swant\n%s", got, want)
	}
}

// build makes loggers and a record by a list of steps.
func (p *pair) build(steps []byte) (args []any) {
	for i, s := range steps {
		switch s % 8 {
		case 0, 1:
			p.each(func(l *slog.Logger) *slog.Logger { return l.WithGroup(string(rune('A' + i%26))) })
		case 2:
			p.each(func(l *slog.Logger) *slog.Logger { return l.With("w", i, "seen", "") })
		case 3:
			p.each(func(l *slog.Logger) *slog.Logger { return l.With(slog.Group("g", "k", i), slog.Group("empty")) })
		case 4:
			p.each(func(l *slog.Logger) *slog.Logger { return l.WithGroup("").With() })
		case 5:
			args = append(args, "a", i, "seen", "")
		case 6:
			args = append(args, slog.Group("g", slog.Int("k", i), slog.Group("", slog.Int("inline", i))))
		case 7:
			args = append(args, slog.Group("empty"), "err", errors.New("boom"))
		}
	}
	return args
}

func FuzzHandler(f *testing.F) {
	for _, steps := range [][]byte{
		{}, {5}, {5, 5, 5, 5}, {0}, {0, 5}, {2, 0, 5}, {2, 0, 2, 5}, {0, 0, 0, 5}, {0, 2, 0, 2, 2, 0, 2, 5, 6}, {0, 3, 1, 7}, {1, 4, 5},
		{0, 2, 1}, {3, 0, 3}, {7}, {0, 7, 6, 5, 5, 5, 5, 5},
	} {
		f.Add(steps)
	}
	f.Fuzz(func(t *testing.T, steps []byte) {
		p := newPair()
		args := p.build(steps[:min(len(steps), 40)])
		p.check(t, context.Background(), "\n", args...)
		p.check(t, inside(t, context.Background()), ids, args...)
	})
}

// TestDerivedLoggersAreApart: loggers that come from one do not write into each other.
func TestDerivedLoggersAreApart(t *testing.T) {
	p := newPair()
	p.each(func(l *slog.Logger) *slog.Logger { return l.WithGroup("g").With("a", 1).With("b", 2).With("c", 3) })
	one, two := *p, *p
	ctx := inside(t, t.Context())
	for _, q := range []*pair{&one, &two} {
		q.each(func(l *slog.Logger) *slog.Logger { return l.With("d", 4) })
	}
	one.each(func(l *slog.Logger) *slog.Logger { return l.With("one", 1).WithGroup("h") })
	two.each(func(l *slog.Logger) *slog.Logger { return l.With("two", 2).WithGroup("i") })
	for _, q := range []*pair{p, &one, &two, &one} {
		var ours, plain bytes.Buffer
		logs(t, ctx, q.ours, &p.ourOut, &ours)
		logs(t, ctx, q.plain, &p.thatOut, &plain)
		if want := strings.TrimSuffix(plain.String(), "\n") + ids; ours.String() != want {
			t.Errorf("written is\n%swant\n%s", &ours, want)
		}
	}
}

// logs moves what l writes to out, which is where its handler writes, into a buffer.
func logs(t *testing.T, ctx context.Context, l *slog.Logger, out, into *bytes.Buffer) {
	t.Helper()
	out.Reset()
	l.ErrorContext(ctx, "message", "x", 1)
	into.Write(out.Bytes())
}

// keeper keeps the records that it gets.
type keeper struct {
	records []slog.Record
	err     error
}

func (k *keeper) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }
func (k *keeper) Handle(_ context.Context, r slog.Record) error {
	k.records = append(k.records, r)
	return k.err
}
func (k *keeper) WithAttrs([]slog.Attr) slog.Handler { return k }
func (k *keeper) WithGroup(string) slog.Handler      { return k }

// TestLeavesRecordsAlone: the caller's record stays as it is, though records share memory; levels and errors are the
// wrapped handler's.
func TestLeavesRecordsAlone(t *testing.T) {
	k := &keeper{err: errors.New("full")}
	h := lensslog.NewHandler(k)
	if h.Enabled(t.Context(), slog.LevelInfo) || !h.Enabled(t.Context(), slog.LevelWarn) {
		t.Error("another level")
	}
	ctx := inside(t, t.Context())
	for n := range 20 { // some of them leave room behind the attributes, which a copy of the record shares
		k.records = nil
		var r slog.Record
		for i := range n {
			r.AddAttrs(slog.Int("k", i))
		}
		for range 2 {
			if err := h.Handle(ctx, r); err != k.err {
				t.Errorf("error %v", err)
			}
		}
		r.AddAttrs(slog.Int("after", 1))
		if r.NumAttrs() != n+1 || k.records[0].NumAttrs() != n+3 || k.records[1].NumAttrs() != n+3 {
			t.Errorf("of %d attributes the caller has %d, and the handler %d and %d", n,
				r.NumAttrs(), k.records[0].NumAttrs(), k.records[1].NumAttrs())
		}
	}
	var last []string
	k.records[0].Attrs(func(a slog.Attr) bool { last = append(last, a.Key); return true })
	if !slices.Equal(last[19:], []string{lensslog.TraceID, lensslog.SpanID, lensslog.TraceFlags}) {
		t.Errorf("keys %v", last)
	}
}

func TestNewHandler(t *testing.T) {
	if h := lensslog.NewHandler(nil); h.Enabled(t.Context(), slog.LevelError) {
		t.Error("nil does not discard")
	}
	h := lensslog.NewHandler(&keeper{})
	if lensslog.NewHandler(h) != h {
		t.Error("a wrapped handler is wrapped again")
	}
	var none context.Context // a caller's mistake must not panic
	if err := h.Handle(none, slog.Record{}); err != nil {
		t.Error(err)
	}
}

// TestReservation: what is no span is on no record.
func TestReservation(t *testing.T) {
	ref, err := lens.ParseRef(parent, "lens=r")
	if err != nil {
		t.Fatal(err)
	}
	newPair().check(t, lens.WithParent(t.Context(), ref), "\n")
	newPair().check(t, lens.Detach(inside(t, t.Context())), "\n")
	newPair().check(t, trace.ContextWithSpan(t.Context(), nil), "\n")
}
