package runs

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/query"
	"github.com/lensgo/lens/viewer/store"
)

// A trace that is looked up says what the list says of it, and is gone when retention took it.
func TestModel_Trace(t *testing.T) {
	m := NewModel(Options{})
	m.take(mix(rand.New(rand.NewPCG(2, 3)))...)
	list, err := m.Traces(query.Query{}, Page{Size: 1000})
	must(t, err)
	rollouts := map[otlp.TraceID][]*Rollout{}
	for _, x := range m.EveryRollout(query.Query{}) {
		rollouts[x.Trace] = append(rollouts[x.Trace], x)
	}
	one := 0
	for _, want := range list.Rows {
		got, ok := m.Trace(want.ID)
		if !ok || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, %v; the list has %+v", want.ID, got, ok, want)
		}
		if in := rollouts[want.ID]; len(in) != want.Rollouts || len(in) == 1 && in[0] != want.Rollout || len(in) != 1 && want.Rollout != nil {
			t.Errorf("%s: %d rollouts, want %d", want.ID, len(in), want.Rollouts)
		}
		if want.Rollout != nil {
			one++
		}
	}
	if len(list.Rows) < 10 || one < 4 {
		t.Fatalf("%d traces, %d with one rollout", len(list.Rows), one)
	}
	if _, ok := m.Trace(traceID(999)); ok {
		t.Error("a trace that never came is there")
	}
	m.Forget(store.Removed{}, m.Seal())
	if _, ok := m.Trace(list.Rows[0].ID); ok {
		t.Error("a trace that was removed is there")
	}
}
