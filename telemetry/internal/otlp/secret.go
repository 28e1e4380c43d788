package otlp

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/lensgo/lens/internal/printable"
)

// hidden stands for what nobody may read in a log.
const hidden = "xxxxx"

// redact is a URL without user, password and the values of its query, where keys of collectors stand.
func redact(u *url.URL) string {
	shown := *u
	if u.User != nil {
		shown.User = url.User(hidden)
	}
	if u.RawQuery != "" {
		shown.RawQuery = redactQuery(u.RawQuery)
	}
	shown.Fragment, shown.RawFragment = "", ""
	return shown.String()
}

// redactQuery keeps the names of a query.
func redactQuery(query string) string {
	pairs := strings.Split(query, "&")
	for i, pair := range pairs {
		name, _, ok := strings.Cut(pair, "=")
		if pairs[i] = hidden; ok {
			pairs[i] = name + "=" + hidden
		}
	}
	return strings.Join(pairs, "&")
}

// redactURL is [redact] also of text that is no URL.
func redactURL(text string) string {
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		return redact(u)
	}
	if before, _, ok := strings.Cut(text, "?"); ok {
		text = before + "?" + hidden
	}
	if i := strings.LastIndex(text, "@"); i >= 0 {
		return hidden + text[i:]
	}
	return text
}

// leastSecret is the length from which a value is taken out of the texts of others. A shorter one is no secret, and would be found
// in any text.
const leastSecret = 3

// Hide takes what is secret of a target out of a text that somebody else has written: a collector may answer with the key that it
// refuses.
func (t Target) Hide(text string) string {
	for _, secret := range t.secrets() {
		text = strings.ReplaceAll(text, secret, hidden)
	}
	return text
}

// Quote is what a collector says, as it may stand in a log or on a terminal: in one line, without what is secret of the target.
func (t Target) Quote(text string) string {
	return printable.Line(t.Hide(strings.Join(strings.Fields(text), " ")))
}

// secrets are the values of headers, those behind a word such as Bearer also alone, and what [redact] hides; the longest first.
func (t Target) secrets() (all []string) {
	add := func(values ...string) {
		for _, v := range values {
			if len(v) >= leastSecret && v != hidden {
				all = append(all, v)
			}
		}
	}
	for _, values := range t.Header {
		for _, v := range values {
			_, behind, _ := strings.Cut(v, " ")
			add(v, strings.TrimSpace(behind), url.PathEscape(v), url.QueryEscape(v))
		}
	}
	if t.URL != nil {
		password, _ := t.URL.User.Password()
		add(t.URL.User.Username(), password, url.PathEscape(password), t.URL.User.String())
		for _, values := range t.URL.Query() {
			add(values...)
		}
		for pair := range strings.SplitSeq(t.URL.RawQuery, "&") {
			_, value, _ := strings.Cut(pair, "=")
			add(value)
		}
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return slices.Compact(all)
}
