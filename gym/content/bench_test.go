package content

import (
	"context"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/otelopt"
)

// BenchmarkRecord is the cost of one call of a model and of one call of a tool: with a text as they have in demos, and with
// one of a megabyte, of which only the beginning is read.
func BenchmarkRecord(b *testing.B) {
	group := lens.NewGroup("content_bench")
	lens.MustRegister(lens.Library{Namespace: "content_bench", Groups: []*lens.Group{group}})
	h, err := telemetry.Setup(context.Background(), telemetry.Config{Enabled: true, TracesEnabled: true, SpanGroups: "content_bench"},
		otelopt.WithSpanExporter(tracetest.NewNoopExporter()))
	if err != nil {
		b.Fatal(err)
	}
	defer h.Shutdown(context.Background())
	for name, text := range map[string]string{"Small": "How warm is it in Oslo?", "Large": strings.Repeat("How warm is it in Oslo? ", 40<<10)} {
		answer := []byte(`{"id":"r","created_at":1,"model":"m","object":"response","output":[{"type":"function_call","call_id":"c","name":"f","arguments":"{\"city\":\"Oslo\"}"}],` +
			`"parallel_tool_calls":true,"tool_choice":"auto","tools":[]}`)
		turn := ModelCall{Input: []responses.Item{responses.UserMessage(text)}, Answer: answer}
		tool := ToolCall{ID: "c", Name: "f", Arguments: `{"city":"Oslo"}`, Result: []byte(text)}
		bench := func(what string, record func(lens.Span)) {
			b.Run(what+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_, span := group.Start(context.Background(), "call")
					if record != nil {
						record(span)
					}
					span.End()
				}
			})
		}
		bench("Off", nil)
		bench("Model", func(s lens.Span) { turn.Record(s, bound) })
		bench("Tool", func(s lens.Span) { tool.Record(s, bound) })
	}
}
