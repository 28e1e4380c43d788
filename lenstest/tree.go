package lenstest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/lensgo/lens"
)

// indent is one level of a tree.
const indent = "  "

// node is a span in a tree, or a line that stands for one.
type node struct {
	text     string
	children []*node
}

// Tree gives the spans so far as indented text: a line for each, children below their parent, in the order in which they
// started. A line has the name, and where there is something to say the kind, those of the attributes that are named
// here, the status and that the span is still open:
//
//	POST /run (server) http.route=/run
//	  tool.call Error "no such tool"
//	  model.call (open)
//
// A text is quoted when it is empty or has blanks or quotes. A span whose parent is not recorded here stands at the left.
func (r *Recorder) Tree(attrs ...string) string { return render(r.roots(attrs)) }

// AssertTree checks that Tree gives want. Blank lines and the indentation that all lines share do not count, and a tab
// may stand for one level, so want can be a raw string that is indented with the code.
func (r *Recorder) AssertTree(t testing.TB, want string, attrs ...string) {
	t.Helper()
	r.assertTree(t, parse(want), r.roots(attrs))
}

// AssertTreeAnyOrder is AssertTree without regard to the order of siblings, for what runs concurrently.
func (r *Recorder) AssertTreeAnyOrder(t testing.TB, want string, attrs ...string) {
	t.Helper()
	wanted, got := parse(want), r.roots(attrs)
	order(wanted)
	order(got)
	r.assertTree(t, wanted, got)
}

func (r *Recorder) assertTree(t testing.TB, want, got []*node) {
	t.Helper()
	if !compiled {
		return
	}
	if w, g := render(want), render(got); w != g {
		t.Errorf("spans (-want +got):\n%s\nthere are:\n%s", cmp.Diff(w, g), g)
	}
}

// roots puts the spans into trees.
func (r *Recorder) roots(attrs []string) []*node {
	entries := r.spans.all()
	nodes := make(map[spanKey]*node, len(entries))
	for _, e := range entries {
		nodes[keyOf(e.span)] = &node{text: spanOf(e.span).line(attrs, !e.ended)}
	}
	var roots []*node
	for _, e := range entries {
		n := nodes[keyOf(e.span)]
		above := spanKey{trace: e.span.SpanContext().TraceID(), span: e.span.Parent().SpanID()}
		if parent := nodes[above]; parent != nil {
			parent.children = append(parent.children, n)
		} else {
			roots = append(roots, n)
		}
	}
	return roots
}

// kinds are what a line says of a span's kind.
var kinds = map[lens.Kind]string{
	lens.Server: " (server)", lens.Client: " (client)", lens.Producer: " (producer)", lens.Consumer: " (consumer)",
}

// line is the span in one line.
func (s Span) line(attrs []string, open bool) string {
	var b strings.Builder
	b.WriteString(name(s.Name))
	b.WriteString(kinds[s.Kind])
	for _, key := range attrs {
		if v, ok := s.Attrs[key]; ok {
			b.WriteString(" " + key + "=" + quote(v))
		}
	}
	if s.Status != Unset {
		b.WriteString(" " + s.Status.String())
	}
	if s.Message != "" {
		b.WriteString(" " + strconv.Quote(s.Message))
	}
	if open {
		b.WriteString(" (open)")
	}
	return b.String()
}

// name is a span's name as it is, unless that would break the line.
func name(s string) string {
	if s == "" || s != strings.TrimSpace(s) || strings.ContainsFunc(s, unicode.IsControl) {
		return strconv.Quote(s)
	}
	return s
}

func quote(v any) string {
	text := fmt.Sprint(v)
	if _, ok := v.(string); ok && (text == "" || strings.ContainsAny(text, " \t\r\n\"\\=")) {
		return strconv.Quote(text)
	}
	return text
}

// parse reads indented text into trees. Lines that are indented deeper than the one above are its children.
func parse(text string) []*node {
	type level struct {
		depth int
		node  *node
	}
	root := &node{}
	above := []level{{depth: -1, node: root}}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		if line == "" {
			continue
		}
		content := strings.TrimLeft(line, " \t")
		margin := strings.ReplaceAll(line[:len(line)-len(content)], "\t", indent)
		for above[len(above)-1].depth >= len(margin) {
			above = above[:len(above)-1]
		}
		n, parent := &node{text: content}, above[len(above)-1].node
		parent.children = append(parent.children, n)
		above = append(above, level{depth: len(margin), node: n})
	}
	return root.children
}

// order sorts siblings by what is in them.
func order(nodes []*node) {
	for _, n := range nodes {
		order(n.children)
	}
	slices.SortStableFunc(nodes, func(a, b *node) int {
		return strings.Compare(render([]*node{a}), render([]*node{b}))
	})
}

func render(nodes []*node) string {
	var b strings.Builder
	var write func(nodes []*node, margin string)
	write = func(nodes []*node, margin string) {
		for _, n := range nodes {
			b.WriteString(margin + n.text + "\n")
			write(n.children, margin+indent)
		}
	}
	write(nodes, "")
	return b.String()
}
