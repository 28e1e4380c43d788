package analyzers

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/ast/edge"
	"golang.org/x/tools/go/ast/inspector"

	"github.com/lensgo/lens/lensvet/internal/surface"
)

// EagerWork finds work that is done for a span whether or not there is one.
var EagerWork = &analysis.Analyzer{
	Name: "eagerwork",
	Doc: `find work that is done for a span even when its group is off

Arguments are evaluated before lens sees them. Formatting, encoding and reading the clock in an argument cost what they cost
whether the group is on or off; put them behind Span.Recording or Group.Enabled.`,
	URL:      page + "eagerwork",
	Run:      runEagerWork,
	Requires: []*analysis.Analyzer{units, knowing},
}

// gatedMethods do nothing when the group is off, save that their arguments have been worked out. Err and EndErr are not
// among them: an error has been made for other reasons, or on a path that is rare.
var gatedMethods = map[surface.Func]bool{}

func init() {
	for _, name := range []string{"Str", "Int", "Int64", "Float", "Bool", "Strs", "Time", "Duration", "Set", "Event", "Link", "SetName", "Fail", "EndAt"} {
		gatedMethods[surface.Func{Recv: "Span", Name: name}] = true
	}
	for _, name := range []string{"Start", "StartKind", "StartWith", "Do", "Emit", "EmitWith"} {
		gatedMethods[surface.Func{Recv: "Group", Name: name}] = true
		gatedMethods[surface.Func{Recv: "Registry", Name: name}] = true
		gatedMethods[surface.Func{Name: name}] = true
	}
}

func runEagerWork(pass *analysis.Pass) (any, error) {
	u := unitOf(pass)
	if u == nil {
		return nil, nil
	}
	w := &worker{unit: u, k: pass.ResultOf[knowing].(*knowledge), pass: pass}
	w.guards = newGuards(u, w.k)
	for _, site := range u.calls {
		if !gatedMethods[site.Func] {
			continue
		}
		for _, arg := range site.Args {
			if at, ok := site.at.FindNode(arg); ok {
				w.look(site, at)
			}
		}
	}
	return nil, nil
}

type worker struct {
	*unit
	k      *knowledge
	guards *guards
	pass   *analysis.Pass
}

// look reports the work in an argument, the outermost of what is nested.
func (w *worker) look(site site, arg inspector.Cursor) {
	arg.Inspect(nil, func(at inspector.Cursor) bool {
		switch n := at.Node().(type) {
		case *ast.FuncLit:
			return false // done later, or never
		case ast.Expr:
			what := w.work(n)
			if what == "" || w.named(site, arg) {
				return true
			}
			if !w.guards.guarded(at) {
				w.found(site, at, what)
			}
			return false
		}
		return true
	})
	w.prepared(arg)
}

// named leaves what spanname reports to it.
func (w *worker) named(site site, arg inspector.Cursor) bool {
	if !slices.Contains(w.k.namesIn(w.unit, site.CallExpr), arg.Node().(ast.Expr)) {
		return false
	}
	b, _ := w.k.bound(w.unit, arg.Node().(ast.Expr))
	return b == free
}

func (w *worker) found(site site, at inspector.Cursor, what string) {
	d := analysis.Diagnostic{
		Pos: at.Node().Pos(), End: at.Node().End(),
		Message: what + " is worked out even when the group is off: put it behind Span.Recording or Group.Enabled",
	}
	if fix, ok := w.guard(site); ok {
		d.SuggestedFixes = []analysis.SuggestedFix{fix}
	}
	w.report(w.pass, d)
}

// prepared reports a variable that is worked out before and is there for spans only.
func (w *worker) prepared(arg inspector.Cursor) {
	for at := range arg.Preorder((*ast.Ident)(nil)) {
		v, ok := w.info.Uses[at.Node().(*ast.Ident)].(*types.Var)
		if !ok || v.Kind() != types.LocalVar {
			continue
		}
		call, what := w.maker(v, at)
		if what == "" || w.guards.guarded(call) || !w.onlyForSpans(v, at) {
			continue
		}
		w.reportf(w.pass, call.Node().(ast.Expr), "%s is worked out only for a span, even when the group is off: put it behind Span.Recording or Group.Enabled", what)
	}
}

// maker gives the call that a variable is set to, if that is work and the variable is set once.
func (w *worker) maker(v *types.Var, at inspector.Cursor) (call inspector.Cursor, what string) {
	fn, ok := function(at)
	if !ok {
		return call, ""
	}
	for def := range fn.Preorder((*ast.AssignStmt)(nil)) {
		n := def.Node().(*ast.AssignStmt)
		if n.Tok != token.DEFINE || len(n.Rhs) != 1 {
			continue
		}
		if id, ok := n.Lhs[0].(*ast.Ident); !ok || w.info.Defs[id] != v {
			continue
		}
		made, ok := ast.Unparen(n.Rhs[0]).(*ast.CallExpr)
		if !ok {
			return call, ""
		}
		if pkg, name := w.pure(made); pkg == "" || pkg == "time" {
			return call, ""
		} else if what = pkg + "." + name; true {
			call, _ = def.FindNode(made)
			return call, what
		}
	}
	return call, ""
}

// onlyForSpans reports whether a variable is set once and named in arguments of unguarded calls of lens only. It is told
// at the first of them.
func (w *worker) onlyForSpans(v *types.Var, first inspector.Cursor) bool {
	fn, ok := function(first)
	if !ok {
		return false
	}
	found := false
	for at := range fn.Preorder((*ast.Ident)(nil)) {
		if w.info.Uses[at.Node().(*ast.Ident)] != v {
			continue
		}
		if !found && at != first {
			return false
		}
		found = true
		if !w.inGated(at) {
			return false
		}
	}
	return found
}

// inGated reports whether a place is in an argument of a call that does nothing when the group is off.
func (w *worker) inGated(at inspector.Cursor) bool {
	for ; at.Valid() && at.Node() != nil; at = at.Parent() {
		if _, ok := at.Node().(ast.Stmt); ok {
			return false
		}
		if at.ParentEdgeKind() == edge.CallExpr_Args && gatedMethods[w.Call(at.Parent().Node().(*ast.CallExpr)).Func] {
			return true
		}
	}
	return false
}

// pureFuncs cost something and change nothing.
var pureFuncs = map[string][]string{
	"fmt":           {"Sprint", "Sprintf", "Sprintln", "Append", "Appendf", "Appendln"},
	"encoding/json": {"Marshal", "MarshalIndent"},
	"strings":       {"Join", "Repeat"},
	"time":          {"Now", "Since", "Until"},
}

// pure gives the names of a function that costs something and changes nothing.
func (w *worker) pure(call *ast.CallExpr) (pkg, name string) {
	fn := w.Callee(call)
	if fn == nil || fn.Pkg() == nil || fn.Signature().Recv() != nil || !slices.Contains(pureFuncs[fn.Pkg().Path()], fn.Name()) {
		return "", ""
	}
	return fn.Pkg().Name(), fn.Name()
}

// work says what an expression costs by itself, and nothing for what is free or not known to be dear.
func (w *worker) work(e ast.Expr) string {
	if tv, ok := w.info.Types[e]; !ok || tv.Value != nil || tv.IsType() {
		return ""
	}
	switch e := e.(type) {
	case *ast.BinaryExpr:
		if e.Op == token.ADD && isString(w.info.TypeOf(e)) {
			return "a concatenation"
		}
	case *ast.CallExpr:
		if pkg, name := w.pure(e); pkg != "" {
			return pkg + "." + name
		}
		if tv := w.info.Types[e.Fun]; tv.IsType() {
			return w.conversion(tv.Type, e)
		}
		return w.method(e)
	}
	return ""
}

func (w *worker) conversion(to types.Type, e *ast.CallExpr) string {
	if len(e.Args) != 1 || !isString(to) {
		return ""
	}
	if _, ok := w.info.TypeOf(e.Args[0]).Underlying().(*types.Slice); ok {
		return "a conversion of bytes to a string"
	}
	return ""
}

// method knows Error and String, which format as a rule.
func (w *worker) method(e *ast.CallExpr) string {
	fn := w.Callee(e)
	if fn == nil || fn.Signature().Recv() == nil || fn.Signature().Params().Len() > 0 || fn.Signature().Results().Len() != 1 ||
		!isString(fn.Signature().Results().At(0).Type()) {
		return ""
	}
	switch fn.Name() {
	case "Error":
		return "Error()"
	case "String":
		if recv := fn.Signature().Recv().Type(); isGetter(recv) || isString(recv) {
			return ""
		}
		return "String()"
	}
	return ""
}

// isGetter knows types whose String gives what is there already.
func isGetter(t types.Type) bool {
	named := surface.Named(t)
	return named != nil && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == "strings" && named.Obj().Name() == "Builder"
}

// guard puts the statement of a call behind the span's Recording. That is safe where the statement does nothing but set
// something on a span that is a plain name, and working its arguments out changes nothing.
func (w *worker) guard(site site) (fix analysis.SuggestedFix, ok bool) {
	if site.Func.Recv != "Span" || site.Func.Name == "EndAt" {
		return fix, false
	}
	stmt := site.at
	for stmt.ParentEdgeKind() == edge.SelectorExpr_X || stmt.ParentEdgeKind() == edge.CallExpr_Fun {
		stmt = stmt.Parent() // the rest of the chain
	}
	if stmt.ParentEdgeKind() != edge.ExprStmt_X || !listed(stmt.Parent()) {
		return fix, false
	}
	last := w.Call(stmt.Node().(*ast.CallExpr)).Func
	if last.Recv != "Span" || last.Name == "End" || last.Name == "EndAt" || last.Name == "EndErr" || !w.harmless(stmt) {
		return fix, false
	}
	root := stmt.Node().(ast.Expr)
	for {
		if call, ok := root.(*ast.CallExpr); ok {
			root = call.Fun
		} else if sel, ok := root.(*ast.SelectorExpr); ok && !isIdent(sel.X) {
			root = sel.X
		} else if ok {
			root = sel.X
			break
		} else {
			return fix, false
		}
	}
	if t := w.info.TypeOf(root); t == nil || !isValue(t, "Span") {
		return fix, false
	}
	name := root.(*ast.Ident).Name
	n := stmt.Parent().Node()
	return analysis.SuggestedFix{Message: "Put it behind " + name + ".Recording()", TextEdits: []analysis.TextEdit{
		{Pos: n.Pos(), End: n.Pos(), NewText: []byte("if " + name + ".Recording() {\n")},
		w.below(stmt.Parent(), "}"),
	}}, true
}

func isIdent(e ast.Expr) bool { _, ok := e.(*ast.Ident); return ok }

// harmless reports whether everything that a statement calls is of lens or changes nothing.
func (w *worker) harmless(stmt inspector.Cursor) bool {
	for at := range stmt.Preorder((*ast.CallExpr)(nil), (*ast.UnaryExpr)(nil), (*ast.FuncLit)(nil)) {
		switch n := at.Node().(type) {
		case *ast.FuncLit:
			return false
		case *ast.UnaryExpr:
			if n.Op == token.ARROW {
				return false
			}
		case *ast.CallExpr:
			if !w.harmlessCall(n) {
				return false
			}
		}
	}
	return true
}

func (w *worker) harmlessCall(call *ast.CallExpr) bool {
	if tv := w.info.Types[call.Fun]; tv.IsType() {
		return true
	}
	if tv := w.info.Types[call.Fun]; tv.IsBuiltin() {
		id, ok := ast.Unparen(call.Fun).(*ast.Ident)
		return ok && slices.Contains([]string{"len", "cap", "min", "max"}, id.Name)
	}
	f := w.Call(call).Func
	return f.Recv == "Span" || f.Recv == "" && f.Name != "" || w.work(call) != ""
}
