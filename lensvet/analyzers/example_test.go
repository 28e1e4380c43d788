package analyzers_test

import (
	"fmt"
	"strings"

	"github.com/lensgo/lens/lensvet/analyzers"
)

// Each check says in a line what it is there for.
func ExampleAll() {
	for _, a := range analyzers.All() {
		what, _, _ := strings.Cut(a.Doc, "\n")
		fmt.Println(a.Name+":", what)
	}
	// Output:
	// blindend: find spans that are ended inside a deferred function
	// eagerwork: find work that is done for a span even when its group is off
	// endtwice: find spans that are ended twice on one straight path
	// groupname: find names of groups and presets that are invalid or against the conventions
	// lateregister: find registrations outside of init functions and package variables
	// loopdefault: note groups that are started in a loop and listed in a default preset (off unless -loopdefault.on)
	// lostctx: find spans whose context is thrown away while the old one is still passed on
	// lostspan: find spans that are not ended on every path
	// presetname: note libraries that register the preset default and no finer one
	// shortname: note names of groups that end in _phase, _group or _span
	// spanname: find names of spans that are not constant
}
