package callctx_test

import (
	"context"
	"testing"
	"time"

	"github.com/lensgo/lens/internal/callctx"
	"github.com/lensgo/lens/semconv"
)

func TestCanceled(t *testing.T) {
	gone, leave := context.WithCancel(t.Context())
	leave()
	late, stop := context.WithDeadline(t.Context(), time.Unix(0, 0))
	defer stop()
	for want, ctx := range map[string]context.Context{
		"": t.Context(), semconv.CanceledByCaller: gone, semconv.CanceledByDeadline: late,
	} {
		if got := callctx.Canceled(ctx); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// odd is a context that cannot be compared.
type odd struct {
	context.Context
	_ []int
}

type key struct{}

func TestSame(t *testing.T) {
	background, pointer, other := context.Background(), t.Context(), context.WithValue(t.Context(), key{}, 1)
	strange := odd{Context: background}
	for _, c := range []struct {
		name string
		a, b context.Context
		want bool
	}{
		{"one pointer", pointer, pointer, true},
		{"two pointers", pointer, other, false},
		{"background", background, background, true},
		{"background and a pointer", background, pointer, false},
		{"a pointer and background", pointer, background, false},
		{"what cannot be compared", strange, strange, false},
		{"what cannot be compared and background", strange, background, false},
		{"a pointer and what cannot be compared", pointer, strange, false},
	} {
		if got := callctx.Same(c.a, c.b); got != c.want {
			t.Errorf("%s: %t, want %t", c.name, got, c.want)
		}
	}
}
