package export_test

import (
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/lensgo/lens/telemetry/export"
)

// A batch that is larger than receivers take comes in several requests: each span once, in order, with its scope. One span that is
// too large alone costs no other.
func TestOTLP_large_batch(t *testing.T) {
	const most = 4 << 20
	var names []string
	refused := 0
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var request coltracepb.ExportTraceServiceRequest
		if err = errors.Join(err, proto.Unmarshal(body, &request)); err != nil {
			t.Error(err)
		}
		if len(body) > most {
			refused++
			w.WriteHeader(http.StatusRequestEntityTooLarge)
			return
		}
		for _, rs := range request.ResourceSpans {
			for _, ss := range rs.ScopeSpans {
				for _, s := range ss.Spans {
					names = append(names, s.Name+" "+ss.Scope.Name)
				}
			}
		}
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	e, err := export.NewOTLP(t.Context(), export.OTLPConfig{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	var spans []sdktrace.ReadOnlySpan
	add := func(n, size int) {
		name, scope := strconv.Itoa(n), "scope "+strconv.Itoa(n/250)
		stub := tracetest.SpanStubFromReadOnlySpan(span(name))
		stub.InstrumentationScope.Name = scope
		stub.Attributes = []attribute.KeyValue{attribute.String("text", strings.Repeat("x", size))}
		spans = append(spans, stub.Snapshot())
		if size < most {
			want = append(want, name+" "+scope)
		}
	}
	for n := range 600 {
		add(n, 16<<10)
	}
	if err := e.ExportSpans(t.Context(), spans); err != nil || strings.Join(names, ",") != strings.Join(want, ",") {
		t.Errorf("%d of %d have arrived in order: %v", len(names), len(want), err)
	}
	names, want, spans = nil, nil, nil
	add(0, 1)
	add(1, 2*most)
	add(2, 1)
	if err := e.ExportSpans(t.Context(), spans); err == nil || refused != 1 || strings.Join(names, ",") != strings.Join(want, ",") {
		t.Errorf("beside one that is too large %v have arrived, %d requests are refused: %v", names, refused, err)
	}
	if s := e.Stats(); s.Sent != 602 || s.Refused != 1 {
		t.Errorf("%+v", s)
	}
	if err := e.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
