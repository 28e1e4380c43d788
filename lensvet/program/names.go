package program

import (
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/lensgo/lens/lensvet/internal/surface"
)

// anything is the pattern of a name of which nothing is known. No name of a group or a preset can hold it.
const anything = "*"

// mostNames bounds how many names one expression may stand for; beyond, it is anything.
const mostNames = 64

// mostSteps bounds the search for names, which may go round in a circle: s = s + "x".
const mostSteps = 1000

// binding is what the parameters of a function are given in one call.
type binding struct {
	args  map[*types.Var]value
	outer *binding // of the function that the call is in
}

// names gives the patterns of the strings that a value can be, sorted.
func (r *reader) names(v value) []string { return r.namesIn(v, nil, new(int)) }

func (r *reader) namesIn(v value, b *binding, steps *int) []string {
	if *steps++; *steps > mostSteps {
		return []string{anything}
	}
	if text := constantOf(v); text != "" {
		return []string{normalise(text)}
	}
	var out []string
	switch e := ast.Unparen(v.Expr).(type) {
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			out = joined(r.namesIn(v.with(e.X), b, steps), r.namesIn(v.with(e.Y), b, steps))
		}
	case *ast.CallExpr:
		out = r.called(v, e, b, steps)
	case *ast.CompositeLit: // a list that is ranged over
		for _, elt := range e.Elts {
			if isString(v.in.TypesInfo.TypeOf(elt)) {
				out = append(out, r.namesIn(v.with(elt), b, steps)...)
			}
		}
	default:
		out = r.traced(v, b, steps)
	}
	if len(out) == 0 || len(out) > mostNames {
		return []string{anything}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// traced gives what a variable, or what else leads somewhere else, can be.
func (r *reader) traced(v value, b *binding, steps *int) (out []string) {
	if at := variable(v.in, v.Expr); at != nil && b != nil {
		if arg, bound := b.args[at]; bound {
			return r.namesIn(arg, b.outer, steps)
		}
	}
	for _, from := range r.origins(v) {
		if from.Expr == v.Expr {
			return nil
		}
		out = append(out, r.namesIn(from, b, steps)...)
	}
	return out
}

// called gives what a call returns, as far as it is a plain matter of text.
func (r *reader) called(v value, call *ast.CallExpr, b *binding, steps *int) []string {
	if args, ok := through(v.in, call); ok && len(args) == 1 && isString(v.in.TypesInfo.TypeOf(args[0])) {
		return r.namesIn(v.with(args[0]), b, steps)
	}
	fn := v.in.lens.Callee(call)
	if fn == nil {
		return nil
	}
	switch fn.FullName() {
	case "(*" + surface.Path + ".Group).Name":
		return r.nameOf(v, call)
	case "fmt.Sprintf":
		if len(call.Args) > 0 {
			return r.formatted(v, call, b, steps)
		}
	case "strings.ToLower", "strings.TrimSpace": // as lens does to each name
		if len(call.Args) > 0 {
			return r.namesIn(v.with(call.Args[0]), b, steps)
		}
	}
	return r.traced(v, b, steps)
}

// nameOf gives the names of the groups on which Name is called.
func (r *reader) nameOf(v value, call *ast.CallExpr) (out []string) {
	recv := v.in.lens.Call(call).Recv
	if recv == nil {
		return nil
	}
	for _, from := range r.origins(v.with(recv)) {
		if d := r.declared[from.Expr]; d != nil {
			out = append(out, d.names...)
		} else {
			return nil
		}
	}
	return out
}

// formatted gives what fmt.Sprintf makes of a constant format.
func (r *reader) formatted(v value, call *ast.CallExpr, b *binding, steps *int) []string {
	format := constantOf(v.with(call.Args[0]))
	args := call.Args[1:]
	out := []string{""}
	for format != "" {
		text, rest, verb := strings.Cut(format, "%")
		out = joined(out, []string{strings.ToLower(text)})
		format = rest
		if !verb {
			break
		}
		flags := strings.TrimLeft(format, "0123456789+-# .[]*")
		plain := flags == format
		if flags == "" {
			return nil
		}
		letter := flags[0]
		format = flags[1:]
		piece := []string{anything}
		switch {
		case letter == '%':
			piece = []string{"%"}
		case (letter == 's' || letter == 'v') && plain && len(args) > 0 && isString(v.in.TypesInfo.TypeOf(args[0])):
			piece = r.namesIn(v.with(args[0]), b, steps)
		}
		if letter != '%' && len(args) > 0 {
			args = args[1:]
		}
		out = joined(out, piece)
	}
	return out
}

// joined gives every pattern of the first list before every one of the second.
func joined(first, second []string) []string {
	if len(first)*len(second) > mostNames {
		return []string{anything}
	}
	var out []string
	for _, a := range first {
		for _, b := range second {
			out = append(out, strings.ReplaceAll(a+b, anything+anything, anything))
		}
	}
	return out
}

// members gives the patterns in a list of strings. The second result is false when the source does not show the list.
func (r *reader) members(v value) (out []member, whole bool) {
	whole = true
	for _, from := range r.origins(v) {
		lit, ok := from.Expr.(*ast.CompositeLit)
		switch {
		case isString(from.typ()):
			out = append(out, r.memberOf(from)...)
		case ok:
			for _, elt := range lit.Elts {
				if kv, keyed := elt.(*ast.KeyValueExpr); keyed {
					elt = kv.Value
				}
				out = append(out, r.memberOf(from.with(elt))...)
			}
		case !isMake(from):
			whole = false
		}
	}
	return out, whole
}

// member is a name in a preset.
type member struct {
	name string
	at   value
}

func (r *reader) memberOf(v value) (out []member) {
	for _, name := range r.names(v) {
		out = append(out, member{name, v})
	}
	return out
}

// isMake reports whether a value is a new container, filled elsewhere.
func isMake(v value) bool {
	call, ok := v.Expr.(*ast.CallExpr)
	if !ok {
		return false
	}
	tv := v.in.TypesInfo.Types[call.Fun]
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	return ok && tv.IsBuiltin() && (id.Name == "make" || id.Name == "new")
}

// constantOf gives the value of a constant string expression.
func constantOf(v value) string {
	tv := v.in.TypesInfo.Types[v.Expr]
	if tv.Value == nil || tv.Value.Kind() != constant.String {
		return ""
	}
	return constant.StringVal(tv.Value)
}

// normalise gives names the form in which lens compares them.
func normalise(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// fits reports whether a name can be what a pattern stands for.
func fits(pattern, name string) bool {
	head, tail, open := strings.Cut(pattern, anything)
	if !open {
		return pattern == name
	}
	name, ok := strings.CutPrefix(name, head)
	if !ok {
		return false
	}
	for i := range len(name) + 1 {
		if fits(tail, name[i:]) {
			return true
		}
	}
	return false
}
