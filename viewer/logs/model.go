package logs

import (
	"encoding/binary"
	"errors"
	"slices"
	"sync"

	"github.com/lensgo/lens/viewer/internal/packed"
	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/store"
)

// Counts is how many records a run has of each [Level].
type Counts [levels]int64

// Total is all of them.
func (c *Counts) Total() (n int64) {
	for _, x := range c {
		n += x
	}
	return n
}

// From is those of a level and above; of all when the level is Unknown.
func (c *Counts) From(least Level) (n int64) {
	for _, x := range c[least:] {
		n += x
	}
	return n
}

func (c *Counts) add(o *Counts, sign int64) {
	for i, x := range o {
		c[i] += sign * x
	}
}

// maxRuns bounds the runs that are counted, maxName the bytes of their names, and maxCount the records of a chunk.
const (
	maxRuns  = 10_000
	maxName  = 1024
	maxCount = 1 << 40
)

// Model counts the records of each run. It is the [store.Digest] of the logs of a store: Read, Add, Seal, Merge and Forget are the store's.
// Counts may be called by any number of goroutines at any time.
type Model struct {
	mu    sync.Mutex
	runs  map[string]*Counts
	chunk map[string]*Counts // since the last Seal
}

var _ store.Digest = (*Model)(nil)

// NewModel makes an empty model.
func NewModel() *Model { return &Model{runs: map[string]*Counts{}, chunk: map[string]*Counts{}} }

// Counts returns how many records of a run are stored. ok is false when the run is one of too many to be counted.
func (m *Model) Counts(run string) (c Counts, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if at := m.runs[run]; at != nil {
		return *at, true
	}
	return c, len(m.runs) < maxRuns
}

func runKey(run string) store.Key { return store.TextKey("run " + run) }

// Read decodes an ExportLogsServiceRequest. What cannot be decoded is empty. See [store.Digest].
func (m *Model) Read(req []byte) store.Batch {
	counts := map[string]*Counts{}
	b := store.Batch{Content: counts}
	var trace otlp.TraceID
	err := eachRecord(req, func(r Record) bool {
		c := counts[r.Run]
		if c == nil {
			c = new(Counts)
			counts[r.Run] = c
			b.Keys = append(b.Keys, runKey(r.Run))
		}
		c[r.Level]++
		if id := otlp.TraceID(r.TraceID()); id != trace && !id.IsZero() {
			trace = id
			b.Keys = append(b.Keys, store.TraceKey(id))
		}
		if t := r.Time(); t != 0 {
			if b.First == 0 || t < b.First {
				b.First = t
			}
			b.Last = max(b.Last, t)
		}
		b.Items++
		return true
	})
	if err != nil {
		return store.Batch{}
	}
	return b
}

// Add takes what Read returned. See [store.Digest].
func (m *Model) Add(b store.Batch, _, _ uint64) {
	counts, ok := b.Content.(map[string]*Counts)
	if !ok {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for run, c := range counts {
		put(m.chunk, run, c, 1)
		m.put(run, c, 1)
	}
}

func (m *Model) put(run string, c *Counts, sign int64) {
	if _, ok := m.runs[run]; (ok || len(m.runs) < maxRuns) && len(run) <= maxName {
		put(m.runs, run, c, sign)
	}
}

// put adds to the counts of a run; when nothing is left it goes.
func put(runs map[string]*Counts, run string, c *Counts, sign int64) {
	at := runs[run]
	if at == nil {
		at = new(Counts)
		runs[run] = at
	}
	at.add(c, sign)
	if at.Total() <= 0 {
		delete(runs, run)
	}
}

// footerVersion is the first byte of what Seal returns.
const footerVersion = 1

// Seal returns the counts since the last Seal. See [store.Digest].
func (m *Model) Seal() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.chunk) == 0 {
		return nil
	}
	names := make([]string, 0, len(m.chunk))
	for run := range m.chunk {
		if len(run) <= maxName {
			names = append(names, run)
		}
	}
	slices.Sort(names)
	b := []byte{footerVersion}
	for _, run := range names {
		b = binary.AppendUvarint(b, uint64(len(run)))
		b = append(b, run...)
		for _, n := range m.chunk[run] {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	clear(m.chunk)
	return b
}

// Merge takes what Seal returned. See [store.Digest].
func (m *Model) Merge(_ uint64, footer []byte) error { return m.count(footer, 1) }

// Forget takes away what a chunk came to. See [store.Digest].
func (m *Model) Forget(_ store.Removed, footer []byte) { _ = m.count(footer, -1) }

var errFooter = errors.New("cannot read the counts of a chunk of logs: they are damaged, or of another version")

// count adds a footer, all of it or nothing.
func (m *Model) count(footer []byte, sign int64) error {
	if len(footer) == 0 {
		return nil
	}
	r := packed.NewReader(footer)
	if r.Byte() != footerVersion {
		return errFooter
	}
	counts := map[string]*Counts{}
	for r.Len() > 0 {
		run, c := string(r.Bytes(r.Count(1))), new(Counts)
		for i := range c {
			x := r.Uvarint()
			if c[i] = int64(x); x > maxCount {
				return errFooter
			}
		}
		if r.Err() != nil || len(run) > maxName {
			return errFooter
		}
		counts[run] = c
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for run, c := range counts {
		m.put(run, c, sign)
	}
	return nil
}
