package config

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// position is where a node stood in its file.
type position struct {
	file         string
	line, column int
}

// node is a value of the merged tree: what JSON can say, in order, with its place. Scalars keep their JSON text, so
// that a big number survives.
type node struct {
	kind    jsontext.Kind  // 'n' 't' 'f' '"' '0' '{' '['
	raw     jsontext.Value // of null, booleans and numbers
	text    string         // of strings
	entries []entry        // of mappings
	items   []*node        // of lists
	at      position
}

type entry struct {
	name  string
	at    position
	value *node
}

func stringNode(text string, at position) *node {
	return &node{kind: '"', text: text, at: at}
}

func rawNode(raw string, at position) *node {
	v := jsontext.Value(raw)
	return &node{kind: v.Kind(), raw: v, at: at}
}

func (n *node) isMapping() bool { return n != nil && n.kind == '{' }
func (n *node) isString() bool  { return n != nil && n.kind == '"' }
func (n *node) isScalar() bool  { return n != nil && n.kind != '{' && n.kind != '[' }

// get is the value of a mapping's key, nil when there is none.
func (n *node) get(name string) *node {
	if e := n.entry(name); e != nil {
		return e.value
	}
	return nil
}

func (n *node) entry(name string) *entry {
	if n == nil {
		return nil
	}
	for i := range n.entries {
		if n.entries[i].name == name {
			return &n.entries[i]
		}
	}
	return nil
}

func (n *node) set(name string, v *node) {
	if e := n.entry(name); e != nil {
		e.value = v
		return
	}
	n.entries = append(n.entries, entry{name: name, at: v.at, value: v})
}

func (n *node) remove(name string) {
	for i := range n.entries {
		if n.entries[i].name == name {
			n.entries = append(n.entries[:i:i], n.entries[i+1:]...)
			return
		}
	}
}

// integer is the value of a whole number that fits.
func (n *node) integer() (int, bool) {
	if n == nil || n.kind != '0' {
		return 0, false
	}
	i, err := strconv.Atoi(string(n.raw))
	return i, err == nil
}

// clone copies deeply, taking one from budget per node; nil when the budget ran out.
func (n *node) clone(budget *int) *node {
	if *budget--; *budget < 0 {
		return nil
	}
	c := *n
	c.entries = make([]entry, len(n.entries))
	for i, e := range n.entries {
		if e.value = e.value.clone(budget); e.value == nil {
			return nil
		}
		c.entries[i] = e
	}
	c.items = make([]*node, len(n.items))
	for i, item := range n.items {
		if c.items[i] = item.clone(budget); c.items[i] == nil {
			return nil
		}
	}
	return &c
}

// merge lays over on n: mappings key by key, everything else replaced. The order of n's keys stays, new ones follow.
func (n *node) merge(over *node) *node {
	if !n.isMapping() || !over.isMapping() {
		return over
	}
	index := make(map[string]int, len(n.entries))
	for i, e := range n.entries {
		index[e.name] = i
	}
	for _, e := range over.entries {
		if i, ok := index[e.name]; ok {
			n.entries[i].value = n.entries[i].value.merge(e.value)
			continue
		}
		index[e.name] = len(n.entries)
		n.entries = append(n.entries, e)
	}
	return n
}

// appendJSON writes n compactly. text translates each string value (not the keys); nil writes it as it is.
func (n *node) appendJSON(dst []byte, text func(string) string) []byte {
	switch n.kind {
	case '{':
		dst = append(dst, '{')
		for i, e := range n.entries {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(appendString(dst, e.name), ':')
			dst = e.value.appendJSON(dst, text)
		}
		return append(dst, '}')
	case '[':
		dst = append(dst, '[')
		for i, item := range n.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.appendJSON(dst, text)
		}
		return append(dst, ']')
	case '"':
		if text != nil {
			return appendString(dst, text(n.text))
		}
		return appendString(dst, n.text)
	}
	return append(dst, n.raw...)
}

func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // the only error is invalid UTF-8, which it replaces; parse has refused it before
	return dst
}

// json is n as a JSON value, nil for nil.
func (n *node) json() jsontext.Value {
	if n == nil {
		return nil
	}
	return n.appendJSON(nil, nil)
}
