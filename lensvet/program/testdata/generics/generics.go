// Command generics uses handles through type parameters.
package main

import (
	"context"

	"github.com/lensgo/lens"
)

// Call is one call of a tool, whatever it returns.
var Call = lens.NewGroup("call")

// Load reads what is kept.
var Load = lens.NewGroup("load")

// Shelf is kept, and nobody takes from it.
var Shelf = lens.NewGroup("shelf")

// Attic is kept for a plugin.
//
//lensvet:ignore unused its call sites are in the plugin
var Attic = lens.NewGroup("attic")

func init() {
	lens.MustRegister(lens.Library{Namespace: "generics", Groups: append(list(Call, Load), Shelf, Attic)})
}

func list[T any](of ...T) []T { return of }

type cache[K comparable, V any] struct {
	group *lens.Group
	kept  map[K]V
}

func (c *cache[K, V]) get(ctx context.Context, k K) V {
	_, span := c.group.Start(ctx, "cache.get")
	defer span.End()
	return c.kept[k]
}

func traced[A, R any](g *lens.Group, fn func(context.Context, A) (R, error)) func(context.Context, A) (R, error) {
	return lens.Wrap(g, "traced", fn)
}

func double(_ context.Context, n int) (int, error) { return 2 * n, nil }

func main() {
	ctx := context.Background()
	_, _ = traced(Call, double)(ctx, 1)
	_, _ = lens.Wrap(Call, "call.double", double)(ctx, 1)
	_, _ = lens.Wrap[int, int](Call, "call.again", double)(ctx, 1)
	c := &cache[string, int]{group: Load}
	c.get(ctx, "x")
}
