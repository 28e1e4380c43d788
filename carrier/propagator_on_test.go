//go:build !lens_off

package carrier_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/propagation"

	"github.com/lensgo/lens/carrier"
	"github.com/lensgo/lens/internal/seam"
)

// foreign is a propagator of another kind, which writes what it is told.
type foreign map[string]string

func (f foreign) Inject(_ context.Context, c propagation.TextMapCarrier) {
	for k, v := range f {
		c.Set(k, v)
	}
}

type (
	foreignKey  struct{} // for what was read
	foreignKeys struct{} // for the names of what was there
)

func (f foreign) Extract(ctx context.Context, c propagation.TextMapCarrier) context.Context {
	got := foreign{}
	for k := range f {
		got[k] = c.Get(k)
	}
	keys := slices.Sorted(slices.Values(c.Keys()))
	return context.WithValue(context.WithValue(ctx, foreignKey{}, got), foreignKeys{}, keys)
}

func (f foreign) Fields() []string { return nil }

func install(t *testing.T, f foreign) {
	t.Helper()
	before := seam.Propagator()
	t.Cleanup(func() { seam.SetPropagator(before) })
	seam.SetPropagator(f)
}

// What another propagator writes travels under its own names, in the environment under those that OpenTelemetry makes of them.
func TestForeignPropagator(t *testing.T) {
	sent := foreign{"X-B3-TraceId": "80f198ee56343ba8", "b3": "1-2", "1st.key": "v", "9A0z": "w"}
	install(t, sent)
	ctx := carrier.FromBytes(t.Context(), carrier.Bytes(t.Context()))
	got, _ := ctx.Value(foreignKey{}).(foreign)
	for k, v := range sent {
		if got[k] != v {
			t.Errorf("%s arrives as %q in bytes, want %q", k, got[k], v)
		}
	}
	if keys, _ := ctx.Value(foreignKeys{}).([]string); !slices.Equal(keys, slices.Sorted(maps.Keys(sent))) {
		t.Errorf("the bytes have the names %q", keys)
	}
	env := carrier.Env(t.Context(), []string{"B3=old", "TRACEPARENT=" + other, "A=1"})
	if want := []string{"A=1", "B3=1-2", "X_B3_TRACEID=80f198ee56343ba8", "_1ST_KEY=v", "_9A0Z=w"}; !slices.Equal(env, want) {
		t.Errorf("the environment is %q, want %q", env, want)
	}
	t.Setenv("X_B3_TRACEID", "80f198ee56343ba8")
	ctx = carrier.FromEnv(t.Context())
	if got, _ := ctx.Value(foreignKey{}).(foreign); got["X-B3-TraceId"] != "80f198ee56343ba8" {
		t.Errorf("%v comes from the environment", got)
	}
	if keys, _ := ctx.Value(foreignKeys{}).([]string); !slices.Contains(keys, "x_b3_traceid") {
		t.Errorf("the environment has the names %q", keys)
	}
}

// TestBound holds what MaxBytes says to the byte.
func TestBound(t *testing.T) {
	const around = len(`{"b3":""}`)
	for n, want := range map[int]int{carrier.MaxBytes - around: carrier.MaxBytes, carrier.MaxBytes - around + 1: 0} {
		sent := foreign{"b3": strings.Repeat("x", n)}
		install(t, sent)
		b := carrier.Bytes(t.Context())
		if len(b) != want {
			t.Errorf("%d bytes are written, want %d", len(b), want)
		}
		if got, _ := carrier.FromBytes(t.Context(), b).Value(foreignKey{}).(foreign); (got["b3"] == sent["b3"]) != (want > 0) {
			t.Errorf("of %d bytes %d are read", len(b), len(got["b3"]))
		}
	}
}

// Whatever a propagator writes, a child process starts and a message has a bound.
func TestForeignPropagatorGoesTooFar(t *testing.T) {
	install(t, foreign{"b3": "a\x00b", "long": strings.Repeat("x", carrier.MaxBytes), "": "v"})
	if b := carrier.Bytes(t.Context()); b != nil {
		t.Errorf("%d bytes are sent", len(b))
	}
	cmd := child(t)
	carrier.SetEnv(t.Context(), cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("the child does not start: %v\n%s", err, out)
	}
	if env := carrier.Env(t.Context(), []string{}); len(env) != 2 || env[1] != "_=v" {
		t.Errorf("the environment has %d entries", len(env))
	}
}
