package analyzers

import (
	"strconv"
	"strings"

	"golang.org/x/tools/go/analysis"
)

// ShortName notes names of groups that say what they are.
var ShortName = &analysis.Analyzer{
	Name: "shortname",
	Doc: `note names of groups that end in _phase, _group or _span

Short names are easier to type: evaluate rather than evaluation_phase. This is a note.`,
	URL:      page + "shortname",
	Run:      runShortName,
	Requires: []*analysis.Analyzer{units},
}

func runShortName(pass *analysis.Pass) (any, error) {
	u := unitOf(pass)
	if u == nil {
		return nil, nil
	}
	for name := range u.declaredNames() {
		if name.kind == memberName {
			continue
		}
		for _, tail := range []string{"_phase", "_group", "_span"} {
			if short, ok := strings.CutSuffix(normal(name.text), tail); ok {
				u.reportf(pass, name.expr, "note: short names are easier to type: %s says as much as %s", strconv.Quote(short), strconv.Quote(name.text))
			}
		}
	}
	return nil, nil
}
