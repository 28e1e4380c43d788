package export_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lenstest"
	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/telemetry/export"
)

// Our exporters keep the rules that lenstest has for everybody's.
func TestExporters(t *testing.T) {
	t.Run("console", func(t *testing.T) { lenstest.TestExporter(t, consoleUnderTest()) })
	t.Run("OTLP", func(t *testing.T) { lenstest.TestExporter(t, otlpUnderTest()) })
}

func consoleUnderTest() lenstest.Exporter {
	return lenstest.Exporter{
		New: func(t testing.TB) (sdktrace.SpanExporter, func() []lenstest.Span) {
			var out bytes.Buffer
			return export.NewConsole(&out), func() []lenstest.Span { return consoleSpans(t, out.Bytes()) }
		},
		Failing: func(testing.TB) sdktrace.SpanExporter { return export.NewConsole(broken{}) },
	}
}

// printed is what the suite can compare of a line of the console.
type printed struct {
	Name    string
	Context struct {
		Trace string `json:"trace_id"`
		Span  string `json:"span_id"`
	}
	Kind   string
	Parent *string   `json:"parent_id"`
	Start  time.Time `json:"start_time"`
	End    time.Time `json:"end_time"`
	Status struct {
		Code        string `json:"status_code"`
		Description string
	}
	Attributes map[string]any
	Events     []struct {
		Name       string
		Timestamp  time.Time
		Attributes map[string]any
	}
	Links []struct {
		Context struct {
			Trace string `json:"trace_id"`
			Span  string `json:"span_id"`
		}
		Attributes map[string]any
	}
	Resource struct{ Attributes map[string]any }
	Scope    struct {
		Name       string
		Attributes map[string]any
	}
}

func consoleSpans(t testing.TB, text []byte) (spans []lenstest.Span) {
	for line := range bytes.Lines(text) {
		var p printed
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		spans = append(spans, p.span())
	}
	return spans
}

func (p printed) span() lenstest.Span {
	s := lenstest.Span{
		Name: p.Name, Ref: ref(p.Context.Trace, p.Context.Span), Start: p.Start, End: p.End, Message: p.Status.Description,
		Attrs: p.Attributes, Resource: p.Resource.Attributes, Library: p.Scope.Name,
		Kind: map[string]lens.Kind{"SpanKind.SERVER": lens.Server, "SpanKind.CLIENT": lens.Client,
			"SpanKind.PRODUCER": lens.Producer, "SpanKind.CONSUMER": lens.Consumer}[p.Kind],
		Status: map[string]lenstest.Status{"OK": lenstest.Ok, "ERROR": lenstest.Error}[p.Status.Code],
	}
	s.Group, _ = p.Scope.Attributes[semconv.LensGroup].(string)
	if p.Parent != nil {
		s.Parent = ref(p.Context.Trace, *p.Parent)
	}
	for _, e := range p.Events {
		s.Events = append(s.Events, lenstest.Event{Name: e.Name, Time: e.Timestamp, Attrs: e.Attributes})
	}
	for _, l := range p.Links {
		s.Links = append(s.Links, lenstest.Link{Ref: ref(l.Context.Trace, l.Context.Span), Attrs: l.Attributes})
	}
	return s
}

// ref reads ids that are written in hexadecimal.
func ref(trace, span string) (r lens.Ref) {
	_, _ = hex.Decode(r.TraceID[:], []byte(strings.TrimPrefix(trace, "0x")))
	_, _ = hex.Decode(r.SpanID[:], []byte(strings.TrimPrefix(span, "0x")))
	return r
}

func otlpUnderTest() lenstest.Exporter {
	return lenstest.Exporter{
		New: func(t testing.TB) (sdktrace.SpanExporter, func() []lenstest.Span) {
			var mu sync.Mutex
			var spans []lenstest.Span
			e := otlpTo(t, func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				spans = append(spans, otlpSpans(t, r.Body)...)
			})
			return e, func() []lenstest.Span {
				mu.Lock()
				defer mu.Unlock()
				return spans
			}
		},
		Failing: func(t testing.TB) sdktrace.SpanExporter {
			return otlpTo(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadRequest) })
		},
		Hanging: func(t testing.TB) sdktrace.SpanExporter {
			return otlpTo(t, func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body) // or the end of the connection goes unnoticed
				<-r.Context().Done()
			})
		},
	}
}

// otlpTo makes an exporter to a server.
func otlpTo(t testing.TB, handle http.HandlerFunc) sdktrace.SpanExporter {
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	e, err := export.NewOTLP(t.Context(), export.OTLPConfig{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func otlpSpans(t testing.TB, body io.Reader) (spans []lenstest.Span) {
	text, err := io.ReadAll(body)
	if err != nil {
		t.Error(err)
	}
	var request coltracepb.ExportTraceServiceRequest
	if err := proto.Unmarshal(text, &request); err != nil {
		t.Error(err)
	}
	for _, rs := range request.ResourceSpans {
		for _, ss := range rs.ScopeSpans {
			for _, p := range ss.Spans {
				s := otlpSpan(p)
				s.Resource, s.Library = attributes(rs.GetResource().GetAttributes()), ss.GetScope().GetName()
				s.Group, _ = attributes(ss.GetScope().GetAttributes())[semconv.LensGroup].(string)
				spans = append(spans, s)
			}
		}
	}
	return spans
}

func otlpSpan(p *tracepb.Span) lenstest.Span {
	s := lenstest.Span{
		Name: p.Name, Ref: lens.Ref{TraceID: [16]byte(p.TraceId), SpanID: [8]byte(p.SpanId)},
		Start: time.Unix(0, int64(p.StartTimeUnixNano)), End: time.Unix(0, int64(p.EndTimeUnixNano)),
		Attrs: attributes(p.Attributes), Message: p.GetStatus().GetMessage(),
		Kind:   map[tracepb.Span_SpanKind]lens.Kind{2: lens.Server, 3: lens.Client, 4: lens.Producer, 5: lens.Consumer}[p.Kind],
		Status: map[tracepb.Status_StatusCode]lenstest.Status{1: lenstest.Ok, 2: lenstest.Error}[p.GetStatus().GetCode()],
	}
	if len(p.ParentSpanId) > 0 {
		s.Parent = lens.Ref{TraceID: [16]byte(p.TraceId), SpanID: [8]byte(p.ParentSpanId)}
	}
	for _, e := range p.Events {
		s.Events = append(s.Events, lenstest.Event{Name: e.Name, Time: time.Unix(0, int64(e.TimeUnixNano)), Attrs: attributes(e.Attributes)})
	}
	for _, l := range p.Links {
		to := lens.Ref{TraceID: [16]byte(l.TraceId), SpanID: [8]byte(l.SpanId)}
		s.Links = append(s.Links, lenstest.Link{Ref: to, Attrs: attributes(l.Attributes)})
	}
	return s
}

func attributes(list []*commonpb.KeyValue) map[string]any {
	attrs := map[string]any{}
	for _, kv := range list {
		attrs[kv.Key] = value(kv.Value)
	}
	return attrs
}

func value(v *commonpb.AnyValue) any {
	switch v := v.GetValue().(type) {
	case *commonpb.AnyValue_StringValue:
		return v.StringValue
	case *commonpb.AnyValue_BoolValue:
		return v.BoolValue
	case *commonpb.AnyValue_IntValue:
		return v.IntValue
	case *commonpb.AnyValue_DoubleValue:
		return v.DoubleValue
	case *commonpb.AnyValue_ArrayValue:
		list := []any{}
		for _, e := range v.ArrayValue.Values {
			list = append(list, value(e))
		}
		return list
	}
	return nil
}
