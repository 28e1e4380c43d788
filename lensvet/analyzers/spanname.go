package analyzers

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"
)

// SpanName finds span names that are made of values of the program.
var SpanName = &analysis.Analyzer{
	Name: "spanname",
	Doc: `find names of spans that are not constant

A backend groups spans by name. A name that holds an id, a path or an error text makes as many groups as there are values, and
none can be counted or compared. What varies is an attribute.`,
	URL:      page + "spanname",
	Run:      runSpanName,
	Requires: []*analysis.Analyzer{units, knowing},
}

func runSpanName(pass *analysis.Pass) (any, error) {
	u := unitOf(pass)
	if u == nil {
		return nil, nil
	}
	k := pass.ResultOf[knowing].(*knowledge)
	for at := range u.each((*ast.CallExpr)(nil)) {
		for _, name := range k.namesIn(u, at.Node().(*ast.CallExpr)) {
			if b, _ := k.bound(u, name); b == free {
				u.reportf(pass, name, "the name of a span must be constant: each value makes a span of its own kind in a backend; put what varies into an attribute")
			}
		}
	}
	return nil, nil
}
