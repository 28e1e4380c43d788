package analyzers_test

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/analysistest"

	"github.com/lensgo/lens/lensvet/analyzers"
)

// TestAnalyzers runs each check over the packages in the folder of its name, in which comments say what is to be found, and
// compares what its fixes make of them with the golden files. The packages use the real lens. They are loaded once for all
// checks, since that is what takes time.
func TestAnalyzers(t *testing.T) {
	set(t, analyzers.LoopDefault, "on", "true")
	var mu sync.Mutex // packages are checked side by side
	ran, fixed := map[string]int{}, map[string]int{}
	all := &analysis.Analyzer{Name: "all", Doc: "run the check that a package is for"}
	for _, a := range analyzers.All() {
		all.FactTypes = append(all.FactTypes, a.FactTypes...)
		for _, need := range a.Requires {
			if !slices.Contains(all.Requires, need) {
				all.Requires = append(all.Requires, need)
			}
		}
	}
	all.Run = func(pass *analysis.Pass) (any, error) {
		for _, a := range analyzers.All() {
			if !strings.HasPrefix(pass.Pkg.Path()+"/", "example.com/vetted/"+a.Name+"/") {
				continue
			}
			each := *pass
			each.Analyzer = a
			each.Report = func(d analysis.Diagnostic) {
				mu.Lock()
				ran[a.Name]++
				fixed[a.Name] += len(d.SuggestedFixes)
				mu.Unlock()
				if d.Category != a.Name || !strings.HasSuffix(d.URL, "docs/lensvet.md#"+a.Name) {
					t.Errorf("%s reports in the category %q with the page %q", a.Name, d.Category, d.URL)
				}
				pass.Report(d)
			}
			if _, err := a.Run(&each); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	analysistest.RunWithSuggestedFixes(t, analysistest.TestData(), all, "./...")
	for _, a := range analyzers.All() {
		if ran[a.Name] == 0 {
			t.Errorf("%s has found nothing in its own test data", a.Name)
		}
		// A golden file counts for nothing where no fix touches the file that it is for.
		golden, err := filepath.Glob(filepath.Join("testdata", a.Name, "*.golden"))
		if err != nil {
			t.Fatal(err)
		}
		if (fixed[a.Name] > 0) != (len(golden) > 0) {
			t.Errorf("%s offers %d fixes, and has %d golden files", a.Name, fixed[a.Name], len(golden))
		}
	}
}

func set(t *testing.T, a *analysis.Analyzer, name, value string) {
	t.Helper()
	f := a.Flags.Lookup(name)
	before := f.Value.String()
	if err := f.Value.Set(value); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Value.Set(before) })
}
