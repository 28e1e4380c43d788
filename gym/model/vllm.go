package model

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/url"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/chat"
	"github.com/lensgo/lens/gym/wire"
)

// VLLM answers by asking an endpoint that speaks Chat Completions: vLLM, and what else speaks it, such as Ollama, llama.cpp
// and OpenRouter. Requests of the other dialects are converted, and so are the answers.
//
// A request that is longer than the model's context is answered by an empty turn that is cut short, as a model would that
// ran out of room, and is no error. With several base URLs a session stays with one of them, until that gives no answer.
// For the rest see [OpenAI], whose guarantees it shares.
//
// A VLLM is safe for concurrent use.
type VLLM struct {
	settings VLLMSettings
	options  chat.Options
	endpoint *endpoint
}

// NewVLLM returns the responder for the settings, which makes its calls through caller. The error lists what is wrong with
// the settings and never holds the key.
func NewVLLM(s VLLMSettings, caller Caller) (*VLLM, error) {
	bases, err := s.check()
	if err != nil {
		return nil, fmt.Errorf("cannot use the settings of a vllm_model: %w", err)
	}
	return &VLLM{settings: s, options: s.options(),
		endpoint: newEndpoint(caller, bases, bearer(s.APIKey, s.Headers), secretsOf(s.APIKey, s.Headers), s.EndpointSettings)}, nil
}

// BuildVLLM returns the server of a vllm_model instance, which asks its endpoint through client.
func BuildVLLM(in *config.Instance, client *wire.Client, logger *slog.Logger) (*wire.Server, error) {
	return buildServer(in, client, logger, NewVLLM)
}

// Respond answers a request of the Responses dialect.
func (m *VLLM) Respond(ctx context.Context, r *Request) (*wire.Reply, error) {
	return replyTo(ctx, m, r)
}

func (m *VLLM) answer(ctx context.Context, r *Request) (responses.Response, error) {
	if m.settings.ResponsesNative {
		return m.answerNative(ctx, r)
	}
	body, err := chat.FromParams(r.Params, m.options)
	if err != nil {
		return responses.Response{}, err
	}
	completion, err := m.complete(ctx, sessionOf(r.Wire), body)
	if err != nil {
		return responses.Response{}, err
	}
	answer, err := chat.ToResponse(completion, r.Params, m.options)
	if err != nil {
		return responses.Response{}, badAnswer(err)
	}
	return answer, nil
}

// answerNative asks an endpoint that speaks the Responses dialect as well.
func (m *VLLM) answerNative(ctx context.Context, r *Request) (responses.Response, error) {
	p := r.Params
	cleanReasoning(&p, false)
	prepare(&p.Object, m.settings.Model, m.settings.ExtraBody, m.settings.SamplingOverrides, m.settings.Stream)
	answer, err := askResponses(ctx, m.endpoint, sessionOf(r.Wire), p)
	if isOverflow(err) {
		return chat.ToResponse(chat.Overflow(chat.Request{Object: p.Object}, m.options), r.Params, m.options)
	}
	return answer, err
}

// Complete answers a request of Chat Completions.
func (m *VLLM) Complete(ctx context.Context, r *ChatRequest) (chat.Completion, error) {
	body, err := m.options.Prepare(r.Chat)
	if err != nil {
		return chat.Completion{}, err
	}
	return m.complete(ctx, sessionOf(r.Wire), body)
}

// complete asks the endpoint, and for the tokens of the turn where they are wanted.
func (m *VLLM) complete(ctx context.Context, session string, body chat.Request) (chat.Completion, error) {
	completion, err := askChat(ctx, m.endpoint, session, body, m.settings.Stream)
	if isOverflow(err) {
		return chat.Overflow(body, m.options), nil
	}
	if err != nil || !m.settings.TokenIDs || !completion.HasTokens() {
		return completion, err
	}
	var prompt jsontext.Value
	if !completion.HasPromptTokenIDs() {
		if prompt, err = m.tokenize(ctx, session, body); err != nil {
			return chat.Completion{}, err
		}
	}
	completion, err = completion.WithTokens(prompt)
	if err != nil {
		return chat.Completion{}, badAnswer(err)
	}
	return completion, nil
}

// tokenize asks which tokens the prompt of a request has. vLLM answers that beside the /v1 that its dialects are below.
func (m *VLLM) tokenize(ctx context.Context, session string, body chat.Request) (jsontext.Value, error) {
	var question responses.Object
	for _, name := range []string{"model", "messages", "tools", "chat_template_kwargs"} {
		if v, ok := body.Get(name); ok {
			question.Set(name, v)
		}
	}
	var tokens jsontext.Value
	err := m.endpoint.ask(ctx, query{session: session, path: "../tokenize", body: question.AppendTo(nil), read: func(r *wire.Result) error {
		o, err := responses.ParseObject(r.Body)
		if err != nil {
			return err
		}
		v, _ := o.Get("tokens")
		if v.Kind() != '[' {
			return errors.New("the answer of /tokenize has no list of tokens")
		}
		tokens = v
		return nil
	}})
	if err != nil {
		return nil, fmt.Errorf("cannot learn which tokens the prompt has, as return_token_id_information asks for: %w", err)
	}
	return tokens, nil
}

// isOverflow reports whether an endpoint refused because the request was longer than the model's context.
func isOverflow(err error) bool {
	if status, ok := errors.AsType[*wire.StatusError](err); ok {
		return chat.IsOverflow(status.Status, status.Body)
	}
	if up, ok := errors.AsType[*responses.UpstreamError](err); ok {
		return chat.IsOverflow(up.Status, []byte(up.Message))
	}
	return false
}

// VLLMSettings are the keys of a vllm_model.
type VLLMSettings struct {
	EndpointSettings

	BaseURL              URLs              `json:"base_url"`                           // up to /chat/completions, one or a list (needed)
	APIKey               Secret            `json:"api_key"`                            // sent as a bearer token; "" sends none (needed)
	Model                string            `json:"model"`                              // takes the place of the request's model (needed)
	Headers              map[string]Secret `json:"default_headers"`                    // further headers; they win
	TokenIDs             bool              `json:"return_token_id_information"`        // token ids and log probabilities for training
	ReasoningParser      bool              `json:"uses_reasoning_parser"`              // <think> segments are reasoning
	InterleavedReasoning bool              `json:"uses_interleaved_reasoning"`         // the model reads its earlier reasoning
	ReplaceDeveloperRole bool              `json:"replace_developer_role_with_system"` // for templates without the role
	ResponsesNative      bool              `json:"is_responses_native"`                // the endpoint answers /responses itself
	ChatTemplateKwargs   responses.Object  `json:"chat_template_kwargs"`               // arguments of the chat template
	SamplingOverrides    responses.Object  `json:"sampling_overrides"`                 // members that win over every request's
	ExtraBody            responses.Object  `json:"extra_body"`                         // members for requests that do not have them
}

func (s *VLLMSettings) options() chat.Options {
	return chat.Options{
		Model:                s.Model,
		ReasoningParser:      s.ReasoningParser,
		InterleavedReasoning: s.InterleavedReasoning,
		TokenIDs:             s.TokenIDs,
		ReplaceDeveloperRole: s.ReplaceDeveloperRole,
		ChatTemplateKwargs:   s.ChatTemplateKwargs,
		ExtraBody:            s.ExtraBody,
		SamplingOverrides:    s.SamplingOverrides,
	}
}

// check returns the base URLs, and reports everything that is wrong with s.
func (s *VLLMSettings) check() ([]*url.URL, error) {
	var errs []error
	bases := make([]*url.URL, 0, len(s.BaseURL))
	for _, text := range s.BaseURL {
		base, err := baseURL("base_url", text)
		errs = append(errs, err)
		bases = append(bases, base)
	}
	if len(bases) == 0 {
		errs = append(errs, errors.New("base_url is missing: give the URL of the endpoint, like https://host/v1, or a list of them"))
	}
	errs = append(errs, checkModel("model", s.Model), checkKey("api_key", s.APIKey), checkHeaders("default_headers", s.Headers), s.EndpointSettings.check())
	return bases, errors.Join(errs...)
}
