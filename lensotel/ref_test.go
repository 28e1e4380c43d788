package lensotel_test

import (
	"testing"

	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lensotel"
)

// TestNothing: what is no span on one side is none on the other, in every build.
func TestNothing(t *testing.T) {
	ctx := t.Context()
	for _, span := range []trace.Span{nil, noop.Span{}, trace.SpanFromContext(ctx), lensotel.ToSpan(lens.Span{})} {
		if got := lensotel.FromSpan(span); got != (lens.Span{}) {
			t.Errorf("%v is a span of lens", span)
		}
	}
	if lensotel.FromContext(ctx) != (lens.Span{}) || lensotel.ToContext(ctx, lens.Span{}) != ctx {
		t.Error("a span came from nowhere")
	}
	span := lensotel.ToSpan(lens.Span{})
	span.SetName("x")
	if span.End(); span.IsRecording() || span.SpanContext().IsValid() {
		t.Errorf("the zero Span is %v", span)
	}
	if lensotel.ToSpanContext(lens.Ref{}).IsValid() || lensotel.FromSpanContext(trace.SpanContext{}) != (lens.Ref{}) {
		t.Error("an invalid reference became valid")
	}
}

func TestRefs(t *testing.T) {
	const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03"
	for name, tt := range map[string]struct{ state, want string }{
		"plain":         {"", ""},
		"tracestate":    {"a=1,b=2", "a=1,b=2"},
		"level 2":       {"a=1,b@=2", "a=1"},
		"a reservation": {"lens=r", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := lens.ParseRef(parent, tt.state)
			if err != nil {
				t.Fatal(err)
			}
			for _, remote := range []bool{true, false} {
				r.Remote = remote
				sc := lensotel.ToSpanContext(r)
				if sc.TraceID() != r.TraceID || sc.SpanID() != r.SpanID || byte(sc.TraceFlags()) != r.Flags || sc.IsRemote() != remote ||
					sc.TraceState().String() != tt.want {
					t.Errorf("span context %+v", sc)
				}
				if back := lensotel.FromSpanContext(sc); back.String() != parent || back.Remote != remote {
					t.Errorf("back is %+v", back)
				}
				if back := lensotel.FromSpanContext(sc); tt.state == tt.want && back != r {
					t.Errorf("back is %+v, want %+v", back, r)
				}
			}
		})
	}
}
