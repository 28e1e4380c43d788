package lenstest

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/semconv"
)

// Span is a recorded span, or one that an exporter was given, in plain values.
type Span struct {
	Name    string
	Group   string // empty for spans that belong to no group
	Library string // the namespace, which is the instrumentation scope
	Kind    lens.Kind
	Ref     lens.Ref
	Parent  lens.Ref  // not valid for a root
	Start   time.Time // in UTC
	End     time.Time // zero while the span is open
	Status  Status
	Message string // of the status Error
	Attrs   map[string]any
	Events  []Event
	Links   []Link

	Resource map[string]any // what the process says of itself; empty for spans of a registry that a Recorder has
}

// Status is how an operation went.
type Status uint8

// Statuses. Unset is the zero value, and what a success commonly has.
const (
	Unset Status = iota
	Ok
	Error
)

// String is "Unset", "Ok" or "Error".
func (s Status) String() string {
	switch s {
	case Unset:
		return "Unset"
	case Ok:
		return "Ok"
	}
	return "Error"
}

// Event is something that happened during a span.
type Event struct {
	Name  string
	Time  time.Time
	Attrs map[string]any
}

// Link is a relation of a span to another one.
type Link struct {
	Ref   lens.Ref
	Attrs map[string]any
}

// AssertAttrs checks that the span has at least these attributes. Integers of all sizes are compared as numbers. A nil
// value stands for an attribute that must not be there.
func (s Span) AssertAttrs(t testing.TB, want map[string]any) {
	t.Helper()
	got, expected := map[string]any{}, map[string]any{}
	for k, v := range want {
		if v != nil {
			expected[k] = plain(v)
		}
		if have, ok := s.Attrs[k]; ok {
			got[k] = have
		}
	}
	if diff := cmp.Diff(expected, got, equateNaN); diff != "" {
		t.Errorf("attributes of %s (-want +got):\n%s", s.Name, diff)
	}
}

// equateNaN lets a value be equal to itself.
var equateNaN = cmp.FilterValues(
	func(x, y float64) bool { return math.IsNaN(x) && math.IsNaN(y) },
	cmp.Comparer(func(_, _ float64) bool { return true }))

// plain turns an integer of any size into an int64, which is what attributes have.
func plain(v any) any {
	switch r := reflect.ValueOf(v); {
	case r.CanInt():
		return r.Int()
	case r.CanUint() && r.Uint() <= math.MaxInt64:
		return int64(r.Uint())
	case r.Kind() == reflect.Float32:
		return r.Float()
	}
	return v
}

// spanOf reads a span of the SDK.
func spanOf(s sdktrace.ReadOnlySpan) Span {
	scope := s.InstrumentationScope()
	group, _ := scope.Attributes.Value(semconv.LensGroup)
	out := Span{
		Name:    s.Name(),
		Group:   group.AsString(),
		Library: scope.Name,
		Kind:    kindOf(s.SpanKind()),
		Ref:     refOf(s.SpanContext()),
		Parent:  refOf(s.Parent()),
		Start:   utc(s.StartTime()),
		End:     utc(s.EndTime()),
		Status:  statusOf(s.Status().Code),
		Message: s.Status().Description,
		Attrs:   attrsOf(s.Attributes()),

		Resource: attrsOf(s.Resource().Attributes()),
	}
	for _, e := range s.Events() {
		out.Events = append(out.Events, Event{Name: e.Name, Time: utc(e.Time), Attrs: attrsOf(e.Attributes)})
	}
	for _, l := range s.Links() {
		out.Links = append(out.Links, Link{Ref: refOf(l.SpanContext), Attrs: attrsOf(l.Attributes)})
	}
	return out
}

func refOf(sc trace.SpanContext) lens.Ref {
	r := lens.Ref{TraceID: sc.TraceID(), SpanID: sc.SpanID(), Flags: byte(sc.TraceFlags())}
	if state := sc.TraceState().String(); state != "" && r.Valid() {
		r, _ = lens.ParseRef(r.String(), state) // it is well-formed: the type holds nothing else
	}
	r.Remote = sc.IsRemote()
	return r
}

func kindOf(k trace.SpanKind) lens.Kind {
	switch k {
	case trace.SpanKindServer:
		return lens.Server
	case trace.SpanKindClient:
		return lens.Client
	case trace.SpanKindProducer:
		return lens.Producer
	case trace.SpanKindConsumer:
		return lens.Consumer
	}
	return lens.Internal
}

func statusOf(c codes.Code) Status {
	switch c {
	case codes.Ok:
		return Ok
	case codes.Error:
		return Error
	}
	return Unset
}

// utc is t in one time zone. A time that this process has measured keeps its monotonic part, so that lengths are exact.
func utc(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC()
}

// attrsOf gives attributes as string, int64, float64, bool, slices of these, or what else a span of OpenTelemetry may have.
func attrsOf(list []attribute.KeyValue) map[string]any {
	if len(list) == 0 {
		return nil
	}
	attrs := make(map[string]any, len(list))
	for _, kv := range list {
		attrs[string(kv.Key)] = kv.Value.AsInterface()
	}
	return attrs
}
