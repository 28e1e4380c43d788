package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lensgo/lens/viewer/otlp"
)

// Options says how a store is kept. The zero value keeps everything for ever.
type Options struct {
	MaxBytes int64         // on disk; the oldest segments go when it is exceeded; 0 is no limit
	MaxAge   time.Duration // segments whose newest data came longer ago go; 0 is no limit

	Summary       Summary      // of the traces; may be nil
	Metrics, Logs Digest       // may be nil
	Logger        *slog.Logger // nil discards

	ChunkBytes   int           // OTLP bytes of a chunk before compression; 0 is 512 KiB
	SegmentBytes int64         // a segment is full at this size; 0 is 64 MiB, less when MaxBytes is small
	MemoryBytes  int64         // sealed chunks that stay uncompressed in memory, of the newest, and of those that were read last; 0 is 16 MiB each
	SyncEvery    time.Duration // the most that a power cut loses; 0 is one second
}

func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.ChunkBytes <= 0 {
		o.ChunkBytes = 512 << 10
	}
	if o.SegmentBytes <= 0 {
		o.SegmentBytes = 64 << 20
		if o.MaxBytes > 0 {
			o.SegmentBytes = min(o.SegmentBytes, max(o.MaxBytes/16, 1))
		}
	}
	if o.MemoryBytes <= 0 {
		o.MemoryBytes = 16 << 20
	}
	if o.SyncEvery <= 0 {
		o.SyncEvery = time.Second
	}
	return o
}

// Added says what became of a request, in the terms of OTLP's partial success.
type Added struct {
	Spans    int    // taken
	Repeated int    // not taken, because a request of the same bytes was; the sender did not get its answer, or sends a file again
	Rejected int    // not taken: none, a store takes all of a request or answers with an error
	Why      string // a sentence for the sender when there is something to say, though all was taken
}

// Store is an open data folder. All methods may be called concurrently.
type Store struct {
	dir      string
	o        Options
	log      *slog.Logger
	readOnly bool
	lock     *os.File
	lanes    [kinds]*lane
	create   func(path string) (file, error)
	codec

	full, dirty chan struct{} // to the keeper: a chunk is pending; something is not synced
	stop, kept  chan struct{}
	hurry       atomic.Bool // closing takes too long: leave the rest in the logs
	newFiles    atomic.Bool // the folder itself is to be synced

	// of the keeper alone
	synced      time.Time
	recent      []*chunk
	recentBytes int64
	failed      string

	cache                                     cache
	recovered                                 int64
	damaged, torn                             atomic.Int64
	removedChunks, removedSpans, removedBytes atomic.Int64
	repeatedRequests                          atomic.Int64
	repeatedItems                             [kinds]atomic.Int64
	subscribers
	taken [kinds]atomic.Int64
	spans atomic.Int64

	closing   sync.Mutex
	closed    bool
	addressMu sync.Mutex
	address   *os.File
}

// Open opens a data folder for writing, and makes it when it is not there. The error is a [*LockedError] when another process
// has it open.
//
// Damage is no error: what is whole is served, and the rest is counted in [Stats] and logged.
func Open(dir string, o Options) (*Store, error) {
	if err := makeDir(dir); err != nil {
		return nil, fmt.Errorf("cannot open data folder: %w", err)
	}
	s := newStore(dir, o)
	lock, err := lockDir(dir)
	if errors.Is(err, errNoLock) {
		s.log.Warn("cannot lock data folder; do not start a second viewer on it", "dir", dir, "error", err)
	} else if err != nil {
		return nil, err
	}
	s.lock = lock
	s.readRepeats()
	if err := s.recover(); err != nil {
		lock.Close()
		return nil, fmt.Errorf("cannot open data folder %s: %w", dir, err)
	}
	s.synced = time.Now()
	go s.keep()
	s.poke(s.full)
	return s, nil
}

// OpenReadOnly opens the folder of a running or ended writer, as it is at this moment. It takes no lock and changes nothing in
// the folder. What the writer takes later is not seen; what its retention removes later is missing from answers.
func OpenReadOnly(dir string, o Options) (*Store, error) {
	s := newStore(dir, o)
	s.readOnly = true
	for _, l := range s.lanes {
		l.closed = true
	}
	if err := s.recover(); err != nil {
		return nil, fmt.Errorf("cannot open data folder %s: %w", dir, err)
	}
	close(s.kept)
	return s, nil
}

func newStore(dir string, o Options) *Store {
	s := &Store{
		dir: dir, o: o.withDefaults(), create: newFile, codec: newCodec(),
		full: make(chan struct{}, 1), dirty: make(chan struct{}, 1), stop: make(chan struct{}), kept: make(chan struct{}),
	}
	s.log, s.cache.room = s.o.Logger, s.o.MemoryBytes
	for k := range s.lanes {
		l := &lane{s: s, kind: Kind(k), digest: s.o.digest(Kind(k)), room: make(chan struct{})}
		l.view.Store(&view{})
		s.lanes[k] = l
	}
	return s
}

// makeDir makes a data folder, or closes to others one that is empty or has been used as one.
func makeDir(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, lockName)); err != nil && len(entries) > 0 {
		return nil // somebody's folder for other things too
	}
	return os.Chmod(dir, 0o700)
}

// poke tells the keeper, who looks for itself what there is to do.
func (s *Store) poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// AddTraces keeps an ExportTraceServiceRequest. It is handed to the operating system when AddTraces returns: what was
// acknowledged survives the end of the process at any time, and a power cut after [Options].SyncEvery. The store does not
// keep req.
//
// An [*otlp.Error] says that the request is malformed; nothing of it was kept. After any other error it may be sent again. When
// senders are quicker than the disk AddTraces waits, as long as ctx lets it.
func (s *Store) AddTraces(ctx context.Context, req []byte) (Added, error) {
	if err := otlp.Validate(req); err != nil {
		return Added{}, err
	}
	q := newTraces(req, s.o.Summary != nil)
	defer q.release()
	if err := s.add(ctx, Traces, q); err != nil {
		return Added{}, err
	}
	if q.repeated {
		return Added{Repeated: int(q.items)}, nil
	}
	a := Added{Spans: int(q.items)}
	if q.nameless > 0 {
		a.Why = fmt.Sprintf("%d of %d spans have no trace id or no span id; they are kept, but no span can name them as its parent", q.nameless, q.items)
	}
	return a, nil
}

// ErrMalformed is wrapped by the error for metrics and logs that are no protobuf message.
var ErrMalformed = errors.New("malformed protobuf message")

// AddMetrics keeps an ExportMetricsServiceRequest as [Store.AddTraces] does. Only the frame of the message is checked, so that
// it cannot spoil what it is stored with.
func (s *Store) AddMetrics(ctx context.Context, req []byte) error {
	return s.addOther(ctx, Metrics, req)
}

// AddLogs keeps an ExportLogsServiceRequest as [Store.AddMetrics] does.
func (s *Store) AddLogs(ctx context.Context, req []byte) error { return s.addOther(ctx, Logs, req) }

func (s *Store) addOther(ctx context.Context, k Kind, req []byte) error {
	if !wellFormed(req) {
		return fmt.Errorf("cannot keep %s of %d bytes: %w", k, len(req), ErrMalformed)
	}
	q := newOther(req)
	defer q.release()
	q.read(s.lanes[k].digest)
	return s.add(ctx, k, q)
}

func (s *Store) add(ctx context.Context, k Kind, q *request) error {
	if s.readOnly {
		return fmt.Errorf("cannot keep %s: %w", k, errReadOnly)
	}
	if len(q.data) > 0 {
		if q.first != 0 || q.last != 0 {
			q.sum = sumOf(q.data)
		}
		if err := s.lanes[k].add(ctx, q); err != nil {
			return fmt.Errorf("cannot keep %s: %w", k, err)
		}
	}
	if q.repeated {
		s.repeatedRequests.Add(1)
		s.repeatedItems[k].Add(int64(q.items))
		return nil
	}
	s.taken[k].Add(1)
	if k == Traces {
		s.spans.Add(int64(q.items))
	}
	s.changed()
	return nil
}

// Each calls fn for each chunk of a kind, oldest first, with its OTLP bytes: one valid message of many requests, valid
// during the call. Damaged chunks are left out and counted in [Stats]. An error of fn, or of ctx, ends it and is returned.
func (s *Store) Each(ctx context.Context, k Kind, fn func(otlp []byte) error) error {
	v := s.lanes[k].view.Load()
	for _, seg := range v.segments {
		if err := s.eachOf(ctx, seg, fn); err != nil {
			return err
		}
	}
	for _, p := range v.pending {
		if err := visit(ctx, p.content, fn); err != nil {
			return err
		}
	}
	if v.head != nil {
		return visit(ctx, v.head.data, fn)
	}
	return nil
}

func (s *Store) eachOf(ctx context.Context, seg *segment, fn func([]byte) error) error {
	r := reader{s: s, seg: seg}
	defer r.close()
	for _, c := range seg.chunks {
		data, _ := r.load(c)
		if data == nil {
			continue
		}
		if err := visit(ctx, data, fn); err != nil {
			return err
		}
	}
	return nil
}

func visit(ctx context.Context, data []byte, fn func([]byte) error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return fn(data)
}

// Close seals what is open, syncs, and unlocks the folder. When ctx ends before it is done, what is not sealed yet stays in
// logs, which the next Open reads; nothing is lost. Requests that come later get an error. Reading goes on to work. A
// second Close does nothing.
func (s *Store) Close(ctx context.Context) error {
	s.closing.Lock()
	defer s.closing.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	defer s.subscribers.end()
	if s.readOnly {
		return nil
	}
	for _, l := range s.lanes {
		l.end()
	}
	close(s.stop)
	select {
	case <-s.kept:
	case <-ctx.Done():
		s.hurry.Store(true)
		<-s.kept
	}
	s.removeAddress()
	if err := s.saveRepeats(); err != nil {
		s.log.Warn("cannot write down the newest requests; one that comes again is kept twice", "error", err)
	}
	if err := s.lock.Close(); err != nil {
		return fmt.Errorf("cannot close data folder %s: %w", s.dir, err)
	}
	if n := s.unsealed(); n > 0 {
		return fmt.Errorf("cannot seal all of data folder %s: %d chunks stay in logs, which the next start reads", s.dir, n)
	}
	return nil
}

func (s *Store) unsealed() (n int) {
	for _, l := range s.lanes {
		n += len(l.view.Load().pending)
	}
	return n
}
