package w3c

import (
	"net/url"
	"strings"
	"unicode/utf8"
)

// MaxBaggage is how many bytes a baggage list may have, over all its header lines.
const MaxBaggage = 8192

// Baggage is a W3C baggage list as it came: what its members say is looked at only when somebody asks for one, so that a
// hop that changes nothing sends on what it got, properties and all. The zero value is the empty list.
type Baggage struct {
	text string
}

// ReadBaggage takes the lines of a baggage header. A list that is too long or holds control characters, which no header
// may carry onward, is dropped.
func ReadBaggage(lines ...string) Baggage {
	var kept []string
	size := 0
	for _, line := range lines {
		if line = strings.Trim(line, " \t,"); line == "" {
			continue
		}
		if size += len(line) + 1; size > MaxBaggage+1 || strings.ContainsFunc(line, control) {
			return Baggage{}
		}
		kept = append(kept, line)
	}
	return Baggage{strings.Join(kept, ",")}
}

func control(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }

// String is the header value.
func (b Baggage) String() string { return b.text }

// Empty says whether there is nothing to send.
func (b Baggage) Empty() bool { return b.text == "" }

// Len is the number of members.
func (b Baggage) Len() int {
	if b.Empty() {
		return 0
	}
	return strings.Count(b.text, ",") + 1
}

// Get gives the decoded value of a member; of several with one key that of the last, as OpenTelemetry has it. A value that
// is not well-formed counts as none.
func (b Baggage) Get(key string) (value string) {
	for member := range strings.SplitSeq(b.text, ",") {
		k, v, found := cutBaggage(member)
		if !found || k != key {
			continue
		}
		if decoded, err := url.PathUnescape(v); err == nil {
			value = strings.ToValidUTF8(decoded, string(utf8.RuneError))
		}
	}
	return value
}

// With gives the list with key=value, in place of members with that key. The key must be a token of HTTP; the value is any
// text, and is encoded.
func (b Baggage) With(key, value string) Baggage {
	var t strings.Builder
	for member := range strings.SplitSeq(b.text, ",") {
		if k, _, found := cutBaggage(member); strings.TrimSpace(member) == "" || found && k == key {
			continue
		}
		t.WriteString(strings.TrimSpace(member))
		t.WriteByte(',')
	}
	t.WriteString(key)
	t.WriteByte('=')
	escapeBaggage(&t, value)
	return Baggage{t.String()}
}

// cutBaggage takes "key = value ; properties" apart, and leaves the value encoded.
func cutBaggage(member string) (key, value string, found bool) {
	member, _, _ = strings.Cut(member, ";")
	key, value, found = strings.Cut(member, "=")
	return strings.TrimSpace(key), strings.TrimSpace(value), found
}

// escapeBaggage writes a value with everything encoded that may not stand in one, and the percent sign.
func escapeBaggage(t *strings.Builder, value string) {
	const hex = "0123456789ABCDEF"
	for i := range len(value) {
		c := value[i]
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`%",;\`, c) >= 0 {
			t.Write([]byte{'%', hex[c>>4], hex[c&15]})
			continue
		}
		t.WriteByte(c)
	}
}
