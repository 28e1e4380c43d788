package otlp

import "strings"

// mostExcerpt is how much is told of what another program wrote.
const mostExcerpt = 1 << 10

// Excerpt bounds what another program wrote, and makes it UTF-8.
func Excerpt(text []byte) string {
	if len(text) > mostExcerpt {
		return strings.ToValidUTF8(string(text[:mostExcerpt]), "") + " ..."
	}
	return strings.ToValidUTF8(string(text), "\uFFFD")
}
