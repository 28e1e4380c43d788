package store

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/lensgo/lens/viewer/otlp"
)

// span is a request of one span.
func span(id byte) []byte {
	s := append([]byte{0x0a, 16}, make([]byte, 15)...)
	s = append(s, id, 0x12, 8, 0, 0, 0, 0, 0, 0, 0, id, 0x2a, 1, 'n')
	scope := append([]byte{0x12, byte(len(s))}, s...)
	resource := append([]byte{0x12, byte(len(scope))}, scope...)
	return append([]byte{0x0a, byte(len(resource))}, resource...)
}

// seedSegment is a segment of chunks.
func seedSegment(stored bool, chunks ...[]byte) (b []byte) {
	for i, data := range chunks {
		var frame []byte
		if stored {
			frame = appendStored(nil, data)
		} else {
			frame = newCodec().pack(data, nil)
		}
		q := newTraces(data, false)
		f := footer{kind: Traces, hashes: q.hashes, summary: []byte("sum"), summed: i%2 == 0, meta: meta{
			number: uint64(i), frame: uint32(len(frame)), raw: uint32(len(data)), requests: 1, items: q.items, sum: checksum(frame),
		}}
		b = f.append(append(b, frame...))
	}
	return b
}

// FuzzFooter decodes anything. What is accepted encodes to the same bytes.
func FuzzFooter(f *testing.F) {
	seg := seedSegment(false, span(1))
	n, _ := frameSize(seg)
	f.Add(seg[n:])
	f.Add(seg)
	f.Fuzz(func(t *testing.T, b []byte) {
		ft, err := parseFooter(b)
		if err != nil {
			return
		}
		if again := ft.append(nil); !bytes.Equal(again, b) {
			t.Fatalf("footer %x encodes to %x", b, again)
		}
	})
}

// FuzzSegment opens a folder with any file as a segment or a log. Nothing panics or fails, reading does not change what
// there is, and the folder is sound after it was opened for writing.
func FuzzSegment(f *testing.F) {
	seg := seedSegment(false, span(1), span(2), span(3))
	f.Add(seg, false)
	f.Add(seedSegment(true, span(1), span(2)), true)
	f.Add(seg[:len(seg)-3], false)
	f.Add(append(bytes.Clone(seg[:40]), seg...), false)
	f.Add(seg[7:], false)
	f.Add(make([]byte, 100), false)
	f.Add([]byte{}, true)
	defer noSync()()
	f.Fuzz(func(t *testing.T, b []byte, log bool) {
		dir := t.TempDir()
		name := "traces-000000000003" + segmentSuffix
		if log {
			name = "traces-000000000003" + logSuffix
		}
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := OpenReadOnly(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		before := spansOf(t, r)
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(b, after) {
			t.Fatalf("reading changed the file: %v", err)
		}
		s, err := Open(dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if n := spansOf(t, s); n != before {
			t.Fatalf("%d spans for the writer, %d for the reader", n, before)
		}
		if _, err := s.AddTraces(t.Context(), span(9)); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Trace(otlp.TraceID{15: 9}); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		if r, err = OpenReadOnly(dir, Options{}); err != nil {
			t.Fatal(err)
		}
		if n := spansOf(t, r); n != before+1 {
			t.Fatalf("%d spans after the next start, want %d", n, before+1)
		}
	})
}

func spansOf(t *testing.T, s *Store) (n int) {
	err := s.Each(t.Context(), Traces, func(b []byte) error {
		return otlp.WalkTrusted(b, func(*otlp.Resource, *otlp.Scope, *otlp.Span) error { n++; return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}
