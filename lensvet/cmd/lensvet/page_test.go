package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/lensgo/lens/lensvet/analyzers"
)

// TestPage holds that docs/lensvet.md has a section for each category of findings, with bad and good code, and for no other.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("../../../docs/lensvet.md")
	if err != nil {
		t.Fatal(err)
	}
	var checks []string
	for _, a := range analyzers.All() {
		checks = append(checks, a.Name)
	}
	for title, want := range map[string][]string{"Checks of a package": checks, "Checks of a program": programCategories(t)} {
		_, chapter, _ := strings.Cut(string(text), "\n## "+title+"\n")
		chapter, _, _ = strings.Cut(chapter, "\n## ")
		sections := strings.Split(chapter, "\n### ")[1:]
		var got []string
		for _, section := range sections {
			name, body, _ := strings.Cut(section, "\n")
			got = append(got, name)
			if !strings.Contains(body, "// bad") || !strings.Contains(body, "// good") {
				t.Errorf("the section %s does not show bad and good code", name)
			}
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%q has the sections %q, want one for each of %q", title, got, want)
		}
	}
}

// programCategories reads the categories of -program where they are declared.
func programCategories(t *testing.T) (categories []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../program/check.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, decl := range file.Decls {
		consts, ok := decl.(*ast.GenDecl)
		if !ok || consts.Tok != token.CONST || !strings.HasPrefix(consts.Doc.Text(), "Categories of findings") {
			continue
		}
		for _, spec := range consts.Specs {
			category, err := strconv.Unquote(spec.(*ast.ValueSpec).Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			categories = append(categories, category)
		}
	}
	if len(categories) == 0 {
		t.Fatal("no constants are documented as categories of findings")
	}
	return categories
}
