package export_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/lensgo/lens/telemetry/export"
	"github.com/lensgo/lens/telemetry/internal/spool"
)

// Programs may leave more together than one may keep. A recovery loses nothing of it, also when it only looks.
func TestRecover_more_than_one_program_may_keep(t *testing.T) {
	var taken atomic.Int64
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		taken.Add(1)
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	c := export.OTLPConfig{SpoolDir: t.TempDir() + "/spool", SpoolBytes: 100 << 10, Logger: slog.New(slog.DiscardHandler)}
	const requests = 4
	var bodies []string
	for i := range requests {
		bodies = append(bodies, fmt.Sprint(i)+strings.Repeat("x", 60<<10))
	}
	leave(t, c.SpoolDir, bodies...)
	all, err := export.Recover(t.Context(), c, false)
	if err != nil || len(all) != 1 || all[0].Left != requests || all[0].Lost != 0 {
		t.Fatalf("for another endpoint: %+v, %v", all, err)
	}
	all, err = export.Recover(t.Context(), c, true)
	if err != nil || len(all) != 1 || all[0].Sent != requests || all[0].Left+all[0].Lost != 0 || taken.Load() != requests {
		t.Errorf("%+v, %v; %d requests", all, err, taken.Load())
	}
}

// What a recovery finds damaged is lost, and it says so also when it cannot send the rest.
func TestRecover_says_what_is_damaged(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1")
	c := export.OTLPConfig{SpoolDir: t.TempDir() + "/spool", Logger: slog.New(slog.DiscardHandler)}
	spoil(t, leave(t, c.SpoolDir, "damaged", "sound"), "damaged")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	all, err := export.Recover(ctx, c, true)
	if err != nil || len(all) != 1 || all[0].Left != 1 || all[0].Lost != 1 {
		t.Errorf("%+v, %v", all, err)
	}
}

// leave is a program that leaves requests of one item, and returns their file.
func leave(t *testing.T, root string, bodies ...string) (path string) {
	t.Helper()
	s, err := spool.Open(root, spool.Destination{Key: "0123456789abcdef", Signal: "TRACES", URL: "http://collector:4318/v1/traces"},
		spool.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bodies {
		if _, err := s.Append(1, []byte(b), false); err != nil {
			t.Fatal(err)
		}
	}
	paths, err := filepath.Glob(filepath.Join(s.Dir(), "*", "*.seg"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no file: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	return paths[len(paths)-1]
}

// spoil overwrites a text in a file.
func spoil(t *testing.T, path, what string) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(b, []byte(what), bytes.Repeat([]byte("?"), len(what)), 1), 0o600); err != nil {
		t.Fatal(err)
	}
}
