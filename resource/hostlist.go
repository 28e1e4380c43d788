package resource

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// MaxHosts is the most names that [Hosts] gives. Slurm itself has no larger ranges.
const MaxHosts = 1 << 16

// maxHost is the longest name; DNS has 253.
const maxHost = 255

// Hosts gives the names that a hostlist of Slurm stands for, such as that of SLURM_JOB_NODELIST, in its order:
//
//	gpu-[001-003,007],login1   gpu-001 gpu-002 gpu-003 gpu-007 login1
//	rack[1-2]node[8-9]         rack1node8 rack1node9 rack2node8 rack2node9
//
// Numbers are padded with zeros as the first of their range is. No attribute holds a hostlist; this is for programs that look
// for their first host, or count.
//
// An empty list is no host. What cannot be read is an error that shows it, and so is a list of more than [MaxHosts] names, before
// any is made.
func Hosts(list string) ([]string, error) {
	hosts, err := hosts(strings.TrimSpace(list))
	if err != nil {
		return nil, fmt.Errorf("cannot read hostlist %q: %w", clip(list), err)
	}
	return hosts, nil
}

func hosts(list string) ([]string, error) {
	if list == "" {
		return nil, nil
	}
	entries, err := splitHosts(list)
	if err != nil {
		return nil, err
	}
	var patterns []pattern
	total := int64(0)
	for _, entry := range entries {
		p, err := parsePattern(entry)
		if err != nil {
			return nil, err
		}
		if total += p.count(); total > MaxHosts {
			return nil, fmt.Errorf("it has more than %d names", MaxHosts)
		}
		patterns = append(patterns, p)
	}
	names := make([]string, 0, total)
	for _, p := range patterns {
		names = p.expand(names, "", 0)
	}
	return names, nil
}

// splitHosts splits at the commas outside of brackets.
func splitHosts(list string) (entries []string, err error) {
	inside, from := false, 0
	for i, r := range list {
		switch {
		case r == '[' && inside:
			return nil, errors.New("there are brackets inside of brackets")
		case r == ']' && !inside:
			return nil, errors.New("a bracket is closed that was not opened")
		case r == '[' || r == ']':
			inside = !inside
		case r == ',' && !inside:
			entries, from = append(entries, list[from:i]), i+1
		case unicode.IsSpace(r) || unicode.IsControl(r) || r == unicode.ReplacementChar:
			return nil, fmt.Errorf("%q stands in it; names are parted by commas", r)
		}
	}
	if inside {
		return nil, errors.New("a bracket is not closed")
	}
	return append(entries, list[from:]), nil
}

// pattern is one entry of a hostlist: text and brackets by turns.
type pattern []part

// part is text, and the numbers that come behind it, none at the end.
type part struct {
	text    string
	numbers []numbers
}

// numbers is one range in brackets.
type numbers struct {
	first, last int64
	width       int
}

func (n numbers) count() int64 { return n.last - n.first + 1 }

// parsePattern reads an entry, whose brackets are balanced.
func parsePattern(entry string) (p pattern, err error) {
	if entry == "" {
		return nil, errors.New("there is an empty name between commas")
	}
	length := 0
	for rest := entry; rest != ""; {
		text, inner, found := strings.Cut(rest, "[")
		inner, rest, _ = strings.Cut(inner, "]")
		next := part{text: text}
		if found {
			if next.numbers, err = parseRanges(inner); err != nil {
				return nil, err
			}
		}
		if length += next.length(); length > maxHost {
			return nil, fmt.Errorf("a name is longer than %d bytes", maxHost)
		}
		p = append(p, next)
	}
	return p, nil
}

// parseRanges reads what stands between two brackets.
func parseRanges(text string) (ranges []numbers, err error) {
	total := int64(0)
	for one := range strings.SplitSeq(text, ",") {
		low, high, isRange := strings.Cut(one, "-")
		if !isRange {
			high = low
		}
		r := numbers{width: len(low)}
		if r.first, err = number(low); err != nil {
			return nil, err
		}
		if r.last, err = number(high); err != nil {
			return nil, err
		}
		if r.last < r.first {
			return nil, fmt.Errorf("the range %s runs backwards; the smaller number comes first", clip(one))
		}
		if total += r.count(); total > MaxHosts {
			return nil, fmt.Errorf("it has more than %d names", MaxHosts)
		}
		ranges = append(ranges, r)
	}
	return ranges, nil
}

// number reads the digits of a range, few enough that sums of them stay numbers.
func number(digits string) (int64, error) {
	bad := strings.ContainsFunc(digits, func(r rune) bool { return r < '0' || r > '9' })
	if bad || digits == "" || len(digits) > 15 {
		return 0, fmt.Errorf("%q stands in brackets; it must be a number of at most 15 digits, or two with a '-' between", clip(digits))
	}
	return strconv.ParseInt(digits, 10, 64)
}

// length is that of the longest text that the part gives.
func (p part) length() int {
	longest := 0
	for _, r := range p.numbers {
		longest = max(longest, r.width, len(strconv.FormatInt(r.last, 10)))
	}
	return len(p.text) + longest
}

// count is how many names the pattern gives, or more than MaxHosts.
func (p pattern) count() int64 {
	total := int64(1)
	for _, part := range p {
		if len(part.numbers) == 0 {
			continue
		}
		n := int64(0)
		for _, r := range part.numbers {
			n += r.count()
		}
		if total *= n; total > MaxHosts {
			return total
		}
	}
	return total
}

// expand appends the names that begin with head and go on with the pattern from its part at i.
func (p pattern) expand(names []string, head string, i int) []string {
	if i == len(p) {
		return append(names, head)
	}
	head += p[i].text
	if len(p[i].numbers) == 0 {
		return p.expand(names, head, i+1)
	}
	for _, r := range p[i].numbers {
		for n := r.first; n <= r.last; n++ {
			names = p.expand(names, fmt.Sprintf("%s%0*d", head, r.width, n), i+1)
		}
	}
	return names
}
