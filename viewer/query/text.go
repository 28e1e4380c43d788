package query

import "strings"

// contains returns a test for text that has the value in it, whatever the case.
func contains(value string) func(string) bool {
	lower := strings.ToLower(value)
	for i := range len(lower) {
		if lower[i] >= 0x80 {
			return func(s string) bool { return strings.Contains(strings.ToLower(s), lower) }
		}
	}
	return func(s string) bool { return containsASCII(s, lower) }
}

// containsASCII looks for a lower-case ASCII text.
func containsASCII(s, lower string) bool {
	if lower == "" {
		return true
	}
	first := lower[0]
	for i := 0; i+len(lower) <= len(s); i++ {
		if fold(s[i]) == first && equalASCII(s[i:i+len(lower)], lower) {
			return true
		}
	}
	return false
}

func equalASCII(s, lower string) bool {
	for i := range len(lower) {
		if fold(s[i]) != lower[i] {
			return false
		}
	}
	return true
}

func fold(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// anyOf returns a test for one of several.
func anyOf(tests []func(string) bool) func(string) bool {
	if len(tests) == 1 {
		return tests[0]
	}
	return func(s string) bool {
		for _, test := range tests {
			if test(s) {
				return true
			}
		}
		return false
	}
}
