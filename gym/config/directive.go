package config

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// The directives of a mapping. Their short forms are ${inherit_from:a.b} and ${copy:a.b}.
const (
	keyInherit = "_inherit_from" // take a.b over, lay this mapping over it, and remove a.b
	keyCopy    = "_copy"         // the same, and leave a.b
	keyDelete  = "_delete_key"   // take keys away: "x, y"
)

// direct carries the directives of a merged tree out, in place, and gives what a user should know.
//
// A source is read as the files and overrides left it, with its own directives carried out. What was inherited from is
// removed at the end, so that several entries may inherit from one.
func direct(tree *node, ps *problems) (notes []string) {
	if !tree.hasDirective() {
		return nil
	}
	d := director{root: tree, ps: ps, state: map[*node]int{}, results: map[*node]*node{}, budget: maxNodes}
	for _, key := range []string{keyInherit, keyCopy, keyDelete} {
		if e := tree.entry(key); e != nil && e.value.kind != 'n' {
			ps.add(e.at, "%s has no meaning at the top level: write it inside an entry", key)
		}
	}
	out := make([]entry, len(tree.entries))
	for i, e := range tree.entries {
		e.value = d.expand([]string{e.name}, e.value)
		out[i] = e
	}
	tree.entries = out
	for _, path := range d.moved {
		tree.prune(path)
	}
	return d.notes
}

// hasDirective tells whether there is anything to carry out.
func (n *node) hasDirective() bool {
	switch n.kind {
	case '"':
		_, _, ok := shortDirective(n.text)
		return ok
	case '{':
		for _, e := range n.entries {
			if e.name == keyInherit || e.name == keyCopy || e.name == keyDelete || e.value.hasDirective() {
				return true
			}
		}
	case '[':
		return slices.ContainsFunc(n.items, (*node).hasDirective)
	}
	return false
}

// shortDirective takes ${inherit_from:a.b} apart.
func shortDirective(text string) (key, path string, ok bool) {
	inner, ok := strings.CutPrefix(text, "${")
	if !ok || !strings.HasSuffix(inner, "}") {
		return "", "", false
	}
	name, path, ok := strings.Cut(strings.TrimSuffix(inner, "}"), ":")
	switch name {
	case "inherit_from":
		return keyInherit, strings.TrimSpace(path), ok
	case "copy":
		return keyCopy, strings.TrimSpace(path), ok
	}
	return "", "", false
}

// director carries directives out. The tree is not changed meanwhile.
type director struct {
	root    *node
	ps      *problems
	notes   []string
	state   map[*node]int
	results map[*node]*node
	moved   [][]string
	budget  int
	depth   int
}

// expand is n with its directives carried out; path is where it stands.
func (d *director) expand(path []string, n *node) *node {
	switch d.state[n] {
	case resolved:
		return d.results[n]
	case resolving:
		d.ps.add(n.at, "%s inherits from itself, or from something inside of it", dotted(path))
		return rawNode("null", n.at)
	}
	d.state[n] = resolving
	if d.depth++; d.depth > maxDepth {
		d.ps.add(n.at, "%s: nested deeper than %d", dotted(path), maxDepth)
		d.results[n] = rawNode("null", n.at)
	} else {
		d.results[n] = d.expandNew(path, n)
	}
	d.depth--
	d.state[n] = resolved
	return d.results[n]
}

func (d *director) expandNew(path []string, n *node) *node {
	switch n.kind {
	case '{':
		return d.mapping(path, n)
	case '[':
		list := *n
		list.items = make([]*node, len(n.items))
		for i, item := range n.items {
			list.items[i] = d.expand(append(slices.Clip(path), strconv.Itoa(i)), item)
		}
		return &list
	case '"':
		if key, from, ok := shortDirective(n.text); ok {
			if v := d.source(path, key, from, n.at); v != nil {
				return v
			}
			return rawNode("null", n.at)
		}
	}
	return n
}

// mapping carries the directives of one mapping out: its own keys lie over those of its source.
func (d *director) mapping(path []string, n *node) *node {
	gone := d.deletions(path, n)
	own := &node{kind: '{', at: n.at}
	var from *entry
	for i, e := range n.entries {
		switch {
		case len(path) > 0 && (e.name == keyInherit || e.name == keyCopy):
			if from != nil {
				d.ps.add(e.at, "%s has both %s and %s: one source is all that a mapping takes", dotted(path), keyInherit, keyCopy)
			}
			from = &n.entries[i]
		case e.name == keyDelete:
		default:
			if _, ok := gone[e.name]; ok {
				gone[e.name] = true
				continue
			}
			e.value = d.expand(append(slices.Clip(path), e.name), e.value)
			own.entries = append(own.entries, e)
		}
	}
	result := own
	if from != nil {
		result = d.inherit(path, from, own)
	}
	d.deleteRest(path, n, result, gone, from != nil)
	return result
}

// inherit lays a mapping over its source.
func (d *director) inherit(path []string, from *entry, own *node) *node {
	if !from.value.isString() {
		d.ps.add(from.at, "%s.%s must be a dotted path, for example other_entry.resources_servers", dotted(path), from.name)
		return own
	}
	base := d.source(path, from.name, from.value.text, from.value.at)
	switch {
	case base == nil: // was reported
		return own
	case base.isMapping():
		return base.merge(own)
	case base.isString() && base.text == "???": // the value is as unset as its source
		return base
	}
	d.ps.add(from.value.at, "%s.%s: %s is no mapping, so nothing can be laid over it", dotted(path), from.name, from.value.text)
	return own
}

// source is a copy of what stands at a dotted path, with its directives carried out; nil when a problem was added.
func (d *director) source(path []string, key, from string, at position) *node {
	parts, problem := splitKey(from)
	if problem != "" {
		d.ps.add(at, "%s: %s %q is no dotted path", dotted(path), key, from)
		return nil
	}
	if len(parts) <= len(path) && slices.Equal(parts, path[:len(parts)]) {
		d.ps.add(at, "%s inherits from %s, which it is a part of", dotted(path), from)
		return nil
	}
	n := d.root
	for i, part := range parts {
		if i > 0 && n.isMapping() && (n.get(keyInherit) != nil || n.get(keyCopy) != nil) || n.isString() {
			n = d.expand(parts[:i], n)
		}
		if n.isString() && n.text == "???" {
			break
		}
		next := n.get(part)
		if next == nil {
			d.ps.add(at, "%s: %s names nothing: there is no %s%s", dotted(path), from, dotted(parts[:i+1]), suggest(part, n.names()))
			return nil
		}
		n = next
	}
	if !n.isString() || n.text != "???" {
		n = d.expand(parts, n)
	}
	if key == keyInherit {
		d.moved = append(d.moved, parts)
	}
	c := n.clone(&d.budget)
	if c == nil {
		d.ps.add(at, "%s: the directives of this configuration stand for more than %d values", dotted(path), maxNodes)
		return nil
	}
	c.at = at
	return c
}

// deletions reads _delete_key; the values say what was found.
func (d *director) deletions(path []string, n *node) map[string]bool {
	v := n.get(keyDelete)
	if v == nil || v.kind == 'n' {
		return nil
	}
	gone := map[string]bool{}
	list := []*node{v}
	if v.kind == '[' {
		list = v.items
	}
	for _, item := range list {
		if !item.isString() {
			d.ps.add(item.at, "%s.%s must be a text of names with commas between them", dotted(path), keyDelete)
			continue
		}
		for name := range strings.SplitSeq(item.text, ",") {
			if name = strings.TrimSpace(name); name != "" {
				gone[name] = false
			}
		}
	}
	return gone
}

// deleteRest deletes what came with the source. A name that is not there is an error when there is a source, as it would
// keep something that should go; in a mapping of its own it may belong to a file that is not merged this time.
func (d *director) deleteRest(path []string, n, result *node, gone map[string]bool, inherits bool) {
	for _, name := range slices.Sorted(maps.Keys(gone)) {
		there := result.get(name) != nil
		at := n.get(keyDelete).at
		switch {
		case there:
			result.remove(name)
		case gone[name]:
		case inherits:
			d.ps.add(at, "%s.%s names %q, and there is no such key%s", dotted(path), keyDelete, name, suggest(name, result.names()))
		default:
			d.notes = append(d.notes, fmt.Sprintf("%s:%d: %s.%s names %q, and there is no such key", at.file, at.line, dotted(path), keyDelete, name))
		}
	}
}

// prune removes what stands at a path, and the mappings that are empty without it.
func (n *node) prune(path []string) {
	next := n.get(path[0])
	if next == nil {
		return
	}
	if len(path) == 1 {
		n.remove(path[0])
		return
	}
	before := len(next.entries)
	next.prune(path[1:])
	if before > 0 && len(next.entries) == 0 {
		n.remove(path[0])
	}
}

// dotted is a path as text; an index of a list stands in brackets.
func dotted(path []string) string {
	var b strings.Builder
	for i, part := range path {
		switch {
		case i > 0 && part != "" && strings.Trim(part, "0123456789") == "":
			b.WriteString("[" + part + "]")
		case i > 0:
			b.WriteString("." + part)
		default:
			b.WriteString(part)
		}
	}
	return b.String()
}
