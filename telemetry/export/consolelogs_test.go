package export_test

import (
	"bytes"
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/log"
	sdklog "go.opentelemetry.io/otel/sdk/log"
	sdkresource "go.opentelemetry.io/otel/sdk/resource"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens/telemetry/export"
)

// One line a record, with the members that the Python exporter writes, whatever is in it (AT-01, AT-03, AT-09).
func TestConsoleLogs(t *testing.T) {
	var out bytes.Buffer
	provider := sdklog.NewLoggerProvider(sdklog.WithProcessor(sdklog.NewSimpleProcessor(export.NewConsoleLogs(&out))),
		sdklog.WithResource(sdkresource.NewSchemaless(attribute.String("service.name", "s"))))
	var r log.Record
	r.SetTimestamp(time.Unix(1, 2))
	r.SetBody(attribute.StringValue("a\u001b[2J\n\xff"))
	r.SetSeverity(log.SeverityWarn)
	r.SetSeverityText("WARN")
	r.AddAttributes(attribute.Float64("n", math.NaN()), attribute.Int64("big", 1<<60), attribute.StringSlice("l", []string{"x", "y"}))
	ctx := trace.ContextWithSpanContext(t.Context(), context1(2, false))
	provider.Logger("scope").Emit(ctx, r)
	noError(t, provider.Shutdown(t.Context()))

	text := out.String()
	if strings.Count(text, "\n") != 1 || strings.ContainsAny(text[:len(text)-1], "\x1b\n") {
		t.Fatalf("not one safe line: %q", text)
	}
	var got struct {
		Body       string
		Severity   int    `json:"severity_number"`
		Text       string `json:"severity_text"`
		Timestamp  string
		TraceID    string `json:"trace_id"`
		SpanID     string `json:"span_id"`
		Attributes map[string]json.RawMessage
		Resource   struct{ Attributes map[string]string }
		Scope      struct{ Name string }
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	if got.Body != "a\u001b[2J\n\ufffd" || got.Severity != 13 || got.Text != "WARN" || got.Timestamp != "1970-01-01T00:00:01.000000002Z" ||
		len(got.TraceID) != 34 || len(got.SpanID) != 18 || got.Resource.Attributes["service.name"] != "s" || got.Scope.Name != "scope" {
		t.Errorf("%+v", got)
	}
	if string(got.Attributes["n"]) != `"NaN"` || string(got.Attributes["big"]) != "1152921504606846976" || string(got.Attributes["l"]) != `["x","y"]` {
		t.Errorf("attributes %s", got.Attributes)
	}
}

func TestConsoleLogs_broken(t *testing.T) {
	e := export.NewConsoleLogs(broken{})
	if err := e.Export(t.Context(), make([]sdklog.Record, 2)); err == nil {
		t.Errorf("got %v", err)
	}
}
