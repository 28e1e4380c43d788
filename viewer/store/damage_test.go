package store_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lensgo/lens/viewer/store"
)

// smallFolder makes a folder of three chunks of one span each, in one segment or, when sealed is false, as the records of one log.
// It returns the name of that file, its bytes, and the spans.
func smallFolder(t *testing.T, sealed bool) (name string, b []byte, spans []string) {
	t.Helper()
	dir := t.TempDir()
	o := store.Options{}
	if sealed {
		o.ChunkBytes = 1
	}
	s := open(t, dir, o)
	for i := range uint64(3) {
		add(t, s, request(t, sp{trace: i + 1, id: i + 1, name: fmt.Sprint("span", i), start: i + 1, end: 10}))
	}
	pattern := "traces-*.open.zst"
	if sealed {
		closeStore(t, s)
		pattern = "traces-*.zst"
	}
	list := files(t, dir, pattern)
	if len(list) != 1 {
		t.Fatalf("files: %v", list)
	}
	b, err := os.ReadFile(list[0])
	if err != nil {
		t.Fatal(err)
	}
	for i := range uint64(3) {
		tr := trace(t, s, i+1)
		spans = append(spans, string(tr.Spans[0].Raw()))
	}
	return filepath.Base(list[0]), b, spans
}

// openBytes opens a folder with one file.
func openBytes(t *testing.T, name string, b []byte, sum *tally) (*store.Store, string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(dir, store.Options{Summary: sum, ChunkBytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	return s, dir
}

// leave closes a store without sealing what is open.
func leave(t *testing.T, s *store.Store) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_ = s.Close(ctx) // may say that something is not sealed
}

// TestTornTail cuts a file at every byte. What was whole before the cut is there, the rest is put aside, and the next
// start finds nothing wrong.
func TestTornTail(t *testing.T) {
	defer store.NoSync()()
	for _, kind := range []string{"segment", "log"} {
		t.Run(kind, func(t *testing.T) {
			name, b, spans := smallFolder(t, kind == "segment")
			ends := chunkEnds(t, b)
			saved := 0
			for cut := range b {
				whole := 0
				for whole < len(ends) && ends[whole] <= int64(cut) {
					whole++
				}
				rest := cut
				if whole > 0 {
					rest -= int(ends[whole-1])
				}
				sum := newTally()
				s, dir := openBytes(t, name, b[:cut], sum)
				got := all(t, s)
				if len(got) == whole+1 && kind == "segment" { // the cut is in the footer
					saved++
					whole++
				}
				if !slices.Equal(got, spans[:whole]) {
					t.Fatalf("cut at %d: %d spans, want %d", cut, len(got), whole)
				}
				if st := s.Stats(); st.Torn != int64(rest) || st.Damaged != 0 || len(sum.spans) != whole || st.Kinds[store.Traces].Spans != int64(whole) {
					t.Fatalf("cut at %d: %+v, want %d torn bytes, none damaged, %d spans", cut, st, rest, whole)
				}
				if cut%5 != 0 { // the rest takes its time
					leave(t, s)
					continue
				}
				add(t, s, request(t, sp{trace: 9, id: 9, name: "new"}))
				closeStore(t, s)
				r := openReadOnly(t, dir, store.Options{})
				if got := all(t, r); len(got) != whole+1 || r.Stats().Damaged != 0 {
					t.Fatalf("cut at %d: %d spans after the next start, %d damaged", cut, len(got), r.Stats().Damaged)
				}
				for _, path := range segments(t, dir) {
					zstdcat(t, path)
				}
			}
			if kind == "segment" && saved == 0 {
				t.Error("no chunk whose footer was cut was saved")
			}
		})
	}
}

// chunkEnds returns where the chunks of a file end.
func chunkEnds(t *testing.T, b []byte) []int64 {
	t.Helper()
	_, gaps, ends, err := store.Chunks(strings.NewReader(string(b)), int64(len(b)), store.Traces)
	if err != nil || gaps != 0 || len(ends) != 3 {
		t.Fatalf("%d gaps, ends %v, %v", gaps, ends, err)
	}
	return ends
}

// TestFlippedBit flips one bit of every byte. It costs the chunk that it is in, at most; what is left is right; it is said.
func TestFlippedBit(t *testing.T) {
	defer store.NoSync()()
	for _, kind := range []string{"segment", "log"} {
		t.Run(kind, func(t *testing.T) {
			name, b, spans := smallFolder(t, kind == "segment")
			ends := chunkEnds(t, b)
			rescued := 0
			for i := range b {
				hit := 0
				for ends[hit] <= int64(i) {
					hit++
				}
				others := slices.Concat(spans[:hit], spans[hit+1:])
				c := slices.Clone(b)
				c[i] ^= 1 << (i % 8)

				sum := newTally()
				s, dir := openBytes(t, name, c, sum)
				got := all(t, s)
				st := s.Stats()
				switch {
				case slices.Equal(got, spans): // a footer, whose frame is whole
					rescued++
				case !slices.Equal(got, others):
					t.Fatalf("byte %d: %d spans, want the %d of other chunks", i, len(got), len(others))
				case st.Damaged == 0 && st.Torn == 0:
					t.Fatalf("byte %d: a chunk is missing and nothing is said", i)
				}
				for n := range uint64(3) {
					tr, err := s.Trace(traceID(n + 1))
					if int(n) != hit && (err != nil || string(tr.Spans[0].Raw()) != spans[n]) {
						t.Fatalf("byte %d: trace %d: %v", i, n+1, err)
					}
					if err == nil && len(tr.Spans) == 0 && tr.Damaged == 0 {
						t.Fatalf("byte %d: empty trace %d", i, n+1)
					}
				}
				if i%5 != 0 {
					leave(t, s)
					continue
				}
				add(t, s, request(t, sp{trace: 9, id: 9, name: "new"}))
				closeStore(t, s)
				if again := all(t, openReadOnly(t, dir, store.Options{})); len(again) != len(got)+1 {
					t.Fatalf("byte %d: %d spans after the next start, want %d", i, len(again), len(got)+1)
				}
			}
			if kind == "segment" && rescued == 0 {
				t.Error("no chunk with a damaged footer was saved")
			}
		})
	}
}

// TestSummaryOfDamage sees that the summary agrees with what can be read when footers are bad or not understood.
func TestSummaryOfDamage(t *testing.T) {
	name, b, _ := smallFolder(t, true) // sealed without a Summary
	sum := newTally()
	s, dir := openBytes(t, name, b, sum)
	if len(sum.spans) != 3 || sum.added != 3 || sum.merged != 0 {
		t.Errorf("%d traces, %d added, %d merged, want 3, 3, 0", len(sum.spans), sum.added, sum.merged)
	}
	add(t, s, request(t, sp{trace: 9, id: 9, name: "new"}))
	closeStore(t, s)
	sum = newTally()
	sum.refuse = true
	logger, text := logged()
	r := openReadOnly(t, dir, store.Options{Summary: sum, Logger: logger})
	if len(sum.spans) != 4 || sum.added != 4 || len(all(t, r)) != 4 {
		t.Errorf("%d traces, %d added, want 4, 4", len(sum.spans), sum.added)
	}
	if !strings.Contains(text.String(), "cannot merge summary") {
		t.Errorf("nothing is said: %s", text)
	}
}

// TestLogOfSealedChunk opens folders in which a chunk is in a segment and in its log, as after a kill between the two.
func TestLogOfSealedChunk(t *testing.T) {
	logName, log, spans := smallFolder(t, false)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, logName), log, 0o600); err != nil {
		t.Fatal(err)
	}
	s := open(t, dir, store.Options{})
	closeStore(t, s)
	segment := segments(t, dir)[0]
	sealed, err := os.ReadFile(segment)
	if err != nil {
		t.Fatal(err)
	}
	damage := func(at int) []byte {
		c := slices.Clone(sealed)
		c[at] ^= 4
		return c
	}
	for _, tt := range []struct {
		name string
		b    []byte
	}{
		{"whole", sealed}, {"frame never written", damage(20)}, {"footer never written", damage(len(sealed) - 20)},
		{"torn", sealed[:len(sealed)/2]}, {"empty", nil}, {"zeros", make([]byte, len(sealed))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, b := range map[string][]byte{logName: log, filepath.Base(segment): tt.b} {
				if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			for _, open := range []func(string, store.Options) (*store.Store, error){store.OpenReadOnly, store.Open} {
				sum := newTally()
				s, err := open(dir, store.Options{Summary: sum})
				if err != nil {
					t.Fatal(err)
				}
				if got := all(t, s); !slices.Equal(got, spans) {
					t.Errorf("%d spans, want %d", len(got), len(spans))
				}
				if st := s.Stats(); st.Torn != 0 || st.Damaged != 0 || len(sum.spans) != 3 {
					t.Errorf("%+v, %d traces in the summary", st, len(sum.spans))
				}
				closeStore(t, s)
			}
			if got := all(t, openReadOnly(t, dir, store.Options{})); !slices.Equal(got, spans) {
				t.Errorf("%d spans at the end, want %d", len(got), len(spans))
			}
			if logs := files(t, dir, "*.open.zst"); len(logs) != 0 {
				t.Errorf("logs are left: %v", logs)
			}
		})
	}
}
