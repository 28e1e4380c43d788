package content

import (
	"github.com/lensgo/lens"
	"github.com/lensgo/lens/semconv"
)

// ToolCall is one call of a tool.
type ToolCall struct {
	ID, Name  string
	Arguments string // as the model wrote them
	Result    []byte // what came back, with any status; nil when nothing did
}

// Record puts the call on its span. An attribute gets at most bound bytes. On a span that does not record it does nothing.
func (c ToolCall) Record(span lens.Span, bound int) {
	if !span.Recording() {
		return
	}
	defer contain(span)
	var lost losses
	span.Str(semconv.GenAIOperationName, semconv.OperationExecuteTool)
	span.Str(semconv.GenAIToolType, semconv.ToolFunction)
	span.Str(semconv.GenAIToolName, lost.clean(excerptOf(c.Name)))
	span.Str(semconv.GenAIToolCallID, lost.clean(excerptOf(c.ID)))
	span.Str(semconv.GenAIToolCallArguments, lost.attribute([]byte(c.Arguments[:min(len(c.Arguments), maxJSON+1)]), len(c.Arguments), bound))
	if c.Result != nil {
		span.Str(semconv.GenAIToolCallResult, lost.attribute(c.Result, len(c.Result), bound))
	}
	lost.record(span)
}

// attribute is the value of an attribute: JSON when b is an object or a list, else a text. total is the length of what b is
// the beginning of.
func (l *losses) attribute(b []byte, total, bound int) string {
	if total == len(b) {
		if out, ok := l.appendJSON(nil, b, bound); ok {
			return string(out)
		}
	}
	e := excerptOfBytes(b)
	e.total = total
	text := l.clean(e)
	if len(text) > bound {
		l.cut += len(text) - bound/2
		text = cut(text, bound/2) + markOf(total-bound/2)
	}
	return text
}

func (l *losses) add(more losses) {
	l.cut += more.cut
	l.redacted += more.redacted
}

// record says on the span what was left out.
func (l *losses) record(span lens.Span) {
	if l.cut > 0 {
		span.Int(semconv.GymContentCut, l.cut)
	}
	if l.redacted > 0 {
		span.Int(semconv.GymContentRedacted, l.redacted)
	}
}

// contain ends a panic here: a mistake in what only watches must not end what is watched. The span says that there was one.
func contain(span lens.Span) {
	if v := recover(); v != nil {
		span.Event(semconv.GymContentFailed)
	}
}
