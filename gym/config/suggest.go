package config

import (
	"slices"
	"strconv"
	"strings"

	"github.com/lensgo/lens/internal/typo"
)

const (
	maxSuggested = 3
	maxNameBytes = 128 // longer names are not compared: the work grows with the product of the lengths
)

// suggest is "; did you mean "x"?" for the names that are near, else the list of what there is, else nothing.
func suggest(name string, names []string) string {
	if near := Near(name, names); len(near) > 0 {
		return "; did you mean " + quoteList(near, " or ") + "?"
	}
	if len(names) == 0 || len(names) > 2*maxSuggested {
		return ""
	}
	sorted := slices.Sorted(slices.Values(names))
	return "; there is " + quoteList(sorted, " and ")
}

func quoteList(names []string, last string) string {
	quoted := make([]string, len(names))
	for i, n := range names {
		quoted[i] = strconv.Quote(n)
	}
	if len(quoted) == 1 {
		return quoted[0]
	}
	return strings.Join(quoted[:len(quoted)-1], ", ") + last + quoted[len(quoted)-1]
}

// Near lists the names that a reader may have meant by name: those at the least edit distance, in order, at most
// three, if that distance is at most two, or a third of the name's length.
func Near(name string, names []string) []string {
	if len(name) > maxNameBytes {
		return nil
	}
	var near []string
	least := max(2, len(name)/3)
	lower := strings.ToLower(name)
	for _, n := range names {
		if len(n) > maxNameBytes {
			continue
		}
		d := typo.Distance(lower, strings.ToLower(n))
		if d > least || d >= len(n) { // all of n replaced is no resemblance
			continue
		}
		if d < least {
			least, near = d, nil
		}
		near = append(near, n)
	}
	slices.Sort(near)
	return near[:min(len(near), maxSuggested)]
}
