//go:build !lens_off

package program

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/lensgo/lens"
)

// A spec comes to the same here as in the running program, whatever is registered and whatever the spec says.
func TestResolve_asLens(t *testing.T) {
	names := []string{"a", "b", "c", "d", "default", "per_step"}
	pieces := append([]string{"all", "nope", "", " ", "-", "A", "- b", "-all"}, names...)
	random := rand.New(rand.NewPCG(1, 2))
	some := func(from []string) []string {
		var out []string
		for _, s := range from {
			if random.IntN(2) == 0 {
				out = append(out, s)
			}
		}
		return out
	}
	for range 500 {
		registry, p := lens.NewRegistry(), &Program{}
		library := lens.Library{Namespace: "lib", Presets: lens.Presets{}}
		for _, name := range some(names) {
			library.Groups = append(library.Groups, registry.NewGroup(name))
			p.Groups = append(p.Groups, Group{Name: name, Namespaces: []string{"lib"}})
		}
		for _, preset := range some([]string{"default", "per_step", "empty"}) {
			library.Presets[preset] = some(names)
			registered := slices.DeleteFunc(slices.Clone(library.Presets[preset]), func(m string) bool {
				return !slices.ContainsFunc(p.Groups, func(g Group) bool { return g.Name == m })
			})
			p.Presets = append(p.Presets, Preset{Name: preset, Groups: registered})
		}
		registry.MustRegister(library)
		var entries []string
		for range random.IntN(6) {
			entries = append(entries, strings.Repeat("-", random.IntN(2))+pieces[random.IntN(len(pieces))])
		}
		spec := strings.Join(entries, ",")
		enabled, pending := registry.Resolve(spec)
		got := p.Resolve(spec)
		if want := fmt.Sprint(enabled, pending); fmt.Sprint(got.Enabled, got.Unknown) != want {
			t.Fatalf("spec %q of %v and %v: %v unknown %v, want %s", spec, p.Groups, library.Presets, got.Enabled, got.Unknown, want)
		}
	}
}
