// Package telemetry declares what cache can tell about itself. `lens groups ./examples/library --format markdown` makes a page of it.
package telemetry

import "github.com/lensgo/lens"

var (
	// Lookup is one question to a cache, whatever the answer: cache.lookup.
	Lookup = lens.NewGroup("cache_lookup")

	// Fill is the work behind a miss: cache.fill.
	Fill = lens.NewGroup("cache_fill")
)

func init() {
	lens.MustRegister(lens.Library{
		Namespace: "cache",
		Groups:    []*lens.Group{Lookup, Fill},
		Presets:   lens.Presets{"default": {"cache_fill"}, "per_step": {"cache_lookup", "cache_fill"}},
	})
}
