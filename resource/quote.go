package resource

import "strings"

// clip bounds what an error repeats of text that somebody else wrote.
func clip(text string) string {
	const most = 100
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "..."
}
