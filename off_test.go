//go:build lens_off

package lens_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/lensgo/lens"
)

// TestOffSwitchesNothing: libraries are registered as ever, and nothing that anybody says switches a group on.
func TestOffSwitchesNothing(t *testing.T) {
	r, recorder, log := recorded(t)
	must(t, r.Register(library(r, "lib", []string{"step", "layer"}, lens.Presets{"default": {"step", "absent"}})))
	g := r.NewGroup("step")
	state := lens.State{Generation: 1, Spec: " Default,-layer,typo, all,,typo", Enabled: []string{},
		Pending: []string{"-layer", "all", "default", "typo"}, Groups: []string{"layer", "step"}, Namespaces: []string{"lib"},
		Presets: lens.Presets{"all": {"layer", "step"}, "default": {"step"}}}
	enabled, pending := r.Resolve(state.Spec)
	same(t, "enabled", enabled, state.Enabled)
	same(t, "pending", pending, state.Pending)
	same(t, "a spec", r.SetSpec(state.Spec), state)
	same(t, "the state", r.CurrentState(), state)

	s, ok := r.SetSpecIf(1, "all")
	same(t, "took effect", ok, true)
	same(t, "pending", s.Pending, []string{"all"})
	if _, ok = r.SetSpecIf(1, ""); ok {
		t.Error("a switch on an old generation took effect")
	}
	s = r.Pin("Step", "other")
	same(t, "pinned", s.Pinned, true)
	same(t, "enabled by a pin", s.Enabled, []string{})
	same(t, "pending of a pin", s.Pending, []string{"other", "step"})

	for _, start := range []func(context.Context, string) (context.Context, lens.Span){g.Start, r.Start, lens.Start} {
		if ctx, span := start(t.Context(), "x"); ctx != t.Context() || span.Recording() {
			t.Error("a span was started")
		}
	}
	same(t, "spans", len(recorder.Started()), 0)
	log.none(t)
}

// TestOffRegistration: what is wrong is wrong in every build; what a logger would hear it does not hear.
func TestOffRegistration(t *testing.T) {
	r, log := logged(t)
	register(t, r, "ns", "x")
	r.MustRegister(library(r, "ns", []string{"y"}, nil))
	same(t, "groups", r.CurrentState().Groups, []string{"x"})
	if err := r.Unregister("nobody"); err == nil {
		t.Error("an unknown namespace was unregistered")
	}
	must(t, r.Unregister("ns"))
	same(t, "groups", r.CurrentState().Groups, []string{})
	log.none(t)
}

func TestOffDoAndWrap(t *testing.T) {
	boom := errors.New("boom")
	fn := func(context.Context, int) (int, error) { return 7, boom }
	wrapped := lens.Wrap(lens.NewGroup("off.wrap"), "x", fn)
	if reflect.ValueOf(wrapped).Pointer() != reflect.ValueOf(fn).Pointer() {
		t.Error("Wrap does not return fn itself")
	}
	err := lens.NewGroup("off.do").Do(noContext, "x", func(ctx context.Context) error {
		if ctx == nil {
			t.Error("no context")
		}
		return boom
	})
	if err != boom {
		t.Errorf("error %v is not the one returned", err)
	}
	defer func() {
		if v := recover(); v != boom {
			t.Errorf("%v came out of the panic", v)
		}
	}()
	_, span := lens.NewGroup("off.panic").Start(t.Context(), "x")
	defer span.End()
	panic(boom)
}

// TestOffPassesOn: what a caller sends goes out to those that this program calls, and as it came.
func TestOffPassesOn(t *testing.T) {
	for name, in := range map[string]lens.Map{
		"everything": {"traceparent": carrierParent, "tracestate": "foo@=1,bar=2",
			"baggage": "b=%C3%A4;meta=1 , a = 2;x,b=3"},
		"a reservation": {"traceparent": carrierParent, "tracestate": "foo=1,lens=r"},
		"baggage alone": {"baggage": "z=1,a=2"},
	} {
		ctx := lens.Extract(t.Context(), in)
		ctx, span := lens.NewGroup("off.hop").Start(ctx, "hop")
		out := injected(ctx)
		span.End()
		same(t, name, out, in)
	}
}

// TestOffExtractReplacesItsPart: headers that are missing or wrong leave their part of the context.
func TestOffExtractReplacesItsPart(t *testing.T) {
	ctx := lens.Extract(t.Context(), lens.Map{"traceparent": carrierParent, "baggage": "a=1"})
	ctx = lens.Extract(ctx, lens.Map{"traceparent": "nonsense", "baggage": "b=\x01"})
	same(t, "kept", injected(ctx), lens.Map{"traceparent": carrierParent, "baggage": "a=1"})
	ctx = lens.Extract(ctx, lens.Map{"baggage": "b=2"})
	same(t, "replaced", injected(ctx), lens.Map{"traceparent": carrierParent, "baggage": "b=2"})
	ctx, err := lens.WithBaggage(ctx, "b", "3 %")
	must(t, err)
	same(t, "set", injected(lens.Detach(ctx)), lens.Map{"baggage": "b=3%20%25"})
}
