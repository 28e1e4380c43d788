package config

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// YAML writes the merged tree as YAML that reads back as the same, here and in Python. It holds keys and tokens as the files
// do: print that of [Graph.Redacted].
func (g *Graph) YAML() []byte { return g.yaml(false) }

// AnnotatedYAML is YAML with a comment behind each value that says which file and line, or which override, it comes from.
func (g *Graph) AnnotatedYAML() []byte { return g.yaml(true) }

// JSON writes the merged tree as indented JSON. As with YAML, print that of [Graph.Redacted].
func (g *Graph) JSON() []byte {
	if g == nil || g.tree == nil {
		return []byte("{}\n")
	}
	g.fill()
	v := jsontext.Value(g.tree.appendJSON(nil, escapeInterpolation))
	if err := v.Indent(jsontext.WithIndent("  ")); err != nil {
		panic(err) // appendJSON writes JSON
	}
	return append(v, '\n')
}

func (g *Graph) yaml(annotate bool) []byte {
	if g == nil || g.tree == nil {
		return []byte("{}\n")
	}
	g.fill()
	w := yamlWriter{annotate: annotate}
	w.block(g.tree, 0)
	return w.b.Bytes()
}

// fill writes the addresses of the instances into the tree, as far as they are known.
func (g *Graph) fill() {
	for _, in := range g.Instances {
		if in.node == nil {
			continue
		}
		in.node.setValue("host", stringNode(in.Host, in.node.at))
		if in.Port != 0 {
			in.node.setValue("port", rawNode(strconv.Itoa(in.Port), in.node.at))
		}
	}
}

// setValue is set that leaves an equal value, and so its place, alone.
func (n *node) setValue(name string, v *node) {
	if old := n.get(name); old == nil || !bytes.Equal(old.json(), v.json()) {
		n.set(name, v)
	}
}

type yamlWriter struct {
	b        bytes.Buffer
	annotate bool
}

// block writes a mapping or a list that is not empty, each line after so many blanks, or all but the first when the caller
// has begun the line.
func (w *yamlWriter) block(n *node, indent int) {
	blanks := strings.Repeat(" ", indent)
	if n.kind == '{' && len(n.entries) == 0 {
		w.b.WriteString("{}\n")
		return
	}
	for _, e := range n.entries {
		w.b.WriteString(blanks + yamlText(e.name, false) + ":")
		if len(e.value.entries)+len(e.value.items) == 0 {
			w.b.WriteString(" ")
			w.scalar(e.value)
			continue
		}
		w.b.WriteByte('\n')
		next := indent + 2
		if e.value.kind == '[' {
			next = indent
		}
		w.block(e.value, next)
	}
	for _, item := range n.items {
		w.b.WriteString(blanks + "-")
		if len(item.entries)+len(item.items) == 0 {
			w.b.WriteString(" ")
			w.scalar(item)
			continue
		}
		if item.kind == '[' { // a list in a list begins on its own line
			w.b.WriteByte('\n')
			w.block(item, indent+2)
			continue
		}
		start := w.b.Len()
		w.block(item, indent+2)
		line := slices.Clone(w.b.Bytes()[start+indent+1:]) // the first line of the item goes on behind the dash
		w.b.Truncate(start)
		w.b.Write(line)
	}
}

// scalar writes what fits on the rest of a line.
func (w *yamlWriter) scalar(n *node) {
	switch n.kind {
	case '{':
		w.b.WriteString("{}")
	case '[':
		w.b.WriteString("[]")
	case '"':
		w.b.WriteString(yamlText(n.text, true))
	default:
		w.b.Write(n.raw)
	}
	if w.annotate && n.at.file != "" {
		fmt.Fprintf(&w.b, "  # %s", n.at.file)
		if n.at.line > 0 {
			fmt.Fprintf(&w.b, ":%d", n.at.line)
		}
	}
	w.b.WriteByte('\n')
}

var (
	// plainText is what needs no quotes in any version of YAML: nothing that begins like a number, and no mark of the language.
	plainText = regexp.MustCompile(`^[A-Za-z_/][A-Za-z0-9_./-]*(:[A-Za-z0-9_./-]+)*$`)
	yamlWords = []string{"true", "false", "yes", "no", "on", "off", "null", "y", "n"}
)

// yamlText is a string as YAML. What is a value, and not a key, may hold references: a resolved one is escaped.
func yamlText(s string, value bool) string {
	if value {
		s = escapeInterpolation(s)
	}
	if plainText.MatchString(s) && !slices.Contains(yamlWords, strings.ToLower(s)) {
		return s
	}
	return notPrinted.Replace(string(appendString(nil, s)))
}

// notPrinted are characters that may stand in a string of JSON and not in one of YAML, where some end a line.
var notPrinted = strings.NewReplacer("\x7f", `\u007f`, "\u0085", `\u0085`, "\u2028", `\u2028`, "\u2029", `\u2029`, "\ufeff", `\ufeff`)
