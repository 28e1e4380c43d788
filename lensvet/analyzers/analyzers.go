// Package analyzers has the checks of lensvet: what one package shows about how it uses lens.
package analyzers

import "golang.org/x/tools/go/analysis"

// All lists the checks, each of which can run alone.
func All() []*analysis.Analyzer { return nil }
