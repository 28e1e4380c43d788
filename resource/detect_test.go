package resource

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"go.opentelemetry.io/otel/attribute"
)

// Detectors are asked beside each other; of equal keys the later detector's counts, whoever was faster.
func TestDetect_order(t *testing.T) {
	second, hung := make(chan struct{}), make(chan struct{})
	defer close(hung)
	give := func(wait <-chan struct{}, done chan<- struct{}, attrs ...attribute.KeyValue) func(context.Context) []attribute.KeyValue {
		return func(context.Context) []attribute.KeyValue {
			if wait != nil {
				<-wait
			}
			if done != nil {
				close(done)
			}
			return attrs
		}
	}
	a := attribute.String
	list := []detector{
		{"first", true, give(second, nil, a("a", "1"), a("b", "1"))},
		{"second", true, give(nil, second, a("b", "2"), a("c", "2"))},
		{"third", false, give(nil, nil, a("c", "3"))},
	}
	got, late := detect(t.Context(), list)
	if want := []attribute.KeyValue{a("a", "1"), a("b", "2"), a("c", "3")}; !slices.Equal(got, want) || late != nil {
		t.Errorf("%v, late %v, want %v", got, late, want)
	}

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	got, late = detect(ctx, []detector{{"hung", true, give(hung, nil)}, list[2], {"hung too", true, give(hung, nil)}})
	if fmt.Sprint(late) != "[hung hung too]" || !slices.Equal(got, []attribute.KeyValue{a("c", "3")}) {
		t.Errorf("%v, late %v", got, late)
	}
}
