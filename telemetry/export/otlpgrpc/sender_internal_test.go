//go:build !lens_off

package otlpgrpc

import (
	"context"
	"net/url"
	"testing"

	"google.golang.org/grpc/stats"

	"github.com/lensgo/lens/telemetry/internal/otlp"
)

// A host is a name of the network, also where gRPC knows a scheme of that name.
func TestDial_target(t *testing.T) {
	for endpoint, want := range map[string]string{
		"http://unix:1": "dns:///unix:1", "http://h": "dns:///h:4317", "https://[::1]": "dns:///[::1]:4317", "http://u:p@h:2": "dns:///h:2",
	} {
		u, err := url.Parse(endpoint)
		if err != nil {
			t.Fatal(err)
		}
		s, err := dial(otlp.Target{Signal: otlp.Traces, URL: u})
		if err != nil {
			t.Errorf("%s: %v", endpoint, err)
			continue
		}
		if got := s.(*sender).conn.CanonicalTarget(); got != want {
			t.Errorf("%s: %s, want %s", endpoint, got, want)
		}
		s.Close()
	}
}

// gRPC begins again by itself only what the collector has not looked at.
func TestWatcher(t *testing.T) {
	var c call
	ctx := context.WithValue(t.Context(), callKey{}, &c)
	for _, step := range []struct {
		event             stats.RPCStats
		written, answered bool
	}{
		{&stats.Begin{}, false, false}, {&stats.OutPayload{}, true, false}, {&stats.Begin{}, false, false}, {&stats.OutPayload{}, true, false},
		{&stats.InHeader{}, true, false}, {&stats.InTrailer{}, true, true},
	} {
		watcher{}.HandleRPC(ctx, step.event)
		if c.written.Load() != step.written || c.answered.Load() != step.answered {
			t.Errorf("%T: written %t, answered %t", step.event, c.written.Load(), c.answered.Load())
		}
	}
	watcher{}.HandleRPC(t.Context(), &stats.OutPayload{}) // of somebody else's call
}
