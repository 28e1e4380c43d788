package config

import (
	"strconv"
	"strings"
)

// directives are keys of the full grammar that this reader does not carry out.
var directives = map[string]string{
	"_inherit_from": "inheriting from another entry",
	"_copy":         "copying another entry",
	"_delete_key":   "deleting keys",
}

// resolve replaces ${name} in every string of the tree, in place, and reports what it must not pass over: unset
// values, directives and references that it does not know. In a tree that was merged elsewhere, directives have been
// carried out: what is left of them means nothing.
func resolve(tree *node, merged bool, ps *problems) {
	r := resolver{tree: tree, merged: merged, ps: ps, state: map[string]int{}}
	for i := range tree.entries {
		r.top(tree.entries[i].name)
	}
}

const (
	resolving = 1
	resolved  = 2
)

type resolver struct {
	tree   *node
	merged bool
	ps     *problems
	state  map[string]int // of top-level entries
}

// top resolves one top-level entry, once.
func (r *resolver) top(name string) {
	e := r.tree.entry(name)
	if e == nil || r.state[name] != 0 {
		return
	}
	r.state[name] = resolving
	if name == "config_paths" && !r.merged {
		r.ps.add(e.at, "config_paths inside a file is not supported yet: give every file to --config, in order, later ones win")
	}
	e.value = r.value(name, e.value)
	r.state[name] = resolved
}

// value resolves a value in place; path is its dotted name.
func (r *resolver) value(path string, n *node) *node {
	switch n.kind {
	case '{':
		for i := range n.entries {
			e := &n.entries[i]
			if what, ok := directives[e.name]; ok && !r.merged {
				r.ps.add(e.at, "%s.%s: %s is not supported yet: write the value out", path, e.name, what)
				continue
			}
			e.value = r.value(path+"."+e.name, e.value)
		}
	case '[':
		for i := range n.items {
			n.items[i] = r.value(path+"["+strconv.Itoa(i)+"]", n.items[i])
		}
	case '"':
		return r.text(path, n)
	}
	return n
}

// text resolves one string. A string that is one reference and nothing else takes the value with its type.
func (r *resolver) text(path string, n *node) *node {
	if n.text == "???" {
		r.ps.add(n.at, "%s is ??? and nothing sets it: give it a value here or in a later file", path)
		return n
	}
	if !strings.Contains(n.text, "${") {
		return n
	}
	parts, ok := r.split(path, n)
	if !ok {
		return n
	}
	if len(parts) == 1 && parts[0].ref {
		if v := r.lookup(path, parts[0].text, n); v != nil {
			c := *v
			c.at = n.at
			return &c
		}
		return n
	}
	var b strings.Builder
	for _, p := range parts {
		if !p.ref {
			b.WriteString(p.text)
			continue
		}
		v := r.lookup(path, p.text, n)
		if v == nil {
			return n
		}
		b.WriteString(v.plain())
	}
	return stringNode(b.String(), n.at)
}

// plain is a scalar as text.
func (n *node) plain() string {
	if n.kind == '"' {
		return n.text
	}
	return string(n.raw)
}

// lookup finds the top-level scalar that ${name} means; nil when a problem was added.
func (r *resolver) lookup(path, name string, n *node) *node {
	e := r.tree.entry(name)
	switch {
	case !isPlainName(name):
		r.ps.add(n.at, "%s: ${%s} is not supported yet: only ${name} of a single value at the top level is", path, name)
		return nil
	case e == nil:
		r.ps.add(n.at, "%s: ${%s} names nothing: there is no %s at the top level%s", path, name, name,
			suggest(name, r.scalars()))
		return nil
	case r.state[name] == resolving:
		r.ps.add(n.at, "%s: ${%s} leads back to itself", path, name)
		return nil
	}
	r.top(name)
	v := r.tree.get(name)
	if !v.isScalar() {
		r.ps.add(n.at, "%s: ${%s} must name a single value, not a mapping or a list", path, name)
		return nil
	}
	if v.isString() && v.text == "???" { // reported where it stands
		return nil
	}
	return v
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
func (r *resolver) split(path string, n *node) (parts []part, ok bool) {
	var plain strings.Builder
	rest := n.text
	for {
		i := strings.Index(rest, "${")
		if i < 0 {
			break
		}
		slashes := trailingBackslashes(rest[:i])
		plain.WriteString(rest[:i-slashes])
		plain.WriteString(strings.Repeat(`\`, slashes/2))
		rest = rest[i+2:]
		if slashes%2 == 1 {
			plain.WriteString("${")
			continue
		}
		end := strings.IndexByte(rest, '}')
		if end < 0 {
			r.ps.add(n.at, `%s: ${ without its }; write \${ for the two characters themselves`, path)
			return nil, false
		}
		if plain.Len() > 0 {
			parts = append(parts, part{text: plain.String()})
			plain.Reset()
		}
		parts = append(parts, part{text: rest[:end], ref: true})
		rest = rest[end+1:]
	}
	plain.WriteString(rest)
	if plain.Len() > 0 {
		parts = append(parts, part{text: plain.String()})
	}
	return parts, true
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
