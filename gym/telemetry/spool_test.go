//go:build !lens_off

package telemetry

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/lensgo/lens"
)

// A server of Gym keeps what its collector does not take, unless the environment says otherwise, or the receiver is the run's own.
func TestSetup_spool(t *testing.T) {
	busy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	t.Cleanup(busy.Close)
	for name, c := range map[string]struct {
		env  []string
		kept uint64
	}{
		"nothing is said":  {nil, 1},
		"Gym's variable":   {[]string{"NEMO_GYM_OTEL_SPOOL=0"}, 0},
		"the one of Lens":  {[]string{"NEMO_LENS_SPOOL=off"}, 0},
		"the run receives": {[]string{Prefix + envSpool + "=" + received(t)[Prefix+envSpool]}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv("XDG_STATE_HOME", t.TempDir())
			h, err := start(t, Identity{Server: "s"}, append([]string{"NEMO_GYM_OTEL_ENABLED=1", "NEMO_GYM_OTEL_METRICS_ENABLED=0",
				"OTEL_EXPORTER_OTLP_ENDPOINT=" + busy.URL}, c.env...)...)
			if err != nil {
				t.Fatal(err)
			}
			_, span := lens.Start(t.Context(), "x")
			span.End()
			_ = h.Shutdown(t.Context()) // without a spool the span is lost, which is its error
			if s := h.Stats(); s.Ended != 1 || s.Spooled != c.kept {
				t.Errorf("Stats %+v, want %d spooled", s, c.kept)
			}
		})
	}
}

// received is the environment that Receive leaves.
func received(t *testing.T) mapEnv {
	t.Helper()
	env := mapEnv{}
	Receive(env, "http://127.0.0.1:1")
	return env
}

// A run that receives by itself has no start records, and says that it was asked for some.
func TestReceive_start_records(t *testing.T) {
	for name, c := range map[string]struct{ key, value, want, said string }{
		"none are wanted":  {"", "", "", ""},
		"they are off":     {"NEMO_LENS_START_RECORDS", "0", "", ""},
		"Gym's variable":   {Prefix + envRecords, "1", "0", Prefix + envRecords + "=1"},
		"the one of Lens":  {FallbackPrefix + envRecords, "yes", "0", FallbackPrefix + envRecords + "=yes"},
		"nobody can tell":  {Prefix + envRecords, "maybe", "maybe", ""}, // the set-up says so
		"blank is not set": {Prefix + envRecords, " ", " ", ""},
	} {
		t.Run(name, func(t *testing.T) {
			env := mapEnv{c.key: c.value}
			said := strings.Join(Receive(env, "http://127.0.0.1:1"), " ")
			if got := env[Prefix+envRecords]; got != c.want || said != c.said {
				t.Errorf("%q, and it says %q", got, said)
			}
		})
	}
}
