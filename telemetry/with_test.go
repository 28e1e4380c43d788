//go:build !lens_off

package telemetry_test

import (
	"context"
	"slices"
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lensotel"
	"github.com/lensgo/lens/telemetry/otelopt"
)

// TestWith: all spans below have the attributes, whoever starts them, and each once; what they are started with wins, also
// what a sampler adds; the caller's processors see them.
func TestWith(t *testing.T) {
	var atStart []string
	h, exported := setup(t, config(), otelopt.WithSampler(labelSampler{}), otelopt.WithSpanProcessor(&starts{see: func(s sdktrace.ReadWriteSpan) {
		atStart = append(atStart, s.Name()+" "+attr(s.Attributes(), "run"))
	}}))
	other := otel.Tracer("other")
	behind := lensotel.TracerProvider(step).Tracer("behind")
	outer, open := other.Start(t.Context(), "open")
	ctx := lens.With(outer, lens.Str("run", "7"), lens.Int("k", 1), lens.Str("token", "secret"))
	ctx = lens.With(ctx, lens.Int("rank", 3), lens.Str("label", "with"))

	_, s := other.Start(ctx, "foreign")
	s.End()
	_, s = other.Start(ctx, "foreign explicit", trace.WithAttributes(attribute.Int("k", 2)))
	s.End()
	_, s = other.Start(ctx, "foreign root", trace.WithNewRoot())
	s.End()
	_, s = behind.Start(ctx, "behind")
	s.End()
	_, s = behind.Start(ctx, "behind explicit", trace.WithAttributes(attribute.Int("k", 2)))
	s.End()
	_, own := job.Start(ctx, "own")
	own.End()
	_, own = job.Start(ctx, "own setter")
	own.Int("k", 2).End()
	_, s = other.Start(outer, "beside")
	s.End()
	open.End()
	shutdown(t, h)

	for name, k := range map[string]string{"foreign": "1", "foreign explicit": "2", "foreign root": "1", "behind": "1", "behind explicit": "2", "own": "1", "own setter": "2"} {
		list := exported.byName(t, name).Attributes()
		for key, want := range map[string]string{"run": "7", "k": k, "rank": "3", "token": "[REDACTED]"} {
			if got := attr(list, key); got != want {
				t.Errorf("%s: %s is %q, want %q", name, key, got, want)
			}
		}
		if len(list) != 5 {
			t.Errorf("%s has %v", name, list)
		}
	}
	if got := attr(exported.byName(t, "foreign").Attributes(), "label"); got != "sampler" {
		t.Errorf("what the sampler wrote became %q", got)
	}
	for _, name := range []string{"open", "beside"} {
		if list := exported.byName(t, name).Attributes(); len(list) != 1 {
			t.Errorf("%s has %v", name, list)
		}
	}
	want := []string{"open ", "foreign 7", "foreign explicit 7", "foreign root 7", "behind 7", "behind explicit 7", "own 7", "own setter 7", "beside "}
	if !slices.Equal(atStart, want) {
		t.Errorf("processors saw %q", atStart)
	}
}

type labelSampler struct{}

func (labelSampler) ShouldSample(p sdktrace.SamplingParameters) sdktrace.SamplingResult {
	r := sdktrace.AlwaysSample().ShouldSample(p)
	r.Attributes = []attribute.KeyValue{attribute.String("label", "sampler")}
	return r
}
func (labelSampler) Description() string { return "label" }

type starts struct {
	see func(s sdktrace.ReadWriteSpan)
}

func (s *starts) OnStart(_ context.Context, span sdktrace.ReadWriteSpan) { s.see(span) }
func (*starts) OnEnd(sdktrace.ReadOnlySpan)                              {}
func (*starts) Shutdown(context.Context) error                           { return nil }
func (*starts) ForceFlush(context.Context) error                         { return nil }

// TestOpenSpans_behind_a_group: spans of a foreign package behind a group are not lens's to close.
func TestOpenSpans_behind_a_group(t *testing.T) {
	h, exported := setup(t, config())
	ctx, _ := job.Start(t.Context(), "1 lens")
	ctx, _ = lensotel.TracerProvider(step).Tracer("behind").Start(ctx, "2 behind")
	_, _ = job.Start(ctx, "3 lens")
	shutdown(t, h)
	if got := exported.names(); !slices.Equal(got, []string{"3 lens", "2 behind", "1 lens"}) {
		t.Fatalf("exported %v", got)
	}
	for _, s := range exported.all {
		truncated(t, s)
	}
}
