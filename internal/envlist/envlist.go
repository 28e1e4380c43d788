// Package envlist reads the text form of OTEL_RESOURCE_ATTRIBUTES, "key=value,key=value". It is what package resource and
// package telemetry share, the latter also in a build that leaves OpenTelemetry out.
package envlist

import (
	"iter"
	"net/url"
	"strings"
)

// Pairs gives the pairs in their order, a key that is named twice also twice. Keys and values are trimmed; the value, and
// only the value, is percent-decoded, and stays as it is where that fails. A part without "=" or without a key is skipped.
func Pairs(text string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for part := range strings.SplitSeq(text, ",") {
			key, value, ok := strings.Cut(part, "=")
			key = strings.TrimSpace(key)
			if ok && key != "" && !yield(key, decode(strings.TrimSpace(value))) {
				return
			}
		}
	}
}

// Last gives the value that counts of a key, that of its last pair, or "".
func Last(text, key string) (value string) {
	for k, v := range Pairs(text) {
		if k == key {
			value = v
		}
	}
	return value
}

func decode(value string) string {
	if decoded, err := url.PathUnescape(value); err == nil {
		return decoded
	}
	return value
}
