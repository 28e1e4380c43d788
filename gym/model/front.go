package model

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/capture"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/semconv"
)

// front is the side of a model server that its callers see.
type front struct {
	name      string
	responder Responder
	recorder  *capture.Recorder
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

// handler answers requests of one dialect. What was said is on the disk before the caller hears of it.
func (f *front) handler(d dialect) wire.HandlerFunc {
	return func(ctx context.Context, req *wire.Request) (*wire.Reply, error) {
		began := time.Now()
		a, err := f.answer(ctx, d, req)
		e := exchange{dialect: d, request: req, answer: a, began: began, took: time.Since(began)}
		if err != nil {
			err = e.failed(ctx, f.name, err)
		} else if a.failed != nil {
			e.category = category(ctx, a.failed)
		}
		e.measure(ctx, f.name)
		e.record(ctx, f.recorder)
		if err != nil {
			return nil, err
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

// answerer is a [Responder] of this package, whose answer need not be parsed again.
type answerer interface {
	answer(ctx context.Context, r *Request) (responses.Response, error)
}

// replyTo is what an answerer has for those who call it as a [Responder].
func replyTo(ctx context.Context, a answerer, r *Request) (*wire.Reply, error) {
	answer, err := a.answer(ctx, r)
	if err != nil {
		return nil, err
	}
	return &wire.Reply{Body: answer.AppendTo(nil)}, nil
}

// respond asks the responder and parses what it says.
func (f *front) respond(ctx context.Context, p responses.CreateParams, req *wire.Request) (responses.Response, wire.Cookies, error) {
	if own, ok := f.responder.(answerer); ok {
		r, err := own.answer(ctx, &Request{Params: p, Wire: req})
		return r, nil, err
	}
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
