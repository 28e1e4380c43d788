package config

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	resolving = 1
	resolved  = 2

	maxText   = 16 << 20 // bytes of text that interpolation may make
	maxFollow = 1000     // references that lead to references
)

// resolve carries every ${...} of the tree out, in place, and reports values that nobody has set (???).
func resolve(tree *node, ps *problems) {
	r := resolver{tree: tree, ps: ps, state: map[*node]int{}, budget: maxNodes, text: maxText}
	r.value(scope{nodes: []*node{tree}}, tree)
}

type resolver struct {
	tree   *node
	ps     *problems
	state  map[*node]int
	budget int // nodes that may still be copied
	text   int // bytes that may still be made
	follow int
}

// scope is where a value stands: its path, and the mappings and lists around it from the outside in.
type scope struct {
	path  []string
	nodes []*node
}

func (s scope) inside(part string, n *node) scope {
	return scope{path: append(slices.Clip(s.path), part), nodes: append(slices.Clip(s.nodes), n)}
}

func (s scope) String() string { return dotted(s.path) }

// value resolves a value in place, with everything below it. False means that it holds itself.
func (r *resolver) value(s scope, n *node) bool {
	if n.kind == '"' {
		return r.string(s, n)
	}
	if n.isScalar() {
		return true
	}
	switch r.state[n] {
	case resolving:
		return false
	case resolved:
		return true
	}
	r.state[n] = resolving
	for _, e := range n.entries {
		r.value(s.inside(e.name, e.value), e.value)
	}
	for i, item := range n.items {
		r.value(s.inside(strconv.Itoa(i), item), item)
	}
	r.state[n] = resolved
	return true
}

// string resolves a text in place. A text that is one reference and nothing else becomes what it names, with its type.
func (r *resolver) string(s scope, n *node) bool {
	switch r.state[n] {
	case resolving:
		return false
	case resolved:
		return true
	}
	r.state[n] = resolving
	if n.text == "???" {
		r.ps.add(n.at, "%s is ??? and nothing sets it: give it a value in a file, in env.yaml, or with ++%s=VALUE", s, s)
	} else if strings.Contains(n.text, "${") {
		if v := r.expand(s, n.text, n.at); v != nil {
			at := n.at
			*n = *v
			n.at = at
		}
	}
	r.state[n] = resolved
	return true
}

// expand is the value of a text with references, nil when a problem was added.
func (r *resolver) expand(s scope, text string, at position) *node {
	if r.follow++; r.follow > maxFollow {
		r.follow--
		r.ps.add(at, "%s: more than %d references lead to each other", s, maxFollow)
		return nil
	}
	defer func() { r.follow-- }()
	parts, ok := split(text)
	if !ok {
		r.ps.add(at, `%s: ${ without its }; write \${ for the two characters themselves`, s)
		return nil
	}
	if len(parts) == 1 && parts[0].ref {
		return r.reference(s, parts[0].text, at)
	}
	var b strings.Builder
	for _, p := range parts {
		if !p.ref {
			b.WriteString(p.text)
			continue
		}
		v := r.reference(s, p.text, at)
		if v == nil {
			return nil
		}
		if !v.isScalar() {
			r.ps.add(at, "%s: ${%s} is a mapping or a list, which cannot stand inside a text", s, shown(p.text))
			return nil
		}
		b.WriteString(v.plain())
	}
	if r.text -= b.Len(); r.text < 0 {
		r.ps.add(at, "%s: the references of this configuration make more than %d MiB of text", s, maxText>>20)
		return nil
	}
	return stringNode(b.String(), at)
}

// plain is a scalar as text.
func (n *node) plain() string {
	if n.kind == '"' {
		return n.text
	}
	return string(n.raw)
}

// reference is what stands for ${inner}, nil when a problem was added.
func (r *resolver) reference(s scope, inner string, at position) *node {
	if strings.Contains(inner, "${") { // references inside of a reference
		v := r.expand(s, inner, at)
		if v == nil {
			return nil
		}
		if !v.isScalar() {
			r.ps.add(at, "%s: what is inside of ${%s} is a mapping or a list", s, shown(inner))
			return nil
		}
		inner = v.plain()
	}
	name, args, isCall := strings.Cut(inner, ":")
	if !isCall {
		return r.lookup(s, strings.TrimSpace(inner), at)
	}
	switch name = strings.TrimSpace(name); name {
	case "oc.env":
		return r.env(s, args, at)
	case "inherit_from", "copy":
		r.ps.add(at, "%s: ${%s:...} must be the whole value, with a dotted path", s, name)
	default:
		r.ps.add(at, "%s: there is no ${%s:...} here; there is ${a.b}, ${oc.env:VARIABLE,default}, ${inherit_from:a.b} and ${copy:a.b}", s, name)
	}
	return nil
}

// env is ${oc.env:VARIABLE} or ${oc.env:VARIABLE,default}: always a text, but for the default null.
func (r *resolver) env(s scope, args string, at position) *node {
	name, fallback, hasFallback := strings.Cut(args, ",")
	name = unquote(name)
	if name == "" || strings.ContainsAny(name, "= \t\x00") {
		r.ps.add(at, "%s: ${oc.env:...} must name a variable: ${oc.env:VARIABLE} or ${oc.env:VARIABLE,default}", s)
		return nil
	}
	if v, ok := os.LookupEnv(name); ok {
		if !utf8.ValidString(v) {
			r.ps.add(at, "%s: the environment variable %s is not UTF-8", s, name)
			return nil
		}
		return stringNode(v, at)
	}
	if !hasFallback {
		r.ps.add(at, "%s: the environment variable %s is not set; set it, or give a default: ${oc.env:%s,default}", s, name, name)
		return nil
	}
	if strings.TrimSpace(fallback) == "null" {
		return rawNode("null", at)
	}
	return stringNode(unquote(fallback), at)
}

// unquote takes blanks and one pair of quotes away.
func unquote(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		return s[1 : len(s)-1]
	}
	return s
}

// lookup finds what a path means; nil when a problem was added. Dots in front begin at the mapping that the value is in,
// and one further out for each more.
func (r *resolver) lookup(s scope, ref string, at position) *node {
	start, rest := scope{nodes: []*node{r.tree}}, strings.TrimLeft(ref, ".")
	if dots := len(ref) - len(rest); dots > 0 {
		if dots >= len(s.nodes) {
			r.ps.add(at, "%s: ${%s} leads out of the configuration", s, ref)
			return nil
		}
		keep := len(s.nodes) - dots
		start = scope{path: s.path[:keep-1], nodes: s.nodes[:keep]}
	}
	parts, problem := splitKey(rest)
	if problem != "" {
		r.ps.add(at, "%s: ${%s} is no reference: write ${a.b} with names of letters, digits, - and _; \\${ is the two characters themselves", s, shown(ref))
		return nil
	}
	found := start
	for _, part := range parts {
		n := found.nodes[len(found.nodes)-1]
		if n.isString() && !r.string(found, n) {
			r.circle(s, ref, at)
			return nil
		}
		next := n.child(part)
		if next == nil {
			if n.isString() && n.text == "???" { // reported where it stands
				return nil
			}
			r.nothing(s, ref, found, part, n, at)
			return nil
		}
		found = found.inside(part, next)
	}
	return r.take(s, ref, found, at)
}

// take copies what was found, resolved.
func (r *resolver) take(s scope, ref string, found scope, at position) *node {
	n := found.nodes[len(found.nodes)-1]
	if !r.value(found, n) {
		r.circle(s, ref, at)
		return nil
	}
	if n.isString() && n.text == "???" || strings.Contains(n.text, "${") && r.failed(n) { // reported where it stands
		return nil
	}
	c := n.clone(&r.budget)
	if c == nil {
		r.ps.add(at, "%s: the references of this configuration stand for more than %d values", s, maxNodes)
		return nil
	}
	r.finish(c)
	return c
}

// finish keeps a copy of something resolved from being resolved again: its texts may hold a plain ${.
func (r *resolver) finish(n *node) {
	r.state[n] = resolved
	for _, e := range n.entries {
		r.finish(e.value)
	}
	for _, item := range n.items {
		r.finish(item)
	}
}

// failed tells whether a text still holds a reference, which its own problem stands for.
func (r *resolver) failed(n *node) bool {
	parts, ok := split(n.text)
	if !ok {
		return true
	}
	for _, p := range parts {
		if p.ref {
			return len(r.ps.list) > 0
		}
	}
	return false
}

func (r *resolver) circle(s scope, ref string, at position) {
	r.ps.add(at, "%s: ${%s} leads back to itself", s, ref)
}

// nothing says that a reference leads nowhere.
func (r *resolver) nothing(s scope, ref string, found scope, part string, n *node, at position) {
	where := "at the top level"
	if len(found.path) > 0 {
		where = "in " + found.String()
	}
	names := n.names()
	if len(found.path) == 0 {
		names = r.scalars()
	}
	hint := suggest(part, names)
	if len(found.path) == 0 && hint == "" && isFree(part) {
		hint = "; " + giveIt(part)
	}
	r.ps.add(at, "%s: ${%s} names nothing: there is no %s %s%s", s, ref, part, where, hint)
}

func (r *resolver) scalars() []string {
	var names []string
	for _, e := range r.tree.entries {
		if e.value.isScalar() {
			names = append(names, e.name)
		}
	}
	return names
}

// shown is a reference in a message: a default may be a key, so it is left out.
func shown(inner string) string {
	head, _, cut := strings.Cut(inner, ",")
	if cut {
		head += ",..."
	}
	return head
}

func isPlainName(s string) bool {
	for _, c := range []byte(s) {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
		if !letter {
			return false
		}
	}
	return s != ""
}

type part struct {
	text string
	ref  bool
}

// split cuts a string into plain text and references. Backslashes count only directly before ${: two make one, an
// odd one makes the ${ plain.
func split(text string) (parts []part, ok bool) {
	var plain strings.Builder
	rest := text
	for {
		i := strings.Index(rest, "${")
		if i < 0 {
			break
		}
		slashes := trailingBackslashes(rest[:i])
		plain.WriteString(rest[:i-slashes])
		plain.WriteString(strings.Repeat(`\`, slashes/2))
		rest = rest[i:]
		if slashes%2 == 1 {
			plain.WriteString("${")
			rest = rest[2:]
			continue
		}
		end := closing(rest)
		if end < 0 {
			return nil, false
		}
		if plain.Len() > 0 {
			parts = append(parts, part{text: plain.String()})
			plain.Reset()
		}
		parts = append(parts, part{text: rest[2:end], ref: true})
		rest = rest[end+1:]
	}
	plain.WriteString(rest)
	if plain.Len() > 0 {
		parts = append(parts, part{text: plain.String()})
	}
	return parts, true
}

// closing is the place of the } that ends the reference at the beginning of s, -1 when there is none.
func closing(s string) int {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch {
		case strings.HasPrefix(s[i:], "${"):
			depth++
			i++
		case s[i] == '}':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

func trailingBackslashes(s string) int {
	return len(s) - len(strings.TrimRight(s, `\`))
}

// escapeInterpolation writes a resolved string so that resolving it again gives the same.
func escapeInterpolation(s string) string {
	if !strings.Contains(s, "${") {
		return s
	}
	var b strings.Builder
	for {
		i := strings.Index(s, "${")
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		b.WriteString(s[:i])
		b.WriteString(strings.Repeat(`\`, trailingBackslashes(s[:i])+1))
		b.WriteString("${")
		s = s[i+2:]
	}
}
