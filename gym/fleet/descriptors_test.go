//go:build unix

package fleet_test

import (
	"net"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/fleet"
)

const agents = `
m: {responses_api_models: {synthetic_model: {entrypoint: app.py}}}
r: {resources_servers: {echo: {entrypoint: app.py, domain: other}}}
`

func TestCheckConcurrency(t *testing.T) {
	text := agents
	var names []string
	for _, name := range []string{"a", "b", "c", "d"} {
		text += name + `: {responses_api_agents: {simple_agent: {entrypoint: app.py,
  resources_server: {type: resources_servers, name: r}, model_server: {type: responses_api_models, name: m}}}}` + "\n"
		names = append(names, name)
	}
	g, err := config.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		agents, concurrency, limit int
		want                       string // "" fits
	}{
		"one agent":               {1, 8848, 20000, ""},
		"one agent, too many":     {1, 8849, 20000, "Up to 8848 fit"},
		"four agents, one model":  {4, 9872, 20000, ""},
		"four agents, too many":   {4, 9873, 20000, "a model server needs two for each; there are 1"},
		"no limit":                {1, 1 << 20, 1 << 31, ""},
		"few, whatever the limit": {1, 64, 64, ""},
		"default on a small one":  {1, 1024, 1024, "may have 1024 open files"},
	} {
		t.Run(name, func(t *testing.T) {
			err := fleet.CheckConcurrencyWithin(g, names[:c.agents], c.concurrency, c.limit)
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
