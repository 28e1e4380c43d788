//go:build !lens_off

package telemetry

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lensgo/lens"
)

func TestGroups(t *testing.T) {
	state := lens.CurrentState()
	want := []string{"agent", "http_client", "job", "model_call", "rollout", "sandbox", "server", "startup", "verify"}
	if !slices.Equal(state.Groups, want) {
		t.Errorf("groups %v, want %v", state.Groups, want)
	}
	if !slices.Contains(state.Namespaces, "nemo_gym") {
		t.Errorf("namespaces %v", state.Namespaces)
	}
	for name, want := range map[string][]string{
		"default":     {"http_client", "job", "rollout", "server", "startup"},
		"per_rollout": {"agent", "http_client", "model_call", "rollout", "server", "verify"},
		"all":         state.Groups,
	} {
		if got := slices.Sorted(slices.Values(state.Presets[name])); !slices.Equal(got, want) {
			t.Errorf("preset %s: %v, want %v", name, got, want)
		}
	}
}

func TestEveryPresetHoldsTheSpine(t *testing.T) {
	if !slices.Equal(Spine, []string{"server", "http_client", "rollout"}) {
		t.Errorf("spine %v", Spine)
	}
	for name, members := range lens.CurrentState().Presets {
		for _, group := range Spine {
			if !slices.Contains(members, group) {
				t.Errorf("preset %s lacks %s", name, group)
			}
		}
	}
}

func TestSpecs(t *testing.T) {
	for _, c := range []struct {
		spec    string
		enabled string
		pending string
	}{
		{"default,sandbox", "http_client job rollout sandbox server startup", ""},
		{" DEFAULT , Sandbox ", "http_client job rollout sandbox server startup", ""},
		{"verify,model_call", "model_call verify", ""},
		{"per_rollout,-server", "agent http_client model_call rollout verify", ""},
		{"tool_call", "", "tool_call"},
		{"step", "", "step"},
		{"", "", ""},
		{" , ", "", ""},
	} {
		enabled, pending := lens.Resolve(c.spec)
		if e, p := strings.Join(enabled, " "), strings.Join(pending, " "); e != c.enabled || p != c.pending {
			t.Errorf("%q: %q and pending %q, want %q and %q", c.spec, e, p, c.enabled, c.pending)
		}
	}
}

// TestEveryPresetsGroupHasACallSite reads Gym's sources: a preset must not promise spans that nothing emits.
func TestEveryPresetsGroupHasACallSite(t *testing.T) {
	handles := map[string]*lens.Group{
		"Job": Job, "Startup": Startup, "Server": Server, "HTTPClient": HTTPClient, "Rollout": Rollout, "Verify": Verify,
		"Agent": Agent, "ModelCall": ModelCall, "Sandbox": Sandbox,
	}
	used := map[string]bool{}
	for _, name := range groupsUsed(t, "..") {
		used[handles[name].Name()] = true // nil.Name() is empty
	}
	for _, preset := range []string{PresetDefault, PresetPerRollout} {
		for _, group := range lens.CurrentState().Presets[preset] {
			if !used[group] {
				t.Errorf("preset %s: group %s has no call site", preset, group)
			}
		}
	}
}

// groupsUsed returns the names that the sources below dir take from this package.
func groupsUsed(t *testing.T, dir string) []string {
	var names []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || d.Name() == "internal" || path == filepath.Join(dir, "telemetry")):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if s, ok := n.(*ast.SelectorExpr); ok {
				if x, ok := s.X.(*ast.Ident); ok && strings.HasSuffix(x.Name, "telemetry") {
					names = append(names, s.Sel.Name)
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
