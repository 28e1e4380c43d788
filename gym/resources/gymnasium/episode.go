package gymnasium

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"

	"github.com/lensgo/lens/gym/resources"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

// server is an environment with its episodes.
type server[State, Row any] struct {
	Environment[State, Row]
	readRow  func([]byte) (Row, error)
	sessions *resources.Sessions[episode[State]]
}

// episode is what a session holds.
type episode[State any] struct {
	state State
	open  bool // Reset has begun it and nothing has ended it

	request string      // the last step that was taken, "" when it had no id
	reply   *wire.Reply // to it
}

// end lets go of the state. The answer to the last step stays, for it may be asked for again.
func (s *server[State, Row]) end(e *episode[State]) {
	if !e.open {
		return
	}
	if s.Close != nil {
		s.Close(&e.state)
	}
	var zero State
	e.state, e.open = zero, false
}

// reset answers POST /reset.
func (s *server[State, Row]) reset(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	_, task, bad, err := s.readTask(r)
	if err != nil {
		return nil, err
	}
	if len(bad) > 0 {
		return nil, bad
	}
	var reply *wire.Reply
	err = s.sessions.Do(r.Session, func(e *episode[State]) error {
		s.end(e)
		*e = episode[State]{open: true}
		var start Start
		if s.Reset != nil {
			if start, err = s.Reset(ctx, &e.state, task); err != nil {
				s.end(e)
				return err
			}
		}
		reply, err = started(start)
		return err
	})
	return reply, statusOf(err)
}

// started is the answer to /reset.
func started(s Start) (*wire.Reply, error) {
	info := map[string]any{}
	maps.Copy(info, s.Info)
	info["supports_explicit_close"], info["supports_step_idempotency"] = true, true
	return wire.JSON(struct {
		Observation *string        `json:"observation"`
		Info        map[string]any `json:"info"`
	}{orNull(s.Observation), info})
}

// step answers POST /step.
func (s *server[State, Row]) step(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
	turn, request, err := s.readTurn(r)
	if err != nil {
		return nil, err
	}
	var reply *wire.Reply
	over := false
	found := s.sessions.Peek(r.Session, func(e *episode[State]) {
		if request != "" && request == e.request {
			reply = e.reply
			return
		}
		if !e.open {
			err = errNoEpisode
			return
		}
		var out Outcome
		if out, err = s.Step(ctx, &e.state, turn); err != nil {
			return
		}
		if reply, err = stepped(out); err != nil {
			return
		}
		e.request, e.reply = request, reply
		if over = out.Terminated || out.Truncated; over {
			s.end(e)
		}
	})
	if !found {
		err = errNoEpisode
	}
	if err != nil {
		return nil, err
	}
	if over {
		s.sessions.Done(r.Session)
	}
	return reply, nil
}

// errNoEpisode refuses a step that belongs to nothing: a reward of 0 would look like one that was earned.
var errNoEpisode = &wire.HTTPError{Status: 409,
	Detail: "There is no episode in this session: it was never reset, it is over, or it was forgotten"}

// readTurn reads the body of /step.
func (s *server[State, Row]) readTurn(r *wire.Request) (turn Turn[Row], request string, err error) {
	body, task, bad, err := s.readTask(r)
	if err != nil {
		return turn, "", err
	}
	turn.Task = task
	if turn.Response, err = resources.ReadResponse(body); err != nil {
		fields, _ := errors.AsType[responses.FieldErrors](err)
		bad = append(bad, fields...)
	}
	if v, there := body.Get("_ng_step_request_id"); there && !responses.IsNull(v) {
		var ok bool
		if request, ok = responses.Text(v); !ok {
			bad = append(bad, responses.WrongType("string", v, "body", "_ng_step_request_id"))
		}
	}
	if len(bad) > 0 {
		return turn, "", bad
	}
	return turn, request, nil
}

// stepped is the answer to /step.
func stepped(out Outcome) (*wire.Reply, error) {
	if math.IsNaN(out.Reward) || math.IsInf(out.Reward, 0) {
		return nil, fmt.Errorf("cannot answer with reward %v: it must be a finite number", out.Reward)
	}
	info := map[string]any{}
	maps.Copy(info, out.Info)
	if len(out.ToolOutputs) > 0 {
		info["tool_outputs"] = out.ToolOutputs
	}
	return wire.JSON(struct {
		Observation *string        `json:"observation"`
		Reward      float64        `json:"reward"`
		Terminated  bool           `json:"terminated"`
		Truncated   bool           `json:"truncated"`
		Info        map[string]any `json:"info"`
	}{orNull(out.Observation), out.Reward, out.Terminated, out.Truncated, info})
}

// close answers POST /close. It is a success also when there is nothing to close: the caller wants it gone, and it is.
func (s *server[State, Row]) close(_ context.Context, r *wire.Request) (*wire.Reply, error) {
	s.sessions.Delete(r.Session)
	return &wire.Reply{Body: []byte("{}")}, nil
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// statusOf gives an error of the sessions the status that fits it.
func statusOf(err error) error {
	if errors.Is(err, resources.ErrSessionsFull) {
		return &wire.HTTPError{Status: 503, Detail: err.Error()}
	}
	return err
}
