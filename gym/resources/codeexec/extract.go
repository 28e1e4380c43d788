package codeexec

import (
	"slices"
	"strings"
)

// extract finds the program in a model's text: the last fenced block of code that is marked with one of tags, else the last
// one that is not marked. A block that the text ends in, because the model was cut short, is none.
func extract(text string, tags []string) (program string, ok bool) {
	var marked, unmarked string
	var anyMarked, anyUnmarked bool
	for lines := strings.SplitAfter(text, "\n"); len(lines) > 0; {
		fence, tag := opening(lines[0])
		indent := len(lines[0]) - len(strings.TrimLeft(lines[0], " "))
		lines = lines[1:]
		if fence == "" {
			continue
		}
		end := slices.IndexFunc(lines, func(line string) bool { return closes(line, fence) })
		if end < 0 {
			break
		}
		block := dedent(lines[:end], indent)
		lines = lines[end+1:]
		switch {
		case slices.Contains(tags, tag):
			marked, anyMarked = block, true
		case tag == "":
			unmarked, anyUnmarked = block, true
		}
	}
	if anyMarked {
		return marked, true
	}
	return unmarked, anyUnmarked
}

// opening is the fence that a line begins a block with, three or more of ` or ~, and the word behind it.
func opening(line string) (fence, tag string) {
	line = strings.TrimSpace(line)
	for _, mark := range []string{"`", "~"} {
		rest := strings.TrimLeft(line, mark)
		if n := len(line) - len(rest); n >= 3 && !strings.Contains(rest, mark) {
			tag, _, _ = strings.Cut(strings.TrimSpace(rest), " ")
			return line[:n], strings.ToLower(tag)
		}
	}
	return "", ""
}

// closes tells whether a line ends the block of a fence: at least as many of the same, and nothing else.
func closes(line, fence string) bool {
	line = strings.TrimSpace(line)
	return len(line) >= len(fence) && strings.Trim(line, fence[:1]) == ""
}

// dedent joins the lines of a block whose fence is indented, in a list for instance, without as many spaces.
func dedent(lines []string, indent int) string {
	var b strings.Builder
	for _, line := range lines {
		spaces := len(line) - len(strings.TrimLeft(line, " "))
		b.WriteString(line[min(indent, spaces):])
	}
	return b.String()
}
