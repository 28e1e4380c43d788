package lenstest_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/rerun"
	"github.com/lensgo/lens/lenstest"
)

// shelf is an exporter that is as it should be. It keeps what it is given in the form of some format, which has names,
// ids, attributes and little else. Its fault, if it has one, is what a test is about.
type shelf struct {
	fault fault

	mu     sync.Mutex
	lines  [][]byte
	kept   []sdktrace.ReadOnlySpan
	closed bool
}

// fault is what an exporter does wrong.
type fault struct {
	export   func(*shelf, context.Context, []sdktrace.ReadOnlySpan) error
	shutdown func(*shelf, context.Context) error
	never    chan struct{} // closed when the test is over
}

// line is a span in the format of shelf.
type line struct {
	Trace, Span []byte
	Name        string
	Attrs       map[string]any
}

func (s *shelf) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	if s.fault.export != nil {
		return s.fault.export(s, ctx, spans)
	}
	return s.store(ctx, spans)
}

func (s *shelf) store(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errors.New("cannot export: the exporter is shut down")
	}
	for _, span := range spans {
		if err := ctx.Err(); err != nil {
			return err
		}
		if b, err := encode(span); err == nil {
			s.lines = append(s.lines, b)
		}
	}
	return nil
}

// encode fails for numbers that JSON has not.
func encode(span sdktrace.ReadOnlySpan) ([]byte, error) {
	traceID, spanID := span.SpanContext().TraceID(), span.SpanContext().SpanID()
	l := line{Trace: traceID[:], Span: spanID[:], Name: span.Name(), Attrs: map[string]any{}}
	for _, kv := range span.Attributes() {
		l.Attrs[string(kv.Key)] = kv.Value.AsInterface()
	}
	return json.Marshal(l)
}

func (s *shelf) Shutdown(ctx context.Context) error {
	if s.fault.shutdown != nil {
		return s.fault.shutdown(s, ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	return nil
}

func (s *shelf) arrived() []lenstest.Span {
	s.mu.Lock()
	defer s.mu.Unlock()
	var spans []lenstest.Span
	for _, b := range s.lines {
		var l line
		if err := json.Unmarshal(b, &l); err != nil {
			panic(err)
		}
		spans = append(spans, lenstest.Span{
			Name: l.Name, Attrs: l.Attrs, Ref: lens.Ref{TraceID: [16]byte(l.Trace), SpanID: [8]byte(l.Span)},
		})
	}
	return spans
}

// described describes shelf with a fault to the suite, and destinations that do what they should.
func described(f fault) lenstest.Exporter {
	answering := func(answer func(ctx context.Context) error) func(testing.TB) sdktrace.SpanExporter {
		return func(testing.TB) sdktrace.SpanExporter {
			return &shelf{fault: fault{
				export: func(_ *shelf, ctx context.Context, _ []sdktrace.ReadOnlySpan) error { return answer(ctx) },
			}}
		}
	}
	return lenstest.Exporter{
		New: func(testing.TB) (sdktrace.SpanExporter, func() []lenstest.Span) {
			s := &shelf{fault: f}
			return s, s.arrived
		},
		Failing: answering(func(context.Context) error { return errors.New("go away") }),
		Hanging: answering(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }),
	}
}

func TestExporter(t *testing.T) {
	lenstest.TestExporter(t, described(fault{}))
}

// Without a way to see what arrived, the suite still sees what fails.
func TestExporter_unseen(t *testing.T) {
	lenstest.TestExporter(t, lenstest.Exporter{New: func(t testing.TB) (sdktrace.SpanExporter, func() []lenstest.Span) {
		return &shelf{}, nil
	}})
}

// Every rule finds the faults that it is there for.
func TestExporter_finds_faults(t *testing.T) {
	type spans = []sdktrace.ReadOnlySpan
	store := (*shelf).store
	faults := []struct {
		name, rule string
		fault
	}{
		{"the first span is lost", "every span arrives as it was", fault{export: func(s *shelf, ctx context.Context, batch spans) error {
			return store(s, ctx, batch[1:])
		}}},
		{"spans come twice", "every span arrives as it was", fault{export: func(s *shelf, ctx context.Context, batch spans) error {
			return errors.Join(store(s, ctx, batch), store(s, ctx, batch))
		}}},
		{"an attribute is lost", "every span arrives as it was", fault{export: func(s *shelf, ctx context.Context, batch spans) error {
			for i := range batch {
				batch[i] = first{batch[i]}
			}
			return store(s, ctx, batch)
		}}},
		{"only so many fit", "a large batch arrives", fault{export: func(s *shelf, ctx context.Context, batch spans) error {
			return store(s, ctx, batch[:min(len(batch), 1000)])
		}}},
		{"it needs spans", "no spans are no error", fault{export: func(s *shelf, ctx context.Context, batch spans) error {
			_ = batch[0].Name()
			return store(s, ctx, batch)
		}}},
		{"no spans are an error", "no spans are no error", fault{export: func(s *shelf, ctx context.Context, batch spans) error {
			if len(batch) == 0 {
				return errors.New("nothing to export")
			}
			return store(s, ctx, batch)
		}}},
		{"it makes a span up", "no spans are no error", fault{export: func(s *shelf, ctx context.Context, batch spans) error {
			if len(batch) == 0 {
				s.lines = append(s.lines, []byte(`{"Trace": "AAAAAAAAAAAAAAAAAAAAAQ==", "Span": "AAAAAAAAAAE=", "Name": "heartbeat"}`))
			}
			return store(s, ctx, batch)
		}}},
		{"it writes over the first", "the slice stays the caller's", fault{export: func(s *shelf, ctx context.Context, batch spans) error {
			defer func() { copy(batch, batch[min(1, len(batch)):]) }()
			return store(s, ctx, batch)
		}}},
		{"it writes over the last", "the slice stays the caller's", fault{export: func(s *shelf, ctx context.Context, batch spans) error {
			defer func() { copy(batch[min(1, len(batch)):], batch) }()
			return store(s, ctx, batch)
		}}},
		{"it writes into the slice", "the slice stays the caller's", fault{export: func(s *shelf, ctx context.Context, batch spans) error {
			defer slices.Reverse(batch)
			return store(s, ctx, batch)
		}}},
		{"it keeps the slice", "the slice stays the caller's", fault{
			export:   func(s *shelf, _ context.Context, batch spans) error { s.kept = batch; return nil },
			shutdown: func(s *shelf, ctx context.Context) error { return store(s, ctx, s.kept) },
		}},
		{"one bad span costs its batch", "a name that is not UTF-8 costs no other span", fault{export: func(s *shelf, ctx context.Context, batch spans) error {
			for _, span := range batch {
				if !utf8.ValidString(span.Name()) {
					return errors.New("not UTF-8")
				}
			}
			return store(s, ctx, batch)
		}}},
		{"it claims what it did not do", "an export under an ended context returns", fault{export: func(s *shelf, ctx context.Context, batch spans) error {
			_ = store(s, ctx, batch)
			return nil
		}}},
		{"it waits for ever", "an export under an ended context returns", fault{export: func(s *shelf, _ context.Context, _ spans) error {
			<-s.fault.never
			return nil
		}}},
		{"shutdown waits for ever", "a shutdown under an ended context returns", fault{shutdown: func(s *shelf, _ context.Context) error {
			<-s.fault.never
			return nil
		}}},
		{"a second shutdown panics", "shutdown may come twice", fault{shutdown: func(s *shelf, _ context.Context) error {
			if s.closed {
				panic("close of closed channel")
			}
			s.closed = true
			return nil
		}}},
		{"a late export panics", "an export after shutdown returns", fault{export: func(s *shelf, ctx context.Context, batch spans) error {
			err := store(s, ctx, batch)
			if err != nil {
				panic("send on closed channel")
			}
			return nil
		}}},
		{"shutdown waits for an export that never comes", "shutdown may come during exports", fault{shutdown: func(s *shelf, _ context.Context) error {
			<-s.fault.never
			return nil
		}}},
	}
	for _, f := range faults {
		t.Run(f.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f.never = make(chan struct{})
				defer close(f.never)
				breaks(t, described(f.fault), f.rule)
			})
		})
	}
}

func TestExporter_finds_faults_of_destinations(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := make(chan struct{})
		defer close(never)
		unseen := described(fault{})
		unseen.Failing = func(testing.TB) sdktrace.SpanExporter { return &shelf{} } // as if all were well
		unseen.Hanging = unseen.Failing
		breaks(t, unseen, "what is refused is an error")
		breaks(t, unseen, "a hanging export ends with its context")

		stuck := described(fault{})
		stuck.Hanging = func(testing.TB) sdktrace.SpanExporter {
			return &shelf{fault: fault{
				export:   func(*shelf, context.Context, []sdktrace.ReadOnlySpan) error { <-never; return errors.New("no answer") },
				shutdown: func(*shelf, context.Context) error { <-never; return nil },
			}}
		}
		breaks(t, stuck, "a hanging export ends with its context")
		breaks(t, stuck, "shutdown ends with its context beside a hanging export")
	})
}

// breaks checks that the exporter breaks the rule, and that one without a fault does not.
func breaks(t *testing.T, e lenstest.Exporter, rule string) {
	t.Helper()
	run := lenstest.ExporterRules(e)[rule]
	if run == nil {
		t.Fatalf("there is no rule %q", rule)
	}
	if try(run) == nil {
		t.Errorf("the rule %q does not see it", rule)
	}
	passes(t, lenstest.ExporterRules(described(fault{}))[rule])
}

// first is a span without all but its first attribute.
type first struct{ sdktrace.ReadOnlySpan }

func (f first) Attributes() []attribute.KeyValue {
	all := f.ReadOnlySpan.Attributes()
	return all[:min(1, len(all))]
}

func TestExporter_finds_leaks(t *testing.T) {
	isChild, output, err := rerun.Test(t)
	if !isChild {
		if err == nil || !strings.Contains(output, "goroutines stay behind") {
			t.Errorf("error %v, output\n%s", err, output)
		}
		return
	}
	leak := sync.OnceFunc(func() { go func() { select {} }() })
	lenstest.TestExporter(t, described(fault{shutdown: func(*shelf, context.Context) error {
		leak()
		return nil
	}}))
}
