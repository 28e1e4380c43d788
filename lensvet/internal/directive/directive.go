// Package directive reads the comments that silence a check where they stand:
//
//	//lensvet:ignore unused its call sites are in the plugin
//	var Kernel = lens.NewGroup("kernel")
//
// The category comes first, then the reason, without which the comment counts for nothing. It silences the line that it is
// on, and the line below the comment that it is part of.
package directive

import (
	"go/ast"
	"go/token"
	"strings"
)

const prefix = "//lensvet:ignore "

// Set is the lines that silence something.
type Set map[line]bool

type line struct {
	file     string
	number   int
	category string
}

// Read collects the directives of files.
func Read(fset *token.FileSet, files []*ast.File) Set {
	s := Set{}
	for _, file := range files {
		for _, group := range file.Comments {
			for _, comment := range group.List {
				s.add(fset.Position(comment.Pos()), fset.Position(group.End()).Line+1, comment.Text)
			}
		}
	}
	return s
}

func (s Set) add(at token.Position, below int, text string) {
	rest, ok := strings.CutPrefix(text, prefix)
	if !ok {
		return
	}
	category, reason, _ := strings.Cut(strings.TrimSpace(rest), " ")
	if strings.TrimSpace(reason) == "" {
		return
	}
	s[line{at.Filename, at.Line, category}] = true
	s[line{at.Filename, below, category}] = true
}

// Ignores reports whether a category is silenced at a place.
func (s Set) Ignores(at token.Position, category string) bool {
	return s[line{at.Filename, at.Line, category}]
}
