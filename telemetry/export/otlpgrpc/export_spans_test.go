//go:build !lens_off

package otlpgrpc_test

import (
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/lensgo/lens/telemetry/export"
	"github.com/lensgo/lens/telemetry/internal/otlp"
)

// exportSpans sends a span that is clean and one with texts and numbers that not every encoding has.
func exportSpans(t *testing.T) {
	t.Helper()
	e, err := export.NewOTLP(t.Context(), export.OTLPConfig{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	stub := func(name string, attrs ...attribute.KeyValue) sdktrace.ReadOnlySpan {
		return tracetest.SpanStub{Name: name, Attributes: attrs, SpanContext: trace.NewSpanContext(trace.SpanContextConfig{
			TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled,
		})}.Snapshot()
	}
	spans := []sdktrace.ReadOnlySpan{stub("clean"), stub("a\xffb", attribute.String("text\xff", "a\xffb"),
		attribute.Float64("nan", math.NaN()), attribute.Float64("inf", math.Inf(1)), attribute.Float64("-inf", math.Inf(-1)))}
	if err := e.ExportSpans(t.Context(), spans); err != nil {
		t.Error(err)
	}
	if err := e.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}

// AT-01 and AT-03 over gRPC.
func TestExport_gRPC(t *testing.T) {
	c := newCollector(t, nil)
	setenv(t, "ENDPOINT="+c.url())
	exportSpans(t)
	got := c.last(t)
	var r coltracepb.ExportTraceServiceRequest
	if err := proto.Unmarshal(got.body, &r); err != nil || got.method != otlp.Traces.Call {
		t.Fatalf("%s: %v", got.method, err)
	}
	var spans []*tracepb.Span
	for _, rs := range r.ResourceSpans {
		for _, ss := range rs.ScopeSpans {
			spans = append(spans, ss.Spans...)
		}
	}
	slices.SortFunc(spans, func(a, b *tracepb.Span) int { return len(b.Name) - len(a.Name) })
	if len(spans) != 2 || spans[0].Name != "clean" || spans[1].Name != "a\uFFFDb" {
		t.Fatalf("%v", spans)
	}
	a := spans[1].Attributes
	if a[0].Key != "text\uFFFD" || a[0].Value.GetStringValue() != "a\uFFFDb" || !math.IsNaN(a[1].Value.GetDoubleValue()) ||
		!math.IsInf(a[2].Value.GetDoubleValue(), 1) || !math.IsInf(a[3].Value.GetDoubleValue(), -1) {
		t.Errorf("%v", a)
	}
}

// AT-01 and AT-03 over HTTP as JSON.
func TestExport_JSON(t *testing.T) {
	bodies := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- string(body)
	}))
	defer server.Close()
	setenv(t, "TRACES_PROTOCOL=http/json", "ENDPOINT="+server.URL)
	exportSpans(t)
	body := <-bodies
	if !json.Valid([]byte(body)) {
		t.Fatalf("no JSON: %s", body)
	}
	wantText(t, body, `"name":"clean"`, "\"name\":\"a\uFFFDb\"", "\"key\":\"text\uFFFD\"", `"doubleValue":"NaN"`, `"doubleValue":"Infinity"`, `"doubleValue":"-Infinity"`,
		`"traceId":"01000000000000000000000000000000"`)
	if strings.Contains(body, "SPAN_KIND") {
		t.Errorf("an enumeration by name: %s", body)
	}
}
