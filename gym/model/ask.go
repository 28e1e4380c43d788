package model

import (
	"bytes"
	"context"
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/chat"
	"github.com/lensgo/lens/gym/responses/sse"
	"github.com/lensgo/lens/gym/wire"
)

// prepare makes a request of a dialect that passes through the endpoint's: its model's name, members that it does not have, and
// members that win over its own.
func prepare(o *responses.Object, model string, fill, win responses.Object, stream bool) {
	o.SetString("model", model)
	o.Fill(fill)
	o.Merge(win)
	if stream {
		o.SetBool("stream", true)
	}
}

// askResponses asks an endpoint that speaks the Responses dialect.
func askResponses(ctx context.Context, e *endpoint, session string, p responses.CreateParams) (responses.Response, error) {
	var answer responses.Response
	err := e.ask(ctx, query{session: session, path: "responses", body: p.AppendTo(nil), read: func(r *wire.Result) (err error) {
		if isStream(r) {
			answer, err = responses.Collect(sse.NewReader(bytes.NewReader(r.Body), sse.Options{}))
			return err
		}
		answer, err = responses.ParseResponse(r.Body)
		if err != nil {
			return errors.Join(reportedError(r.Body), responses.ExplainNonJSON(err, r.Body))
		}
		return nil
	}})
	return answer, err
}

// askChat asks an endpoint that speaks Chat Completions.
func askChat(ctx context.Context, e *endpoint, session string, body chat.Request, stream bool) (chat.Completion, error) {
	if stream {
		body.SetBool("stream", true)
		body.Set("stream_options", jsontext.Value(`{"include_usage":true}`))
	}
	var answer chat.Completion
	err := e.ask(ctx, query{session: session, path: "chat/completions", body: body.AppendTo(nil), read: func(r *wire.Result) (err error) {
		if isStream(r) {
			answer, err = chat.Collect(sse.NewReader(bytes.NewReader(r.Body), sse.Options{}))
			return err
		}
		answer, err = chat.ParseCompletion(r.Body)
		return err
	}})
	return answer, err
}

// reportedError is the error that an endpoint reports in an answer with a 2xx that has nothing else; nil when it is not one.
func reportedError(body []byte) error {
	o, err := responses.ParseObject(body)
	if err != nil {
		return nil
	}
	if v, _ := o.Get("error"); !responses.IsNull(v) && !o.Has("output") {
		return responses.ParseUpstreamError(v)
	}
	return nil
}
