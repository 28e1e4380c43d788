package lens_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/lensgo/lens"
)

const (
	carrierTrace  = "0af7651916cd43dd8448eb211c80319c"
	carrierParent = "00-" + carrierTrace + "-b7ad6b7169203331-03"
)

func mustRef(t testing.TB, traceparent, tracestate string) lens.Ref {
	t.Helper()
	r, err := lens.ParseRef(traceparent, tracestate)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func injected(ctx context.Context) lens.Map {
	m := lens.Map{}
	lens.Inject(ctx, m)
	return m
}

func TestParseRef(t *testing.T) {
	tests := []struct {
		name, traceparent, tracestate string
		valid                         bool
		problem                       string
	}{
		{"good", carrierParent, "foo@=1", true, ""},
		{"without tracestate", carrierParent, "", true, ""},
		{"bad tracestate", carrierParent, "foo=1,BAR=2", true, `cannot read tracestate: key "BAR"`},
		{"bad traceparent", carrierParent + "x", "foo=1", false, "cannot read traceparent"},
		{"nothing", "", "", false, `cannot read traceparent "": it has 0 characters`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r, err := lens.ParseRef(test.traceparent, test.tracestate)
			if test.problem == "" && err != nil || test.problem != "" && !strings.Contains(fmt.Sprint(err), test.problem) {
				t.Errorf("the error is %v", err)
			}
			if r.Valid() != test.valid {
				t.Errorf("valid: %v", r.Valid())
			}
			if test.valid && (r.String() != carrierParent || !r.Remote || r.Flags != 3) {
				t.Errorf("it is %s, %+v", r, r)
			}
			if !test.valid && r != (lens.Ref{}) {
				t.Errorf("it is %+v", r)
			}
		})
	}
}

func TestZeroRef(t *testing.T) {
	var r lens.Ref
	if r.Valid() || r.String() != "" {
		t.Errorf("%v %q", r.Valid(), r)
	}
	type key struct{}
	ctx := context.WithValue(t.Context(), key{}, 1)
	if lens.WithParent(ctx, r) != ctx {
		t.Error("WithParent of the zero Ref changes the context")
	}
	var none context.Context
	if lens.RefFrom(ctx) != r || lens.RefFrom(none) != r {
		t.Error("a context without a span has a Ref")
	}
}

func TestRefRoundTrip(t *testing.T) {
	for _, state := range []string{"", "foo=1", "foo=1,foo@=2,0=3", "lens=r", "foo@=1,lens=r"} {
		r := mustRef(t, carrierParent, state)
		ctx := lens.WithParent(t.Context(), r)
		if got := lens.RefFrom(ctx); got != r {
			t.Errorf("%q: RefFrom gives %+v, want %+v", state, got, r)
		}
		m := injected(ctx)
		if m["traceparent"] != carrierParent || m["tracestate"] != state {
			t.Errorf("%q: injected is %v", state, m)
		}
		if got := lens.RefFrom(lens.Extract(t.Context(), m)); got != r {
			t.Errorf("%q: extracted is %+v, want %+v", state, got, r)
		}
	}
}

func TestWithParentKeepsLocal(t *testing.T) {
	r := mustRef(t, carrierParent, "foo@=1")
	r.Remote = false
	if got := lens.RefFrom(lens.WithParent(t.Context(), r)); got != r {
		t.Errorf("%+v, want %+v", got, r)
	}
}

// TestReservationThroughRef is how a driver reserves a trace id with the public surface, and hands it on.
func TestReservationThroughRef(t *testing.T) {
	if lens.RefFrom(t.Context()).Valid() {
		t.Fatal("a fresh context has a parent")
	}
	ctx := lens.WithParent(t.Context(), mustRef(t, carrierParent, "lens=r"))
	other := lens.WithParent(t.Context(), lens.RefFrom(ctx))
	if m := injected(other); m["tracestate"] != "lens=r" || m["traceparent"] != carrierParent {
		t.Errorf("RefFrom does not hand the reservation on: %v", m)
	}
	if m := injected(lens.Detach(ctx)); len(m) != 0 {
		t.Errorf("after Detach %v goes out", m)
	}
}

func TestDetachKeepsTheRest(t *testing.T) {
	type key struct{}
	ctx, err := lens.WithBaggage(context.WithValue(t.Context(), key{}, 1), "k", "v")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(ctx)
	ctx = lens.Detach(lens.WithParent(ctx, mustRef(t, carrierParent, "foo@=1")))
	if lens.RefFrom(ctx).Valid() {
		t.Error("the parent is still there")
	}
	if lens.Baggage(ctx, "k") != "v" || ctx.Value(key{}) != 1 {
		t.Error("baggage or values are gone")
	}
	if cancel(); ctx.Err() == nil {
		t.Error("cancellation is gone")
	}
}

func TestExtract(t *testing.T) {
	const other = "00-1af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	tests := []struct {
		name       string
		carrier    lens.Carrier
		want       string
		tracestate string
	}{
		{"map", lens.Map{"traceparent": carrierParent, "tracestate": "foo=1"}, carrierParent, "foo=1"},
		{"http", lens.Header{"Traceparent": {carrierParent}}, carrierParent, ""},
		{"gRPC", lens.Header{"traceparent": {carrierParent}, "tracestate": {"a=1", "b=2"}}, carrierParent, "a=1,b=2"},
		{"two traceparents", lens.Header{"Traceparent": {carrierParent, other}}, "", ""},
		{"two spellings", lens.Header{"Traceparent": {carrierParent}, "traceparent": {other}}, "", ""},
		{"the same twice", lens.Header{"Traceparent": {carrierParent, carrierParent}}, "", ""},
		{"bad", lens.Map{"traceparent": "nonsense"}, "", ""},
		{"TC-03: lines", lens.Header{"Traceparent": {carrierParent}, "Tracestate": {"foo=1,bar=2", "rojo=1,congo=2", "baz=3"}},
			carrierParent, "foo=1,bar=2,rojo=1,congo=2,baz=3"},
		{"TC-05: a repeated key", lens.Map{"traceparent": carrierParent, "tracestate": "foo=1,bar=2,foo=3"},
			carrierParent, "foo=1,bar=2"},
		{"TC-13: bad tracestate", lens.Map{"traceparent": carrierParent, "tracestate": "foo=bar=baz"}, carrierParent, ""},
		{"only tracestate", lens.Map{"tracestate": "foo=1"}, "", ""},
		{"nil carrier", nil, "", ""},
		{"nil map", lens.Map(nil), "", ""},
		{"nil header", lens.Header(nil), "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ctx := lens.Extract(t.Context(), test.carrier)
			if test.want == "" && ctx != t.Context() {
				t.Error("the context is not as given")
			}
			if got := lens.RefFrom(ctx).String(); got != test.want {
				t.Errorf("it is %q, want %q", got, test.want)
			}
			if got := injected(ctx)["tracestate"]; got != test.tracestate {
				t.Errorf("the tracestate is %q, want %q", got, test.tracestate)
			}
		})
	}
}

func TestNilContext(t *testing.T) {
	var none context.Context
	ctx := lens.Extract(none, lens.Map{"traceparent": carrierParent})
	if lens.RefFrom(ctx).String() != carrierParent {
		t.Error("Extract into a nil context loses the parent")
	}
	lens.Inject(none, lens.Map{})
	lens.Inject(ctx, nil)
	lens.Inject(ctx, lens.Map(nil))
	lens.Inject(ctx, lens.Header(nil))
	if lens.Detach(none) == nil || lens.Extract(none, nil) == nil || lens.WithParent(none, lens.Ref{}) == nil {
		t.Error("a nil context comes back")
	}
	if lens.Baggage(none, "k") != "" {
		t.Error("a nil context has baggage")
	}
	if ctx, err := lens.WithBaggage(none, "k", "v"); err != nil || lens.Baggage(ctx, "k") != "v" {
		t.Errorf("WithBaggage on a nil context: %v", err)
	}
}

func TestBaggage(t *testing.T) {
	ctx, err := lens.WithBaggage(t.Context(), "nemo.gym.rollout.id", "7-2")
	if err != nil {
		t.Fatal(err)
	}
	if ctx, err = lens.WithBaggage(ctx, "text", "ä, b; c=1 100%"); err != nil {
		t.Fatal(err)
	}
	if ctx, err = lens.WithBaggage(ctx, "text", "ö, b; c=1 100%"); err != nil {
		t.Fatal(err)
	}
	m := injected(ctx)
	if len(m) != 1 {
		t.Errorf("without a span %v goes out", m)
	}
	back := lens.Extract(t.Context(), m)
	if got := lens.Baggage(back, "text"); got != "ö, b; c=1 100%" {
		t.Errorf("%q comes back from %q", got, m["baggage"])
	}
	if got := lens.Baggage(back, "nemo.gym.rollout.id"); got != "7-2" {
		t.Errorf("%q comes back", got)
	}
	if got := lens.Baggage(back, "other"); got != "" {
		t.Errorf("a member that is not there is %q", got)
	}
	lines := lens.Extract(t.Context(), lens.Header(http.Header{"Baggage": {"a=1", "b=2,c=3"}}))
	if lens.Baggage(lines, "a")+lens.Baggage(lines, "b")+lens.Baggage(lines, "c") != "123" {
		t.Error("not all baggage lines are read")
	}
	if lens.RefFrom(lines).Valid() {
		t.Error("TC-11: baggage alone makes a parent")
	}
}

func TestBaggageErrors(t *testing.T) {
	full := t.Context()
	for i := range 64 {
		var err error
		if full, err = lens.WithBaggage(full, fmt.Sprint("k", i), "v"); err != nil {
			t.Fatal(err)
		}
	}
	tests := []struct {
		name       string
		ctx        context.Context
		key, value string
		problem    string
	}{
		{"empty key", t.Context(), "", "v", `cannot add baggage member ""`},
		{"key with a blank", t.Context(), "a b", "v", `cannot add baggage member "a b"`},
		{"value that is no UTF-8", t.Context(), "k", "\xff", `cannot add baggage member "k"`},
		{"65 members", full, "new", "v", "there would be 65 members, and 64 may be"},
		{"size", t.Context(), "k", strings.Repeat("x", 8192), "the header would have 8194 bytes, and 8192 may be"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ctx, err := lens.WithBaggage(test.ctx, test.key, test.value)
			if err == nil || !strings.Contains(err.Error(), test.problem) {
				t.Errorf("the error is %v", err)
			}
			if ctx != test.ctx {
				t.Error("the context changes")
			}
		})
	}
	if _, err := lens.WithBaggage(full, "k1", "again"); err != nil {
		t.Errorf("a member cannot be replaced in full baggage: %v", err)
	}
}

func TestHeaderStyle(t *testing.T) {
	for name, test := range map[string]struct {
		header lens.Header
		want   []string
	}{
		"empty":        {lens.Header{}, []string{"Traceparent"}},
		"http":         {lens.Header{"Accept": {"x"}}, []string{"Accept", "Traceparent"}},
		"http, stale":  {lens.Header{"Traceparent": {"x", "y"}}, []string{"Traceparent"}},
		"gRPC":         {lens.Header{"user-agent": {"x"}}, []string{"traceparent", "user-agent"}},
		"gRPC, stale":  {lens.Header{"traceparent": {"x", "y"}}, []string{"traceparent"}},
		"gRPC, pseudo": {lens.Header{":authority": {"x"}, "te": {"y"}}, []string{":authority", "te", "traceparent"}},
		"http, mixed": {lens.Header{"Accept": {"x"}, "x-key": {"y"}, "x-other": {"z"}},
			[]string{"Accept", "Traceparent", "x-key", "x-other"}},
		"only pseudo": {lens.Header{":authority": {"x"}}, []string{":authority", "traceparent"}},
	} {
		lens.Inject(lens.WithParent(t.Context(), mustRef(t, carrierParent, "")), test.header)
		keys := test.header.Keys()
		slices.Sort(keys)
		if !slices.Equal(keys, test.want) {
			t.Errorf("%s: the keys are %v, want %v", name, keys, test.want)
		}
		if got := test.header.Values("traceparent"); len(got) != 1 || got[0] != carrierParent {
			t.Errorf("%s: the value is %q", name, got)
		}
	}
	h := lens.Header{"X-Y": {"1"}, "x-y": {"2"}}
	if got := h.Values("x-y"); len(got) != 2 || h.Get("x-y") != "1" {
		t.Errorf("Values gives %v", got)
	}
	if h.Del("x-y"); len(h) != 0 {
		t.Errorf("after Del %v", h)
	}
}

func TestStaleTracestateIsReplaced(t *testing.T) {
	h := lens.Header{"Tracestate": {"old=1", "older=2"}, "Traceparent": {"old"}}
	lens.Inject(lens.WithParent(t.Context(), mustRef(t, carrierParent, "")), h)
	if len(h) != 1 {
		t.Errorf("the headers are %v", h)
	}
	h = lens.Header{"Tracestate": {"old=1"}}
	if lens.Inject(t.Context(), h); h.Get("tracestate") != "old=1" {
		t.Errorf("with nothing to write the headers change to %v", h)
	}
}

func TestCarrierAllocations(t *testing.T) {
	header, m := lens.Header{"Accept": {"x"}, "Host": {"y"}}, lens.Map{"other": "x"}
	written, writtenMap := lens.Header{"Accept": {"x"}}, lens.Map{}
	full := lens.WithParent(t.Context(), mustRef(t, carrierParent, "foo@=1"))
	for name, test := range map[string]struct {
		most float64
		run  func()
	}{
		"extract nothing from a header": {0, func() { lens.Extract(t.Context(), header) }},
		"extract nothing from a map":    {0, func() { lens.Extract(t.Context(), m) }},
		"inject nothing":                {0, func() { lens.Inject(t.Context(), header) }},
		"RefFrom":                       {0, func() { lens.RefFrom(full) }},
		"inject into a map":             {1, func() { lens.Inject(full, writtenMap) }},
		"inject into a header":          {3, func() { lens.Inject(full, written) }},
	} {
		if n := testing.AllocsPerRun(100, test.run); n > test.most {
			t.Errorf("%s allocates %v times, at most %v are allowed", name, n, test.most)
		}
	}
}

func BenchmarkInject(b *testing.B) {
	for name, ctx := range map[string]context.Context{
		"Off": b.Context(),
		"On":  lens.WithParent(b.Context(), mustRef(b, carrierParent, "foo=1,bar=2")),
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			h := lens.Header{"Accept": {"x"}}
			for b.Loop() {
				lens.Inject(ctx, h)
			}
		})
	}
}

func BenchmarkExtract(b *testing.B) {
	for name, h := range map[string]lens.Header{
		"Off": {"Accept": {"x"}},
		"On":  {"Accept": {"x"}, "Traceparent": {carrierParent}, "Tracestate": {"foo=1,bar=2"}},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				lens.Extract(b.Context(), h)
			}
		})
	}
}

func ExampleInject() {
	parent, _ := lens.ParseRef("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "")
	ctx := lens.WithParent(context.Background(), parent)
	ctx, _ = lens.WithBaggage(ctx, "tenant", "blue")

	message := lens.Map{}
	lens.Inject(ctx, message)
	fmt.Println(message["traceparent"])

	received := lens.Extract(context.Background(), message)
	fmt.Println(lens.Baggage(received, "tenant"), lens.RefFrom(received).Remote)
	// Output:
	// 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
	// blue true
}
