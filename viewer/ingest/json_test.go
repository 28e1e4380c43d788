package ingest_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/lensgo/lens/viewer/ingest"
)

func testdata(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)))
	must(t, err)
	return b
}

// sample returns the official example of a signal.
func sample(t testing.TB, signal string) []byte {
	t.Helper()
	name := map[string]string{"traces": "trace", "metrics": "metrics", "logs": "logs", "events": "events"}[signal]
	return testdata(t, "opentelemetry-proto/"+name+".json")
}

// post sends JSON to a receiver of its own and returns what its sink has.
func post(t testing.TB, signal string, body []byte) (a answer, spans []ptrace.Span, metrics []pmetric.Metric, records []plog.LogRecord) {
	t.Helper()
	sink := &shelf{}
	r, client, stop := start(t, ingest.Config{Sink: sink, MaxDecoded: 1 << 20})
	a = send(t, client, "POST", r.Endpoint()+"/v1/"+signal, bytes.NewReader(body), asJSON)
	if got := a.header.Get("Content-Type"); got != "application/json" {
		t.Errorf("content type %q, want application/json", got)
	}
	stop()
	spans, metrics, records = sink.decoded(t)
	return a, spans, metrics, records
}

func wantEmptyReply(t *testing.T, a answer) {
	t.Helper()
	if a.status != 200 || string(a.body) != "{}" {
		t.Fatalf("answer %d %s, want 200 {}", a.status, a.body)
	}
}

// OT-01: the official samples.
func TestJSON_official_samples(t *testing.T) {
	t.Run("trace", func(t *testing.T) {
		a, spans, _, _ := post(t, "traces", sample(t, "traces"))
		wantEmptyReply(t, a)
		if len(spans) != 1 {
			t.Fatalf("%d spans, want 1", len(spans))
		}
		s := spans[0]
		v, _ := s.Attributes().Get("my.span.attr")
		if s.Name() != "I'm a server span" || s.TraceID().String() != "5b8efff798038103d269b633813fc60c" || s.SpanID().String() != "eee19b7ec3c1b174" ||
			s.ParentSpanID().String() != "eee19b7ec3c1b173" || s.Kind() != ptrace.SpanKindServer || s.StartTimestamp() != 1544712660000000000 ||
			s.EndTimestamp() != 1544712661000000000 || v.Str() != "some value" {
			t.Errorf("the span is not as it was sent")
		}
	})
	t.Run("metrics", func(t *testing.T) {
		a, _, metrics, _ := post(t, "metrics", sample(t, "metrics"))
		wantEmptyReply(t, a)
		var got []string
		for _, m := range metrics {
			got = append(got, m.Name()+" "+m.Type().String())
		}
		if want := "[my.counter Sum my.gauge Gauge my.histogram Histogram]"; fmt.Sprint(got) != want {
			t.Errorf("metrics %v, want %v", got, want)
		}
		if p := metrics[2].Histogram().DataPoints().At(0); p.Count() != 2 || p.BucketCounts().Len() != 2 || p.Max() != 2 {
			t.Errorf("histogram has count %d, %d buckets, maximum %g", p.Count(), p.BucketCounts().Len(), p.Max())
		}
	})
	t.Run("logs", func(t *testing.T) {
		a, _, _, records := post(t, "logs", sample(t, "logs"))
		wantEmptyReply(t, a)
		if len(records) != 1 || records[0].Body().Str() != "Example log record" || records[0].SpanID().String() != "eee19b7ec3c1b174" {
			t.Fatalf("%d records, want the one that was sent", len(records))
		}
		if got := fmt.Sprint(records[0].Attributes().AsRaw()); got != "map[array.attribute:[many values] boolean.attribute:true "+
			"double.attribute:637.704 int.attribute:10 map.attribute:map[some.map.key:some value] string.attribute:some string]" {
			t.Errorf("attributes %s", got)
		}
	})
	t.Run("events", func(t *testing.T) {
		a, _, _, records := post(t, "logs", sample(t, "events"))
		wantEmptyReply(t, a)
		if len(records) != 1 {
			t.Fatalf("%d records, want 1", len(records))
		}
		if got := fmt.Sprint(records[0].Body().AsRaw()); got != "map[referrer:https://wwww.google.com title:Free Online GUID Generator "+
			"type:0 url:https://www.guidgenerator.com/online-guid-generator.aspx]" {
			t.Errorf("body %s", got)
		}
	})
}

// OT-01 wants all kinds of metrics kept; the sample has three.
func TestJSON_more_kinds_of_metrics(t *testing.T) {
	a, _, metrics, _ := post(t, "metrics", []byte(`{"resourceMetrics":[{"scopeMetrics":[{"metrics":[
		{"name":"e","exponentialHistogram":{"aggregationTemporality":2,"dataPoints":[{"count":"3","sum":10,"scale":1,"zeroCount":"1",
			"positive":{"offset":1,"bucketCounts":["0","2"]},"min":0,"max":5}]}},
		{"name":"s","summary":{"dataPoints":[{"count":"4","sum":9.5,"quantileValues":[{"quantile":0.5,"value":2.5}]}]}}]}]}]}`))
	wantEmptyReply(t, a)
	if len(metrics) != 2 {
		t.Fatalf("%d metrics, want 2", len(metrics))
	}
	e := metrics[0].ExponentialHistogram().DataPoints().At(0)
	s := metrics[1].Summary().DataPoints().At(0)
	if e.Count() != 3 || e.Scale() != 1 || e.Positive().BucketCounts().At(1) != 2 || s.Count() != 4 || s.QuantileValues().At(0).Value() != 2.5 {
		t.Error("the points are not as they were sent")
	}
}

// OT-03: ids are hex, and not the base64 of protobuf's own JSON.
func TestJSON_hex_ids(t *testing.T) {
	a, spans, _, _ := post(t, "traces", testdata(t, "otlp-hex-ids-mixed-case.json"))
	wantEmptyReply(t, a)
	if len(spans) != 2 {
		t.Fatalf("%d spans, want 2", len(spans))
	}
	root, child := spans[0], spans[1]
	if root.TraceID() != child.TraceID() || root.TraceID().String() != "0af7651916cd43dd8448eb211c80319c" ||
		root.SpanID().String() != "b7ad6b7169203331" || child.ParentSpanID() != root.SpanID() {
		t.Error("the spans are not one trace with a child under its root")
	}
}

// OT-05: integers of 64 bits as strings and as numbers.
func TestJSON_int64_forms(t *testing.T) {
	a, spans, _, _ := post(t, "traces", testdata(t, "otlp-int64-forms.json"))
	wantEmptyReply(t, a)
	if len(spans) != 1 || spans[0].StartTimestamp() != 1700000000000000000 {
		t.Fatalf("%d spans, want 1 with its start", len(spans))
	}
	for key, want := range map[string]int64{"as.string": 42, "as.number": 42, "neg": -7, "gen_ai.usage.input_tokens": 25} {
		if v, ok := spans[0].Attributes().Get(key); !ok || v.Type() != pcommon.ValueTypeInt || v.Int() != want {
			t.Errorf("%s is %v, want the integer %d", key, v.AsRaw(), want)
		}
	}
}

// OT-07: names of enum values are taken for what they mean, and one that means nothing is refused by name.
func TestJSON_enum_names(t *testing.T) {
	body := testdata(t, "otlp-enum-names.json")
	a, spans, _, _ := post(t, "traces", body)
	wantEmptyReply(t, a)
	if len(spans) != 1 || spans[0].Kind() != ptrace.SpanKindServer || spans[0].Status().Code() != ptrace.StatusCodeError {
		t.Error("want one server span that failed")
	}
	a, spans, _, _ = post(t, "traces", bytes.Replace(body, []byte("SPAN_KIND_SERVER"), []byte("WAITER"), 1))
	if a.status != 400 || !bytes.Contains(a.body, []byte("WAITER")) || len(spans) != 0 {
		t.Errorf("unknown name: answer %d %s, want 400 with the name", a.status, a.body)
	}
}

// OT-09: snake_case is what the .proto files say and the specification of the protocol does not allow. Decision: it is
// taken, as parsers of protobuf's own JSON and the Collector do, since nothing of it can be meant in another way.
func TestJSON_snake_case(t *testing.T) {
	a, spans, _, _ := post(t, "traces", testdata(t, "otlp-snake-case.json"))
	wantEmptyReply(t, a)
	if len(spans) != 1 || spans[0].Name() != "snake" || spans[0].TraceID().String() != "0af7651916cd43dd8448eb211c80319c" ||
		spans[0].EndTimestamp() != 1700000000000000001 {
		t.Errorf("%d spans, want the one that was sent", len(spans))
	}
}

// OT-11: content types.
func TestJSON_content_types(t *testing.T) {
	sink := &shelf{}
	r, client, _ := start(t, ingest.Config{Sink: sink})
	for _, tt := range []struct {
		contentType string
		status      int
	}{
		{"application/json", 200},
		{"application/json; charset=utf-8", 200},
		{"APPLICATION/JSON", 200},
		{"text/plain", 415},
		{"application/jsonx", 415},
		{"", 415},
	} {
		header := map[string]string{"Content-Type": tt.contentType}
		if tt.contentType == "" {
			header = nil
		}
		a := send(t, client, "POST", r.Endpoint()+"/v1/traces", bytes.NewReader(sample(t, "traces")), header)
		if a.status != tt.status {
			t.Errorf("%q: status %d, want %d", tt.contentType, a.status, tt.status)
		}
		if tt.status == 200 && (a.header.Get("Content-Type") != "application/json" || string(a.body) != "{}") {
			t.Errorf("%q: reply %q in %q, want {} in application/json", tt.contentType, a.body, a.header.Get("Content-Type"))
		}
	}
	header := map[string]string{"Content-Type": "application/json", "Content-Encoding": "gzip"}
	a := send(t, client, "POST", r.Endpoint()+"/v1/traces", bytes.NewReader(gz(t, sample(t, "traces"))), header)
	wantEmptyReply(t, a)
	if len(sink.traces) != 4 {
		t.Errorf("the sink has %d requests, want 4", len(sink.traces))
	}
}

// withValue is a request whose span has an attribute of that value.
func withValue(value string) []byte {
	return []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"n","attributes":[{"key":"k","value":` + value + `}]}]}]}]}`)
}

func nestedJSON(open, end string, levels int) []byte {
	return withValue(strings.Repeat(open, levels) + `{"intValue":1}` + strings.Repeat(end, levels))
}

func TestJSON_bodies(t *testing.T) {
	spans := func(list string) string { return `{"resourceSpans":[{"scopeSpans":[{"spans":[` + list + `]}]}]}` }
	arrays := func(n int) string { return string(nestedJSON(`{"arrayValue":{"values":[`, `]}}`, n)) }
	pairs := func(n int) string {
		return string(nestedJSON(`{"kvlistValue":{"values":[{"key":"k","value":`, `}]}}`, n))
	}
	for _, tt := range []struct {
		name, body string
		status     int
		spans      int
		text       string // of the reply
	}{
		{"nothing", "", 400, 0, "JSON"},
		{"no JSON", "hello", 400, 0, "invalid character"},
		{"null", "null", 400, 0, "object"},
		{"an array", `[{"resourceSpans":[]}]`, 400, 0, "object"},
		{"cut off", spans(`{"name":"a"}`)[:40], 400, 0, "unexpected end"},
		{"two values", spans(`{"name":"a"}`) + spans(`{"name":"b"}`), 400, 0, "after top-level value"},
		{"text behind", spans(`{"name":"a"}`) + "x", 400, 0, "after top-level value"},
		{"a member without a name", `{"":0,"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"a"}]}]}]}`, 400, 0, "no name"},
		{"wrong type", `{"resourceSpans":{}}`, 400, 0, "ExportTraceServiceRequest"},
		{"bad id", spans(`{"traceId":"12"}`), 400, 0, "ExportTraceServiceRequest"},
		{"negative time", spans(`{"startTimeUnixNano":-1}`), 400, 0, "ExportTraceServiceRequest"},
		{"unknown members", `{"new":{"resourceSpans":[1]},"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"a","new":[{}]}]}]}]}`, 200, 1, "{}"},
		{"another signal", `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{}]}]}]}`, 200, 0, "no resourceSpans"},
		{"escaped names", `{"resource\u0053pans":[{"scopeSpans":[{"spans":[{"name":"a"}]}]}]}`, 200, 1, "{}"},
		{"quotes and braces in strings", spans(`{"name":"a\\\"}]{["}`), 200, 1, "{}"},
		{"bad UTF-8", spans("{\"name\":\"a\xff\"}"), 200, 1, "{}"},
		{"bare lists", string(withValue(`{"arrayValue":[{"kvlistValue":[{"key":"a","value":{"array_value":[]}}]}]}`)), 200, 1, "{}"},
		{"arrays in arrays", arrays(30), 200, 1, "{}"},
		{"too many of them", arrays(60), 400, 0, "levels deep"},
		{"lists in lists", pairs(25), 200, 1, "{}"},
		{"very many of them", pairs(4000), 400, 0, "depth"},
		{"very many unknown arrays", `{"x":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}`, 400, 0, "levels deep"},
		{"many empty spans", spans(strings.Repeat("{},", 20_000) + "{}"), 413, 0, "memory"},
		{"many empty spans by another name", strings.Replace(spans(strings.Repeat("{},", 20_000)+"{}"), `"spans"`, `"sp\u0061ns"`, 1), 413, 0, "memory"},
		{"fewer empty spans", spans(strings.Repeat("{},", 10_000) + "{}"), 200, 10_001, "{}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, spans, _, _ := post(t, "traces", []byte(tt.body))
			if a.status != tt.status || !strings.Contains(string(a.body), tt.text) || len(spans) != tt.spans {
				t.Errorf("answer %d %.300s, %d spans; want %d with %q, %d", a.status, a.body, len(spans), tt.status, tt.text, tt.spans)
			}
		})
	}
}

// What the limit of depth lets through, decoders of protobuf read: nothing is acknowledged that cannot be read back.
func TestJSON_deepest_accepted(t *testing.T) {
	for _, form := range []struct{ open, end string }{
		{`{"arrayValue":{"values":[`, `]}}`},
		{`{"kvlistValue":{"values":[{"key":"k","value":`, `}]}}`},
		{`{"arrayValue":[`, `]}`},
		{`{"kvlistValue":[{"key":"k","value":`, `}]}`},
	} {
		accepted := 0
		for levels := 10; ; levels++ {
			a, spans, _, _ := post(t, "traces", nestedJSON(form.open, form.end, levels))
			if a.status != 200 {
				break
			}
			if accepted = levels; len(spans) != 1 {
				t.Fatalf("%d levels of %s are accepted and cannot be read", levels, form.open)
			}
		}
		if accepted < 20 {
			t.Errorf("only %d levels of %s are accepted", accepted, form.open)
		}
	}
}
