package eval

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/rollout"
	"github.com/lensgo/lens/gym/wire"
)

// bounded are servers with bounds.
type bounded struct{ o wire.ClientOptions }

func (b bounded) Client() wire.ClientOptions { return b.o }
func (bounded) Done() <-chan struct{}        { return nil }
func (bounded) Err() error                   { return nil }
func (bounded) Stop(context.Context) error   { return nil }

// Nobody is to have more connections than rollouts run at a time, nor more than there may be.
func TestRun_client(t *testing.T) {
	dir := t.TempDir()
	rows := ""
	for _, agent := range []string{"small", "large", "external"} {
		rows += strings.ReplaceAll(`{"responses_create_params":{"input":"hi"},"agent_ref":{"name":"A"}}`, "A", agent) + "\n"
	}
	input := filepath.Join(dir, "in.jsonl")
	if err := os.WriteFile(input, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	plan, err := rollout.Prepare(rollout.Options{Input: input, Output: filepath.Join(dir, "out.jsonl"), Concurrency: 10})
	if err != nil {
		t.Fatal(err)
	}
	r := &run{plan: plan}
	given := map[string]int{"small": 3, "large": 100, "resources": 50}
	for _, c := range []struct {
		all  int
		want map[string]int
	}{
		{0, map[string]int{"small": 3, "large": 10, "external": 10, "resources": 50}},
		{5, map[string]int{"small": 3, "large": 10, "external": 5, "resources": 50}},
		{1000, map[string]int{"small": 3, "large": 10, "external": 10, "resources": 50}},
	} {
		o := r.client(bounded{wire.ClientOptions{MaxConnsPerHost: c.all, MaxConns: given}})
		if !maps.Equal(o.MaxConns, c.want) || o.MaxConnsPerHost != c.all {
			t.Errorf("with %d for all, the bounds are %v, want %v", c.all, o.MaxConns, c.want)
		}
	}
	if len(given) != 3 {
		t.Errorf("the bounds of the servers are changed: %v", given)
	}
}
