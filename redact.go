package lens

import (
	"slices"
	"strings"
)

// redacted replaces a value that must not leave the process.
const redacted = "[REDACTED]"

// The sensitive keys, in the form that they are compared in: lower case, with _ for -. A key of the first kind is
// sensitive only as it stands: inside longer names these words are too common ("ui.text", "cache.key"). One of the
// second kind is a credential wherever it is the last part of a dotted name ("http.request.header.authorization").
var (
	plainKeys = []string{
		"input_text", "key", "output_text", "password", "prompt", "secret", "text", "token",
	}
	credentialKeys = []string{
		"access_key", "access_token", "api_key", "api_token", "apikey", "auth_token", "authorization", "bearer_token",
		"client_secret", "cookie", "id_token", "passphrase", "passwd", "private_key", "proxy_authorization",
		"refresh_token", "secret_access_key", "secret_key", "session_token", "set_cookie", "x_api_key",
	}
)

// Redact returns the value that an attribute with this key and string value is written with: [REDACTED] if the key is
// sensitive, else the value. Setters do this to strings by themselves; numbers, booleans and lists are never redacted.
//
// A key is sensitive if it is one of [RedactKeys], in any case and with - or _. Keys are compared whole, so max_tokens
// and total_tokens are not; those that name a credential (api_key, authorization) also count after the last dot of a
// longer name.
func Redact(key, value string) string {
	if sensitive(key) {
		return redacted
	}
	return value
}

// RedactKeys returns the sensitive keys, in lower case, with _ for -, and sorted. The slice is a copy.
func RedactKeys() []string {
	keys := slices.Concat(plainKeys, credentialKeys)
	slices.Sort(keys)
	return keys
}

// byLength has the sensitive keys by their length, which nearly every other key of a program falls through.
var byLength = func() (table [maxSensitive + 1][]sensitiveKey) {
	for _, k := range plainKeys {
		table[len(k)] = append(table[len(k)], sensitiveKey{name: k})
	}
	for _, k := range credentialKeys {
		table[len(k)] = append(table[len(k)], sensitiveKey{name: k, dotted: true})
	}
	return table
}()

type sensitiveKey struct {
	name   string
	dotted bool // also as the last part of a dotted name
}

// maxSensitive is the length of the longest sensitive key, or more.
const maxSensitive = 24

func sensitive(key string) bool {
	last := key[strings.LastIndexByte(key, '.')+1:]
	if len(last) > maxSensitive {
		return false
	}
	for _, k := range byLength[len(last)] {
		if matches(last, k.name) {
			return k.dotted || len(last) == len(key)
		}
	}
	return false
}

// matches compares a key with a sensitive one of the same length, in any case and with - for _.
func matches(key, name string) bool {
	for i := range len(name) {
		c := key[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case c == '-':
			c = '_'
		}
		if c != name[i] {
			return false
		}
	}
	return true
}
