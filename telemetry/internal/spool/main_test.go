package spool_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/lensgo/lens/telemetry/internal/spool"
)

// children are what this program does as another process, with the root of spools.
var children = map[string]func(root string){}

// TestMain is the whole program of a child process, when the test that starts it says so.
func TestMain(m *testing.M) {
	if run := children[os.Getenv("SPOOL_TEST_CHILD")]; run != nil {
		run(os.Getenv("SPOOL_TEST_ROOT"))
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

var destination = spool.Destination{Key: "0123456789abcdef", Signal: "traces", URL: "http://collector:4318/v1/traces"}

// newRoot is a folder for spools that does not exist yet.
func newRoot(t *testing.T) string {
	t.Helper()
	return filepath.Join(t.TempDir(), "state", "spool")
}

// open opens a spool and wants nothing to be said about it.
func open(t *testing.T, root string, o spool.Options) *spool.Spool {
	t.Helper()
	s, said := openLoud(t, root, o)
	t.Cleanup(func() {
		if said.Len() > 0 {
			t.Errorf("the log says %s", said)
		}
	})
	return s
}

// openLoud opens a spool and returns what is said.
func openLoud(t *testing.T, root string, o spool.Options) (*spool.Spool, *bytes.Buffer) {
	t.Helper()
	said := &bytes.Buffer{}
	o.Log = slog.New(slog.NewTextHandler(said, nil))
	s, err := spool.Open(root, destination, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeSpool(t, s) })
	return s, said
}

func closeSpool(t *testing.T, s *spool.Spool) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func appendTo(t *testing.T, s *spool.Spool, bodies ...string) (entries []*spool.Entry) {
	t.Helper()
	for _, b := range bodies {
		e, err := s.Append(1, []byte(b), false)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	return entries
}

// drain takes everything out and returns the bodies.
func drain(s *spool.Spool) (bodies []string) {
	for e := s.Oldest(); e != nil; e = s.Oldest() {
		bodies = append(bodies, string(e.Body))
		e.Done()
	}
	return bodies
}

func wantBodies(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s, want %s", brief(got), brief(want))
	}
}

func brief(bodies []string) string {
	text := fmt.Sprintf("%d bodies", len(bodies))
	for _, b := range bodies[:min(len(bodies), 30)] {
		text += fmt.Sprintf(" %.20q", b)
	}
	return text
}

// numbered makes n bodies that differ.
func numbered(n int) (bodies []string) {
	for i := range n {
		bodies = append(bodies, fmt.Sprint("body ", i))
	}
	return bodies
}

// files are the paths of all below root that are no folders, without the note of the destination.
func files(t *testing.T, root string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && d.Name() != "destination.json" {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return paths
}

func segments(t *testing.T, root string) []string {
	t.Helper()
	return slices.DeleteFunc(files(t, root), func(path string) bool { return !strings.HasSuffix(path, ".seg") })
}

// clock is a time that goes on by a second with each question.
func clock() func() time.Time {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return func() time.Time {
		now = now.Add(time.Second)
		return now
	}
}
