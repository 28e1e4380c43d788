package library_test

import (
	"context"
	"strings"
	"testing"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/examples/library"
	"github.com/lensgo/lens/examples/library/telemetry"
	"github.com/lensgo/lens/lenstest"
)

func twice(ctx context.Context) {
	c := library.Cache{Fill: func(_ context.Context, key string) (string, error) { return strings.ToUpper(key), nil }}
	_, _ = c.Get(ctx, "a")
	_, _ = c.Get(ctx, "a")
}

func TestGroups(t *testing.T) {
	lenstest.AssertPresets(t, telemetry.Lookup, "per_step")
	lenstest.AssertPresets(t, telemetry.Fill, "default", "per_step")
	for _, g := range []*lens.Group{telemetry.Lookup, telemetry.Fill} {
		lenstest.AssertResolves(t, g)
		lenstest.AssertGated(t, g, twice)
	}
	rec := lenstest.Default(t)
	lens.SetSpec("per_step")
	twice(t.Context())
	rec.AssertTree(t, "cache.lookup cache.hit=false\n  cache.fill\ncache.lookup cache.hit=true", "cache.hit")
}
