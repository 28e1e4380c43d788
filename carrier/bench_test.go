//go:build !lens_off

package carrier_test

import (
	"context"
	"encoding/json"
	"testing"

	"go.opentelemetry.io/otel/propagation"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/carrier"
)

// stock does the same with what OpenTelemetry has.
var stock = propagation.NewCompositeTextMapPropagator(propagation.TraceContext{}, propagation.Baggage{})

// usual is a context with what services have as a rule.
func usual(b *testing.B) context.Context {
	return lens.Extract(b.Context(), lens.Map{"traceparent": traceparent, "tracestate": "foo=1,bar=2", "baggage": "tenant=blue"})
}

func BenchmarkBytes(b *testing.B) {
	on := usual(b)
	for _, bench := range []struct {
		name string
		run  func()
	}{
		{"Off", func() { carrier.Bytes(b.Context()) }},
		{"On", func() { carrier.Bytes(on) }},
		{"Stock", func() {
			m := propagation.MapCarrier{}
			stock.Inject(on, m)
			_, _ = json.Marshal(m)
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bench.run()
			}
		})
	}
}

func BenchmarkFromBytes(b *testing.B) {
	sent, nothing := carrier.Bytes(usual(b)), context.Background()
	for _, bench := range []struct {
		name string
		run  func()
	}{
		{"Off", func() { carrier.FromBytes(nothing, nil) }},
		{"On", func() { carrier.FromBytes(nothing, sent) }},
		{"Stock", func() {
			m := propagation.MapCarrier{}
			_ = json.Unmarshal(sent, &m)
			stock.Extract(nothing, m)
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				bench.run()
			}
		})
	}
}
