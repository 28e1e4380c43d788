//go:build !lens_off

package lens

import (
	"fmt"
	"reflect"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens/semconv"
)

// record is what a Span points to. It is never used again for another span, so that a call after End can do no harm.
//
// The lock guards the buffer and the end; it is held while attributes are handed to the provider in mid-span, and not
// while the provider ends the span, since processors run in there.
type record struct {
	span   trace.Span
	list   *openList // nil for a span that somebody else started
	direct bool      // attributes are written at once: somebody else may end the span
	entry

	mu    sync.Mutex
	ended bool
	attrs *buffer // nil while no attribute is waiting
}

func (r *record) recording() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.ended && (!r.direct || r.span.IsRecording())
}

func (r *record) ref() Ref { return refOf(r.span.SpanContext()) }

// The setters are kept out of the methods of Span, which would then be too big to be compiled into call sites.

//go:noinline
func (r *record) str(key, v string) { r.put(key, attribute.StringValue(Redact(key, v))) }

//go:noinline
func (r *record) int64(key string, v int64) { r.put(key, attribute.Int64Value(v)) }

//go:noinline
func (r *record) float(key string, v float64) { r.put(key, attribute.Float64Value(v)) }

//go:noinline
func (r *record) bool(key string, v bool) { r.put(key, attribute.BoolValue(v)) }

//go:noinline
func (r *record) strs(key string, v []string) { r.put(key, attribute.StringSliceValue(v)) } // copies

func (r *record) time(key string, v time.Time) {
	r.str(key, v.UTC().Format(time.RFC3339Nano))
}

func (r *record) duration(key string, v time.Duration) { r.float(key, v.Seconds()) }

func (r *record) set(attrs []Attr) {
	for _, a := range attrs {
		if a.kind != attrNone {
			r.put(a.key, a.value())
		}
	}
}

func (r *record) put(key string, v attribute.Value) {
	r.mu.Lock()
	if r.ended {
		r.mu.Unlock()
		return
	}
	if r.direct {
		r.span.SetAttributes(attribute.KeyValue{Key: attribute.Key(key), Value: v})
		r.mu.Unlock()
		return
	}
	if r.attrs == nil {
		r.attrs = newBuffer()
	}
	r.attrs.add(key, v)
	if len(r.attrs.list) >= bufferFlush {
		r.write(r.attrs)
		r.attrs = nil
	}
	r.mu.Unlock()
}

// The provider itself ignores the following once the span has ended.

func (r *record) event(name string, attrs []Attr) {
	if len(attrs) == 0 {
		r.span.AddEvent(name)
		return
	}
	r.span.AddEvent(name, trace.WithAttributes(keyValues(attrs)...))
}

func (r *record) link(to Ref, attrs []Attr) {
	if to.Valid() {
		r.span.AddLink(trace.Link{SpanContext: to.spanContext(), Attributes: keyValues(attrs)})
	}
}

func (r *record) rename(name string) { r.span.SetName(name) }

func (r *record) ok() { r.span.SetStatus(codes.Ok, "") }

func (r *record) fail(description string) { r.span.SetStatus(codes.Error, description) }

func (r *record) err(err error) {
	if err == nil {
		return
	}
	r.exception(typeName(err), text(err))
}

// panicked records the value of a panic that is on its way through, and ends the span. The stack still has the frames
// that panicked.
func (r *record) panicked(v any) {
	r.exception(typeName(v), text(v), attribute.String(semconv.ExceptionStacktrace, stack()))
	r.end(time.Time{})
}

func (r *record) exception(kind, message string, more ...attribute.KeyValue) {
	r.span.AddEvent(semconv.EventException, trace.WithAttributes(append(more,
		attribute.String(semconv.ExceptionType, kind),
		attribute.String(semconv.ExceptionMessage, message),
	)...))
	r.span.SetStatus(codes.Error, message)
}

// end ends the span, once, at t or now. Attributes that wait are written first.
func (r *record) end(t time.Time) {
	attrs, first := r.close()
	if !first {
		return
	}
	r.write(attrs)
	if t.IsZero() {
		r.span.End()
	} else {
		r.span.End(trace.WithTimestamp(t))
	}
}

// truncate ends a span that was still open when telemetry shut down, and says so on it. The status is left alone: the
// span did not fail, we stopped looking.
func (r *record) truncate(reason string) {
	attrs, first := r.close()
	if !first {
		return
	}
	r.write(attrs)
	r.span.SetAttributes(attribute.Bool(semconv.SpanTruncated, true))
	r.span.AddEvent(semconv.SpanTruncated,
		trace.WithAttributes(attribute.String(semconv.SpanTruncatedReason, reason)))
	r.span.End()
}

// close shuts the record. It returns what waits to be written, and whether this call was the one to shut it.
func (r *record) close() (attrs *buffer, first bool) {
	r.mu.Lock()
	if r.ended {
		r.mu.Unlock()
		return nil, false
	}
	r.ended = true
	attrs, r.attrs = r.attrs, nil
	r.mu.Unlock()
	if r.list != nil {
		r.list.remove(r)
	}
	return attrs, true
}

// flush writes in mid-span what has been collected.
func (r *record) flush() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.ended && r.attrs != nil {
		r.write(r.attrs)
		r.attrs = nil
	}
}

func (r *record) write(attrs *buffer) {
	if attrs != nil {
		r.span.SetAttributes(attrs.list...)
		attrs.free()
	}
}

// typeName returns the type of an error or a panic value, with its whole package path if it has a name of its own.
func typeName(v any) string {
	t := reflect.TypeOf(v)
	if t.Name() != "" && t.PkgPath() != "" {
		return t.PkgPath() + "." + t.Name()
	}
	return t.String()
}

// text returns what an error or a panic value says. A value whose methods panic, such as a nil pointer in an error, must
// not bring the program down on telemetry's account.
func text(v any) (s string) {
	defer func() {
		if p := recover(); p != nil {
			s = fmt.Sprintf("%T that panics when asked for its text", v)
		}
	}()
	if err, ok := v.(error); ok {
		return err.Error()
	}
	return fmt.Sprint(v)
}

// stack returns the stack of a panic: from the call of panic on, without the frames of this package above it.
func stack() string {
	s := string(debug.Stack())
	head, rest, _ := strings.Cut(s, "\n")
	if _, panicking, found := strings.Cut(rest, "\npanic("); found {
		return head + "\npanic(" + panicking
	}
	return s
}
