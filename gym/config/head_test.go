package config_test

import (
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/config"
)

func decode(t *testing.T, text string) *config.Graph {
	t.Helper()
	g, err := config.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func TestHeadServer(t *testing.T) {
	for name, c := range map[string]struct {
		text, want, err string
	}{
		"default":      {text: "x: 1\n", want: "127.0.0.1:11000"},
		"default_host": {text: "default_host: 10.0.0.7\n", want: "10.0.0.7:11000"},
		"own":          {text: "head_server: {host: 127.0.0.2, port: 0}\n", want: "127.0.0.2:0"},
		"bad port":     {text: "head_server: {port: 70000}\n", err: "head_server is 127.0.0.1:70000"},
		"bad type":     {text: "head_server: {port: many}\n", err: "head_server.port must be a whole number, and is a text"},
	} {
		t.Run(name, func(t *testing.T) {
			h, err := decode(t, c.text).HeadServer()
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Fatalf("error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil || h.Address() != c.want {
				t.Errorf("%s, %v, want %s", h.Address(), err, c.want)
			}
		})
	}
}

// What a child reads says where the head server is, and keeps what else stood in the block.
func TestSetHeadServer(t *testing.T) {
	g := decode(t, "head_server: {expose_secrets: true, port: 0}\n")
	g.SetHeadServer(config.HeadServer{Host: "127.0.0.1", Port: 4711})
	h, err := decode(t, string(g.YAML())).HeadServer()
	if err != nil || h.Port != 4711 || !h.ExposeSecrets {
		t.Errorf("%+v, %v", h, err)
	}
}
