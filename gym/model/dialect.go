package model

import (
	"context"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/chat"
	"github.com/lensgo/lens/gym/responses/messages"
	"github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/semconv"
)

// dialect is one of the dialects that a model server speaks to its callers.
type dialect struct {
	name  string // in metrics
	file  string // in captures
	route string
	start func(context.Context) (context.Context, lens.Span) // opens the route's span
	// parse checks a request and returns what asks for the answer to it.
	parse func(f *front, req *wire.Request) (ask func(context.Context) (answer, error), err error)
}

var dialects = []dialect{
	{name: semconv.DialectResponses, file: "responses", route: RouteResponses, start: startResponses, parse: parseResponses},
	{name: semconv.DialectChat, file: "chat", route: RouteChat, start: startChat, parse: parseChat},
	{name: semconv.DialectMessages, file: "messages", route: RouteMessages, start: startMessages, parse: parseMessages},
}

func startResponses(ctx context.Context) (context.Context, lens.Span) {
	return wire.StartEndpoint(ctx, telemetry.ModelCall, semconv.SpanGymModelResponses)
}

func startChat(ctx context.Context) (context.Context, lens.Span) {
	return wire.StartEndpoint(ctx, telemetry.ModelCall, semconv.SpanGymModelChatCompletions)
}

func startMessages(ctx context.Context) (context.Context, lens.Span) {
	return wire.StartEndpoint(ctx, telemetry.ModelCall, semconv.SpanGymModelMessages)
}

func parseResponses(f *front, req *wire.Request) (func(context.Context) (answer, error), error) {
	if responses.WantsStream(req.Body) {
		return parseStreamed(f, req)
	}
	params, err := responses.ParseCreateParams(req.Body)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (answer, error) {
		if own, ok := f.responder.(answerer); ok {
			r, err := own.answer(ctx, &Request{Params: params, Wire: req})
			if err != nil {
				return answer{}, err
			}
			return whole(r.Object, nil), nil
		}
		reply, err := f.responder.Respond(ctx, &Request{Params: params, Wire: req})
		return answer{reply: reply}, err
	}, nil
}

// parseStreamed is parseResponses for a client that wants a stream. What goes wrong once the request is accepted, such a
// client is told in the stream.
func parseStreamed(f *front, req *wire.Request) (func(context.Context) (answer, error), error) {
	s, err := responses.ParseStreamed(req.Body)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (answer, error) {
		f.dropped(ctx, s.Dropped)
		r, cookies, err := f.respond(ctx, s.Params, req)
		if err != nil && ctx.Err() != nil {
			return answer{}, err
		}
		if err != nil {
			a := streamed(responses.Object{}, responses.ReplayFailure(s.Params, err.Error()), nil)
			a.failed = err
			return a, nil
		}
		r = s.Restore(r)
		return streamed(r.Object, responses.Replay(r), cookies), nil
	}, nil
}

func parseChat(f *front, req *wire.Request) (func(context.Context) (answer, error), error) {
	r, err := chat.ParseRequest(req.Body)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (answer, error) {
		c, cookies, err := f.complete(ctx, r, req)
		if err != nil {
			return answer{}, err
		}
		if r.Stream() {
			return streamed(c.Object, chat.Replay(c, r.IncludeUsage()), cookies), nil
		}
		return whole(c.Object, cookies), nil
	}, nil
}

func (f *front) complete(ctx context.Context, r chat.Request, req *wire.Request) (chat.Completion, wire.Cookies, error) {
	if own, ok := f.responder.(Completer); ok {
		c, err := own.Complete(ctx, &ChatRequest{Chat: r, Wire: req})
		return c, nil, err
	}
	params, err := chat.ToParams(r)
	if err != nil {
		return chat.Completion{}, nil, err
	}
	response, cookies, err := f.respond(ctx, params, req)
	if err != nil {
		return chat.Completion{}, nil, err
	}
	c, err := chat.FromResponse(response)
	if err != nil {
		return chat.Completion{}, nil, badAnswer(err)
	}
	return c, cookies, nil
}

func parseMessages(f *front, req *wire.Request) (func(context.Context) (answer, error), error) {
	r, err := messages.ParseRequest(req.Body)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (answer, error) {
		m, cookies, err := f.message(ctx, r, req)
		if err != nil {
			return answer{}, err
		}
		if r.Stream() {
			return streamed(m.Object, messages.Replay(m), cookies), nil
		}
		return whole(m.Object, cookies), nil
	}, nil
}

func (f *front) message(ctx context.Context, r messages.Request, req *wire.Request) (messages.Message, wire.Cookies, error) {
	if own, ok := f.responder.(Messenger); ok {
		m, err := own.Message(ctx, &MessagesRequest{Messages: r, Wire: req})
		return m, nil, err
	}
	params, err := messages.ToParams(r)
	if err != nil {
		return messages.Message{}, nil, err
	}
	response, cookies, err := f.respond(ctx, params, req)
	if err != nil {
		return messages.Message{}, nil, err
	}
	m, err := messages.FromResponse(response)
	if err != nil {
		return messages.Message{}, nil, badAnswer(err)
	}
	return m, cookies, nil
}
