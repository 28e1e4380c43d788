package export_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	"google.golang.org/protobuf/proto"

	"github.com/lensgo/lens/telemetry/export"
)

// collector is an OTLP/HTTP receiver that keeps the requests.
type collector struct {
	*httptest.Server
	paths    []string
	headers  []http.Header
	requests []*coltracepb.ExportTraceServiceRequest
}

func newCollector(t *testing.T) *collector {
	c := &collector{}
	c.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if r.Header.Get("Content-Encoding") == "gzip" {
			z, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				t.Error(err)
				return
			}
			body, _ = io.ReadAll(z)
		}
		request := &coltracepb.ExportTraceServiceRequest{}
		if err := proto.Unmarshal(body, request); err != nil {
			t.Errorf("not protobuf: %v", err)
		}
		c.paths = append(c.paths, r.URL.Path)
		c.headers = append(c.headers, r.Header)
		c.requests = append(c.requests, request)
	}))
	t.Cleanup(c.Close)
	return c
}

// env sets variables of the form KEY=value for the test. {} stands for the collector's URL.
func (c *collector) env(t *testing.T, vars ...string) {
	for _, kv := range vars {
		k, v, _ := strings.Cut(kv, "=")
		t.Setenv(k, strings.ReplaceAll(v, "{}", c.URL))
	}
}

func exportOne(t *testing.T) {
	t.Helper()
	e, err := export.NewOTLP(t.Context(), export.OTLPConfig{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	noError(t, e.ExportSpans(t.Context(), []sdktrace.ReadOnlySpan{rich()}))
	noError(t, e.Shutdown(t.Context()))
}

func TestOTLP_endpoint(t *testing.T) {
	for _, c := range []struct {
		vars, path string
	}{
		{"OTEL_EXPORTER_OTLP_ENDPOINT={}", "/v1/traces"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT={}/", "/v1/traces"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT={}/base", "/base/v1/traces"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT={}/base/", "/base/v1/traces"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT={}/v1/traces", "/v1/traces/v1/traces"},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT={}/as/it/is", "/as/it/is"},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT={}", "/"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1 OTEL_EXPORTER_OTLP_TRACES_ENDPOINT={}/t", "/t"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT={} OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf", "/v1/traces"},
		{"OTEL_EXPORTER_OTLP_ENDPOINT={} OTEL_EXPORTER_OTLP_COMPRESSION=gzip", "/v1/traces"},
	} {
		t.Run(c.vars, func(t *testing.T) {
			server := newCollector(t)
			server.env(t, strings.Fields(c.vars)...)
			exportOne(t)
			if len(server.paths) != 1 || server.paths[0] != c.path {
				t.Fatalf("posted to %q, want %q", server.paths, c.path)
			}
			if got := server.requests[0].ResourceSpans[0].ScopeSpans[0].Spans[0].Name; got != "gym.rollout" {
				t.Errorf("got span %q", got)
			}
		})
	}
}

// A collector on the same host speaks no TLS. The call ends before anything is sent; its error names the URL.
func TestOTLP_endpoint_when_none_is_set(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", " ")
	e, err := export.NewOTLP(t.Context(), export.OTLPConfig{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GetConn: func(string) { cancel() }})
	err = e.ExportSpans(ctx, []sdktrace.ReadOnlySpan{span("local")})
	if err == nil || !strings.Contains(err.Error(), `"http://localhost:4318/v1/traces"`) {
		t.Errorf("got %v, want the URL in it", err)
	}
	noError(t, e.Shutdown(t.Context()))
}

// TestOTLP_bad_UTF8: AT-01. Bad bytes are replaced wherever they stand, and the clean span beside them comes through.
func TestOTLP_bad_UTF8(t *testing.T) {
	const bad = "a\xffb"
	attrs := []attribute.KeyValue{
		attribute.String("value", bad), attribute.String("key\xff", "v"), attribute.StringSlice("list", []string{bad, "ok"}),
		attribute.Int("n", 1),
	}
	dirty := tracetest.SpanStub{
		Name: bad, SpanContext: context1(1, false), Attributes: attrs,
		Events: []sdktrace.Event{{Name: bad, Attributes: attrs}}, Links: []sdktrace.Link{{SpanContext: context1(2, true), Attributes: attrs}},
		Status:               sdktrace.Status{Code: codes.Error, Description: bad},
		InstrumentationScope: instrumentation.Scope{Name: bad, Attributes: attribute.NewSet(attrs...)},
	}.Snapshot()
	server := newCollector(t)
	server.env(t, "OTEL_EXPORTER_OTLP_ENDPOINT={}")
	e, err := export.NewOTLP(t.Context(), export.OTLPConfig{})
	if err != nil {
		t.Fatal(err)
	}
	noError(t, e.ExportSpans(t.Context(), []sdktrace.ReadOnlySpan{span("before"), dirty, span("after")}))
	noError(t, e.Shutdown(t.Context()))
	if len(server.requests) != 1 {
		t.Fatalf("%d requests, want 1", len(server.requests))
	}
	var names []string
	for _, rs := range server.requests[0].ResourceSpans {
		for _, ss := range rs.ScopeSpans {
			for _, s := range ss.Spans {
				names = append(names, s.Name)
			}
		}
	}
	slices.Sort(names)
	if want := []string{"after", "a\ufffdb", "before"}; !slices.Equal(names, want) {
		t.Errorf("spans %q, want %q", names, want)
	}
}

// AT-07 for what other instrumentations put on spans: mixed lists, maps and values that are none arrive whole, by OTLP as on the
// console.
func TestOTLP_odd_values(t *testing.T) {
	odd := tracetest.SpanStub{Name: "odd", SpanContext: context1(1, false), Attributes: []attribute.KeyValue{
		attribute.Bool("bool", true), attribute.Int64("least", math.MinInt64), attribute.StringSlice("empty", nil),
		{Key: "mixed", Value: attribute.SliceValue(attribute.Int64Value(1), attribute.StringValue("a"), attribute.BoolValue(true), attribute.Value{})},
		{Key: "map", Value: attribute.MapValue(attribute.KeyValue{Key: "list", Value: attribute.SliceValue(attribute.SliceValue())})},
		{Key: "none"},
	}}.Snapshot()
	server := newCollector(t)
	server.env(t, "OTEL_EXPORTER_OTLP_ENDPOINT={}")
	e, err := export.NewOTLP(t.Context(), export.OTLPConfig{})
	noError(t, err)
	noError(t, e.ExportSpans(t.Context(), []sdktrace.ReadOnlySpan{odd}))
	noError(t, e.Shutdown(t.Context()))
	var got []string
	for _, kv := range server.requests[0].ResourceSpans[0].ScopeSpans[0].Spans[0].Attributes {
		got = append(got, kv.Key+"="+odds(kv.Value))
	}
	var printed bytes.Buffer
	noError(t, export.NewConsole(&printed).ExportSpans(t.Context(), []sdktrace.ReadOnlySpan{odd}))
	want := []string{"bool=true", "least=-9223372036854775808", "empty=[]", `mixed=[1,"a",true,null]`, `map={"list":[[]]}`, "none=null"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, text := range want {
		key, value, _ := strings.Cut(text, "=")
		if member := `"` + key + `":` + value; !strings.Contains(printed.String(), member) {
			t.Errorf("%s is not in %s", member, &printed)
		}
	}
}

// odds writes a value of OTLP as the console does.
func odds(v *commonpb.AnyValue) string {
	var list []string
	switch v := v.GetValue().(type) {
	case *commonpb.AnyValue_BoolValue:
		return strconv.FormatBool(v.BoolValue)
	case *commonpb.AnyValue_IntValue:
		return strconv.FormatInt(v.IntValue, 10)
	case *commonpb.AnyValue_StringValue:
		return strconv.Quote(v.StringValue)
	case *commonpb.AnyValue_ArrayValue:
		for _, e := range v.ArrayValue.Values {
			list = append(list, odds(e))
		}
		return "[" + strings.Join(list, ",") + "]"
	case *commonpb.AnyValue_KvlistValue:
		for _, kv := range v.KvlistValue.Values {
			list = append(list, strconv.Quote(kv.Key)+":"+odds(kv.Value))
		}
		return "{" + strings.Join(list, ",") + "}"
	}
	return "null"
}

func TestOTLP_headers(t *testing.T) {
	for _, c := range []struct {
		text string
		want map[string]string
	}{
		{"api-key=k,other=v", map[string]string{"api-key": "k", "other": "v"}},
		{"VL-Stream-Fields=service.name%2Cenv", map[string]string{"VL-Stream-Fields": "service.name,env"}},
		{"x%2Dy=1,ok=2", map[string]string{"ok": "2", "x-y": ""}},
		{"bad key=1,ok=2", map[string]string{"ok": "2"}},
		{"noequals,ok=2", map[string]string{"ok": "2"}},
	} {
		t.Run(c.text, func(t *testing.T) {
			server := newCollector(t)
			server.env(t, "OTEL_EXPORTER_OTLP_ENDPOINT={}", "OTEL_EXPORTER_OTLP_HEADERS="+c.text)
			exportOne(t)
			for k, v := range c.want {
				if got := server.headers[0].Get(k); got != v {
					t.Errorf("header %s: %q, want %q", k, got, v)
				}
			}
		})
	}
}

func TestOTLP_settings_that_cannot_work(t *testing.T) {
	for _, c := range []struct {
		vars string
		says []string // what the error must name
	}{
		{"OTEL_EXPORTER_OTLP_PROTOCOL=grpc", []string{"OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "gRPC", "http/protobuf", "4318"}},
		{"OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=grpc",
			[]string{"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=grpc", "gRPC"}},
		{"OTEL_EXPORTER_OTLP_PROTOCOL=carrier-pigeon", []string{"carrier-pigeon", "http/protobuf", "http/json"}},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4317", []string{"4317", "gRPC", "4318"}},
		{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://collector:4317/v1/traces", []string{"TRACES_ENDPOINT", "4317"}},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=collector:4318", []string{"collector:4318", "http://localhost:4318"}},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=127.0.0.1:4318", []string{"127.0.0.1:4318", "scheme"}},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=grpc://collector:4318", []string{"grpc://collector:4318"}},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://", []string{"scheme and host"}},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=http://u:pass@collector:4317", []string{"xxxxx@collector"}},
		{"OTEL_EXPORTER_OTLP_ENDPOINT=u:pass@collector", []string{"xxxxx@collector"}},
		{"OTEL_EXPORTER_OTLP_HEADERS=ok=1,api-key=pass@100%", []string{"OTLP_HEADERS", `"api-key"`, "%25"}},
		{"OTEL_EXPORTER_OTLP_TRACES_HEADERS=api-key:pass@1", []string{"TRACES_HEADERS", `"api-key"`, "name=value"}},
		{"OTEL_EXPORTER_OTLP_CERTIFICATE=testdata/none.pem", []string{"OTLP_CERTIFICATE", "testdata/none.pem"}},
		{"OTEL_EXPORTER_OTLP_TRACES_CERTIFICATE=otlp.go", []string{"TRACES_CERTIFICATE=otlp.go", "BEGIN CERTIFICATE"}},
		{"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE=me.pem", []string{"CLIENT_CERTIFICATE", "OTEL_EXPORTER_OTLP_CLIENT_KEY"}},
		{"OTEL_EXPORTER_OTLP_TRACES_CLIENT_KEY=me.key", []string{"TRACES_CLIENT_KEY", "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE"}},
		{"OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE=me.pem OTEL_EXPORTER_OTLP_CLIENT_KEY=me.key", []string{"CLIENT_CERTIFICATE", "me.pem"}},
	} {
		t.Run(c.vars, func(t *testing.T) {
			(&collector{Server: &httptest.Server{}}).env(t, strings.Fields(c.vars)...)
			e, err := export.NewOTLP(t.Context(), export.OTLPConfig{})
			if err == nil {
				_ = e.Shutdown(t.Context())
				t.Fatal("no error")
			}
			for _, s := range c.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("the error does not say %q: %v", s, err)
				}
			}
			if strings.Contains(err.Error(), "pass@") {
				t.Errorf("the error tells a password: %v", err)
			}
		})
	}
}

// What a collector answers may be long, and the warning repeats it.
func TestOTLP_long_answer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, strings.Repeat("\u00e9", 1<<20))
	}))
	defer server.Close()
	(&collector{Server: server}).env(t, "OTEL_EXPORTER_OTLP_ENDPOINT={}")
	e, err := export.NewOTLP(t.Context(), export.OTLPConfig{})
	if err != nil {
		t.Fatal(err)
	}
	err = e.ExportSpans(t.Context(), []sdktrace.ReadOnlySpan{span("x")})
	if err == nil || !strings.Contains(err.Error(), "400 Bad Request") || len(err.Error()) > 1100 || !utf8.ValidString(err.Error()) {
		t.Errorf("ExportSpans: %.2000v", err)
	}
	noError(t, e.Shutdown(t.Context()))
}

// The base-URL rule surprises everybody once.
func TestOTLP_warns_of_a_base_URL_that_is_none(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1/v1/traces")
	var log bytes.Buffer
	e, err := export.NewOTLP(t.Context(), export.OTLPConfig{Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	noError(t, e.Shutdown(t.Context()))
	if !strings.Contains(log.String(), "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") {
		t.Errorf("no warning: %s", &log)
	}
}
