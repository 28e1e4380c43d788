//go:build !lens_off

package otlpgrpc_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/log"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdkresource "go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/lensgo/lens/telemetry/export"
)

// AT-01: in every text of every signal a byte that is no UTF-8 is replaced, and what is clean arrives beside it, over each
// protocol.
func TestExport_bad_UTF8(t *testing.T) {
	for protocol, serve := range map[string]func(*testing.T) (url string, body func() []byte){
		"grpc": func(t *testing.T) (string, func() []byte) {
			c := newCollector(t, nil)
			return c.url(), func() []byte { return c.last(t).body }
		},
		"http/protobuf": serveHTTP,
		"http/json":     serveHTTP,
	} {
		for signal, s := range map[string]struct {
			export  func(*testing.T, context.Context) error
			message proto.Message
			places  string
		}{
			"TRACES": {badSpans, &tracepb.TracesData{}, "name key value list map status event link scope version resource"},
			"METRICS": {badMetrics, &metricspb.MetricsData{},
				"name about unit key value list filtered scope version resource gauge sum histogram exponential summary"},
			"LOGS": {badRecords, &logspb.LogsData{}, "body key value list map severity event"},
		} {
			t.Run(protocol+"/"+signal, func(t *testing.T) {
				url, body := serve(t)
				setenv(t, "ENDPOINT="+url, signal+"_PROTOCOL="+protocol)
				if err := s.export(t, t.Context()); err != nil {
					t.Fatal(err)
				}
				got := body()
				if protocol == "http/json" && !json.Valid(got) {
					t.Errorf("no JSON: %q", got)
				}
				if protocol != "http/json" {
					if err := proto.Unmarshal(got, s.message); err != nil { // it looks at every text
						t.Error(err)
					}
				}
				wantText(t, string(got), "clean")
				for place := range strings.FieldsSeq(s.places) {
					wantText(t, string(got), place+"\uFFFD!")
				}
			})
		}
	}
}

func serveHTTP(t *testing.T) (string, func() []byte) {
	bodies := make(chan []byte, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies <- body
	}))
	t.Cleanup(server.Close)
	return server.URL, func() []byte { return <-bodies }
}

// bad is a text that is no UTF-8 and says where it stands.
func bad(place string) string { return place + "\xff!" }

func badAttributes() []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.String("key\xff!", "clean"), attribute.String("k", bad("value")), attribute.StringSlice("l", []string{bad("list")})}
}

func badScope() instrumentation.Scope {
	return instrumentation.Scope{Name: bad("scope"), Version: bad("version"), Attributes: attribute.NewSet(badAttributes()...)}
}

func badResource() *sdkresource.Resource {
	return sdkresource.NewSchemaless(attribute.StringSlice("r", []string{bad("resource")}))
}

func badSpans(t *testing.T, ctx context.Context) error {
	e, err := export.NewOTLP(ctx, export.OTLPConfig{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	at := trace.NewSpanContext(trace.SpanContextConfig{TraceID: trace.TraceID{1}, SpanID: trace.SpanID{2}, TraceFlags: trace.FlagsSampled})
	dirty := tracetest.SpanStub{SpanContext: at, Name: bad("name"), Resource: badResource(), InstrumentationScope: badScope(),
		Status: sdktrace.Status{Code: codes.Error, Description: bad("status")},
		Attributes: append(badAttributes(), attribute.KeyValue{Key: "m",
			Value: attribute.MapValue(attribute.String("x", bad("map")))}),
		Events: []sdktrace.Event{{Name: bad("event")}}, Links: []sdktrace.Link{{SpanContext: at, Attributes: []attribute.KeyValue{attribute.String("x", bad("link"))}}}}
	clean := tracetest.SpanStub{SpanContext: at, Name: "clean"}
	return errors.Join(e.ExportSpans(ctx, []sdktrace.ReadOnlySpan{dirty.Snapshot(), clean.Snapshot()}), e.Shutdown(ctx))
}

func badMetrics(t *testing.T, ctx context.Context) error {
	e, err := export.NewOTLPMetrics(ctx, export.OTLPConfig{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	of := func(kind string) attribute.Set { return attribute.NewSet(attribute.String("kind", bad(kind))) }
	points := []metricdata.DataPoint[int64]{{Attributes: attribute.NewSet(badAttributes()...),
		Exemplars: []metricdata.Exemplar[int64]{{FilteredAttributes: []attribute.KeyValue{attribute.String("f", bad("filtered"))}}}}}
	data := &metricdata.ResourceMetrics{Resource: badResource(), ScopeMetrics: []metricdata.ScopeMetrics{
		{Scope: badScope(), Metrics: []metricdata.Metrics{
			{Name: bad("name"), Description: bad("about"), Unit: bad("unit"), Data: metricdata.Gauge[int64]{DataPoints: points}},
			{Name: "g", Data: metricdata.Gauge[float64]{DataPoints: []metricdata.DataPoint[float64]{{Attributes: of("gauge")}}}},
			{Name: "s", Data: metricdata.Sum[float64]{Temporality: metricdata.CumulativeTemporality,
				DataPoints: []metricdata.DataPoint[float64]{{Attributes: of("sum")}}}},
			{Name: "h", Data: metricdata.Histogram[float64]{Temporality: metricdata.CumulativeTemporality,
				DataPoints: []metricdata.HistogramDataPoint[float64]{{Attributes: of("histogram")}}}},
			{Name: "e", Data: metricdata.ExponentialHistogram[int64]{Temporality: metricdata.CumulativeTemporality,
				DataPoints: []metricdata.ExponentialHistogramDataPoint[int64]{{Attributes: of("exponential")}}}},
			{Name: "q", Data: metricdata.Summary{DataPoints: []metricdata.SummaryDataPoint{{Attributes: of("summary")}}}},
			{Name: "clean", Data: metricdata.Gauge[int64]{DataPoints: []metricdata.DataPoint[int64]{{Value: 1}}}},
		}}}}
	return errors.Join(e.Export(ctx, data), e.ForceFlush(ctx), e.Shutdown(ctx))
}

func badRecords(t *testing.T, ctx context.Context) error {
	e, err := export.NewOTLPLogs(ctx, export.OTLPConfig{Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	provider := sdklog.NewLoggerProvider(sdklog.WithProcessor(sdklog.NewBatchProcessor(e)))
	var dirty, clean log.Record
	dirty.SetBody(attribute.StringValue(bad("body")))
	dirty.SetSeverityText(bad("severity"))
	dirty.SetEventName(bad("event"))
	dirty.AddAttributes(append(badAttributes(), attribute.KeyValue{Key: "m", Value: attribute.MapValue(attribute.String("x", bad("map")))})...)
	clean.SetBody(attribute.StringValue("clean"))
	logger := provider.Logger("scope")
	logger.Emit(ctx, dirty)
	logger.Emit(ctx, clean)
	return provider.Shutdown(ctx)
}
