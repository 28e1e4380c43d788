package otlp_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/lensgo/lens/telemetry/internal/otlp"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var quiet = slog.New(slog.DiscardHandler)

// setenv sets variables of the form KEY=value, without their common beginning, and unsets every other one that this package reads.
func setenv(t *testing.T, vars ...string) {
	t.Helper()
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "OTEL_EXPORTER_OTLP_") {
			t.Setenv(name, "")
		}
	}
	for _, kv := range vars {
		name, value, _ := strings.Cut(kv, "=")
		t.Setenv("OTEL_EXPORTER_OTLP_"+name, value)
	}
}

// linkGRPC puts a sender for gRPC into the program, for one test.
func linkGRPC(t *testing.T) {
	t.Helper()
	otlp.Register(otlp.GRPC, func(otlp.Target) (otlp.Sender, error) { return nil, errors.New("a fake") })
	t.Cleanup(func() { otlp.Unregister(otlp.GRPC) })
}

// sender makes one for a signal and the variables.
func sender(t *testing.T, s otlp.Signal, vars ...string) otlp.Sender {
	t.Helper()
	setenv(t, vars...)
	target, err := otlp.Resolve(s, quiet)
	if err != nil {
		t.Fatal(err)
	}
	sender, err := target.Dial()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sender.Close)
	return sender
}

// fail sends a body and returns the failure.
func fail(ctx context.Context, t *testing.T, s otlp.Sender, body []byte) *otlp.Failure {
	t.Helper()
	_, err := s.Send(ctx, body)
	var f *otlp.Failure
	if !errors.As(err, &f) {
		t.Fatalf("Send: %v, want a failure", err)
	}
	return f
}

func wantText(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%q is not in: %s", p, text)
		}
	}
}
