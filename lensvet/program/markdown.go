package program

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// WriteMarkdown writes tables for a page on observability: for each library its groups and what uses them, then the presets, which
// several libraries have in common. Groups that no library registers are left out: a user cannot switch them.
func (p *Program) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	for i, l := range p.Libraries {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "### %s\n", code(l.Namespace))
		p.markdownGroups(&b, l)
		if len(p.Libraries) == 1 {
			p.markdownPresets(&b, l.Registry)
		}
	}
	if len(p.Libraries) > 1 {
		p.markdownAllPresets(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdownAllPresets has the presets of each registry once, whichever libraries add to them.
func (p *Program) markdownAllPresets(b *strings.Builder) {
	done := map[string]bool{}
	for _, preset := range p.Presets {
		if done[preset.Registry] {
			continue
		}
		done[preset.Registry] = true
		fmt.Fprintf(b, "\n### Presets%s\n", inRegistry(preset.Registry))
		p.markdownPresets(b, preset.Registry)
	}
}

func (p *Program) markdownGroups(b *strings.Builder, l Library) {
	if len(l.Groups) == 0 {
		return
	}
	b.WriteString("\n| group | what it shows | where |\n|---|---|---|\n")
	for _, g := range p.Groups {
		if g.Registry != l.Registry || !slices.Contains(l.Groups, g.Name) {
			continue
		}
		sites := []string{}
		for _, s := range g.Sites {
			site := code(s.Position.String())
			if s.Name != "" {
				site = code(s.Name) + " at " + site
			}
			sites = append(sites, site)
		}
		if len(sites) == 0 {
			sites = append(sites, "nowhere in this program")
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", code(g.Name), escape(strings.Join(strings.Fields(g.docIn(l)), " ")), strings.Join(sites, "<br>"))
	}
}

// markdownPresets has what users get, the union over all libraries of a registry.
func (p *Program) markdownPresets(b *strings.Builder, registry string) {
	var rows []string
	for _, preset := range p.Presets {
		if preset.Registry != registry {
			continue
		}
		var members []string
		for _, m := range preset.Groups {
			members = append(members, code(m))
		}
		for _, m := range preset.Absent {
			members = append(members, code(m)+" (of a library that is not in this program)")
		}
		if members == nil {
			members = []string{"none"}
		}
		rows = append(rows, fmt.Sprintf("| %s | %s |\n", code(preset.Name), strings.Join(members, ", ")))
	}
	if rows != nil {
		b.WriteString("\n| preset | groups |\n|---|---|\n" + strings.Join(rows, ""))
	}
}

func code(text string) string { return "`" + strings.ReplaceAll(text, "|", `\|`) + "`" }

// escape keeps text from ending a cell, or from being taken for marks. HTML is not passed through.
func escape(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "&", "&amp;", "*", `\*`, "_", `\_`, "`", "\\`").Replace(text)
}
