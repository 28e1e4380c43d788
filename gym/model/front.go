package model

import (
	"context"
	"log/slog"
	"strings"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/semconv"
)

// front is the side of a model server that its callers see.
type front struct {
	name      string
	responder Responder
	logger    *slog.Logger
}

// answer is what a route says.
type answer struct {
	reply  *wire.Reply
	object responses.Object // what the reply's body holds or, as a stream, tells; the zero value is not parsed yet
	failed error            // what a stream tells its client with a status of 200
}

func whole(o responses.Object, cookies wire.Cookies) answer {
	return answer{object: o, reply: &wire.Reply{Body: o.AppendTo(nil), Cookies: cookies}}
}

func streamed(o responses.Object, body []byte, cookies wire.Cookies) answer {
	return answer{object: o, reply: &wire.Reply{ContentType: eventStream + "; charset=utf-8", Body: body, Cookies: cookies}}
}

// view is the answer as an object. A responder's own words are looked at only when somebody wants to know what they are.
func (a answer) view() responses.Object {
	if a.object.Len() > 0 || a.reply == nil {
		return a.object
	}
	o, err := responses.ParseObject(a.reply.Body)
	if err != nil {
		return responses.Object{} // the caller will say so
	}
	return o
}

// handler answers requests of one dialect.
func (f *front) handler(d dialect) wire.HandlerFunc {
	return func(ctx context.Context, req *wire.Request) (*wire.Reply, error) {
		a, err := f.answer(ctx, d, req)
		if err != nil {
			return nil, replyError(f.name, err)
		}
		return a.reply, nil
	}
}

// answer works the answer out inside the span of the route. A request that is wrong opens none.
func (f *front) answer(ctx context.Context, d dialect, req *wire.Request) (answer, error) {
	ask, err := d.parse(f, req)
	if err != nil {
		return answer{}, err
	}
	ctx, span := d.start(ctx)
	defer span.End()
	a, err := ask(ctx)
	if err != nil {
		span.Err(wire.SpanError(err))
		return answer{}, err
	}
	span.Err(wire.SpanError(a.failed))
	if span.Recording() {
		recordUsage(span, a.view())
	}
	return a, nil
}

// respond asks the responder and parses what it says.
func (f *front) respond(ctx context.Context, p responses.CreateParams, req *wire.Request) (responses.Response, wire.Cookies, error) {
	reply, err := f.responder.Respond(ctx, &Request{Params: p, Wire: req})
	if err != nil {
		return responses.Response{}, nil, err
	}
	r, err := responses.ParseResponse(reply.Body)
	if err != nil {
		return responses.Response{}, nil, badAnswer(err)
	}
	return r, reply.Cookies, nil
}

// dropped says in the log what a request had that the dialect does not know.
func (f *front) dropped(ctx context.Context, what []string) {
	if len(what) > 0 {
		f.logger.InfoContext(ctx, "left out of a streaming request what the dialect does not know",
			"server", f.name, "dropped", strings.Join(what, ", "))
	}
}

// recordUsage puts the answer's token counts on the span. An answer without them leaves the span as it is.
func recordUsage(span lens.Span, o responses.Object) {
	usage, ok := o.Sub("usage")
	if !ok {
		return
	}
	for _, names := range [...]struct{ attribute, here, chat string }{
		{semconv.GenAIUsageInputTokens, "input_tokens", "prompt_tokens"},
		{semconv.GenAIUsageOutputTokens, "output_tokens", "completion_tokens"},
	} {
		if n, ok := usage.Int(names.here); ok {
			span.Int64(names.attribute, n)
		} else if n, ok := usage.Int(names.chat); ok {
			span.Int64(names.attribute, n)
		}
	}
}
