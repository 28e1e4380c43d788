package otlp

import "strings"

// Text returns s as valid UTF-8: every run of bytes that are none becomes one U+FFFD. A valid string is returned as it is.
func Text(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }
