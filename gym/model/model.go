// Package model holds Gym's model servers: the processes that an agent asks for the next turn.
//
// A model server answers POST /v1/responses, /v1/chat/completions and /v1/messages, the dialects of OpenAI Responses, Chat
// Completions and Anthropic Messages. What stands behind it differs:
//
//   - openai_model ([BuildOpenAI]) hands requests on to an endpoint that speaks Responses;
//   - vllm_model ([BuildVLLM]) asks an endpoint that speaks Chat Completions: vLLM, Ollama, llama.cpp, OpenRouter;
//   - anthropic_model ([BuildAnthropic]) asks an endpoint that speaks Messages;
//   - synthetic_model ([BuildSynthetic]) works the answer out by itself, without a network and without a GPU.
//
// All share [NewServer]: it checks the request, opens the span of the route (gym.model.responses, group ModelCall) around
// the answer and leaves the rest to a [Responder]. What speaks another dialect itself is a [Completer] or a [Messenger] too;
// requests of dialects that it does not speak are converted to Responses, and answers back.
//
// # Guarantees
//
// A Responses request with a top-level field that the dialect does not know is refused with 422 and a list of what was
// wrong. Items are another matter: types and fields that we have never heard of reach the responder byte for byte. Bodies
// of a dialect that the endpoint speaks itself are not decoded and encoded again on their way, in either direction.
//
// A client that wants a stream (stream: true) gets one: the whole answer, told as if it had been streamed. Requests to
// /v1/responses that stream are cleaned up instead of refused ([responses.ParseStreamed]), and when there is no answer
// their stream says so.
//
// When the caller leaves, the context that the responder got ends, so no work goes on for nobody.
//
// An endpoint that refuses with a status that may pass (429, 500, 502, 503, 504, 520, 529), or gives no answer, is asked
// again, a bounded number of times and within a bounded time; see [EndpointSettings]. In the end the server answers with the
// endpoint's status, 502 for an answer that is none and 504 when the time was up; with 501 when a request cannot be
// converted.
package model

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/lensgo/lens/gym/capture"
	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/chat"
	"github.com/lensgo/lens/gym/responses/messages"
	"github.com/lensgo/lens/gym/wire"
)

// The routes of a model server, one for each dialect.
const (
	RouteResponses = "POST /v1/responses"
	RouteChat      = "POST /v1/chat/completions"
	RouteMessages  = "POST /v1/messages"
)

// Request is one checked request of the Responses dialect to a model server, as it came or converted from another.
type Request struct {
	Params responses.CreateParams // the body, parsed and checked
	Wire   *wire.Request          // the request as it came: headers, cookies, session
}

// ChatRequest is one checked request of Chat Completions.
type ChatRequest struct {
	Chat chat.Request
	Wire *wire.Request
}

// MessagesRequest is one checked request of the Messages dialect.
type MessagesRequest struct {
	Messages messages.Request
	Wire     *wire.Request
}

// Responder answers requests of one model server. It is called concurrently. The reply's body is a Responses object.
type Responder interface {
	Respond(ctx context.Context, r *Request) (*wire.Reply, error)
}

// Completer is a [Responder] that answers requests of Chat Completions without a conversion by the server.
type Completer interface {
	Complete(ctx context.Context, r *ChatRequest) (chat.Completion, error)
}

// Messenger is a [Responder] that answers requests of the Messages dialect without a conversion by the server.
type Messenger interface {
	Message(ctx context.Context, r *MessagesRequest) (messages.Message, error)
}

// ResponderFunc is a function that is a [Responder].
type ResponderFunc func(ctx context.Context, r *Request) (*wire.Reply, error)

// Respond calls f.
func (f ResponderFunc) Respond(ctx context.Context, r *Request) (*wire.Reply, error) {
	return f(ctx, r)
}

// NewServer returns the model server of the instance in, answered by r. A nil logger is [slog.Default]. When the
// configuration that in stands in asks for it (observability_enabled), calls of rollouts are captured; see package capture.
func NewServer(in *config.Instance, r Responder, logger *slog.Logger) (*wire.Server, error) {
	s, err := wire.NewServer(wire.ServerOptions{Name: in.Name, Type: config.TypeModel, Logger: logger})
	if err != nil {
		return nil, err
	}
	if logger == nil {
		logger = slog.Default()
	}
	recorder, err := capture.ForInstance(in, logger)
	if err != nil {
		return nil, err
	}
	f := &front{name: in.Name, responder: r, recorder: recorder, logger: logger}
	for _, d := range dialects {
		s.Handle(d.route, f.handler(d))
	}
	return s, nil
}

// buildServer reads the settings of an instance, makes what answers by them, and serves that.
func buildServer[S any, R Responder](in *config.Instance, client *wire.Client, logger *slog.Logger, responder func(S, Caller) (R, error)) (*wire.Server, error) {
	var s S
	if err := in.DecodeSettings(&s); err != nil {
		return nil, err
	}
	r, err := responder(s, client)
	if err != nil {
		return nil, fmt.Errorf("cannot build model server %q: %w", in.Name, err)
	}
	return NewServer(in, r, logger)
}
