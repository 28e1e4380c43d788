package store_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/store"
)

const (
	victimDir   = "LENS_STORE_VICTIM_DIR"
	victimRound = "LENS_STORE_VICTIM_ROUND"
)

var killOptions = store.Options{ChunkBytes: 8 << 10, SegmentBytes: 32 << 10, MemoryBytes: 16 << 10}

// victim is the process that is killed: it adds requests from several goroutines, and prints a line after each was
// acknowledged.
func victim() int {
	s, err := store.Open(os.Getenv(victimDir), killOptions)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if err := s.SetAddress("http://127.0.0.1:1"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	round, err := strconv.ParseUint(os.Getenv(victimRound), 10, 64)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	var out sync.Mutex
	failed := make(chan error)
	for w := range uint64(3) {
		go func() {
			for i := uint64(1); ; i++ {
				id := round<<40 | w<<32 | i
				if _, err := s.AddTraces(context.Background(), killRequest(id)); err != nil {
					failed <- err
					return
				}
				out.Lock()
				fmt.Println(id)
				out.Unlock()
			}
		}()
	}
	fmt.Fprintln(os.Stderr, <-failed)
	return 1
}

const killSpans = 3

func killRequest(id uint64) []byte {
	var tb testing.T // request fails only when pdata does
	spans := make([]sp, killSpans)
	for i := range spans {
		spans[i] = sp{trace: id, id: uint64(i + 1), name: fmt.Sprint("span ", id), start: id, end: id + 1, service: "killed"}
	}
	return request(&tb, spans...)
}

// TestKill kills a process that takes spans, twenty times in one folder. The kill comes after a number of acknowledgements
// that chance decides, so at any moment: in a write, in a seal, in a removal.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	acked := map[otlp.TraceID]bool{}
	for round := range uint64(20) {
		now := killOne(t, dir, round, 1+rand.IntN(700))
		for id := range now {
			acked[traceID(id)] = true
		}
		if _, err := store.Address(dir); err == nil {
			t.Error("the address of a dead process is believed")
		}
		s, err := store.Open(dir, killOptions)
		if err != nil {
			t.Fatal(err)
		}
		compareKilled(t, s, acked)
		for id := range now {
			if tr, err := s.Trace(traceID(id)); err != nil || len(tr.Spans) != killSpans || tr.Copies != 0 {
				t.Fatalf("trace %d cannot be found: %v", id, err)
			}
		}
		if round%2 == 0 { // the others are left to the next process as they are
			closeStore(t, s)
		} else {
			leave(t, s)
		}
	}
	s := open(t, dir, killOptions)
	compareKilled(t, s, acked)
	for id := range acked {
		if _, err := s.Trace(id); err != nil {
			t.Fatalf("trace %s cannot be found: %v", id, err)
		}
	}
	if n := s.Stats().Damaged; n != 0 {
		t.Errorf("%d chunks are damaged", n)
	}
}

// killOne starts a process, kills it after a number of acknowledgements, and returns what was acknowledged.
func killOne(t *testing.T, dir string, round uint64, after int) map[uint64]bool {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), victimDir+"="+dir, fmt.Sprintf("%s=%d", victimRound, round+1))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	acked := map[uint64]bool{}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		id, err := strconv.ParseUint(lines.Text(), 10, 64)
		if err != nil {
			continue // the line that the kill cut
		}
		acked[id] = true
		if len(acked) == after {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // it was killed
	if len(acked) < after {
		t.Fatalf("the process ended by itself after %d requests", len(acked))
	}
	return acked
}

// compareKilled sees that all that was acknowledged is there, whole and once.
func compareKilled(t *testing.T, s *store.Store, acked map[otlp.TraceID]bool) {
	t.Helper()
	count := map[otlp.TraceID]int{}
	err := s.Each(t.Context(), store.Traces, func(b []byte) error {
		return otlp.WalkTraces(b, func(_ *otlp.Resource, _ *otlp.Scope, s *otlp.Span) error {
			count[s.TraceID]++
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	missing := 0
	for id := range acked {
		if count[id] == 0 {
			missing++
		}
	}
	if missing > 0 {
		t.Fatalf("%d of %d acknowledged requests are missing", missing, len(acked))
	}
	var spans int64
	for id, n := range count {
		spans += int64(n)
		if n != killSpans {
			t.Fatalf("trace %s has %d spans, want %d", id, n, killSpans)
		}
	}
	if got := s.Stats().Kinds[store.Traces].Spans; got != spans {
		t.Fatalf("stats say %d spans, there are %d", got, spans)
	}
}

// TestLocked opens a folder that another process has.
func TestLocked(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir, store.Options{})
	_, err := store.Open(dir, store.Options{})
	var locked *store.LockedError
	if !errors.As(err, &locked) || locked.PID != os.Getpid() || locked.Dir != dir {
		t.Fatalf("second open: %v", err)
	}
	if _, err := store.Address(dir); err == nil {
		t.Error("there is an address before it was set")
	}
	for _, url := range []string{"http://127.0.0.1:40000/?token=long", "http://127.0.0.1:1/"} {
		if err := s.SetAddress(url); err != nil {
			t.Fatal(err)
		}
		if got, err := store.Address(dir); err != nil || got != url {
			t.Errorf("address is %q, %v, want %q", got, err, url)
		}
	}
	closeStore(t, s)
	if _, err := store.Address(dir); err == nil {
		t.Error("there is an address after Close")
	}
	open(t, dir, store.Options{})
}
