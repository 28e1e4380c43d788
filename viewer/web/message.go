package web

import (
	"context"
	"net/http"

	"github.com/lensgo/lens/viewer/otlp"
)

// ConversationState says where the conversation of a trace is read from.
type ConversationState struct {
	Source string `json:"source"`
	Rows   *int   `json:"rows"`
}

// Conversation is what was said in a rollout.
type Conversation struct {
	Source string    `json:"source"`
	Words  string    `json:"words"`
	Total  int       `json:"total"`
	Next   *string   `json:"next"`
	Rows   []Message `json:"rows"`
	Verify *Verdict  `json:"verify"`
}

// Message is one row of a conversation.
type Message struct {
	N        int          `json:"n"`
	Role     string       `json:"role"`
	Type     string       `json:"type"`
	Text     string       `json:"text"`
	Cut      int          `json:"cut"`
	Name     string       `json:"name"`
	Call     string       `json:"call"`
	Turn     *int         `json:"turn"`
	Tokens   *int64       `json:"tokens"`
	Duration *int64       `json:"duration_ns"`
	Span     *otlp.SpanID `json:"span"`
}

// Verdict is what the verifier answered.
type Verdict struct {
	Reward *float64    `json:"reward"`
	Fields []Attribute `json:"fields"`
}

// conversationState says where the conversation of the first rollout is, and how long it is when that is soon known.
func (h *Handler) conversationState(ctx context.Context, v *view) (ConversationState, error) {
	at := v.rolloutRow(otlp.SpanID{})
	if key, ok := v.resultKey(at); ok && h.results != nil && h.ofResults(v, at) && h.results.length(key) > maxCounted {
		return ConversationState{Source: sourceResults}, nil
	}
	c, err := h.conversation(ctx, v, at)
	return ConversationState{Source: c.source, Rows: new(len(c.rows))}, err
}

func (h *Handler) getConversation(r *http.Request, p *params) (any, error) {
	span := p.maybeSpan("span")
	cursor := p.text("cursor", maxParameter)
	limit := p.number("limit", maxMessages, 1, maxMessages)
	v, err := h.view(r, p)
	if err != nil {
		return nil, err
	}
	at := v.rolloutRow(span)
	if at < 0 && !span.IsZero() {
		return nil, notFound("This trace has no rollout with the span "+span.String()+".", "")
	}
	c, err := h.conversation(r.Context(), v, at)
	if err != nil {
		return nil, err
	}
	page, next, err := pageOf(c.rows, cursor, int(limit))
	if err != nil {
		return nil, err
	}
	texts := newBudget()
	rows := make([]Message, len(page))
	for i, m := range page {
		m.Text, m.Cut = texts.cut(m.Text)
		m.Name, m.Call = clip(m.Name, 1000), clip(m.Call, 1000)
		rows[i] = m
	}
	return &Conversation{Source: c.source, Words: c.words, Total: len(c.rows), Next: next, Rows: rows, Verify: c.verify}, nil
}

// maxCounted is the length of a row of the results file up to which its messages are counted for the header of a trace.
const maxCounted = 1 << 20
