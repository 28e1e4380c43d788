// Command callsite has call sites as a library writes them, for a look at what is left of them under lens_off.
package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lenshttp"
)

var step = lens.NewGroup("step")

func init() {
	lens.MustRegister(lens.Library{Namespace: "trainer", Groups: []*lens.Group{step}, Presets: lens.Presets{"default": {"step"}}})
}

func main() {
	ctx := context.Background()
	fmt.Println(gated(ctx, 1), bare(ctx, 1), deferred(ctx, 1), lens.SetSpec("default").Pending)
	_ = lenshttp.Handler(step, http.NotFoundHandler())
	_ = lenshttp.Transport(step, nil)
}

//go:noinline
func work(_ context.Context, n int) int { return n + 1 }

//go:noinline
func gated(ctx context.Context, n int) int {
	ctx, span := step.Start(ctx, "train.step")
	span.Int("iteration", n).Str("phase", "forward").Float("loss", float64(n)).Bool("cached", n > 3)
	span.Duration("budget", time.Second).Set(lens.Int("microbatch", n), lens.Strs("stages", []string{"a", "b"}))
	if step.Enabled() {
		span.Str("text", fmt.Sprint("step ", n))
	}
	if span.Recording() {
		span.Event("half", lens.Int("n", n))
	}
	n = work(ctx, n)
	span.Link(span.Ref(), lens.Bool("self", true))
	span.Err(nil).Ok()
	span.SetName("train.step")
	span.EndAt(time.Time{})
	span.End()
	return n
}

//go:noinline
func bare(ctx context.Context, n int) int {
	return work(ctx, n)
}

//go:noinline
func deferred(ctx context.Context, n int) (err error) {
	ctx, span := step.StartKind(ctx, "train.step", lens.Client)
	defer span.EndErr(&err)
	_, inner := step.StartWith(ctx, "train.part", lens.StartConfig{Kind: lens.Client, Root: true})
	defer inner.End()
	inner.Int("iteration", work(ctx, n))
	return nil
}
