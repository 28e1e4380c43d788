package resources

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/metrics"
	"github.com/lensgo/lens/semconv"
)

// Verification is one finished rollout that wants its reward.
type Verification[Row any] struct {
	Call
	Params   responses.CreateParams // what the model was asked
	Response responses.Response     // the trajectory: the last answer, with the output of all turns
	Row      Row                    // what the task's row has beside, by the members of Row

	toolPrefix string // which a model's names of tools have when it called them over MCP
}

// Calls returns the function calls of the trajectory, in order. Where the tools are exposed over MCP, a call that a client
// recorded as mcp__<server>__<tool> has the tool's own name.
func (v *Verification[Row]) Calls() []responses.Item {
	items, _ := v.Response.Output() // it was checked when the request was read
	var calls []responses.Item
	for _, item := range items {
		if item.Type() == responses.TypeFunctionCall {
			if name, cut := strings.CutPrefix(item.Name(), v.toolPrefix); cut && v.toolPrefix != "" {
				item.SetString("name", name)
			}
			calls = append(calls, item)
		}
	}
	return calls
}

// Verify sets the function that POST /verify calls. Its reward and the members of its second result, a struct, stand in
// the reply beside what was asked and what was answered; a task without further members returns struct{}. An error that is
// a [JudgeError] leaves the rollout unscored instead of failing the request.
func Verify[Row, More any](s *Server, fn func(ctx context.Context, v Verification[Row]) (reward float64, more More, err error)) {
	handleVerify(s, reflect.TypeFor[More](), func(ctx context.Context, v Verification[Row]) (float64, []any, error) {
		reward, more, err := fn(ctx, v)
		return reward, []any{more}, err
	})
}

// verifier scores a rollout. The members of the structs in its second result go into the reply.
type verifier[Row any] func(ctx context.Context, v Verification[Row]) (reward float64, more []any, err error)

// handleVerify registers /verify; more is the type whose members the environment adds.
func handleVerify[Row any](s *Server, more reflect.Type, fn verifier[Row]) {
	decode := decoderOf[Row](s, "Verify")
	s.fail(checkMore(more))
	s.handle(RouteVerify, func(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
		ctx, span := wire.StartEndpoint(ctx, telemetry.Verify, semconv.SpanGymVerify)
		defer span.End()
		began, completed := time.Now(), false // of a panic, too
		defer func() { metrics.Gym.Verified(ctx, time.Since(began), completed) }()
		v := Verification[Row]{Call: Call{Session: r.Session, Wire: r}, toolPrefix: s.toolPrefix()}
		reply, err := verify(ctx, v, decode, fn)
		if err != nil {
			span.Err(wire.SpanError(err))
		}
		if failed, ok := errors.AsType[*JudgeError](err); ok {
			span.Str(semconv.GymFailureClass, semconv.FailureJudge)
			completed = true // it answers, only without a reward
			s.tokens.done(r.Session)
			return judgeFailed(r.Body, failed)
		}
		if completed = err == nil; completed {
			s.tokens.done(r.Session)
		}
		return reply, err
	})
}

// Reward is 1 for true and 0 for false.
func Reward(ok bool) float64 {
	if ok {
		return 1
	}
	return 0
}

func verify[Row any](ctx context.Context, v Verification[Row], decode decoder, fn verifier[Row]) (*wire.Reply, error) {
	if err := readVerification(v.Wire.Body, decode, &v.Params, &v.Response, &v.Row); err != nil {
		return nil, err
	}
	reward, more, err := fn(ctx, v)
	if err != nil {
		return nil, statusOf(err)
	}
	return verdict(v.Params, v.Response, reward, more)
}

// readVerification reads the body of /verify into its three parts. The error lists what is wrong with all of them.
func readVerification(body []byte, decode decoder, params *responses.CreateParams, response *responses.Response, row any) error {
	o, err := responses.Body(body)
	if err != nil {
		return err
	}
	p := problems{loc: []any{"body"}}
	member(&p, o, "responses_create_params", func(v jsontext.Value) (bad responses.FieldErrors) {
		var err error
		if *params, err = responses.ParseCreateParams(v); err != nil {
			bad, _ = errors.AsType[responses.FieldErrors](err)
		}
		return bad
	})
	member(&p, o, "response", func(v jsontext.Value) (bad responses.FieldErrors) {
		*response, bad = responses.CheckResponse(v)
		return bad
	})
	decode(&p, o.AppendTo(nil), reflect.ValueOf(row).Elem())
	if len(p.list) > 0 {
		return p.list
	}
	return nil
}

// member reads a required member of o and adds what is wrong with it to p.
func member(p *problems, o responses.Object, name string, read func(jsontext.Value) responses.FieldErrors) {
	v, there := o.Get(name)
	if !there {
		p.list = append(p.list, responses.Missing(o.AppendTo(nil), "body", name))
		return
	}
	p.list = append(p.list, read(v).Under(name)...)
}

// verdict is the reply of /verify.
func verdict(params responses.CreateParams, response responses.Response, reward float64, more []any) (*wire.Reply, error) {
	if math.IsNaN(reward) || math.IsInf(reward, 0) {
		return nil, fmt.Errorf("cannot answer with reward %v: it must be a finite number", reward)
	}
	var o responses.Object
	o.Set("responses_create_params", params.AppendTo(nil))
	o.Set("response", response.AppendTo(nil))
	o.Set("reward", strconv.AppendFloat(nil, reward, 'f', -1, 64))
	for _, part := range more {
		b, err := json.Marshal(part)
		if err != nil {
			return nil, fmt.Errorf("cannot encode what /verify adds to its reply: %w", err)
		}
		fields, err := responses.ParseObject(b)
		if err != nil {
			return nil, fmt.Errorf("cannot encode what /verify adds to its reply: %w", err)
		}
		o.Merge(fields)
	}
	return &wire.Reply{Body: o.AppendTo(nil)}, nil
}

// checkMore refuses a second result that is no struct, or that would overwrite what the kit answers.
func checkMore(t reflect.Type) error {
	if t.Kind() != reflect.Struct {
		return fmt.Errorf("Verify: it returns a %v; its second result must be a struct, whose members go into the reply", t)
	}
	for _, f := range fieldsOf(t) {
		if kitMembers[f.name] {
			return fmt.Errorf("Verify: its second result has a member %q, which is the kit's to write", f.name)
		}
	}
	return nil
}

// kitMembers are the members of the reply that the kit writes.
var kitMembers = map[string]bool{"responses_create_params": true, "response": true, "reward": true}
