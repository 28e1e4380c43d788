package analyzers

import (
	"go/ast"
	"go/types"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/inspector"
)

// LoopDefault notes groups of a default preset that are started in a loop. It says nothing unless it is asked to.
var LoopDefault = &analysis.Analyzer{
	Name: "loopdefault",
	Doc: `note groups that are started in a loop and listed in a default preset (off unless -loopdefault.on)

The default preset is for production: a few spans for a job. Presets are joined over all libraries of a program, so one that is loud
is loud for everybody. This is a note, and off, since a loop may be short.`,
	URL:       page + "loopdefault",
	Run:       runLoopDefault,
	Requires:  []*analysis.Analyzer{units},
	FactTypes: []analysis.Fact{new(byDefault)},
}

var loopDefaultOn bool

func init() {
	LoopDefault.Flags.BoolVar(&loopDefaultOn, "on", false, "look for groups of default presets in loops")
}

// byDefault: the variable holds a group that is in a preset named default.
type byDefault struct{}

func (*byDefault) AFact()         {}
func (*byDefault) String() string { return "byDefault" }

func runLoopDefault(pass *analysis.Pass) (any, error) {
	u := unitOf(pass)
	if u == nil || !loopDefaultOn {
		return nil, nil
	}
	quiet := u.defaults()
	for _, site := range u.calls {
		if site.Func.Name != "NewGroup" || len(site.Args) != 1 {
			continue
		}
		name, ok := u.String(site.Args[0])
		if v := u.declaredVar(site.at); ok && v != nil && quiet[normal(name)] {
			pass.ExportObjectFact(v, new(byDefault))
		}
	}
	for _, site := range u.calls {
		v := u.started(site)
		fn, ok := function(site.at)
		if v == nil || !ok || !pass.ImportObjectFact(v, new(byDefault)) || !anyLoop(site.at, fn) {
			continue
		}
		u.reportf(pass, site, "note: %s is started in a loop and is in a default preset, which should stay quiet", v.Name())
	}
	return nil, nil
}

// defaults gives the names of groups that the package puts into a preset named default.
func (u *unit) defaults() map[string]bool {
	found := map[string]bool{}
	for _, p := range u.presets() {
		if key, ok := u.String(p.key); !ok || normal(key) != "default" {
			continue
		}
		lit, ok := ast.Unparen(p.members).(*ast.CompositeLit)
		if !ok {
			continue
		}
		for _, member := range lit.Elts {
			if name, ok := u.member(member); ok {
				found[normal(name)] = true
			}
		}
	}
	return found
}

// member gives the name of a member of a preset: a constant, or the Name of a group that is declared in the package.
func (u *unit) member(e ast.Expr) (string, bool) {
	if name, ok := u.String(e); ok {
		return name, true
	}
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	if !ok {
		return "", false
	}
	c := u.Call(call)
	if c.Func.Recv != "Group" || c.Func.Name != "Name" || c.Recv == nil {
		return "", false
	}
	made, ok := u.Value(c.Recv).(*ast.CallExpr)
	if !ok || len(made.Args) == 0 || u.Call(made).Func.Name != "NewGroup" {
		return "", false
	}
	return u.String(u.Call(made).Args[0])
}

// started gives the variable of the group that a call starts a span of.
func (u *unit) started(site site) *types.Var {
	switch site.Func.Name {
	case "Start", "StartKind", "StartWith", "Do", "Emit", "EmitWith":
		if site.Func.Recv == "Group" && site.Recv != nil {
			return u.Var(site.Recv)
		}
	}
	return nil
}

// anyLoop also goes out of function literals: one in a loop is in the loop.
func anyLoop(at, fn inspector.Cursor) bool {
	for {
		if looped(at, fn) {
			return true
		}
		outer, ok := function(fn)
		if !ok {
			return false
		}
		at, fn = fn, outer
	}
}
