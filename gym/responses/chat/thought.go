package chat

import "strings"

// Models without a parser in their server write what they think between these, in the text.
const (
	thinkOpen  = "<think>"
	thinkClose = "</think>"
)

// splitThought takes the <think> segments out of a text. thought is nil when there is none; a segment that does not end is
// none.
func splitThought(text string) (thought []string, rest string) {
	open := strings.Index(text, thinkOpen)
	if open < 0 {
		return nil, text
	}
	var b strings.Builder
	for open >= 0 {
		end := strings.Index(text[open:], thinkClose)
		if end < 0 {
			break
		}
		end += open
		thought = append(thought, text[open+len(thinkOpen):end])
		b.WriteString(text[:open])
		text = text[end+len(thinkClose):]
		open = strings.Index(text, thinkOpen)
	}
	b.WriteString(text)
	return thought, b.String()
}

// joinThought is the text of several segments.
func joinThought(thought []string) string { return strings.Join(thought, "\n") }
