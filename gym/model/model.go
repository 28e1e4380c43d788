// Package model holds Gym's model servers: the processes that an agent asks for the next turn.
//
// A model server answers POST /v1/responses in the OpenAI Responses dialect. What stands behind it differs:
//
//   - openai_model ([BuildOpenAI]) hands the request on to an endpoint that speaks the same dialect;
//   - synthetic_model ([BuildSynthetic]) works the answer out by itself, without a network and without a GPU.
//
// Both share [NewServer]: it checks the request, opens the span gym.model.responses (group ModelCall) around the answer
// and leaves the rest to a [Responder].
//
// # Guarantees
//
// A request with a top-level field that the dialect does not know is refused with 422 and a list of what was wrong.
// Items are another matter: types and fields that we have never heard of reach the responder byte for byte. When the
// caller leaves, the context that the responder got ends, so no work goes on for nobody.
package model

import (
	"context"
	"log/slog"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/semconv"
)

// RouteResponses is the route of the Responses dialect.
const RouteResponses = "POST /v1/responses"

// Request is one checked request to a model server.
type Request struct {
	Params responses.CreateParams // the body, parsed and checked
	Wire   *wire.Request          // the request as it came: headers, cookies, session
}

// Responder answers requests of one model server. It is called concurrently. The reply's body is a Responses object.
type Responder interface {
	Respond(ctx context.Context, r *Request) (*wire.Reply, error)
}

// ResponderFunc is a function that is a [Responder].
type ResponderFunc func(ctx context.Context, r *Request) (*wire.Reply, error)

// Respond calls f.
func (f ResponderFunc) Respond(ctx context.Context, r *Request) (*wire.Reply, error) {
	return f(ctx, r)
}

// NewServer returns the model server of the instance in, answered by r. A nil logger is [slog.Default].
func NewServer(in *config.Instance, r Responder, logger *slog.Logger) (*wire.Server, error) {
	s, err := wire.NewServer(wire.ServerOptions{Name: in.Name, Type: config.TypeModel, Logger: logger})
	if err != nil {
		return nil, err
	}
	s.Handle(RouteResponses, func(ctx context.Context, req *wire.Request) (*wire.Reply, error) {
		params, err := responses.ParseCreateParams(req.Body)
		if err != nil {
			return nil, err
		}
		return respond(ctx, r, &Request{Params: params, Wire: req})
	})
	return s, nil
}

// respond calls r inside the endpoint's span.
func respond(ctx context.Context, r Responder, req *Request) (*wire.Reply, error) {
	ctx, span := wire.StartEndpoint(ctx, telemetry.ModelCall, semconv.SpanGymModelResponses)
	defer span.End()
	reply, err := r.Respond(ctx, req)
	if err != nil {
		span.Err(wire.SpanError(err))
		return nil, err
	}
	recordUsage(span, reply)
	return reply, nil
}

// recordUsage puts the reply's token counts on the span. A reply without them leaves the span as it is.
func recordUsage(span lens.Span, reply *wire.Reply) {
	if !span.Recording() || reply == nil {
		return
	}
	o, err := responses.ParseObject(reply.Body)
	if err != nil {
		return // the caller will say so; a span is not the place
	}
	usage, err := responses.Response{Object: o}.Usage()
	if err != nil || usage == nil {
		return
	}
	span.Int64(semconv.GenAIUsageInputTokens, usage.InputTokens()).Int64(semconv.GenAIUsageOutputTokens, usage.OutputTokens())
}
