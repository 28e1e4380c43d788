// Package sessionstate is the environment example_session_state_mgmt: a counter per session that the model counts up.
//
// A row says where the counter starts and what it must be at the end:
//
//	{"responses_create_params":{"input":"add 1, then 2, then read","tools":[...]},"initial_count":3,"expected_count":6}
//
// Tools are increment_counter(count) and get_counter_value(). The reward is 1 when the session's counter is what was
// expected, else 0. The score depends on the session, so it is wrong as soon as one hop between the agent and this
// server loses the session's cookie: that is what this environment is for. It cannot be verified again later.
//
// A session that was never seeded counts from 0; one that was seeded before keeps its counter. One that the caller brings
// and that is not there, because the server was started again since, is an error and no reward of 0.
package sessionstate

import (
	"context"
	"log/slog"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/resources"
	"github.com/lensgo/lens/gym/wire"
)

type seedInput struct {
	InitialCount int `json:"initial_count"`
}

type incrementInput struct {
	Count int `json:"count"`
}

type incremented struct {
	Success bool `json:"success"`
}

type value struct {
	Count int `json:"count"`
}

type row struct {
	ExpectedCount int `json:"expected_count"`
}

// counter is the state of a session. A session that nobody touched has none.
type counter struct {
	set bool
	n   int
}

// environment is one server's counters.
type environment struct {
	sessions *resources.Sessions[counter]
}

// Build returns the server of an example_session_state_mgmt instance. It makes no calls, so client may be nil.
func Build(in *config.Instance, _ *wire.Client, logger *slog.Logger) (*wire.Server, error) {
	e := &environment{sessions: resources.NewSessions[counter](resources.SessionOptions{})}
	s := resources.New(in, logger)
	s.Reverify(resources.ReverifyUnsupported)
	resources.Seed(s, e.seed)
	resources.Tool(s, "increment_counter", e.increment)
	resources.Tool(s, "get_counter_value", e.get)
	resources.Verify(s, e.verify)
	resources.Close(s, func(_ context.Context, c resources.Call) error {
		e.sessions.Delete(c.Session)
		return nil
	})
	return s.Build()
}

func (e *environment) seed(_ context.Context, c resources.Call, in seedInput) error {
	return e.sessions.Do(c.Session, func(state *counter) error {
		if !state.set {
			*state = counter{set: true, n: in.InitialCount}
		}
		return nil
	})
}

func (e *environment) increment(_ context.Context, c resources.Call, in incrementInput) (incremented, error) {
	err := e.sessions.Resume(c, func(state *counter) error {
		*state = counter{set: true, n: state.n + in.Count}
		return nil
	})
	return incremented{Success: err == nil}, err
}

func (e *environment) get(_ context.Context, c resources.Call, _ struct{}) (v value, err error) {
	err = e.sessions.Resume(c, func(state *counter) error {
		state.set = true
		v.Count = state.n
		return nil
	})
	return v, err
}

func (e *environment) verify(_ context.Context, v resources.Verification[row]) (reward float64, more struct{}, err error) {
	if v.Wire.Fresh { // nobody used it, so it has no counter
		return 0, more, nil
	}
	err = e.sessions.Resume(v.Call, func(state *counter) error {
		reward = resources.Reward(state.set && state.n == v.Row.ExpectedCount)
		return nil
	})
	e.sessions.Done(v.Session)
	return reward, more, err
}
