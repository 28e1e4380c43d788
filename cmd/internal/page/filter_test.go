package page

import (
	"strings"
	"testing"

	"github.com/lensgo/lens/viewer"
)

// A filter in a link that names no field is told below the box, the nearest name once, and hides nothing.
func TestWrongFilterInLink(t *testing.T) {
	theBrowser(t)
	v := serve(t, viewer.Options{})
	v.sendTraces(t, attempt("watched", 1, 1).Traces)
	p := v.open(t)
	p.faults.allow("status of 400")
	for _, path := range []string{"/runs?q=enf:x", "/traces?q=enf:x", "/runs/watched?q=enf:x"} {
		t.Run(path, func(t *testing.T) {
			p.t = t
			p.visit(path)
			p.shows(".complaint", "Nearest: env.")
			p.until("a row", "rows().length === 1")
			if said := p.text(".complaint"); strings.Count(said, "Nearest") != 1 {
				t.Errorf("the complaint is %q", said)
			}
		})
	}
	p.t = t
}
