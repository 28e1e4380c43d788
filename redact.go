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

// sensitiveKeys says of each key whether it also counts as the last part of a dotted name. lengths has a bit for each
// length that occurs: nearly all keys of a program fall through there.
var sensitiveKeys, lengths = func() (map[string]bool, uint64) {
	keys, lengths := map[string]bool{}, uint64(0)
	for _, k := range plainKeys {
		keys[k] = false
		lengths |= 1 << len(k)
	}
	for _, k := range credentialKeys {
		keys[k] = true
		lengths |= 1 << len(k)
	}
	return keys, lengths
}()

func sensitive(key string) bool {
	last := key[strings.LastIndexByte(key, '.')+1:]
	if len(last) > maxSensitive || lengths&(1<<len(last)) == 0 {
		return false
	}
	var folded [maxSensitive]byte
	for i := range len(last) {
		folded[i] = fold(last[i])
	}
	dotted, found := sensitiveKeys[string(folded[:len(last)])] // no allocation: the compiler sees a lookup
	return found && (dotted || len(last) == len(key))
}

// maxSensitive bounds the length of the sensitive keys; a test holds the list to it.
const maxSensitive = 24

// fold gives letters and separators the form that keys are compared in.
func fold(c byte) byte {
	switch {
	case 'A' <= c && c <= 'Z':
		return c + ('a' - 'A')
	case c == '-':
		return '_'
	}
	return c
}
