package program

import (
	"fmt"
	"path"
)

// Options says how a program is built. The zero value is a build for this system without tags.
type Options struct {
	Tags []string // build tags
	Env  []string // of the go command, as in os.Environ; nil: this process's
}

// Program is what a program can say about itself. Every list is sorted, and none is nil. It does not change after [Load]
// and is safe for concurrent use.
type Program struct {
	Patterns  []string  `json:"patterns"` // as they were given
	Libraries []Library `json:"libraries"`
	Groups    []Group   `json:"groups"`
	Presets   []Preset  `json:"presets"`  // without "all", which every registry has
	Problems  []Problem `json:"problems"` // of packages that do not compile: the lists may be short of what these hold

	findings []Finding
}

// Library is a declaration that is registered.
type Library struct {
	Namespace string   `json:"namespace"` // a pattern with * when it is no constant
	Version   string   `json:"version"`   // empty when it is no constant
	Registry  string   `json:"registry"`  // empty: the default one
	Position  Position `json:"position"`  // of the call that registers it
	Groups    []string `json:"groups"`
	Presets   []string `json:"presets"`
	Opaque    bool     `json:"opaque"` // there are groups or presets that the source does not show
}

// Group is a span group: one name in one registry, whichever packages make a handle for it.
type Group struct {
	Name       string        `json:"name"`     // for a dynamic group: its patterns, with | between them
	Dynamic    bool          `json:"dynamic"`  // the name is no constant
	Source     string        `json:"source"`   // of a dynamic name
	Registry   string        `json:"registry"` // empty: the default one; else where it was made
	Declared   []Declaration `json:"declared"` // calls of NewGroup
	Namespaces []string      `json:"namespaces"`
	Perhaps    []string      `json:"perhaps"` // dynamic groups that may be this one; only for what no library lists
	Sites      []Site        `json:"sites"`
}

// Declaration is a place that makes a handle.
type Declaration struct {
	Position
	Doc string `json:"doc"` // the comment at its variable or field
}

// Doc gives the first comment at a declaration of the group.
func (g Group) Doc() string {
	for _, d := range g.Declared {
		if d.Doc != "" {
			return d.Doc
		}
	}
	return ""
}

// docIn gives the comment at a declaration beside a library, so that it is the library's own where several share a name.
func (g Group) docIn(l Library) string {
	for _, d := range g.Declared {
		if d.Doc != "" && path.Dir(d.File) == path.Dir(l.Position.File) {
			return d.Doc
		}
	}
	return g.Doc()
}

// Registered reports whether a library lists the group.
func (g Group) Registered() bool { return len(g.Namespaces) > 0 }

// Site is a place that uses a group.
type Site struct {
	Position
	Kind Kind   `json:"kind"`
	Func string `json:"func"` // that it is in: train.(*Trainer).Step; empty at the package level
	Name string `json:"name"` // of the span, when it is a constant
	Call string `json:"call"` // for Start and Check the method or function of lens; for Pass what the handle is passed to
}

// Kind is how a place uses a handle.
type Kind string

// The kinds.
const (
	Start  Kind = "start"  // starts a span, wraps a function
	Check  Kind = "check"  // asks whether the group is on
	Pass   Kind = "pass"   // passes the handle to a function
	Store  Kind = "store"  // puts it into a field, a channel, an interface
	Return Kind = "return" // returns it to a caller
)

// Preset is the union of what libraries put into a preset of one name.
type Preset struct {
	Name       string   `json:"name"`
	Registry   string   `json:"registry"`   // empty: the default one
	Namespaces []string `json:"namespaces"` // of the libraries
	Groups     []string `json:"groups"`     // members that are registered
	Absent     []string `json:"absent"`     // members that nobody in this build registers
	Opaque     bool     `json:"opaque"`     // there are members that the source does not show
}

// Problem is why a package could not be read in full.
type Problem struct {
	Package string `json:"package"`
	Where   string `json:"where"` // file:line:column; may be empty
	Message string `json:"message"`
}

func (p Problem) String() string {
	if p.Where == "" {
		return p.Package + ": " + p.Message
	}
	return p.Where + ": " + p.Message
}

// Position is a place in a source file.
type Position struct {
	File   string `json:"file"` // relative to the folder of Load, with slashes; module@version/file for a dependency's
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

func (p Position) String() string { return fmt.Sprintf("%s:%d", p.File, p.Line) }
