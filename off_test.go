//go:build lens_off

package lens_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"github.com/lensgo/lens"
)

// TestOffSwitchesNothing: a registry holds nothing, and nothing that anybody says switches a group on.
func TestOffSwitchesNothing(t *testing.T) {
	r, recorder, log := recorded(t)
	must(t, r.Register(library(r, "lib", []string{"step", "layer"}, lens.Presets{"default": {"step", "absent"}})))
	g := r.NewGroup("step")
	state := lens.State{Generation: 1, Spec: " Default,-layer,typo, all,,typo", Enabled: []string{},
		Pending: []string{"-layer", "all", "default", "typo"}, Groups: []string{}, Namespaces: []string{},
		Presets: lens.Presets{"all": {}}}
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

// TestOffRegistration never fails and never panics, also where it would in a build with telemetry: what is left out must
// not break a program. Handles are still one for a name, and know it.
func TestOffRegistration(t *testing.T) {
	r, log := logged(t)
	other := lens.NewRegistry().NewGroup("x")
	for range 2 {
		must(t, r.Register(lens.Library{Namespace: " ", Groups: []*lens.Group{nil, {}, other, r.NewGroup("all")},
			Presets: lens.Presets{"all": {""}}}))
		r.MustRegister(library(r, "ns", []string{"", "a,b"}, nil))
		must(t, r.Unregister("nobody"))
	}
	same(t, "groups", r.CurrentState().Groups, []string{})
	if r.NewGroup(" Step\t") != r.NewGroup("step") || r.NewGroup("Step").Name() != "step" {
		t.Error("the same name gives two handles, or another name")
	}
	if lens.NewGroup("default.registry") != lens.Default().NewGroup("default.registry") {
		t.Error("the package's function does not use the default registry")
	}
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
