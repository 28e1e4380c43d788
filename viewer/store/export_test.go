package store

import (
	"context"
	"io"

	"github.com/lensgo/lens/viewer/otlp"
)

// File is what the store writes to.
type File = file

// OpenWith is Open with files of the test's own.
func OpenWith(dir string, o Options, create func(path string, open func(string) (File, error)) (File, error)) (*Store, error) {
	was := newFile
	defer func() { newFile = was }()
	newFile = func(path string) (file, error) { return create(path, createFile) }
	return Open(dir, o)
}

// NoSync makes syncing cost nothing, for tests that open hundreds of folders, and returns what undoes it.
func NoSync() func() { return noSync() }

func noSync() func() {
	newFile = func(path string) (file, error) {
		f, err := createFile(path)
		return unsynced{f}, err
	}
	syncFolder = func(string) error { return nil }
	return func() { newFile, syncFolder = createFile, syncDir }
}

type unsynced struct{ file }

func (unsynced) Sync() error { return nil }

// MaxPending is how many chunks may wait.
const MaxPending = maxPending

// Chunks returns the numbers of the chunks in a segment, the parts of it that are in none, and where chunks end.
func Chunks(f io.ReaderAt, size int64, k Kind) (numbers []uint64, gaps int, ends []int64, err error) {
	chunks, g, err := readChunks(f, size, k)
	for _, c := range chunks {
		numbers = append(numbers, c.number)
		ends = append(ends, c.end)
	}
	return numbers, len(g), ends, err
}

// EachTraceIn is EachTrace with so much room for traces that are not complete.
func (s *Store) EachTraceIn(ctx context.Context, ids map[otlp.TraceID]struct{}, room int, fn func(*Trace) error) (unread int, err error) {
	return s.eachTrace(ctx, ids, room, fn)
}

// Repeats is what knows the newest requests.
type Repeats = repeats

// MaxRepeats is how many it knows.
const MaxRepeats = maxRepeats

func (r *Repeats) Add(sum uint64)        { r.add(sum) }
func (r *Repeats) Holds(sum uint64) bool { return r.holds(sum) }

// SumOf is the hash of a request.
func SumOf(req []byte) uint64 { return sumOf(req) }

// Cached returns how many chunks that were read are kept, and their bytes.
func (s *Store) Cached() (chunks int, bytes int64) {
	s.cache.mu.Lock()
	defer s.cache.mu.Unlock()
	return len(s.cache.entries), s.cache.bytes
}
