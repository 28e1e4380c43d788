// Package reference writes the reference pages out of the code: the flags of a program from its commands ([Commands]), and the keys
// of a configuration from the Go types that read them ([Keys]). Tests of the programs compare the pages with that, part by part
// ([Page]), so that a page cannot say what the code does not.
package reference

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Commands is the reference of a program: every verb that is not hidden, in the order of its name.
func Commands(root *cobra.Command) string {
	var b strings.Builder
	write(&b, root)
	return b.String()
}

func write(b *strings.Builder, cmd *cobra.Command) {
	verbs := slices.DeleteFunc(slices.Clone(cmd.Commands()), func(c *cobra.Command) bool { return c.Hidden || !c.IsAvailableCommand() })
	if len(verbs) == 0 {
		one(b, cmd)
	}
	for _, verb := range verbs {
		write(b, verb)
	}
}

// one writes the section of a verb.
func one(b *strings.Builder, cmd *cobra.Command) {
	fmt.Fprintf(b, "### `%s`\n\n%s.\n\n", cmd.CommandPath(), prose(cmd.Short))
	fmt.Fprintf(b, "```sh\n%s\n```\n\n", cmd.UseLine())
	for paragraph := range strings.SplitSeq(cmd.Long, "\n\n") {
		if paragraph != "" {
			text(b, paragraph)
		}
	}
	if cmd.Example != "" {
		b.WriteString("For example:\n\n```sh\n")
		for line := range strings.Lines(strings.TrimRight(cmd.Example, "\n") + "\n") {
			b.WriteString(strings.TrimPrefix(line, "  "))
		}
		b.WriteString("```\n\n")
	}
	flags(b, cmd.NonInheritedFlags())
}

// text writes a paragraph: lines that are indented stay as they are, those around them are filled by whoever reads the page.
func text(b *strings.Builder, paragraph string) {
	fenced := false
	for line := range strings.SplitSeq(paragraph, "\n") {
		indented := strings.HasPrefix(line, " ")
		if indented != fenced {
			b.WriteString(map[bool]string{true: "\n```\n", false: "```\n\n"}[indented])
			fenced = indented
		}
		if indented {
			b.WriteString(strings.TrimPrefix(line, "  ") + "\n")
			continue
		}
		b.WriteString(prose(line) + "\n")
	}
	if fenced {
		b.WriteString("```\n")
	}
	b.WriteString("\n")
}

// word is a word with what stands around it in a sentence, or a mapping.
var word = regexp.MustCompile(`([('"]*)(\{(?:[^{}]|\{[^{}]*\})*\}|[^\s()'"]+?)([.,;:)'"]*)($|\s)`)

// prose marks the words that are typed as they stand, or that a page would take for markup: flags, variables, patterns.
func prose(s string) string {
	return word.ReplaceAllStringFunc(s, func(found string) string {
		part := word.FindStringSubmatch(found)
		text := part[2]
		typed := strings.HasPrefix(text, "--") || strings.HasPrefix(text, "{") || strings.ContainsAny(text, "_*=<>$~") || strings.HasSuffix(text, ".jsonl")
		if !typed {
			return found
		}
		return part[1] + "`" + text + "`" + part[3] + part[4]
	})
}

// flags writes the table of a verb's own flags, in the order of its help.
func flags(b *strings.Builder, set *pflag.FlagSet) {
	var rows []string
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden || f.Name == "help" {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		name := "`--" + f.Name + "`"
		if f.Shorthand != "" {
			name += ", `-" + f.Shorthand + "`"
		}
		if value != "" {
			name += " " + value
		}
		rows = append(rows, fmt.Sprintf("| %s | %s | %s |\n", name, initial(f), cell(prose(usage))))
	})
	if len(rows) > 0 {
		b.WriteString("| flag | default | |\n|---|---|---|\n" + strings.Join(rows, "") + "\n")
	}
}

// initial is the default of a flag where it has one that says something.
func initial(f *pflag.Flag) string {
	switch f.DefValue {
	case "", "0", "[]", "0s":
		return ""
	case "false":
		return "off"
	}
	return "`" + cell(f.DefValue) + "`"
}

// cell is a text that may stand in a table.
func cell(s string) string { return strings.ReplaceAll(strings.ReplaceAll(s, "\n", " "), "|", `\|`) }
