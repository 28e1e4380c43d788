package analyzers

import (
	"go/ast"
	"go/types"
	"reflect"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/lensgo/lens/lensvet/internal/surface"
)

// knowing learns which functions are wrappers of lens, and lets packages that import them know.
var knowing = &analysis.Analyzer{
	Name:       "lensknowledge",
	Doc:        "find functions that start spans for their callers, pass names on, or ask whether a group is on",
	Run:        learn,
	ResultType: reflect.TypeFor[*knowledge](),
	Requires:   []*analysis.Analyzer{units},
	FactTypes:  []analysis.Fact{new(startsSpan), new(namesSpan), new(asksGate), new(returnsNames)},
}

// startsSpan: the function returns a span that it started and that its caller has to end.
type startsSpan struct{ Result int }

// namesSpan: arguments of the function become part of the name of a span.
type namesSpan struct{ Params []int }

// asksGate: the function returns true only if a group is on or a span records.
type asksGate struct{}

// returnsNames: the function returns strings of its source, or what is made of these arguments.
type returnsNames struct{ Params []int }

func (*startsSpan) AFact()   {}
func (*namesSpan) AFact()    {}
func (*asksGate) AFact()     {}
func (*returnsNames) AFact() {}

func (*startsSpan) String() string   { return "startsSpan" }
func (*namesSpan) String() string    { return "namesSpan" }
func (*asksGate) String() string     { return "asksGate" }
func (*returnsNames) String() string { return "returnsNames" }

// knowledge answers for functions of lens, of this package and of those that it imports.
type knowledge struct {
	starting map[*types.Func]int
	naming   map[*types.Func][]int
	asking   map[*types.Func]bool
	telling  map[*types.Func]*returnsNames
	pass     *analysis.Pass
}

func learn(pass *analysis.Pass) (any, error) {
	k := &knowledge{
		starting: map[*types.Func]int{}, naming: map[*types.Func][]int{},
		asking: map[*types.Func]bool{}, telling: map[*types.Func]*returnsNames{}, pass: pass,
	}
	u := unitOf(pass)
	if u == nil {
		return k, nil
	}
	// A wrapper may wrap a wrapper that is declared below it: until nothing new is learnt.
	for again := true; again; {
		again = false
		for file := range u.root.Children() {
			if u.skip[file.Node().(*ast.File)] {
				continue
			}
			for decl := range file.Children() {
				if fn, ok := decl.Node().(*ast.FuncDecl); ok && fn.Body != nil {
					again = k.learn(u, decl, fn) || again
				}
			}
		}
	}
	return k, nil
}

// learn looks at one function and reports whether something was new.
func (k *knowledge) learn(u *unit, at inspector.Cursor, decl *ast.FuncDecl) (news bool) {
	fn, ok := u.info.Defs[decl.Name].(*types.Func)
	if !ok {
		return false
	}
	if _, known := k.starting[fn]; !known {
		if i, ok := k.handsOut(u, at, fn.Signature()); ok {
			k.starting[fn], news = i, true
			k.pass.ExportObjectFact(fn, &startsSpan{i})
		}
	}
	if !k.asking[fn] && k.gateOf(u, decl) {
		k.asking[fn], news = true, true
		k.pass.ExportObjectFact(fn, new(asksGate))
	}
	if k.telling[fn] == nil {
		if params, ok := k.namesOf(u, at); ok {
			k.telling[fn], news = &returnsNames{params}, true
			k.pass.ExportObjectFact(fn, k.telling[fn])
		}
	}
	if params := k.namedBy(u, at); len(params) > len(k.naming[fn]) {
		k.naming[fn], news = params, true
		k.pass.ExportObjectFact(fn, &namesSpan{params})
	}
	return news
}

// starts says whether a function starts a span for its caller, and which of its results that is.
func (k *knowledge) starts(fn *types.Func) (result int, ok bool) {
	if fn == nil {
		return 0, false
	}
	fn = fn.Origin()
	switch f := surface.Of(fn); f.Name {
	case "Start", "StartKind", "StartWith":
		if f.Recv == "" || f.Recv == "Group" || f.Recv == "Registry" {
			return 1, true
		}
	}
	if result, ok = k.starting[fn]; ok {
		return result, true
	}
	var fact startsSpan
	if k.foreign(fn) && k.pass.ImportObjectFact(fn, &fact) {
		return fact.Result, true
	}
	return 0, false
}

// names gives the parameters of a function that become part of a span's name.
func (k *knowledge) names(fn *types.Func) []int {
	if fn == nil {
		return nil
	}
	fn = fn.Origin()
	switch f := surface.Of(fn); f.Name {
	case "Start", "StartKind", "StartWith", "Do", "Wrap", "Emit", "EmitWith":
		if f.Recv == "" || f.Recv == "Group" || f.Recv == "Registry" {
			return []int{1}
		}
	}
	if params, ok := k.naming[fn]; ok {
		return params
	}
	var fact namesSpan
	if k.foreign(fn) && k.pass.ImportObjectFact(fn, &fact) {
		return fact.Params
	}
	return nil
}

// asks says whether a function asks if a group is on or a span records.
func (k *knowledge) asks(fn *types.Func) bool {
	if fn == nil {
		return false
	}
	fn = fn.Origin()
	switch surface.Of(fn) {
	case surface.Func{Recv: "Group", Name: "Enabled"}, surface.Func{Recv: "Span", Name: "Recording"}:
		return true
	}
	return k.asking[fn] || k.foreign(fn) && k.pass.ImportObjectFact(fn, new(asksGate))
}

// tells says whether a function returns strings of its source, or what is made of some of its arguments.
func (k *knowledge) tells(fn *types.Func) (params []int, ok bool) {
	if surface.Of(fn) == (surface.Func{Recv: "Group", Name: "Name"}) {
		return nil, true
	}
	fact := k.telling[fn]
	if fact == nil {
		fact = new(returnsNames)
		if !k.foreign(fn) || !k.pass.ImportObjectFact(fn, fact) {
			return nil, false
		}
	}
	return fact.Params, true
}

func (k *knowledge) foreign(fn *types.Func) bool { return fn.Pkg() != nil && fn.Pkg() != k.pass.Pkg }

// handsOut says whether a function returns a span that it has started and does nothing else with: one that it also
// ends or stores may be ended by somebody else.
func (k *knowledge) handsOut(u *unit, fn inspector.Cursor, sig *types.Signature) (int, bool) {
	result := slices.IndexFunc(slices.Collect(sig.Results().Variables()), func(v *types.Var) bool { return surface.Is(v.Type(), "Span") })
	if result < 0 {
		return 0, false
	}
	if _, pointer := types.Unalias(sig.Results().At(result).Type()).(*types.Pointer); pointer {
		return 0, false
	}
	found := false
	for s := range u.starts(k) {
		if s.fn != fn {
			continue
		}
		switch v := u.held(s); {
		case s.call.ParentEdgeKind() == edge.ReturnStmt_Results:
			found = true
		case v == nil || !u.onlyReturned(fn, v, sig.Results().At(result)):
			return 0, false
		default:
			found = true
		}
	}
	return result, found
}

// held is local, and also takes a named result.
func (u *unit) held(s start) *types.Var {
	if v := u.local(s); v != nil || s.span == nil {
		return v
	}
	if v, ok := u.info.ObjectOf(s.span).(*types.Var); ok && v.Kind() == types.ResultVar {
		return v
	}
	return nil
}

// onlyReturned reports whether a variable of a function is returned, and its span neither ended nor given to others.
func (u *unit) onlyReturned(fn inspector.Cursor, v, result *types.Var) bool {
	returned := v == result
	for use := range u.uses(fn, v) {
		switch use.kind {
		case useWrites, useSet:
		case useEnds:
			return false
		case useEscapes:
			if use.nested || !use.returned() {
				return false
			}
			returned = true
		}
	}
	return returned
}

// returned reports whether the place is a result in a return statement, perhaps at the end of a chain of setters.
func (u use) returned() bool {
	for at := u.at; ; {
		switch at.ParentEdgeKind() {
		case edge.ReturnStmt_Results:
			return true
		case edge.ParenExpr_X, edge.SelectorExpr_X, edge.CallExpr_Fun:
			at = at.Parent()
		default:
			return false
		}
	}
}

// gateOf says whether a function is nothing but a question to a gate.
func (k *knowledge) gateOf(u *unit, decl *ast.FuncDecl) bool {
	if len(decl.Body.List) != 1 {
		return false
	}
	ret, ok := decl.Body.List[0].(*ast.ReturnStmt)
	return ok && len(ret.Results) == 1 && entails(ret.Results[0], true, func(part ast.Expr, value bool) bool {
		return value && k.gate(u, part)
	})
}

// gate says whether an expression is true only if a group is on or a span records.
func (k *knowledge) gate(u *unit, e ast.Expr) bool {
	if v := u.variable(e); v != nil {
		exprs, all := u.Settings(v)
		return all && len(exprs) > 0 && !slices.ContainsFunc(exprs, func(e ast.Expr) bool {
			call, ok := ast.Unparen(e).(*ast.CallExpr)
			return !ok || !k.asks(u.Callee(call))
		})
	}
	call, ok := ast.Unparen(e).(*ast.CallExpr)
	return ok && k.asks(u.Callee(call))
}

// variable gives the variable or field that e names.
func (u *unit) variable(e ast.Expr) *types.Var {
	if v := u.Var(e); v != nil {
		return v
	}
	return u.Field(e)
}
