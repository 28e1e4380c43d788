package conventions

import (
	"bytes"
	"fmt"
	"go/format"
	"path"
	"strings"
)

// The folder of the constants, and the page, below the root of the repository.
const (
	packageDir = "semconv"
	pageFile   = "docs/semantic-conventions.md"
)

// generated is the mark by which tools know a file that nobody writes by hand.
const generated = "Code generated from " + File + " by go generate ./semconv. DO NOT EDIT."

// Outputs are the files that are made from the table, by their names below the root of the repository.
func (t *Table) Outputs() (map[string][]byte, error) {
	out := map[string][]byte{pageFile: t.page()}
	w := &constants{written: map[string]bool{}}
	for i := range t.Files {
		text, err := w.file(&t.Files[i])
		if err != nil {
			return nil, err
		}
		out[path.Join(packageDir, t.Files[i].File)] = text
	}
	return out, nil
}

// constants writes the files of package semconv.
type constants struct {
	written map[string]bool // identifiers: what stands for two things is declared where it comes first
}

func (w *constants) file(f *Topic) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// %s\n\npackage semconv\n", generated)
	for i := range f.Groups {
		w.group(&b, &f.Groups[i])
	}
	text, err := format.Source(b.Bytes())
	if err != nil {
		return nil, fmt.Errorf("cannot write %s: %w", f.File, err)
	}
	return text, nil
}

// declaration is a constant with what is said about it.
type declaration struct{ identifier, value, about string }

func (w *constants) group(b *bytes.Buffer, g *Group) {
	var names, values []declaration
	for _, a := range g.Attributes {
		names = append(names, declaration{a.Go, a.ID, a.label(a.Type.Name) + a.text()})
		for _, m := range a.Type.Members {
			values = append(values, declaration{m.Go, m.Value, " is a value of " + a.ID + a.Ref + ". " + m.Brief})
		}
	}
	for _, s := range g.Spans {
		names = append(names, declaration{s.Go, s.Span, s.label(s.Kind+" span") + s.text()})
	}
	for _, e := range g.Events {
		names = append(names, declaration{e.Go, e.Event, e.label("event") + e.text()})
	}
	for _, m := range g.Metrics {
		names = append(names, declaration{m.Go, m.Metric, m.label(strings.TrimSpace(m.Instrument+" "+m.Unit)) + m.text()})
	}
	for _, s := range g.Scopes {
		names = append(names, declaration{s.Go, s.Scope, s.label("scope") + s.text()})
	}
	head := g.Brief
	if w.block(b, head, names) {
		head = "Values of the attributes above."
	}
	w.block(b, head, values)
}

// block writes declarations, those that are not there yet, and reports whether there were any.
func (w *constants) block(b *bytes.Buffer, head string, list []declaration) bool {
	first := true
	for _, d := range list {
		if d.identifier == "" || w.written[d.identifier] {
			continue
		}
		w.written[d.identifier] = true
		if first {
			b.WriteString("\n")
			comment(b, "", head)
			b.WriteString("const (\n")
		} else {
			b.WriteString("\n")
		}
		first = false
		comment(b, "\t", d.identifier+d.about)
		fmt.Fprintf(b, "\t%s = %q\n", d.identifier, d.value)
	}
	if !first {
		b.WriteString(")\n")
	}
	return !first
}

// label is what a name is and how stable it is.
func (n *Entry) label(kind string) string {
	level := strings.ReplaceAll(string(n.Stability), "_", " ")
	if n.Deprecated != nil {
		level += ", deprecated"
	}
	return ": " + kind + ", " + level + ". "
}

// text is what there is to say about a name.
func (n *Entry) text() string {
	text := n.Brief
	if n.Note != "" {
		text += " " + n.Note
	}
	if n.Deprecated != nil {
		text += " OpenTelemetry calls it " + n.Deprecated.RenamedTo + " meanwhile."
	}
	return text
}

// width is that of the comments.
const width = 120

// comment writes a text as a comment.
func comment(b *bytes.Buffer, indent, text string) {
	line := indent + "//"
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > width && line != indent+"//" {
			b.WriteString(line + "\n")
			line = indent + "//"
		}
		line += " " + word
	}
	b.WriteString(line + "\n")
}
