package otlp_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"math"
	"strings"
	"testing"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"

	"github.com/lensgo/lens/telemetry/internal/otlp"
)

// sample is a request of a signal with every kind of field that it can have.
type sample struct {
	signal  otlp.Signal
	message proto.Message
	holds   []string // texts of its JSON form: AT-03, OT-03, OT-05, OT-07
}

func (s sample) encode(t testing.TB) []byte {
	t.Helper()
	b, err := proto.Marshal(s.message)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var (
	traceID = []byte("\x01\x23\x45\x67\x89\xab\xcd\xef\xfe\xdc\xba\x98\x76\x54\x32\x10")
	spanID  = []byte("\x01\x23\x45\x67\x89\xab\xcd\xef")

	resource = &resourcepb.Resource{Attributes: attributes, DroppedAttributesCount: 3}
	scope    = &commonpb.InstrumentationScope{Name: "scope \u2028 <&>", Version: "1", Attributes: attributes}

	attributes = []*commonpb.KeyValue{
		attribute("text", &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: "a\x00\"\\\n\u2028é😀</script>"}}),
		attribute("empty", &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{}}),
		attribute("none", &commonpb.AnyValue{}),
		attribute("no", &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{}}),
		attribute("least", &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: math.MinInt64}}),
		attribute("zero", &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{}}),
		number("nan", math.NaN()), number("inf", math.Inf(1)), number("-inf", math.Inf(-1)), number("large", 1e300), number("-0", math.Copysign(0, -1)),
		attribute("bytes", &commonpb.AnyValue{Value: &commonpb.AnyValue_BytesValue{BytesValue: []byte{0xfb, 0xff}}}),
		attribute("list", &commonpb.AnyValue{Value: &commonpb.AnyValue_ArrayValue{ArrayValue: &commonpb.ArrayValue{
			Values: []*commonpb.AnyValue{{Value: &commonpb.AnyValue_BoolValue{BoolValue: true}}, {}},
		}}}),
		attribute("map", &commonpb.AnyValue{Value: &commonpb.AnyValue_KvlistValue{KvlistValue: &commonpb.KeyValueList{
			Values: []*commonpb.KeyValue{number("x", 0.5)},
		}}}),
	}
)

func attribute(key string, v *commonpb.AnyValue) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: key, Value: v}
}

func number(key string, v float64) *commonpb.KeyValue {
	return attribute(key, &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: v}})
}

var samples = []sample{
	{otlp.Traces, &tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource: resource, SchemaUrl: "https://example.com/schema",
		ScopeSpans: []*tracepb.ScopeSpans{{Scope: scope, Spans: []*tracepb.Span{{
			TraceId: traceID, SpanId: spanID, ParentSpanId: spanID, TraceState: "a=b", Name: "s", Kind: tracepb.Span_SPAN_KIND_CLIENT, Flags: 0x301,
			StartTimeUnixNano: math.MaxUint64, EndTimeUnixNano: 1 << 60, Attributes: attributes, DroppedEventsCount: math.MaxUint32,
			Events: []*tracepb.Span_Event{{TimeUnixNano: 1, Name: "e", Attributes: attributes}},
			Links:  []*tracepb.Span_Link{{TraceId: traceID, SpanId: spanID, Attributes: attributes}},
			Status: &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: "no"},
		}, {}}}},
	}}}, []string{
		`"traceId":"0123456789abcdeffedcba9876543210"`, `"parentSpanId":"0123456789abcdef"`, `"kind":3`, `"code":2`, `"flags":769`,
		`"startTimeUnixNano":"18446744073709551615"`, `"doubleValue":"NaN"`, `"doubleValue":"Infinity"`, `"doubleValue":"-Infinity"`,
		`"intValue":"-9223372036854775808"`, `"intValue":"0"`, `"bytesValue":"+/8="`, `"droppedEventsCount":4294967295`, `"boolValue":false`,
	}},
	{otlp.Logs, &logspb.LogsData{ResourceLogs: []*logspb.ResourceLogs{{
		Resource: resource,
		ScopeLogs: []*logspb.ScopeLogs{{Scope: scope, LogRecords: []*logspb.LogRecord{{
			TimeUnixNano: 1, ObservedTimeUnixNano: 2, SeverityNumber: logspb.SeverityNumber_SEVERITY_NUMBER_WARN, SeverityText: "WARN",
			Body: attributes[0].Value, Attributes: attributes, TraceId: traceID, SpanId: spanID, Flags: 1, EventName: "e",
		}}}},
	}}}, []string{`"severityNumber":13`, `"spanId":"0123456789abcdef"`, `"doubleValue":"NaN"`}},
	{otlp.Metrics, &metricspb.MetricsData{ResourceMetrics: []*metricspb.ResourceMetrics{{
		Resource: resource,
		ScopeMetrics: []*metricspb.ScopeMetrics{{Scope: scope, Metrics: []*metricspb.Metric{
			{Name: "gauge", Unit: "s", Data: &metricspb.Metric_Gauge{Gauge: &metricspb.Gauge{DataPoints: []*metricspb.NumberDataPoint{
				{Value: &metricspb.NumberDataPoint_AsDouble{AsDouble: math.NaN()}, Attributes: attributes},
				{Value: &metricspb.NumberDataPoint_AsInt{}, Exemplars: []*metricspb.Exemplar{{
					TraceId: traceID, SpanId: spanID, Value: &metricspb.Exemplar_AsDouble{AsDouble: math.Inf(-1)}, FilteredAttributes: attributes,
				}}},
			}}}},
			{Name: "sum", Data: &metricspb.Metric_Sum{Sum: &metricspb.Sum{
				IsMonotonic: true, AggregationTemporality: metricspb.AggregationTemporality_AGGREGATION_TEMPORALITY_CUMULATIVE,
				DataPoints: []*metricspb.NumberDataPoint{{Value: &metricspb.NumberDataPoint_AsInt{AsInt: math.MaxInt64}}},
			}}},
			{Name: "histogram", Data: &metricspb.Metric_Histogram{Histogram: &metricspb.Histogram{DataPoints: []*metricspb.HistogramDataPoint{{
				Count: 3, Sum: proto.Float64(0), Min: proto.Float64(math.Inf(1)), BucketCounts: []uint64{1, 2}, ExplicitBounds: []float64{0.1},
			}}}}},
			{Name: "exponential", Data: &metricspb.Metric_ExponentialHistogram{ExponentialHistogram: &metricspb.ExponentialHistogram{
				DataPoints: []*metricspb.ExponentialHistogramDataPoint{{
					Scale: -3, ZeroCount: 1, Positive: &metricspb.ExponentialHistogramDataPoint_Buckets{Offset: -7, BucketCounts: []uint64{1 << 40}},
				}},
			}}},
			{Name: "summary", Data: &metricspb.Metric_Summary{Summary: &metricspb.Summary{DataPoints: []*metricspb.SummaryDataPoint{{
				QuantileValues: []*metricspb.SummaryDataPoint_ValueAtQuantile{{Quantile: 0.5, Value: math.NaN()}},
			}}}}},
			{Name: "nothing"},
		}}},
	}}}, []string{
		`"asDouble":"NaN"`, `"asInt":"0"`, `"asInt":"9223372036854775807"`, `"aggregationTemporality":2`, `"sum":0`, `"min":"Infinity"`,
		`"bucketCounts":["1","2"]`, `"scale":-3`, `"offset":-7`, `"traceId":"0123456789abcdeffedcba9876543210"`,
	}},
}

// wantSample wants the OTLP JSON form of a sample: names, types and values by protobuf's own reader, which knows no other
// fields, and the ids and enumerations, in which OTLP differs, by their texts.
func wantSample(t *testing.T, text []byte, s sample) {
	t.Helper()
	got := fromJSON(t, text, s.message.ProtoReflect().New().Interface())
	if !proto.Equal(got, s.message) {
		t.Errorf("%s: got %v, want %v", s.signal.Name, got, s.message)
	}
	wantText(t, string(text), s.holds...)
	for _, name := range []string{"SPAN_KIND", "STATUS_CODE", "SEVERITY_NUMBER", "AGGREGATION"} {
		if strings.Contains(string(text), name) {
			t.Errorf("%s: an enumeration by name: %s", s.signal.Name, text)
		}
	}
}

// fromJSON reads OTLP JSON into a message.
func fromJSON(t testing.TB, text []byte, into proto.Message) proto.Message {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	if _, err := d.Token(); err != io.EOF {
		t.Fatalf("something follows: %s", text)
	}
	unhex(t, tree)
	text, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	if err := protojson.Unmarshal(text, into); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	return into
}

// unhex puts ids as protobuf's JSON has them.
func unhex(t testing.TB, tree any) {
	switch v := tree.(type) {
	case []any:
		for _, e := range v {
			unhex(t, e)
		}
	case map[string]any:
		for k, e := range v {
			switch k {
			case "traceId", "spanId", "parentSpanId":
				id, err := hex.DecodeString(e.(string))
				if err != nil {
					t.Fatal(err)
				}
				v[k] = base64.StdEncoding.EncodeToString(id)
			default:
				unhex(t, e)
			}
		}
	}
}
