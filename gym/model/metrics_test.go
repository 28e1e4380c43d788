//go:build !lens_off

package model_test

import (
	"context"
	"errors"
	"testing"

	"github.com/lensgo/lens/gym/model"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/lenstest"
)

// TestModelCallMetrics: calls are measured in every dialect, without a capture and without a span.
func TestModelCallMetrics(t *testing.T) {
	m := lenstest.Metrics(t)
	s := newServer(t, said)
	const chatBody = `{"messages":[{"role":"user","content":"q"}],"stream":true}`
	post(s, "/v1/responses", `{"input":"q"}`)
	post(s, "/v1/chat/completions", chatBody)
	post(s, "/v1/messages", chatBody)
	post(serverOf(t, model.ResponderFunc(func(context.Context, *model.Request) (*wire.Reply, error) {
		return nil, &model.EndpointError{Status: 429, Err: errors.New("slow down")}
	})), "/v1/responses", `{"input":"q"}`)

	const server, dialect, outcome = ",nemo.gym.server.name=policy", "nemo.gym.model_call.dialect=", ",nemo.gym.model_call.outcome="
	for attributes, want := range map[string]uint64{
		dialect + "responses" + outcome + "ok" + server:         1,
		dialect + "chat_completions" + outcome + "ok" + server:  1,
		dialect + "messages" + outcome + "ok" + server:          1,
		dialect + "responses" + outcome + "rate_limit" + server: 1,
	} {
		if p := m.Point("gym.model_call.duration_ms", attributes); p.Count != want {
			t.Errorf("%s: %d calls, want %d; there are %v", attributes, p.Count, want, m.Points("gym.model_call.duration_ms"))
		}
	}
	if points := m.Points("gym.model_call.ttft_ms"); len(points) != 2 {
		t.Errorf("first tokens of %v, want those of the two streams", points)
	}
	for _, of := range []string{"responses", "chat_completions", "messages"} {
		p := m.Point("gym.model_call.tokens", dialect+of+",nemo.gym.model_call.token.type=input"+server)
		if p.Count != 1 || p.Value != 3 {
			t.Errorf("%s: input %v; there are %v", of, p, m.Points("gym.model_call.tokens"))
		}
	}
	if points := m.Points("gym.model_call.finish_total"); len(points) != 3 {
		t.Errorf("finishes are %v", points)
	}
}
