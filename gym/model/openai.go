package model

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/chat"
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
	base, err := s.check()
	if err != nil {
		return nil, fmt.Errorf("cannot use the settings of an openai_model: %w", err)
	}
	return &OpenAI{settings: s,
		endpoint: newEndpoint(caller, []*url.URL{base}, bearer(s.APIKey, s.Headers), secretsOf(s.APIKey, s.Headers), s.EndpointSettings)}, nil
}

// BuildOpenAI returns the server of an openai_model instance, which asks its endpoint through client.
func BuildOpenAI(in *config.Instance, client *wire.Client, logger *slog.Logger) (*wire.Server, error) {
	return buildServer(in, client, logger, NewOpenAI)
}

// Respond hands a request of the Responses dialect on.
func (m *OpenAI) Respond(ctx context.Context, r *Request) (*wire.Reply, error) {
	return replyTo(ctx, m, r)
}

func (m *OpenAI) answer(ctx context.Context, r *Request) (responses.Response, error) {
	p := r.Params
	cleanReasoning(&p, m.settings.DropReasoning)
	prepare(&p.Object, m.settings.Model, m.settings.ExtraBody, responses.Object{}, m.settings.Stream)
	return askResponses(ctx, m.endpoint, sessionOf(r.Wire), p)
}

// Complete hands a request of Chat Completions on.
func (m *OpenAI) Complete(ctx context.Context, r *ChatRequest) (chat.Completion, error) {
	body := r.Chat
	body.Delete("stream")
	body.Delete("stream_options")
	prepare(&body.Object, m.settings.Model, m.settings.ExtraBody, responses.Object{}, m.settings.Stream)
	return askChat(ctx, m.endpoint, sessionOf(r.Wire), body, m.settings.Stream)
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

// check returns the base URL, and reports everything that is wrong with s.
func (s *OpenAISettings) check() (*url.URL, error) {
	base, err := baseURL("openai_base_url", s.BaseURL)
	return base, errors.Join(err, checkModel("openai_model", s.Model), checkKey("openai_api_key", s.APIKey),
		checkHeaders("openai_default_headers", s.Headers), s.EndpointSettings.check())
}
