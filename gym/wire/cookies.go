package wire

import (
	"slices"
	"strings"
)

// Cookies are cookies as they travel: one raw text "name=value" each, in the order in which they came. Values are opaque
// and kept byte by byte, quotes included, because Python's servers sign and quote theirs and net/http's cookie type
// drops or rewrites what it does not like. nil is no cookies.
type Cookies []string

// parseCookies reads the lines of a Cookie header.
func parseCookies(lines []string) Cookies {
	var out Cookies
	for _, line := range lines {
		for line != "" {
			var piece string
			piece, line, _ = strings.Cut(line, ";")
			if piece = trimBlank(piece); piece != "" {
				out = append(out, piece)
			}
		}
	}
	return out
}

// setCookies reads Set-Cookie lines: the text before the first semicolon of each. Attributes say how long and where a
// browser keeps a cookie; nobody here is a browser.
func setCookies(lines []string) Cookies {
	if len(lines) == 0 {
		return nil
	}
	out := make(Cookies, 0, len(lines))
	for _, line := range lines {
		piece, _, _ := strings.Cut(line, ";")
		if piece = trimBlank(piece); piece != "" {
			out = append(out, piece)
		}
	}
	return out
}

// Get returns the raw value of a cookie. Of two with one name it takes the last, as Python's parser does.
func (c Cookies) Get(name string) (value string, ok bool) {
	for _, text := range slices.Backward(c) {
		if n, v, found := strings.Cut(text, "="); found && n == name {
			return v, true
		}
	}
	return "", false
}

// Names returns the names in order, repeats included.
func (c Cookies) Names() []string {
	out := make([]string, len(c))
	for i, text := range c {
		out[i] = cookieName(text)
	}
	return out
}

// Merge returns c with the cookies of newer: one of the same name takes the old one's place, the others follow. Neither
// list is changed.
func (c Cookies) Merge(newer Cookies) Cookies {
	out := make(Cookies, len(c), len(c)+len(newer))
	copy(out, c)
	for _, text := range newer {
		if i := out.index(cookieName(text)); i >= 0 {
			out[i] = text
			continue
		}
		out = append(out, text)
	}
	return out
}

// header returns the value of the Cookie header, "" for no cookies.
func (c Cookies) header() string {
	if len(c) == 1 {
		return c[0]
	}
	return strings.Join(c, "; ")
}

func (c Cookies) index(name string) int {
	for i, text := range slices.Backward(c) {
		if cookieName(text) == name {
			return i
		}
	}
	return -1
}

// cookieName is the text before the first "="; a text without one is all value and has the name "".
func cookieName(text string) string {
	name, _, found := strings.Cut(text, "=")
	if !found {
		return ""
	}
	return name
}

// trimBlank trims what HTTP calls optional white space.
func trimBlank(s string) string { return strings.Trim(s, " \t") }
