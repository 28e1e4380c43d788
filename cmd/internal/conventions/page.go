package conventions

import (
	"bytes"
	"fmt"
	"strings"
)

const intro = `# Semantic conventions

<!-- %s -->

Every name that Lens and Gym write, from the table [semconv/conventions.yaml](../semconv/conventions.yaml). Package
[semconv](../semconv) has them as constants, and tests hold that no other name is written. Where a resource attribute comes from
stands in [resource-attributes.md](resource-attributes.md), what a metric is good for in [metrics.md](metrics.md), and what holds between
the parts of a run in [contracts.md](contracts.md).

Names of OpenTelemetry have the stability that OpenTelemetry gives them. Of our own names those that are stable stay as they are
([stability.md](stability.md)); those in development may change in a minor version. Attributes of log records are not listed: they
are the keys of the call that logged, which is text for people.

`

// page writes the page of the documentation.
func (t *Table) page() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, intro, generated)
	for i := range t.Files {
		f := &t.Files[i]
		fmt.Fprintf(&b, "- [%s](#%s): %s\n", f.Title, anchor(f.Title), f.File)
	}
	for i := range t.Files {
		f := &t.Files[i]
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", f.Title, f.Brief)
		for j := range f.Groups {
			t.section(&b, &f.Groups[j])
		}
	}
	return b.Bytes()
}

func anchor(title string) string { return strings.ReplaceAll(strings.ToLower(title), " ", "-") }

// section writes a group as a table.
func (t *Table) section(b *bytes.Buffer, g *Group) {
	if len(g.Attributes) > 0 && t.onlyRefs(g) {
		return // it is told elsewhere
	}
	fmt.Fprintf(b, "\n### `%s`\n\n%s\n\n", g.ID, g.Brief)
	switch g.Type {
	case "span":
		b.WriteString("| span | kind | stability | meaning | attributes |\n|---|---|---|---|---|\n")
		for _, s := range g.Spans {
			row(b, code(s.Span), s.Kind, s.level(), prose(s.text()), t.attributesOf(&s))
		}
	case "event":
		b.WriteString("| event | stability | meaning | attributes |\n|---|---|---|---|\n")
		for _, e := range g.Events {
			row(b, code(e.Event), e.level(), prose(e.text()), codes(e.Attributes))
		}
	case "metric":
		b.WriteString("| metric | instrument | unit | stability | meaning | attributes |\n|---|---|---|---|---|---|\n")
		for _, m := range g.Metrics {
			row(b, code(m.Metric), m.Instrument, codes([]string{m.Unit}), m.level(), prose(m.text()), codes(m.Attributes))
		}
	case "scope":
		b.WriteString("| scope | stability | meaning | attributes |\n|---|---|---|---|\n")
		for _, s := range g.Scopes {
			row(b, code(s.Scope), s.level(), prose(s.text()), codes(s.Attributes))
		}
	default:
		b.WriteString("| attribute | type | stability | meaning |\n|---|---|---|---|\n")
		for _, a := range g.Attributes {
			if a.Ref == "" {
				row(b, code(a.ID), a.Type.Name, a.level(), prose(a.text())+t.values(&a))
			}
		}
	}
}

func (t *Table) onlyRefs(g *Group) bool {
	for _, a := range g.Attributes {
		if a.Ref == "" {
			return false
		}
	}
	return true
}

func row(b *bytes.Buffer, cells ...string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

func (n *Entry) level() string {
	level := strings.ReplaceAll(string(n.Stability), "_", " ")
	if n.Deprecated != nil {
		level += ", deprecated"
	}
	return level
}

// prose is the text of an entry as it may stand in a table.
func prose(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "\n", " ").Replace(s)
}

func code(s string) string { return "`" + s + "`" }

func codes(list []string) string {
	var out []string
	for _, s := range list {
		if s != "" {
			out = append(out, code(s))
		}
	}
	return strings.Join(out, ", ")
}

// attributesOf says which attributes a span may have: groups of them by their names.
func (t *Table) attributesOf(s *Span) string {
	var out []string
	for _, id := range s.Extends {
		out = append(out, "["+id+"](#"+strings.ReplaceAll(id, ".", "")+")")
	}
	if own := codes(s.Attributes); own != "" {
		out = append(out, own)
	}
	return strings.Join(out, ", ")
}

// values says which values an attribute has, wherever they are listed, and what others look like.
func (t *Table) values(a *Attribute) string {
	var b strings.Builder
	for g := range t.all() {
		for _, other := range g.Attributes {
			if other.ID+other.Ref != a.ID {
				continue
			}
			for _, m := range other.Type.Members {
				fmt.Fprintf(&b, "<br>%s: %s", code(m.Value), prose(m.Brief))
			}
		}
	}
	for i, e := range a.Examples {
		b.WriteString(map[bool]string{true: "<br>For example ", false: ", "}[i == 0] + code(fmt.Sprint(e)))
	}
	return b.String()
}
