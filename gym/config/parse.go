package config

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"
)

const (
	maxNodes = 1 << 20 // of one file with its aliases written out: a few nested aliases can mean millions
	maxDepth = 1000    // of mappings and lists in each other
	maxKeys  = 5000    // of one mapping that is written in lines: for each key the library goes over those after it once more
)

// DecodeYAML reads a document that is a mapping, from a file of that name, into v, a pointer to a struct with json tags, within the
// bounds that hold for configurations. A key that v does not have is an error.
func DecodeYAML(file string, data []byte, v any) error {
	var ps problems
	tree := parse(file, data, &ps)
	if tree == nil {
		return errors.New(ps.list[0].String())
	}
	if err := json.Unmarshal(tree.json(), v, json.RejectUnknownMembers(true)); err != nil {
		return errors.New(misfit(tree, "", "", err).String())
	}
	return nil
}

// parse reads one YAML document that is a mapping. Nil means that problems were added.
func parse(file string, data []byte, ps *problems) *node {
	top := position{file: file, line: 1, column: 1}
	data = bytes.TrimPrefix(data, []byte("\uFEFF"))
	if at, ok := invalidUTF8(data); ok {
		at.file = file
		ps.add(at, "the file is not UTF-8 here")
		return nil
	}
	doc, err := parseAST(data)
	if err != nil {
		ps.list = append(ps.list, syntaxProblem(file, err))
		return nil
	}
	empty := &node{kind: '{', at: top}
	var bodies []ast.Node
	for _, d := range doc.Docs {
		if d.Body != nil && d.Body.Type() != ast.NullType && d.Body.Type() != ast.DirectiveType {
			bodies = append(bodies, d.Body)
		}
	}
	if len(bodies) == 0 {
		return empty
	}
	if len(bodies) > 1 {
		ps.add(placeOf(file, bodies[1]), "a second document begins here: one file holds one document")
		return nil
	}
	c := converter{file: file, ps: ps, anchors: map[string]*node{}, budget: maxNodes}
	before := len(ps.list)
	tree := c.convert(bodies[0], 0)
	if len(ps.list) > before {
		return nil
	}
	if !tree.isMapping() {
		ps.add(tree.at, "the file must be a mapping of names to values")
		return nil
	}
	return tree
}

// parseAST calls the YAML library; a panic in it is an error of the input, not of the program.
func parseAST(data []byte) (f *ast.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			f, err = nil, fmt.Errorf("the YAML cannot be parsed (%v)", p)
		}
	}()
	tokens := lexer.Tokenize(string(data))
	if t := tooDeep(tokens); t != nil {
		return nil, &yaml.SyntaxError{Message: fmt.Sprintf("nested deeper than %d", maxDepth), Token: t}
	}
	if t := tooManyKeys(tokens); t != nil {
		return nil, &yaml.SyntaxError{Token: t, Message: fmt.Sprintf("more than %d keys in one mapping, or as much in several; "+
			"in braces, {a: 1, b: 2}, there may be more", maxKeys)}
	}
	return parser.Parse(tokens, 0)
}

// tooDeep finds where mappings and lists are nested deeper than is allowed, as far as one line can do that: with brackets, and
// with what may stand many times before one value (- - - x). The library's memory grows with the square of the depth, so that
// a file of 200 KB could take all there is. Nesting by indentation costs the file that much itself.
func tooDeep(tokens token.Tokens) *token.Token {
	open, before, line := 0, 0, 0
	for _, t := range tokens {
		if t.Position.Line != line {
			before, line = 0, t.Position.Line
		}
		switch t.Type {
		case token.MappingStartType, token.SequenceStartType:
			open, before = open+1, 0
		case token.MappingEndType, token.SequenceEndType:
			open, before = open-1, 0
		case token.CollectEntryType:
			before = 0
		case token.SequenceEntryType, token.MappingKeyType, token.MappingValueType, token.TagType, token.AnchorType:
			before++
		}
		if open > maxDepth || before > maxDepth {
			return t
		}
	}
	return nil
}

// tooManyKeys finds where the mappings that are written in lines have more keys than is allowed. What the library does for one of
// them grows with the square of its keys, and a file may have many: all of them together may take what one of maxKeys does.
func tooManyKeys(tokens token.Tokens) *token.Token {
	var (
		mappings         []keyColumn // that are open, from the outermost
		start            *token.Token
		line, open, work int
	)
	for _, t := range tokens {
		if t.Position.Line != line {
			line, start = t.Position.Line, nil
		}
		switch t.Type {
		case token.DocumentHeaderType:
			mappings = nil
		case token.MappingStartType, token.SequenceStartType:
			open++
		case token.MappingEndType, token.SequenceEndType:
			open--
		}
		if open > 0 {
			continue
		}
		switch {
		case t.Type == token.SequenceEntryType && start == nil: // what follows is a mapping of its own
			mappings = closeTo(mappings, t.Position.Column)
			continue
		case start == nil:
			start = t
		}
		if t.Type != token.MappingValueType {
			continue
		}
		mappings = closeTo(mappings, start.Position.Column)
		if n := len(mappings); n == 0 || mappings[n-1].column < start.Position.Column {
			mappings = append(mappings, keyColumn{column: start.Position.Column})
		}
		m := &mappings[len(mappings)-1]
		work += m.keys
		if m.keys++; work > maxKeys*maxKeys/2 {
			return t
		}
	}
	return nil
}

// keyColumn is a mapping by the column of its keys.
type keyColumn struct{ column, keys int }

// closeTo ends the mappings that stand further to the right.
func closeTo(mappings []keyColumn, column int) []keyColumn {
	for len(mappings) > 0 && mappings[len(mappings)-1].column > column {
		mappings = mappings[:len(mappings)-1]
	}
	return mappings
}

func syntaxProblem(file string, err error) Problem {
	ye, ok := errors.AsType[yaml.Error](err)
	if !ok {
		return Problem{File: file, Text: err.Error(), Err: err}
	}
	// The error's own text has the source in it, and takes minutes where that is one long line.
	p := Problem{File: file, Text: ye.GetMessage(), Err: errors.New(ye.GetMessage())}
	if tk := ye.GetToken(); tk != nil && tk.Position != nil {
		p.Line, p.Column = tk.Position.Line, tk.Position.Column
	}
	return p
}

func invalidUTF8(data []byte) (position, bool) {
	if utf8.Valid(data) {
		return position{}, false
	}
	line, column := 1, 1
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			break
		}
		column++
		if r == '\n' {
			line, column = line+1, 1
		}
		data = data[size:]
	}
	return position{line: line, column: column}, true
}

func placeOf(file string, n ast.Node) position {
	at := position{file: file, line: 1, column: 1}
	if tk := n.GetToken(); tk != nil && tk.Position != nil {
		at.line, at.column = tk.Position.Line, tk.Position.Column
	}
	return at
}

// converter turns the library's tree into ours.
type converter struct {
	file    string
	ps      *problems
	anchors map[string]*node
	budget  int
}

// fail adds a problem and gives a value to go on with.
func (c *converter) fail(n ast.Node, format string, args ...any) *node {
	at := placeOf(c.file, n)
	c.ps.add(at, format, args...)
	return rawNode("null", at)
}

func (c *converter) convert(n ast.Node, depth int) *node {
	if n == nil {
		return rawNode("null", position{file: c.file, line: 1, column: 1})
	}
	if depth > maxDepth {
		return c.fail(n, "nested deeper than %d", maxDepth)
	}
	if c.budget--; c.budget < 0 {
		return c.fail(n, "more than %d values in one file", maxNodes)
	}
	at := placeOf(c.file, n)
	switch n := n.(type) {
	case *ast.MappingNode:
		return c.mapping(n.Values, at, depth)
	case *ast.MappingValueNode:
		return c.mapping([]*ast.MappingValueNode{n}, at, depth)
	case *ast.SequenceNode:
		list := &node{kind: '[', at: at}
		for _, v := range n.Values {
			list.items = append(list.items, c.convert(v, depth+1))
		}
		return list
	case *ast.AnchorNode:
		v := c.convert(n.Value, depth+1)
		c.anchors[nameOf(n.Name)] = v
		return v
	case *ast.AliasNode:
		return c.alias(n)
	case *ast.TagNode:
		return c.tagged(n, depth)
	}
	return c.scalar(n, at)
}

func nameOf(n ast.Node) string {
	if n == nil || n.GetToken() == nil {
		return ""
	}
	return n.GetToken().Value
}

// alias copies what the anchor holds: the tree is changed in place later, so nothing may be shared.
func (c *converter) alias(n *ast.AliasNode) *node {
	name := nameOf(n.Value)
	v, ok := c.anchors[name]
	if !ok {
		return c.fail(n, "*%s stands before, or without, an anchor &%s", name, name)
	}
	if v = v.clone(&c.budget); v == nil {
		return c.fail(n, "the aliases of this file stand for more than %d values", maxNodes)
	}
	return v
}

func (c *converter) tagged(n *ast.TagNode, depth int) *node {
	switch tag := n.Start.Value; tag {
	case "!!str":
		if v := c.convert(n.Value, depth+1); v.kind == '"' || n.Value == nil || n.Value.GetToken() == nil {
			return v
		}
		return stringNode(n.Value.GetToken().Value, placeOf(c.file, n.Value))
	case "!!int", "!!float", "!!bool", "!!null", "!!map", "!!seq":
		return c.convert(n.Value, depth+1)
	default:
		return c.fail(n, "the tag %s is not known here", tag)
	}
}

func (c *converter) scalar(n ast.Node, at position) *node {
	switch n := n.(type) {
	case *ast.NullNode:
		return rawNode("null", at)
	case *ast.BoolNode:
		return rawNode(strconv.FormatBool(n.Value), at)
	case *ast.StringNode:
		if n.Token.Type == token.StringType { // unquoted: the library calls a number text when no Go type holds it
			return numberOrText(n.Value, at)
		}
		return stringNode(n.Value, at)
	case *ast.LiteralNode:
		if n.Value == nil {
			return stringNode("", at)
		}
		return stringNode(n.Value.Value, at)
	case *ast.IntegerNode:
		return integerNode(n, at)
	case *ast.FloatNode:
		return c.floatNode(n, at)
	case *ast.InfinityNode, *ast.NanNode:
		return c.fail(n, "%s is a number that JSON does not have", n.GetToken().Value)
	}
	return c.fail(n, "a %s cannot stand here", strings.ToLower(n.Type().String()))
}

func integerNode(n *ast.IntegerNode, at position) *node {
	switch v := n.Value.(type) {
	case int64:
		return rawNode(strconv.FormatInt(v, 10), at)
	case uint64:
		return rawNode(strconv.FormatUint(v, 10), at)
	}
	return numberOrText(n.Token.Value, at)
}

func (c *converter) floatNode(n *ast.FloatNode, at position) *node {
	if v := jsontext.Value(n.Token.Value); v.IsValid() && v.Kind() == '0' {
		return rawNode(n.Token.Value, at)
	}
	if math.IsInf(n.Value, 0) || math.IsNaN(n.Value) {
		return c.fail(n, "%s is a number that JSON does not have", n.Token.Value)
	}
	return rawNode(strconv.FormatFloat(n.Value, 'g', -1, 64), at)
}

// numberOrText keeps the digits of a number that no Go type holds.
func numberOrText(s string, at position) *node {
	if v := jsontext.Value(s); v.IsValid() && v.Kind() == '0' {
		return rawNode(s, at)
	}
	return stringNode(s, at)
}

// mapping converts the pairs; what comes through a merge key loses to a key that is written out.
func (c *converter) mapping(values []*ast.MappingValueNode, at position, depth int) *node {
	m := &node{kind: '{', at: at}
	index := make(map[string]bool, len(values))
	var merged []*node
	for _, v := range values {
		if v.Key.IsMergeKey() {
			merged = append(merged, c.mergeSources(v.Value, depth)...)
			continue
		}
		name, ok := c.key(v.Key)
		if !ok {
			continue
		}
		if index[name] {
			c.fail(v.Key, "the key %q stands twice in this mapping", name)
			continue
		}
		index[name] = true
		m.entries = append(m.entries, entry{name: name, at: placeOf(c.file, v.Key), value: c.convert(v.Value, depth+1)})
	}
	for _, source := range merged {
		for _, e := range source.entries {
			if !index[e.name] {
				index[e.name] = true
				m.entries = append(m.entries, e)
			}
		}
	}
	return m
}

// mergeSources are the mappings behind a merge key: one, or a list of them.
func (c *converter) mergeSources(n ast.Node, depth int) []*node {
	v := c.convert(n, depth+1)
	if v.isMapping() {
		return []*node{v}
	}
	for _, item := range v.items {
		if !item.isMapping() {
			c.fail(n, "<< takes a mapping or a list of mappings")
			return nil
		}
	}
	if v.kind != '[' {
		c.fail(n, "<< takes a mapping or a list of mappings")
	}
	return v.items
}

func (c *converter) key(k ast.Node) (string, bool) {
	switch k := k.(type) {
	case *ast.StringNode:
		return k.Value, true
	case *ast.MappingKeyNode:
		if k.Value != nil {
			return c.key(k.Value)
		}
	case *ast.AnchorNode:
		name, ok := c.key(k.Value)
		c.anchors[nameOf(k.Name)] = stringNode(name, placeOf(c.file, k))
		return name, ok
	case *ast.AliasNode:
		if v := c.alias(k); v.isString() {
			return v.text, true
		}
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return k.GetToken().Value, true
	}
	c.fail(k, "a key must be a text")
	return "", false
}

// parseJSON reads what Encode wrote, without the price of the YAML parser.
func parseJSON(b []byte) (*node, error) {
	d := jsontext.NewDecoder(bytes.NewReader(b))
	n, err := jsonNode(d)
	if err != nil {
		return nil, err
	}
	if rest := bytes.TrimSpace(b[d.InputOffset():]); len(rest) > 0 {
		return nil, errors.New("text after the end of the JSON value")
	}
	return n, nil
}

func jsonNode(d *jsontext.Decoder) (*node, error) {
	switch d.PeekKind() {
	case '{':
		return jsonObject(d)
	case '[':
		return jsonList(d)
	case '"':
		tok, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		return stringNode(tok.String(), position{}), nil
	}
	v, err := d.ReadValue()
	if err != nil {
		return nil, err
	}
	return rawNode(string(v), position{}), nil
}

func jsonObject(d *jsontext.Decoder) (*node, error) {
	m := &node{kind: '{'}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	for d.PeekKind() == '"' {
		tok, err := d.ReadToken()
		if err != nil {
			return nil, err
		}
		name := tok.String()
		v, err := jsonNode(d)
		if err != nil {
			return nil, err
		}
		m.entries = append(m.entries, entry{name: name, value: v})
	}
	_, err := d.ReadToken()
	return m, err
}

func jsonList(d *jsontext.Decoder) (*node, error) {
	list := &node{kind: '['}
	if _, err := d.ReadToken(); err != nil {
		return nil, err
	}
	for k := d.PeekKind(); k != ']' && k != jsontext.KindInvalid; k = d.PeekKind() {
		v, err := jsonNode(d)
		if err != nil {
			return nil, err
		}
		list.items = append(list.items, v)
	}
	_, err := d.ReadToken()
	return list, err
}
