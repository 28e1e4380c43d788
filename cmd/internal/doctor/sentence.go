package doctor

import (
	"fmt"
	"strings"

	"github.com/lensgo/lens/internal/printable"
)

// sentence makes one of what an error or a log says.
func sentence(text string) string {
	text = printable.Line(strings.TrimSpace(strings.ReplaceAll(text, "\n", " ")))
	if text == "" {
		return ""
	}
	first, rest, _ := strings.Cut(text, " ")
	if !strings.ContainsAny(first, "_=:/.") { // a variable and an address stay as they are
		first = strings.ToUpper(first[:1]) + first[1:]
	}
	if text = strings.TrimSpace(first + " " + rest); !strings.ContainsAny(text[len(text)-1:], ".?!") {
		text += "."
	}
	return text
}

// counted says a number of things.
func counted(n int64, one string) string {
	switch {
	case n == 1:
		return "1 " + one
	case strings.HasSuffix(one, "s"):
		return fmt.Sprintf("%d %ses", n, one)
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// size says a number of bytes.
func size(n int64) string {
	unit, name := int64(1), "B"
	for _, next := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if n < unit<<10 {
			break
		}
		unit, name = unit<<10, next
	}
	if whole := float64(n) / float64(unit); unit > 1 && whole < 10 && n%unit != 0 {
		return fmt.Sprintf("%.1f %s", whole, name)
	}
	return fmt.Sprintf("%d %s", n/unit, name)
}
