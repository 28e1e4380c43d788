//go:build !lens_off

package telemetry

import (
	"context"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/semconv"
)

// spy is a span at its start.
type spy struct {
	sdktrace.ReadWriteSpan
	scope instrumentation.Scope
	have  []attribute.KeyValue
	set   []attribute.KeyValue
}

func (s *spy) InstrumentationScope() instrumentation.Scope    { return s.scope }
func (s *spy) Attributes() []attribute.KeyValue               { return s.have }
func (s *spy) SetAttributes(attributes ...attribute.KeyValue) { s.set = append(s.set, attributes...) }

// TestWithAttributes: the processor writes on spans of others alone, and nothing that they have.
func TestWithAttributes(t *testing.T) {
	group := attribute.NewSet(attribute.String(semconv.LensGroup, "g"))
	ctx := lens.With(t.Context(), lens.Int("a", 1), lens.Int("b", 1))
	for name, tt := range map[string]struct {
		ctx  context.Context
		span spy
		want int
	}{
		"another's":          {ctx, spy{scope: instrumentation.Scope{Name: "x"}}, 2},
		"has one":            {ctx, spy{have: []attribute.KeyValue{attribute.Int("b", 2)}}, 1},
		"has both":           {ctx, spy{have: []attribute.KeyValue{attribute.Int("b", 2), attribute.Int("a", 2)}}, 0},
		"of a group":         {ctx, spy{scope: instrumentation.Scope{Name: "lib", Attributes: group}}, 0},
		"of no group":        {ctx, spy{scope: instrumentation.Scope{Name: semconv.ScopeLens}}, 0},
		"nothing in context": {t.Context(), spy{}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if (withAttributes{}).OnStart(tt.ctx, &tt.span); len(tt.span.set) != tt.want {
				t.Errorf("%v was set, want %d", tt.span.set, tt.want)
			}
		})
	}
}

// A span without attributes from above costs what it cost.
func TestWithAttributes_costs_nothing(t *testing.T) {
	ctx, span := t.Context(), &spy{}
	lens.With(ctx, lens.Int("used", 1))
	if n := testing.AllocsPerRun(100, func() { withAttributes{}.OnStart(ctx, span) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
