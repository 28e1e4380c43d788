package lenstest_test

import (
	"context"
	"encoding/json"
	"strings"
	"sync"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lenstest"
)

// faithful is an exporter whose format carries all that a span has, and which alters one thing.
type faithful struct {
	alter func(*lenstest.Span)
	mu    sync.Mutex
	spans []lenstest.Span
}

func (f *faithful) ExportSpans(ctx context.Context, batch []sdktrace.ReadOnlySpan) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, s := range batch {
		if err := ctx.Err(); err != nil {
			return err
		}
		span := lenstest.SpanOf(s)
		for k, v := range span.Attrs { // as a reader of JSON has them
			if n, ok := v.(int64); ok {
				text, err := json.Marshal(n)
				if err != nil {
					return err
				}
				span.Attrs[k] = json.Number(text)
			}
		}
		f.alter(&span)
		f.spans = append(f.spans, span)
	}
	return nil
}

func (f *faithful) Shutdown(context.Context) error { return nil }

func (f *faithful) arrived() []lenstest.Span {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.spans
}

// TestExporter_compares_every_field: whatever a format carries, what arrives as something else is seen.
func TestExporter_compares_every_field(t *testing.T) {
	const rule = "every span arrives as it was"
	of := func(name string, change func(*lenstest.Span)) func(*lenstest.Span) {
		return func(s *lenstest.Span) {
			if strings.HasPrefix(s.Name, name) {
				change(s)
			}
		}
	}
	const rich, plain, okay = "name ", "kind 1", "GET "
	for name, alter := range map[string]func(*lenstest.Span){
		"parent":          of(plain, func(s *lenstest.Span) { s.Parent = lens.Ref{} }),
		"kind":            of(plain, func(s *lenstest.Span) { s.Kind = lens.Internal }),
		"library":         of(rich, func(s *lenstest.Span) { s.Library = "other" }),
		"group":           of(rich, func(s *lenstest.Span) { s.Group = "other" }),
		"start":           of(plain, func(s *lenstest.Span) { s.Start = s.Start.Add(-time.Second) }),
		"end":             of(plain, func(s *lenstest.Span) { s.End = s.End.Add(time.Second) }),
		"ok":              of(okay, func(s *lenstest.Span) { s.Status = lenstest.Unset }),
		"error":           of(rich, func(s *lenstest.Span) { s.Status = lenstest.Unset }),
		"message":         of(rich, func(s *lenstest.Span) { s.Message = "other" }),
		"a number":        of(rich, func(s *lenstest.Span) { s.Attrs["int"] = json.Number("7") }),
		"a list":          of(rich, func(s *lenstest.Span) { s.Attrs["ints"] = []int64{1, 2} }),
		"an event":        of(rich, func(s *lenstest.Span) { s.Events = s.Events[:min(1, len(s.Events))] }),
		"an event's fact": of(rich, func(s *lenstest.Span) { eachOf(s.Events, func(e *lenstest.Event) { e.Attrs = nil }) }),
		"a link":          of(rich, func(s *lenstest.Span) { eachOf(s.Links, func(l *lenstest.Link) { l.Ref.SpanID[0]++ }) }),
		"a link's fact":   of(rich, func(s *lenstest.Span) { eachOf(s.Links, func(l *lenstest.Link) { l.Attrs = nil }) }),
		"resource":        of(rich, func(s *lenstest.Span) { s.Resource["service.name"] = "other" }),
		"nothing":         func(*lenstest.Span) {},
	} {
		e := lenstest.Exporter{New: func(testing.TB) (sdktrace.SpanExporter, func() []lenstest.Span) {
			f := &faithful{alter: alter}
			return f, f.arrived
		}}
		seen := try(lenstest.ExporterRules(e)[rule]) != nil
		if want := name != "nothing"; seen != want {
			t.Errorf("%s is altered: seen %t, want %t", name, seen, want)
		}
	}
}

func eachOf[T any](list []T, change func(*T)) {
	for i := range list {
		change(&list[i])
	}
}
