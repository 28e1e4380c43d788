package content

import (
	"slices"
	"strings"
)

// redacted replaces a credential.
const redacted = "[REDACTED]"

// credentialKeys are the ends of the names of credentials, in lower case and without - and _.
var credentialKeys = []string{
	"accesskey", "apikey", "authorization", "cookie", "credential", "credentials", "passphrase", "passwd", "password", "privatekey",
	"secret", "secretkey", "token",
}

// CredentialKeys returns what the names of credentials end in, in lower case and without - and _, sorted: a key of
// "X-Api-Key" ends in apikey, one of max_tokens in none of them. The slice is a copy.
func CredentialKeys() []string { return slices.Clone(credentialKeys) }

// longestKey is how much of a name is looked at, from its end: more than any credential's name needs.
const longestKey = 32

// isCredential reports whether the value under a key is a credential.
func isCredential(key string) bool {
	var room [longestKey]byte
	at := len(room)
	for i := len(key) - 1; i >= 0 && at > 0; i-- {
		c := key[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != '-' && c != '_' && c != ' ' {
			at--
			room[at] = c
		}
	}
	name := string(room[at:])
	for _, end := range credentialKeys {
		if strings.HasSuffix(name, end) {
			return true
		}
	}
	return false
}

// Redact returns s with [REDACTED] in place of what looks like a credential, and how many it found. It reads s once.
func Redact(s string) (clean string, found int) {
	r := redactor{s: s}
	for i := 0; i < len(s); {
		from, to := r.at(i)
		if to <= from {
			i++
			continue
		}
		r.out = append(append(r.out, s[r.done:from]...), redacted...)
		r.done, i = to, to
		found++
	}
	if found == 0 {
		return s, 0
	}
	return string(append(r.out, s[r.done:]...)), found
}

type redactor struct {
	s    string
	out  []byte
	done int // what of s is in out
}

// at returns the credential whose recognition begins at i; to is not above from when there is none.
func (r *redactor) at(i int) (from, to int) {
	switch c := r.s[i]; {
	case c == ':' || c == '=':
		if strings.HasPrefix(r.s[i:], "://") {
			return r.userInfo(i + 3)
		}
		return r.behindKey(i)
	case c == '-':
		return r.privateKey(i)
	case isWord(c) && (i == 0 || !isWord(r.s[i-1])):
		return r.word(i)
	}
	return 0, 0
}

// isWord reports whether a byte may stand in a token or a name.
func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// isToken reports whether a byte may stand in a credential of any kind: base64 in both alphabets, dots and what tokens of RFC
// 6750 have.
func isToken(c byte) bool { return isWord(c) || strings.IndexByte("-.~+/=", c) >= 0 }

// run returns the end of the bytes from i on that fit.
func (r *redactor) run(i int, fits func(byte) bool) int {
	for i < len(r.s) && fits(r.s[i]) {
		i++
	}
	return i
}

// beginnings are how tokens of well-known issuers begin, and how many bytes follow at least.
var beginnings = []struct {
	text string
	rest int
}{
	{"AIza", 30}, {"AKIA", 16}, {"ASIA", 16},
	{"dop_v1_", 32}, {"eyJ", 20},
	{"ghp_", 20}, {"gho_", 20}, {"ghu_", 20}, {"ghs_", 20}, {"ghr_", 20}, {"github_pat_", 20}, {"glpat-", 16},
	{"hf_", 20}, {"npm_", 20}, {"nvapi-", 20}, {"pypi-", 20},
	{"rk_live_", 16}, {"rk_test_", 16}, {"sk-", 16}, {"sk_live_", 16}, {"sk_test_", 16},
	{"xapp-", 16}, {"xoxa-", 16}, {"xoxb-", 16}, {"xoxp-", 16}, {"xoxr-", 16}, {"xoxs-", 16}, {"ya29.", 20},
}

// telling is how much of a token is looked at to tell it from words that hyphens join.
const telling = 128

func isPart(c byte) bool { return isWord(c) || c == '-' || c == '.' }

// word looks at the word that begins at i: a token by its beginning, or a scheme of the Authorization header.
func (r *redactor) word(i int) (from, to int) {
	rest := r.s[i:]
	switch rest[0] {
	case 'B', 'b':
		for _, scheme := range []string{"bearer ", "basic "} {
			if len(rest) > len(scheme) && strings.EqualFold(rest[:len(scheme)], scheme) {
				from = r.run(i+len(scheme), isBlank)
				if to = r.run(from, isToken); to-from >= 20 || to-from >= 8 && mixed(r.s[from:to]) {
					return from, to
				}
			}
		}
	case 'A', 'd', 'e', 'g', 'h', 'n', 'p', 'r', 's', 'x', 'y':
		for _, b := range beginnings {
			if !strings.HasPrefix(rest, b.text) {
				continue
			}
			from = i + len(b.text)
			head := redactor{s: r.s[:min(len(r.s), from+telling)]}
			if to = head.run(from, isPart); to-from >= b.rest && mixed(r.s[from:to]) {
				return i, r.run(to, isPart)
			}
		}
	}
	return 0, 0
}

// mixed reports whether a text is no plain word: it has a digit, or letters of both cases in the middle.
func mixed(s string) bool {
	upper, lower := false, false
	for i := range len(s) {
		switch c := s[i]; {
		case '0' <= c && c <= '9':
			return true
		case 'A' <= c && c <= 'Z':
			upper = upper || i > 0
		case 'a' <= c && c <= 'z':
			lower = true
		}
	}
	return upper && lower
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// userInfo looks at what follows :// for the user and password of a URL.
func (r *redactor) userInfo(i int) (from, to int) {
	end := r.run(i, func(c byte) bool { return c > ' ' && strings.IndexByte(`/?#"'<>\@`, c) < 0 })
	if end > i && end < len(r.s) && r.s[end] == '@' && r.s[i:end] != redacted {
		return i, end
	}
	return 0, 0
}

// privateKey looks at i for a private key in PEM form; one without an end lasts to the end of the text.
func (r *redactor) privateKey(i int) (from, to int) {
	const dashes = "-----"
	rest := r.s[i:]
	if !strings.HasPrefix(rest, dashes+"BEGIN ") {
		return 0, 0
	}
	head := rest[:min(len(rest), 80)]
	if !strings.Contains(head, "PRIVATE KEY"+dashes) {
		return 0, 0
	}
	end := strings.Index(rest, dashes+"END ")
	if end < 0 {
		return i, len(r.s)
	}
	last := strings.Index(rest[end+len(dashes):], dashes)
	if last < 0 {
		return i, len(r.s)
	}
	return i, i + end + len(dashes) + last + len(dashes)
}

// behindKey looks at the value behind a colon or an equals sign at i, if what stands before is the name of a credential.
func (r *redactor) behindKey(i int) (from, to int) {
	name, ok := r.nameBefore(i)
	if !ok || !isCredential(name) {
		return 0, 0
	}
	from = r.run(i+1, func(c byte) bool { return isBlank(c) || c == '=' || c == '>' || c == '\\' })
	if from == len(r.s) {
		return 0, 0
	}
	quote := r.s[from]
	if quote == '"' || quote == '\'' {
		from++
		to = r.run(from, func(c byte) bool { return c != quote })
		for to < len(r.s) && r.s[to-1] == '\\' && quoted(r.s[i:from]) { // a quote that is part of the value
			to = r.run(to+1, func(c byte) bool { return c != quote })
		}
		to = from + len(strings.TrimRight(r.s[from:to], `\`))
	} else {
		to = r.run(from, func(c byte) bool { return c > ' ' && strings.IndexByte(`,;&"'<>(){}[]`, c) < 0 })
		if header := strings.ToLower(name); strings.HasSuffix(header, "authorization") || strings.HasSuffix(header, "cookie") {
			to = r.run(from, func(c byte) bool { return c != '\n' && c != '\r' && c != '"' && c != '\'' })
		}
	}
	if strings.HasPrefix(r.s[from:], redacted) {
		return 0, 0
	}
	switch r.s[from:to] {
	case "", "null", "None", "true", "false", "True", "False":
		return 0, 0
	}
	return from, to
}

// quoted reports whether a value's opening quote is a plain one, not one that is itself escaped.
func quoted(opening string) bool { return !strings.Contains(opening, `\`) }

// nameBefore is the name that ends before i, without quotes and blanks around it.
func (r *redactor) nameBefore(i int) (name string, ok bool) {
	end := i
	for end > r.done && (isBlank(r.s[end-1]) || strings.IndexByte("\"'\\", r.s[end-1]) >= 0) && i-end < 8 {
		end--
	}
	start := end
	for start > r.done && end-start < 64 && (isWord(r.s[start-1]) || r.s[start-1] == '-') {
		start--
	}
	return r.s[start:end], start < end
}
