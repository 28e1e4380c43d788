// Package library is an example: a cache with span groups, presets and tests, in under a hundred lines.
//
// cache_fill is the work behind a miss and is in default; cache_lookup is each question to the cache and comes with per_step.
package library

import (
	"context"

	"github.com/lensgo/lens/examples/library/telemetry"
)

// Cache keeps what Fill has answered. It is not safe for concurrent use.
type Cache struct {
	Fill func(ctx context.Context, key string) (string, error)
	kept map[string]string
}

// Get answers from the cache, and from Fill the first time.
func (c *Cache) Get(ctx context.Context, key string) (_ string, err error) {
	ctx, span := telemetry.Lookup.Start(ctx, "cache.lookup")
	defer span.EndErr(&err)
	value, hit := c.kept[key]
	span.Bool("cache.hit", hit)
	if hit {
		return value, nil
	}
	return c.fill(ctx, key)
}

func (c *Cache) fill(ctx context.Context, key string) (value string, err error) {
	ctx, span := telemetry.Fill.Start(ctx, "cache.fill")
	defer span.EndErr(&err)
	if value, err = c.Fill(ctx, key); err != nil {
		return "", err
	}
	if c.kept == nil {
		c.kept = map[string]string{}
	}
	c.kept[key] = value
	return value, nil
}
