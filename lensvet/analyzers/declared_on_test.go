//go:build !lens_off

package analyzers

import (
	"testing"

	"github.com/lensgo/lens"
)

// TestFault holds that the linter refuses the names that lens refuses, and no others.
func TestFault(t *testing.T) {
	refused := 0
	for _, name := range []string{
		"", " ", "all", "ALL", " all\t", "step", " Step ", "a b", "a\tb", "a\u00a0b", "a\x00b", "a\u0085b", "a,b", "a=b", "a@b", "a:b", "a*b",
		"*", "-a", "+a", "a-b", "a+b", "a.b", "a/b", "été", "\xff",
	} {
		reg := lens.NewRegistry()
		err := reg.Register(lens.Library{Namespace: "test", Groups: []*lens.Group{reg.NewGroup(name)}})
		if why := fault(normal(name)); (why != "") != (err != nil) {
			t.Errorf("%q: lensvet says %q, lens says %v", name, why, err)
		}
		if err != nil {
			refused++
		}
	}
	if refused < 10 {
		t.Errorf("lens refuses %d of these names; the test compares nothing", refused)
	}
}
