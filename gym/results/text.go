package results

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/lensgo/lens/internal/printable"
)

// block makes text from outside fit for lines of its own: each is indented, so that none can pass for a heading, and clean but for tabs.
func block(s string) string {
	var b strings.Builder
	for line := range strings.SplitSeq(strings.TrimRight(s, "\n"), "\n") {
		b.WriteString("  ")
		for i, part := range strings.Split(strings.TrimSuffix(line, "\r"), "\t") {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(printable.Line(part))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// cut shortens text to about n bytes and says what is left out.
func cut(s string, n int) string {
	if n <= 0 || len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return fmt.Sprintf("%s\n... and %d bytes more (--full shows them)", s[:n], len(s)-n)
}

// short is a mean or another number as people read it.
func short(f *float64) string {
	if f == nil {
		return "-"
	}
	return strconv.FormatFloat(*f, 'f', 3, 64)
}

// signed is a difference as people read it.
func signed(f *float64) string {
	if f == nil {
		return "-"
	}
	text := strconv.FormatFloat(*f, 'f', 3, 64)
	switch {
	case text == "-0.000":
		return "0.000"
	case *f > 0 && text != "0.000":
		return "+" + text
	}
	return text
}
