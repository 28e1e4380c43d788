//go:build !lens_off

package prometheus

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/sdk/resource"

	"github.com/lensgo/lens/telemetry/internal/scrape"
)

func TestWhere(t *testing.T) {
	for _, c := range []struct {
		env     string
		host    string
		port    int
		targets string
		warns   bool
	}{
		{"", "localhost", 9464, "", false},
		{"HOST=0.0.0.0 PORT=9999", "0.0.0.0", 9999, "", false},
		{"HOST=[::1] PORT=0", "::1", 0, "", false},
		{"PORT=metrics", "localhost", 9464, "", true},
		{"PORT=65536", "localhost", 9464, "", true},
		{"PORT=-1", "localhost", 9464, "", true},
		{"TARGETS=/run/lens", "localhost", 0, "/run/lens", false},
		{"TARGETS=/run/lens PORT=9470", "localhost", 9470, "/run/lens", false},
		{"TARGETS=/run/lens PORT=x", "localhost", 0, "/run/lens", true},
	} {
		t.Run(c.env, func(t *testing.T) {
			for _, name := range []string{scrape.EnvHost, scrape.EnvPort, scrape.EnvTargets} {
				t.Setenv(name, " ")
				for kv := range strings.FieldsSeq(c.env) {
					if key, value, _ := strings.Cut(kv, "="); strings.HasSuffix(name, key) {
						t.Setenv(name, value)
					}
				}
			}
			var log bytes.Buffer
			host, port, targets := scrape.Where(slog.New(slog.NewTextHandler(&log, nil)))
			if host != c.host || port != c.port || targets != c.targets || strings.Contains(log.String(), scrape.EnvPort) != c.warns {
				t.Errorf("%s, %d, %s; %s", host, port, targets, &log)
			}
		})
	}
}

// A shutdown that was first leaves nothing to open.
func TestServe_after_Shutdown(t *testing.T) {
	t.Setenv(scrape.EnvPort, "0")
	s := newServer(&endpoint{page: http.NotFoundHandler()}, scrape.Source{Resource: resource.Empty(), Log: slog.New(slog.DiscardHandler)})
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.Serve()
	if s.Addr() != "" {
		t.Errorf("it listens on %s", s.Addr())
	}
}

func TestReachable(t *testing.T) {
	for addr, want := range map[string]string{"127.0.0.1:5": "127.0.0.1:5", "0.0.0.0:5": "node:5", "[::]:5": "node:5", "[::1]:5": "[::1]:5"} {
		if got := reachable(addr, "node"); got != want {
			t.Errorf("%s: %s, want %s", addr, got, want)
		}
	}
}
