package lens

import (
	"maps"
	"slices"

	"github.com/lensgo/lens/internal/snapshot"
)

func init() {
	snapshot.Install(snapshot.Hooks{
		Take: func(reg any) func() { return reg.(*Registry).snapshot() },
		Home: func(group any) any {
			if r := group.(*Group).reg; r != nil {
				return r
			}
			return nil
		},
	})
}

// snapshot remembers what the registry holds; see package snapshot. What a selection and a library point to is never
// changed in place, so that it is enough to keep it.
func (r *Registry) snapshot() (restore func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	libraries, held := maps.Clone(r.libraries), slices.Clone(r.held)
	selection, source, logger := r.selection, r.source, r.logger.Load()
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		generation := r.generation + 1
		r.libraries, r.held = maps.Clone(libraries), slices.Clone(held)
		r.selection, r.source = selection, source
		r.generation = generation
		r.logger.Store(logger)
		r.configureAll()
	}
}
