package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/chat"
	"github.com/lensgo/lens/gym/responses/sse"
	"github.com/lensgo/lens/gym/wire"
)

// OpenAI answers by asking an endpoint that speaks the Responses dialect and Chat Completions itself. A request goes on as it
// came, byte for byte, but for the model's name, which the settings give, and members of extra_body that it does not have.
// The answer comes back as it is. Requests in the Messages dialect are converted to Responses.
//
// The calls leave the run: they carry the trace context, and neither the run's mark nor anybody's cookies. When the endpoint
// refuses or gives no answer it is asked again, see [EndpointSettings]; in the end the error is an [*EndpointError], in
// which the key is blotted out.
//
// An OpenAI is safe for concurrent use.
type OpenAI struct {
	settings OpenAISettings
	endpoint *endpoint
}

// NewOpenAI returns the responder for the settings, which makes its calls through caller. The error lists what is wrong
// with the settings and never holds the key.
func NewOpenAI(s OpenAISettings, caller Caller) (*OpenAI, error) {
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("cannot use the settings of an openai_model: %w", err)
	}
	base, err := baseURL("openai_base_url", s.BaseURL)
	if err != nil {
		return nil, fmt.Errorf("cannot use the settings of an openai_model: %w", err)
	}
	e := newEndpoint(caller, []*url.URL{base}, bearer(s.APIKey, s.Headers), secretsOf(s.APIKey, s.Headers), s.EndpointSettings)
	return &OpenAI{settings: s, endpoint: e}, nil
}

// BuildOpenAI returns the server of an openai_model instance, which asks its endpoint through client.
func BuildOpenAI(in *config.Instance, client *wire.Client, logger *slog.Logger) (*wire.Server, error) {
	var s OpenAISettings
	if err := in.DecodeSettings(&s); err != nil {
		return nil, err
	}
	m, err := NewOpenAI(s, client)
	if err != nil {
		return nil, fmt.Errorf("cannot build model server %q: %w", in.Name, err)
	}
	return NewServer(in, m, logger)
}

// Respond hands a request of the Responses dialect on.
func (m *OpenAI) Respond(ctx context.Context, r *Request) (*wire.Reply, error) {
	return replyTo(ctx, m, r)
}

func (m *OpenAI) answer(ctx context.Context, r *Request) (responses.Response, error) {
	p := r.Params
	cleanReasoning(&p, m.settings.DropReasoning)
	m.prepare(&p.Object)
	return askResponses(ctx, m.endpoint, sessionOf(r.Wire), p)
}

// Complete hands a request of Chat Completions on.
func (m *OpenAI) Complete(ctx context.Context, r *ChatRequest) (chat.Completion, error) {
	body := r.Chat
	body.Delete("stream")
	body.Delete("stream_options")
	m.prepare(&body.Object)
	return askChat(ctx, m.endpoint, sessionOf(r.Wire), body, m.settings.Stream)
}

// prepare makes a request of either dialect the endpoint's.
func (m *OpenAI) prepare(o *responses.Object) {
	o.SetString("model", m.settings.Model)
	o.Fill(m.settings.ExtraBody)
	if m.settings.Stream {
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

// cleanReasoning mends the reasoning items of the input, which come from earlier answers: a status of null, which programs
// write that know the member and not its value, is refused by endpoints. With drop the items are taken out, for endpoints
// that refuse those of another model.
func cleanReasoning(p *responses.CreateParams, drop bool) {
	elements, isList := p.Array("input")
	if !isList {
		return
	}
	kept, changed := make([]jsontext.Value, 0, len(elements)), false
	for _, element := range elements {
		item, ok := reasoningItem(element)
		switch {
		case ok && drop:
			changed = true
			continue
		case ok && item.Null("status"):
			item.Delete("status")
			element, changed = item.AppendTo(nil), true
		}
		kept = append(kept, element)
	}
	if changed {
		p.Set("input", joinValues(kept))
	}
}

// reasoningItem views an element of the input, when it is a reasoning item. Most are not, and are not taken apart.
func reasoningItem(element jsontext.Value) (responses.Item, bool) {
	if !bytes.Contains(element, []byte(`"`+responses.TypeReasoning+`"`)) {
		return responses.Item{}, false
	}
	o, _ := responses.View(element)
	item := responses.Item{Object: o}
	return item, item.Type() == responses.TypeReasoning
}

// joinValues writes checked values as an array.
func joinValues(list []jsontext.Value) jsontext.Value {
	n := 2
	for _, v := range list {
		n += len(v) + 1
	}
	b := append(make([]byte, 0, n), '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	return append(b, ']')
}

// OpenAISettings are the keys of an openai_model.
type OpenAISettings struct {
	EndpointSettings

	BaseURL       string            `json:"openai_base_url"`            // the endpoint's URL up to /responses, for example https://host/v1 (needed)
	APIKey        Secret            `json:"openai_api_key"`             // sent as a bearer token; "" sends none (needed)
	Model         string            `json:"openai_model"`               // takes the place of the request's model (needed)
	Headers       map[string]Secret `json:"openai_default_headers"`     // further headers; they win
	ExtraBody     responses.Object  `json:"extra_body"`                 // members for requests that do not have them
	DropReasoning bool              `json:"drop_input_reasoning_items"` // take reasoning items out of the input
}

// check reports everything that is wrong with s.
func (s *OpenAISettings) check() error {
	_, err := baseURL("openai_base_url", s.BaseURL)
	errs := []error{err}
	if s.Model == "" {
		errs = append(errs, errors.New("openai_model is missing: name the model to ask for"))
	}
	errs = append(errs, checkKey("openai_api_key", s.APIKey), checkHeaders("openai_default_headers", s.Headers), s.EndpointSettings.check())
	return errors.Join(errs...)
}
