package doctor

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/lensgo/lens/internal/printable"
)

// Widths of the text.
const (
	labelWidth = 20
	mostValue  = 44 // that others are aligned with
	lineWidth  = 110
)

// row is a line of the text.
type row struct {
	label string
	Setting
	head bool // begins a section
}

// WriteText writes the report for people, with colours where color says so.
func (r *Report) WriteText(w io.Writer, color bool) error {
	p := &page{Writer: bufio.NewWriter(w), color: color}
	p.rows(r.rows())
	p.findings("problem", red, r.Findings, Problem)
	p.findings("note", yellow, r.Findings, Note)
	p.verdict(r)
	return p.Flush()
}

// rows are those of all sections.
func (r *Report) rows() (rows []row) {
	for i, s := range r.Settings {
		rows = append(rows, row{s.Name, s, i == 0})
	}
	if len(r.Signals) > 0 {
		s := r.Groups.setting(r.ofGym())
		rows = append(rows, row{s.Name, s, false})
	}
	var first *Signal
	for i := range r.Signals {
		rows = append(rows, r.Signals[i].rows(first)...)
		if first == nil && len(r.Signals[i].Settings) > 1 {
			first = &r.Signals[i]
		}
	}
	if len(r.Signals) > 0 {
		for i, s := range r.Spool.settings() {
			label := s.Name
			if i > 0 {
				label = "  " + label
			}
			rows = append(rows, row{label, s, i == 0})
		}
	}
	return rows
}

// rows are those of a signal; what is as for the first one is said in one.
func (s *Signal) rows(first *Signal) (rows []row) {
	rows = append(rows, row{s.Signal, s.Settings[0], true})
	same := false
	for _, setting := range s.Settings[1:] {
		if first != nil && slices.Contains(first.Settings, setting) {
			same = true
			continue
		}
		rows = append(rows, row{"  " + setting.Name, setting, false})
	}
	if same {
		rows = append(rows, row{"  the rest", Setting{Value: "as for " + first.Signal}, false})
	}
	if s.Probe != nil {
		rows = append(rows, row{"  tried", s.Probe.setting(itemOf(s.Signal)), false})
	}
	return rows
}

// page writes lines.
type page struct {
	*bufio.Writer

	color bool
}

// style is an attribute of a terminal.
type style string

// Styles.
const (
	bold   style = "\x1b[1m"
	dim    style = "\x1b[2m"
	red    style = "\x1b[1;31m"
	green  style = "\x1b[1;32m"
	yellow style = "\x1b[1;33m"
)

func (p *page) styled(s style, text string) string {
	if !p.color || text == "" {
		return text
	}
	return string(s) + text + "\x1b[0m"
}

// rows writes three columns.
func (p *page) rows(rows []row) {
	width := 0
	for _, r := range rows {
		if n := utf8.RuneCountInString(r.Value); n <= mostValue {
			width = max(width, n)
		}
	}
	for i, r := range rows {
		if r.head && i > 0 {
			fmt.Fprintln(p)
		}
		label := strings.ReplaceAll(r.label, "_", " ")
		gap := strings.Repeat(" ", max(1, labelWidth-utf8.RuneCountInString(label)))
		if r.head {
			label = p.styled(bold, label)
		}
		value, origin := printable.Line(r.Value), printable.Line(r.origin())
		line := label + gap + value
		if origin != "" {
			line += strings.Repeat(" ", max(0, width-utf8.RuneCountInString(value))) + "  " + p.styled(dim, origin)
		}
		fmt.Fprintln(p, strings.TrimRight(line, " "))
	}
}

// origin is where a setting comes from, and what else there is to say.
func (s Setting) origin() string {
	if s.From != "" && s.Why != "" {
		return s.From + ": " + s.Why
	}
	return s.From + s.Why
}

// findings writes those of a level.
func (p *page) findings(word string, s style, all []Finding, level Level) {
	var list []Finding
	for _, f := range all {
		if f.Level == level {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(p, "\n%s\n", p.styled(s, counted(int64(len(list)), word)))
	for _, f := range list {
		text := f.Text
		if len(f.Signals) > 0 {
			text = strings.Join(f.Signals, ", ") + ": " + text
		}
		for i, line := range wrap(text, lineWidth-4) {
			fmt.Fprintln(p, map[bool]string{true: "  - ", false: "    "}[i == 0]+line)
		}
	}
}

// verdict is the last line.
func (p *page) verdict(r *Report) {
	switch {
	case !r.OK:
	case !slices.ContainsFunc(r.Signals, func(s Signal) bool { return s.Probe != nil }):
		fmt.Fprintf(p, "\n%s\n", p.styled(green, "No problem is seen. Nothing was sent."))
	default:
		fmt.Fprintf(p, "\n%s\n", p.styled(green, "All is well: what a program records in this environment arrives."))
	}
}

// wrap breaks a text between words.
func wrap(text string, width int) (lines []string) {
	line := ""
	for word := range strings.FieldsSeq(printable.Line(text)) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines, line = append(lines, line), ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}
