package passthrough_test

import (
	"maps"
	"testing"

	"github.com/lensgo/lens/internal/passthrough"
	"github.com/lensgo/lens/internal/w3c"
)

const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

type carrier map[string]string

func (c carrier) Get(key string) string { return c[key] }
func (c carrier) Set(key, value string) { c[key] = value }
func (c carrier) Del(key string)        { delete(c, key) }
func (carrier) Keys() []string          { return nil }

// lines is a carrier with several values of a key.
type lines struct {
	carrier
	values map[string][]string
}

func (l lines) Values(key string) []string { return l.values[key] }

func TestPassesOn(t *testing.T) {
	for name, tt := range map[string]struct {
		in   passthrough.Carrier
		want carrier
	}{
		"nothing":       {carrier{}, carrier{}},
		"as it came":    {carrier{"traceparent": parent, "tracestate": "a@=1", "baggage": "k = v;p"}, carrier{"traceparent": parent, "tracestate": "a@=1", "baggage": "k = v;p"}},
		"a reservation": {carrier{"traceparent": parent, "tracestate": "lens=r"}, carrier{"traceparent": parent, "tracestate": "lens=r"}},
		"lines": {lines{values: map[string][]string{"traceparent": {parent}, "tracestate": {"a=1", "b=2"}, "baggage": {"a=1", "b=2"}}},
			carrier{"traceparent": parent, "tracestate": "a=1,b=2", "baggage": "a=1,b=2"}},
		"two parents":   {lines{values: map[string][]string{"traceparent": {parent, parent}}}, carrier{}},
		"no parent":     {carrier{"traceparent": "x", "tracestate": "a=1"}, carrier{}},
		"no tracestate": {carrier{"traceparent": parent, "tracestate": "A=1"}, carrier{"traceparent": parent}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := passthrough.Extract(t.Context(), tt.in)
			if len(tt.want) == 0 && ctx != t.Context() {
				t.Error("the context is not as given")
			}
			out := carrier{}
			if passthrough.Inject(ctx, out); !maps.Equal(out, tt.want) {
				t.Errorf("%v goes out, want %v", out, tt.want)
			}
		})
	}
}

func TestStaleTracestateGoes(t *testing.T) {
	p, err := w3c.ParseTraceparent(parent)
	if err != nil {
		t.Fatal(err)
	}
	ctx := passthrough.WithParent(t.Context(), p, w3c.Tracestate{}, true)
	out := carrier{"tracestate": "old=1", "traceparent": "old"}
	if passthrough.Inject(ctx, out); !maps.Equal(out, carrier{"traceparent": parent}) {
		t.Errorf("%v goes out", out)
	}
	ctx = passthrough.Detach(ctx)
	out = carrier{"tracestate": "old=1"}
	if passthrough.Inject(ctx, out); !maps.Equal(out, carrier{"tracestate": "old=1"}) {
		t.Errorf("with nothing to write, %v goes out", out)
	}
	if again := passthrough.Detach(ctx); again != ctx {
		t.Error("a context without a parent is not as given")
	}
}

func TestBaggage(t *testing.T) {
	ctx := passthrough.Extract(t.Context(), carrier{"baggage": "a=1;p,b=2"})
	ctx, members, size, err := passthrough.WithBaggage(ctx, "b", "3 3")
	if err != nil || members != 2 || size != len("a=1;p,b=3%203") {
		t.Errorf("%d members in %d bytes, %v", members, size, err)
	}
	if got := passthrough.Baggage(ctx, "b"); got != "3 3" {
		t.Errorf("b is %q", got)
	}
}
