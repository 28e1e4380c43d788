package model

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"path"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/messages"
	"github.com/lensgo/lens/gym/responses/sse"
	"github.com/lensgo/lens/gym/wire"
)

// Anthropic answers by asking an endpoint that speaks the Messages dialect. Requests of that dialect go on as they came but
// for the model's name and what the settings add; those of the other dialects are converted, and so are the answers. For
// the rest see [OpenAI], whose guarantees it shares.
//
// An Anthropic is safe for concurrent use.
type Anthropic struct {
	settings AnthropicSettings
	options  messages.Options
	endpoint *endpoint
}

// NewAnthropic returns the responder for the settings, which makes its calls through caller. The error lists what is wrong
// with the settings and never holds the key.
func NewAnthropic(s AnthropicSettings, caller Caller) (*Anthropic, error) {
	base, err := s.check()
	if err != nil {
		return nil, fmt.Errorf("cannot use the settings of an anthropic_model: %w", err)
	}
	return &Anthropic{settings: s, options: s.options(),
		endpoint: newEndpoint(caller, []*url.URL{base}, s.header(), secretsOf(s.APIKey, s.Headers), s.EndpointSettings)}, nil
}

// BuildAnthropic returns the server of an anthropic_model instance, which asks its endpoint through client.
func BuildAnthropic(in *config.Instance, client *wire.Client, logger *slog.Logger) (*wire.Server, error) {
	return buildServer(in, client, logger, NewAnthropic)
}

// Respond answers a request of the Responses dialect.
func (m *Anthropic) Respond(ctx context.Context, r *Request) (*wire.Reply, error) {
	return replyTo(ctx, m, r)
}

func (m *Anthropic) answer(ctx context.Context, r *Request) (responses.Response, error) {
	body, err := messages.FromParams(r.Params, m.options)
	if err != nil {
		return responses.Response{}, err
	}
	message, err := m.ask(ctx, sessionOf(r.Wire), body, nil)
	if err != nil {
		return responses.Response{}, err
	}
	answer, err := messages.ToResponse(message, r.Params, m.options)
	if err != nil {
		return responses.Response{}, badAnswer(err)
	}
	return answer, nil
}

// Message hands a request of the Messages dialect on, with the betas of the service that its client asks for.
func (m *Anthropic) Message(ctx context.Context, r *MessagesRequest) (messages.Message, error) {
	body, err := m.options.Prepare(r.Messages)
	if err != nil {
		return messages.Message{}, err
	}
	var header http.Header
	if r.Wire != nil {
		if betas := r.Wire.Header.Values("Anthropic-Beta"); len(betas) > 0 {
			header = http.Header{"Anthropic-Beta": betas}
		}
	}
	return m.ask(ctx, sessionOf(r.Wire), body, header)
}

func (m *Anthropic) ask(ctx context.Context, session string, body messages.Request, header http.Header) (messages.Message, error) {
	if m.settings.Stream {
		body.SetBool("stream", true)
	}
	var answer messages.Message
	err := m.endpoint.ask(ctx, query{session: session, path: "messages", body: body.AppendTo(nil), header: header, read: func(r *wire.Result) (err error) {
		if isStream(r) {
			answer, err = messages.Collect(sse.NewReader(bytes.NewReader(r.Body), sse.Options{}))
			return err
		}
		answer, err = messages.ParseMessage(r.Body)
		return err
	}})
	return answer, err
}

// AnthropicSettings are the keys of an anthropic_model.
type AnthropicSettings struct {
	EndpointSettings

	BaseURL        string            `json:"anthropic_base_url"`     // up to /messages; /v1 is added where it is missing (default anthropicURL)
	APIKey         Secret            `json:"anthropic_api_key"`      // sent as x-api-key; "" sends none (needed)
	Model          string            `json:"anthropic_model"`        // takes the place of the request's model (needed)
	Version        string            `json:"anthropic_version"`      // the header of that name (default anthropicVersion)
	MaxTokens      int64             `json:"max_tokens"`             // bound of the answer for requests that have none (default 32000)
	Thinking       responses.Object  `json:"thinking"`               // the member thinking of requests that do not have it
	ThinkingBudget *int64            `json:"thinking_budget_tokens"` // the same, enabled with that budget; one of the two
	Headers        map[string]Secret `json:"default_headers"`        // further headers; they win
	ExtraBody      responses.Object  `json:"extra_body"`             // members for requests that do not have them
}

const (
	anthropicURL     = "https://api.anthropic.com/v1"
	anthropicVersion = "2023-06-01"
)

func (s *AnthropicSettings) header() http.Header {
	h := http.Header{}
	if s.APIKey != "" {
		h.Set("X-Api-Key", string(s.APIKey))
	}
	version := s.Version
	if version == "" {
		version = anthropicVersion
	}
	h.Set("Anthropic-Version", version)
	setHeaders(h, s.Headers)
	return h
}

func (s *AnthropicSettings) options() messages.Options {
	extra := s.ExtraBody
	switch {
	case s.Thinking.Len() > 0:
		extra.Set("thinking", s.Thinking.AppendTo(nil))
	case s.ThinkingBudget != nil:
		var thinking responses.Object
		thinking.SetString("type", "enabled")
		thinking.SetInt("budget_tokens", *s.ThinkingBudget)
		extra.Set("thinking", thinking.AppendTo(nil))
	}
	return messages.Options{Model: s.Model, MaxTokens: s.MaxTokens, ExtraBody: extra}
}

// check returns the base URL, and reports everything that is wrong with s.
func (s *AnthropicSettings) check() (*url.URL, error) {
	text := s.BaseURL
	if text == "" {
		text = anthropicURL
	}
	base, err := baseURL("anthropic_base_url", text)
	errs := []error{err, checkModel("anthropic_model", s.Model)}
	if err == nil && path.Base(base.Path) != "v1" {
		base = base.JoinPath("v1")
	}
	if s.MaxTokens < 0 {
		errs = append(errs, fmt.Errorf("max_tokens is %d: it must be at least 1; leave it out for %d", s.MaxTokens, messages.DefaultMaxTokens))
	}
	if !validHeaderValue(s.Version) {
		errs = append(errs, errors.New("anthropic_version holds a control character"))
	}
	places := 0
	for _, given := range []bool{s.Thinking.Len() > 0, s.ThinkingBudget != nil, s.ExtraBody.Has("thinking")} {
		if given {
			places++
		}
	}
	if places > 1 {
		errs = append(errs, errors.New("thinking, thinking_budget_tokens and extra_body.thinking say the same thing: keep one of them"))
	}
	errs = append(errs, checkKey("anthropic_api_key", s.APIKey), checkHeaders("default_headers", s.Headers), s.EndpointSettings.check())
	return base, errors.Join(errs...)
}
