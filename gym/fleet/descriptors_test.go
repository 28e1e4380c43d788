//go:build unix

package fleet_test

import (
	"net"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/fleet"
)

const servers = `
m: {responses_api_models: {synthetic_model: {entrypoint: app.py}}}
asking: {responses_api_models: {vllm_model: {entrypoint: app.py}}}
r: {resources_servers: {echo: {entrypoint: app.py, domain: other}}}
relay: {environment_servers: {legacy_agent: {entrypoint: app.py, agent_server: {type: responses_api_agents, name: a}}}}
`

func TestCheckConcurrency(t *testing.T) {
	text := servers
	for name, model := range map[string]string{"a": "m", "b": "m", "c": "m", "d": "m", "e": "asking", "f": "asking"} {
		text += name + `: {responses_api_agents: {simple_agent: {entrypoint: app.py,
  resources_server: {type: resources_servers, name: r}, model_server: {type: responses_api_models, name: ` + model + "}}}}\n"
	}
	g, err := config.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		fronts             string
		concurrency, limit int
		want               string // "" fits
	}{
		"one agent":               {"a", 8848, 20000, ""},
		"one agent, too many":     {"a", 8849, 20000, "an agent needs 2 for each, and 2048 for each of its resources servers; there are 1. Up to 8848 fit"},
		"four agents":             {"a b c d", 16000, 20000, ""},
		"four agents, too many":   {"a b c d", 19745, 20000, "the driver needs one for each. Up to 19744 fit"},
		"a model that asks":       {"e f", 9872, 20000, ""},
		"a model that asks, more": {"e f", 9873, 20000, "a model server needs 2 for each; there are 1. Up to 9872 fit"},
		"a relay":                 {"relay", 8849, 20000, "an agent needs 2"},
		"only the driver":         {"", 19744, 20000, ""},
		"no limit":                {"a", 1 << 20, 1 << 31, ""},
		"few, whatever the limit": {"a", 64, 64, ""},
		"default on a small one":  {"a", 1024, 1024, "may have 1024 open files"},
	} {
		t.Run(name, func(t *testing.T) {
			err := fleet.CheckConcurrencyWithin(g, strings.Fields(c.fronts), c.concurrency, c.limit)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("error is %v, want %q", err, c.want)
			}
		})
	}
}

// Connections above the bound wait until one is closed.
func TestLimit(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := fleet.Limit(inner, 1)
	accepted := make(chan net.Conn)
	go func() {
		defer close(accepted)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	for range 2 {
		c, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	first := <-accepted
	select {
	case <-accepted:
		t.Fatal("the second was taken beside the first")
	default:
	}
	first.Close()
	first.Close() // twice frees one place
	second := <-accepted
	l.Close() // ends an Accept that waits for a place
	if _, open := <-accepted; open {
		t.Error("a third was taken")
	}
	second.Close()
}
