package program

import (
	"fmt"
	"go/doc"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteText writes the program for a terminal: libraries, groups with what uses them, presets. Problems are left to the
// caller.
func (p *Program) WriteText(w io.Writer) error {
	var b strings.Builder
	if len(p.Groups) == 0 && len(p.Libraries) == 0 {
		fmt.Fprintf(&b, "no span groups: nothing in %s makes one\n", strings.Join(p.Patterns, " "))
	}
	for _, section := range []struct {
		title string
		write func(*strings.Builder)
	}{{"Libraries", p.textLibraries}, {"Groups", p.textGroups}, {"Presets", p.textPresets}} {
		var body strings.Builder
		section.write(&body)
		if body.Len() == 0 {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(section.title + "\n" + body.String())
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (p *Program) textLibraries(b *strings.Builder) {
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, l := range p.Libraries {
		fmt.Fprintf(table, "  %s\t%s\t%s%s\n", l.Namespace, count(len(l.Groups), "group"), l.Position, inRegistry(l.Registry))
		if l.Opaque {
			fmt.Fprintf(table, "  \t\tand what only the running program knows\n")
		}
	}
	table.Flush() //nolint:errcheck // a strings.Builder takes everything
}

func (p *Program) textGroups(b *strings.Builder) {
	for i, g := range p.Groups {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "  %s  (%s)\n", g.Name, strings.Join(g.remarks(), "; "))
		if synopsis := synopsis(g.Doc()); synopsis != "" {
			fmt.Fprintf(b, "      %s\n", synopsis)
		}
		if len(g.Sites) == 0 {
			b.WriteString("      nothing in this build uses it\n")
			continue
		}
		table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
		for _, s := range g.Sites {
			fmt.Fprintln(table, strings.TrimRight("      "+s.Position.String()+"\t"+s.what()+"\t"+s.Func, "\t "))
		}
		table.Flush() //nolint:errcheck // as above
	}
}

// remarks say where a group comes from.
func (g Group) remarks() []string {
	from := "no library registers it"
	switch {
	case g.Registered():
		from = strings.Join(g.Namespaces, ", ")
	case len(g.Perhaps) > 0:
		from = "perhaps " + strings.Join(g.Perhaps, " or ")
	}
	remarks := []string{from + inRegistry(g.Registry)}
	if g.Dynamic {
		remarks = append(remarks, "dynamic: "+g.Source)
	}
	for _, d := range g.Declared {
		remarks = append(remarks, d.Position.String())
	}
	return remarks
}

func inRegistry(registry string) string {
	switch {
	case registry == "":
		return ""
	case registry == unknownRegistry:
		return ", in " + registry
	case strings.Contains(registry, ", "):
		return ", in one of these registries: " + registry
	}
	return ", in the registry made at " + registry
}

// what says what happens at a site.
func (s Site) what() string {
	var what string
	switch s.Kind {
	case Start, Check:
		what = s.Call
	case Pass:
		what = "passed to " + s.Call
	case Store:
		what = "stored"
	case Return:
		what = "returned"
	}
	if s.Name != "" {
		what += fmt.Sprintf(" %q", s.Name)
	}
	return what
}

func (p *Program) textPresets(b *strings.Builder) {
	table := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, preset := range p.Presets {
		fmt.Fprintf(table, "  %s\t%s%s\n", preset.Name, strings.Join(preset.members(), ", "), inRegistry(preset.Registry))
	}
	table.Flush() //nolint:errcheck // as above
}

// members gives the members of a preset in words.
func (p Preset) members() []string {
	var members []string
	members = append(members, p.Groups...)
	for _, name := range p.Absent {
		members = append(members, name+" (absent)")
	}
	if p.Opaque {
		members = append(members, "and what only the running program knows")
	}
	if members == nil {
		return []string{"nothing"}
	}
	return members
}

// synopsis is the first sentence of a comment.
func synopsis(text string) string { return new(doc.Package).Synopsis(text) }

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// WriteText writes the resolution for a terminal: each entry with what it comes to, and what is on in the end.
func (r Resolution) WriteText(w io.Writer) error {
	var b strings.Builder
	table := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, e := range r.Entries {
		for i, line := range e.lines() {
			text := e.Text
			if i > 0 {
				text = ""
			}
			fmt.Fprintf(table, "%s\t%s\n", text, line)
		}
	}
	table.Flush() //nolint:errcheck // as above
	on := strings.Join(r.Enabled, ", ")
	if on == "" {
		on = "nothing"
	}
	if len(r.Entries) > 0 {
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "on: %s\n", on)
	if len(r.Unknown) > 0 {
		fmt.Fprintf(&b, "unknown: %s\n", strings.Join(r.Unknown, ", "))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// lines say what an entry comes to.
func (e Entry) lines() []string {
	var lines []string
	say := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	switch e.Kind {
	case PresetEntry:
		groups := strings.Join(e.Groups, ", ")
		if groups == "" {
			groups = "nothing"
		}
		say("preset: %s", groups)
	case GroupEntry:
		where := "used at " + count(e.Sites, "place") + " of this program"
		if e.Sites == 0 {
			where = "without effect: nothing in this program uses it"
		}
		say("group: %s", where)
	case DynamicEntry:
		say("perhaps a group: %s is named by the running program", strings.Join(e.Groups, ", "))
	case UnregisteredEntry:
		say("unknown: made at %s, and no library registers it", e.Made)
	case UnknownEntry:
		say("unknown: nothing in this program registers it")
	}
	if len(e.Nearest) > 0 {
		say("did you mean %s?", strings.Join(e.Nearest, " or "))
	}
	if len(e.Absent) > 0 {
		say("absent: %s, which nothing in this program registers", strings.Join(e.Absent, ", "))
	}
	if len(e.Unused) > 0 && e.Kind == PresetEntry {
		say("without effect: nothing in this program uses %s", strings.Join(e.Unused, ", "))
	}
	return lines
}
