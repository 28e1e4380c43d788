package config

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The operations of an override, by what stands before its key.
const (
	opSet    = ""   // key=value changes what is there
	opAdd    = "+"  // +key=value adds a key, or changes it
	opForce  = "++" // the same
	opDelete = "~"  // ~key takes a key away
)

// Override applies overrides to a configuration that is loaded already, for instance one that was asked from a head server.
func (g *Graph) Override(over Overrides) error {
	var ps problems
	for _, name := range slices.Sorted(maps.Keys(over.Values)) {
		g.tree.set(name, stringNode(over.Values[name], position{file: "override " + name}))
	}
	for _, o := range parseOverrides(over.Args, &ps) {
		o.apply(g.tree, &ps)
	}
	if err := ps.err(); err != nil {
		return err
	}
	g.Instances = graphOf(g.tree).Instances
	for _, in := range g.Instances {
		in.graph = g
	}
	return nil
}

// override is one override of the command line.
type override struct {
	op    string
	key   string   // as it was written
	path  []string // its parts
	value *node    // nil of a deletion without one
	at    position
}

// isOverride tells an override from another argument of a command line.
func isOverride(arg string) bool {
	return strings.HasPrefix(arg, "~") || strings.HasPrefix(arg, "+") || strings.Contains(arg, "=") && !strings.HasPrefix(arg, "-")
}

// IsOverride tells whether an argument of a command line is meant as an override: it begins with + or ~, or holds a = and is
// no flag.
func IsOverride(arg string) bool { return isOverride(arg) }

// ParseOverride checks one override. The grammar is that of Hydra, as far as it concerns one value:
//
//	override = [ "+" | "++" ] key "=" [ value ]  |  "~" key [ "=" value ]
//	key      = name { "." name | "[" digits "]" }
//	value    = quoted | list | mapping | plain
//	list     = "[" [ value { "," value } ] "]"
//	mapping  = "{" [ key ":" value { "," key ":" value } ] "}"
//
// A plain value is null, true, false, a number, or a text; a backslash takes the meaning from the character after it.
// Between quotes everything is text, and \" is a quote. ${...} keeps its meaning in both. What Hydra has beyond one value,
// sweeps (a,b), functions (choice(...)) and config groups (group/option, key@package), is refused.
func ParseOverride(arg string) error {
	var ps problems
	parseOverride(arg, &ps)
	return ps.err()
}

func parseOverrides(args []string, ps *problems) []override {
	var list []override
	for _, arg := range args {
		if o, ok := parseOverride(arg, ps); ok {
			list = append(list, o)
		}
	}
	return list
}

func parseOverride(arg string, ps *problems) (override, bool) {
	o := override{}
	rest := arg
	for _, op := range []string{opForce, opAdd, opDelete} {
		if after, ok := strings.CutPrefix(rest, op); ok {
			o.op, rest = op, after
			break
		}
	}
	key, text, hasValue := strings.Cut(rest, "=")
	o.key = strings.TrimSpace(key)
	o.at = position{file: "override " + o.op + o.key}
	if !utf8.ValidString(arg) {
		ps.add(position{file: "override"}, "an override must be UTF-8")
		return o, false
	}
	var problem string
	if o.path, problem = splitKey(o.key); problem != "" {
		ps.add(o.at, "%s", problem)
		return o, false
	}
	if !hasValue {
		if o.op != opDelete {
			ps.add(o.at, "an override needs a value: write %s%s=VALUE", o.op, o.key)
		}
		return o, o.op == opDelete
	}
	p := valueParser{text: text, at: o.at, base: utf8.RuneCountInString(arg[:len(arg)-len(text)]), ps: ps}
	o.value = p.whole()
	return o, o.value != nil
}

// splitKey takes a dotted key apart; problem says what is wrong with it.
func splitKey(key string) (parts []string, problem string) {
	if key == "" {
		return nil, "an override needs a key: write KEY=VALUE, for example policy_model_name=NAME"
	}
	if i := strings.IndexAny(key, "/@"); i >= 0 {
		return nil, "config groups and packages (" + key[i:i+1] + ") are not known here: an override names one value, for example policy_model.responses_api_models.openai_model.extra_body"
	}
	for dotted := range strings.SplitSeq(key, ".") {
		name, indexes, _ := strings.Cut(dotted, "[")
		if !isPlainName(name) {
			return nil, "the key " + strconv.Quote(key) + " holds an empty part, or more than letters, digits, - and _ between its dots"
		}
		parts = append(parts, name)
		if len(name) == len(dotted) {
			continue
		}
		for index := range strings.SplitSeq(indexes, "[") {
			digits, closed := strings.CutSuffix(index, "]")
			if _, err := strconv.ParseUint(digits, 10, 31); err != nil || !closed {
				return nil, "the key " + strconv.Quote(key) + " holds an index that is not closed, or no number: write name[0]"
			}
			parts = append(parts, digits)
		}
	}
	return parts, ""
}

func (o override) isConfigPaths() bool { return len(o.path) == 1 && o.path[0] == "config_paths" }

// apply changes the tree.
func (o override) apply(tree *node, ps *problems) {
	switch {
	case o.isConfigPaths(): // was carried out when files were read
	case o.op == opDelete:
		o.delete(tree, ps)
	default:
		o.set(tree, ps)
	}
}

// set puts the value in its place, and makes the mappings on the way to it where the operation allows.
func (o override) set(tree *node, ps *problems) {
	strict := o.op == opSet && !isFree(o.path[0])
	n := tree
	for i, part := range o.path[:len(o.path)-1] {
		next := n.child(part)
		if next == nil || next.isScalar() {
			if strict {
				o.absent(n, i, ps)
				return
			}
			next = &node{kind: '{', at: o.at}
			if !n.setChild(part, next) {
				o.noIndex(n, i, ps)
				return
			}
		}
		n = next
	}
	last := len(o.path) - 1
	old := n.child(o.path[last])
	switch {
	case old == nil && strict:
		o.absent(n, last, ps)
		return
	case old != nil:
		o.value = old.merge(o.value)
	}
	if !n.setChild(o.path[last], o.value) {
		o.noIndex(n, last, ps)
	}
}

// delete takes a key away; with a value only when it has it.
func (o override) delete(tree *node, ps *problems) {
	n := tree
	for i, part := range o.path {
		next := n.child(part)
		if next == nil {
			ps.add(o.at, "there is no %s to delete%s", strings.Join(o.path[:i+1], "."), suggest(part, n.names()))
			return
		}
		if i < len(o.path)-1 {
			n = next
			continue
		}
		if o.value != nil && string(o.value.json()) != string(next.json()) {
			ps.add(o.at, "%s has another value, so it was not deleted", o.key)
			return
		}
		n.removeChild(part)
	}
}

// absent says that the key of a plain override does not exist.
func (o override) absent(n *node, i int, ps *problems) {
	ps.add(o.at, "there is no %s to change%s; to add it, write +%s=VALUE", strings.Join(o.path[:i+1], "."),
		suggest(o.path[i], n.names()), o.key)
}

func (o override) noIndex(n *node, i int, ps *problems) {
	ps.add(o.at, "%s is a list of %d: its elements are 0 to %d, and %d adds one", strings.Join(o.path[:i], "."), len(n.items),
		len(n.items)-1, len(n.items))
}

// child is a mapping's value or a list's element, nil when there is none.
func (n *node) child(part string) *node {
	if n.kind != '[' {
		return n.get(part)
	}
	if i, err := strconv.Atoi(part); err == nil && i >= 0 && i < len(n.items) {
		return n.items[i]
	}
	return nil
}

// setChild puts a value into a mapping or a list; false means that the list has no such place.
func (n *node) setChild(part string, v *node) bool {
	if n.kind != '[' {
		n.set(part, v)
		return true
	}
	i, err := strconv.Atoi(part)
	switch {
	case err != nil || i < 0 || i > len(n.items):
		return false
	case i == len(n.items):
		n.items = append(n.items, v)
	default:
		n.items[i] = v
	}
	return true
}

func (n *node) removeChild(part string) {
	if n.kind != '[' {
		n.remove(part)
		return
	}
	if i, err := strconv.Atoi(part); err == nil && i >= 0 && i < len(n.items) {
		n.items = slices.Delete(n.items, i, i+1)
	}
}

// names are the keys of a mapping.
func (n *node) names() []string {
	var names []string
	for _, e := range n.entries {
		names = append(names, e.name)
	}
	return names
}
