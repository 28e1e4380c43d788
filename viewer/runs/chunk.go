package runs

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/lensgo/lens/viewer/internal/packed"
	"github.com/lensgo/lens/viewer/otlp"
)

// chunk is what the spans of a chunk come to: sums that are added up, and the rows of the rollouts that they finish or change.
type chunk struct {
	stats  map[uint32]*stat     // by shape
	traces []traceRow           // what it adds
	rolls  []spot               // rows that were written; some stand there twice, or are free again
	gone   map[goneKey]struct{} // what turned out to be no rollout
}

func (c *chunk) reset() {
	*c = chunk{stats: map[uint32]*stat{}, traces: c.traces[:0], rolls: c.rolls[:0], gone: map[goneKey]struct{}{}}
}

func (c *chunk) empty() bool {
	return len(c.stats) == 0 && len(c.traces) == 0 && len(c.rolls) == 0 && len(c.gone) == 0
}

// footerVersion is the first byte of a footer.
const footerVersion = 1

// footer is a chunk as it was read, with the numbers of the table that it was read into.
type footer struct {
	seq    uint32
	shapes []uint32 // of stats
	stats  []stat
	traces []traceRow
	rolls  []Rollout
	gone   []goneKey
}

// append encodes the chunk that the model has filled.
func (m *Model) appendChunk(b []byte) []byte {
	e := encoder{t: m.t}
	e.uvarint(uint64(m.seq))
	e.stats(m.chunk.stats)
	e.uvarint(uint64(len(m.chunk.traces)))
	for i := range m.chunk.traces {
		e.trace(&m.chunk.traces[i])
	}
	rolls := m.rolls()
	e.uvarint(uint64(len(rolls)))
	for _, x := range rolls {
		e.rollout(x)
	}
	e.uvarint(uint64(len(m.chunk.gone)))
	keys := make([]goneKey, 0, len(m.chunk.gone))
	for k := range m.chunk.gone {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, goneKey.compare)
	for _, k := range keys {
		e.bytes(k.trace[:])
		e.bytes(k.key.span[:])
		e.text(k.key.id)
	}
	return append(e.head(append(b, footerVersion)), e.body...)
}

// rolls lists the rollouts that the chunk has written, each once.
func (m *Model) rolls() (out []*Rollout) {
	spots := m.chunk.rolls
	slices.SortFunc(spots, func(a, b spot) int { return cmp.Or(cmp.Compare(a.run, b.run), cmp.Compare(a.row, b.row)) })
	for _, s := range slices.Compact(spots) {
		if m.runList[s.run].seqs[s.row] == m.seq {
			out = append(out, m.rolloutAt(s))
		}
	}
	return out
}

func (k goneKey) compare(o goneKey) int {
	return cmp.Or(slices.Compare(k.trace[:], o.trace[:]), slices.Compare(k.key.span[:], o.key.span[:]), cmp.Compare(k.key.id, o.key.id))
}

func (e *encoder) stats(stats map[uint32]*stat) {
	shapes := make([]uint32, 0, len(stats))
	for s := range stats {
		shapes = append(shapes, s)
	}
	slices.Sort(shapes)
	e.uvarint(uint64(len(shapes)))
	for _, shape := range shapes {
		s := stats[shape]
		e.shape(shape)
		for _, x := range []int64{s.spans, s.bytes, s.errors, s.cut, s.copies, s.open, s.dropped} {
			e.varint(x)
		}
		e.uvarint(s.first)
		e.uvarint(s.last)
		e.body = s.durations.append(e.body)
		e.body = s.overTime.append(e.body)
	}
}

func (e *encoder) trace(r *traceRow) {
	e.bytes(r.id[:])
	for _, x := range []int32{r.spans, r.errors, r.cut, r.open, r.copies} {
		e.varint(int64(x))
	}
	e.flags(r.gym, r.root.child, r.root.failed, r.partial)
	set := e.t.sets[r.processes]
	e.uvarint(uint64(len(set)))
	for _, p := range set {
		e.process(p)
	}
	if r.spans > 0 {
		e.uvarint(r.first)
		e.uvarint(r.last)
		e.uvarint(r.root.start)
		e.uvarint(r.root.end)
		e.bytes(r.root.id[:])
		e.shape(r.root.shape)
	}
}

func (e *encoder) rollout(r *Rollout) {
	e.bytes(r.Trace[:])
	e.bytes(r.Span[:])
	e.flags(r.HasReward, r.Guessed)
	for _, s := range []string{r.ID, r.Run, r.Environment, r.Agent, string(r.Outcome), r.Failure, r.Message} {
		e.text(s)
	}
	for _, x := range []int64{int64(r.Task), int64(r.Attempt), int64(r.Retry), r.Turns, r.Calls, r.TokensIn, r.TokensOut, int64(r.Spans), int64(r.Errors), int64(r.Cut), int64(r.Skewed)} {
		e.varint(x)
	}
	e.uvarint(r.Start)
	e.uvarint(r.End)
	for _, d := range r.Split {
		e.varint(int64(d))
	}
	e.float(r.Reward)
	e.shape(r.root)
	set := e.t.sets[r.set]
	e.uvarint(uint64(len(set)))
	for _, s := range set {
		e.shape(s)
	}
	e.uvarint(uint64(len(r.Attributes)))
	for _, a := range r.Attributes {
		e.text(a.Key)
		e.text(a.Value)
	}
}

// footerReader reads a footer into a table.
type footerReader struct {
	decoder
	t         *table
	texts     []string
	processes []uint32
	scopes    []uint32
	shapes    []uint32
}

// readFooter reads what appendChunk wrote. Nothing is changed but that the table may have new entries.
func readFooter(t *table, b []byte) (*footer, error) {
	if len(b) == 0 {
		return nil, errors.New("it is empty")
	}
	if b[0] != footerVersion {
		return nil, fmt.Errorf("it has version %d, must be %d", b[0], footerVersion)
	}
	r := footerReader{decoder: decoder{packed.NewReader(b[1:])}, t: t}
	r.head()
	f := r.body()
	if r.Err() == nil && r.Len() > 0 {
		r.Fail("it goes on behind its end")
	}
	return f, r.Err()
}

func (r *footerReader) head() {
	for range r.Count(1) {
		r.texts = append(r.texts, r.string())
	}
	for range r.Count(5) {
		p := Process{r.text(), r.text(), r.text(), r.text(), r.text()}
		r.processes = append(r.processes, r.t.processOf(&p))
	}
	for range r.Count(2) {
		r.scopes = append(r.scopes, r.t.scopeOf(scope{r.text(), r.text()}))
	}
	for range r.Count(5) {
		k := shapeKey{process: pick(r, r.processes), scope: pick(r, r.scopes), name: r.text()}
		k.kind, k.class = otlp.Kind(r.int32()), class(r.below(uint64(PartOther)+2))
		if r.Err() == nil {
			r.shapes = append(r.shapes, r.t.intern(k))
		}
	}
}

func (r *footerReader) text() string { return pick(r, r.texts) }

func (r *footerReader) shape() uint32 { return pick(r, r.shapes) }

// pick reads an index into a list.
func pick[T any](r *footerReader, list []T) (x T) {
	if i := r.Uvarint(); i < uint64(len(list)) {
		return list[i]
	}
	r.Fail("it refers to an entry that it does not have")
	return x
}

func (r *footerReader) body() *footer {
	f := &footer{seq: uint32(r.below(math.MaxUint32))}
	for range r.Count(10) {
		f.shapes = append(f.shapes, r.shape())
		f.stats = append(f.stats, r.stat())
	}
	for range r.Count(22) {
		f.traces = append(f.traces, r.trace())
	}
	for range r.Count(50) {
		f.rolls = append(f.rolls, r.rollout())
	}
	for range r.Count(25) {
		var k goneKey
		r.id(k.trace[:])
		r.id(k.key.span[:])
		k.key.id = r.text()
		f.gone = append(f.gone, k)
	}
	return f
}

func (r *footerReader) stat() (s stat) {
	for _, x := range []*int64{&s.spans, &s.bytes, &s.errors, &s.cut, &s.copies, &s.open, &s.dropped} {
		*x = r.Varint()
	}
	s.first, s.last = r.Uvarint(), r.Uvarint()
	s.durations.read(&r.decoder)
	s.overTime.read(&r.decoder)
	return s
}

func (r *footerReader) trace() (x traceRow) {
	r.id(x.id[:])
	for _, n := range []*int32{&x.spans, &x.errors, &x.cut, &x.open, &x.copies} {
		*n = r.int32()
	}
	on := r.below(16)
	x.gym, x.root.child, x.root.failed, x.partial = on&1 != 0, on&2 != 0, on&4 != 0, on&8 != 0
	var set []uint32
	for range r.Count(1) {
		set = append(set, pick(r, r.processes))
	}
	x.processes = r.set(set)
	if x.spans > 0 {
		x.first, x.last, x.root.start, x.root.end = r.Uvarint(), r.Uvarint(), r.Uvarint(), r.Uvarint()
		r.id(x.root.id[:])
		x.root.shape = r.shape()
	}
	return x
}

// set numbers a set that was read in any order.
func (r *footerReader) set(members []uint32) uint32 {
	slices.Sort(members)
	return r.t.setOf(slices.Compact(members))
}

func (r *footerReader) rollout() (x Rollout) {
	r.id(x.Trace[:])
	r.id(x.Span[:])
	on := r.below(4)
	x.HasReward, x.Guessed = on&1 != 0, on&2 != 0
	var outcome string
	for _, s := range []*string{&x.ID, &x.Run, &x.Environment, &x.Agent, &outcome, &x.Failure, &x.Message} {
		*s = r.text()
	}
	x.Outcome = Outcome(outcome)
	for _, n := range []*int{&x.Task, &x.Attempt, &x.Retry} {
		*n = int(r.int32())
	}
	for _, n := range []*int64{&x.Turns, &x.Calls, &x.TokensIn, &x.TokensOut} {
		*n = r.Varint()
	}
	for _, n := range []*int{&x.Spans, &x.Errors, &x.Cut, &x.Skewed} {
		*n = int(r.int32())
	}
	x.Start, x.End = r.Uvarint(), r.Uvarint()
	for i := range x.Split {
		x.Split[i] = time.Duration(r.Varint())
	}
	x.Reward = r.Float()
	if math.IsNaN(x.Reward) || math.IsInf(x.Reward, 0) {
		r.Fail("a reward is no number")
	}
	x.root = r.shape()
	var set []uint32
	for range r.Count(1) {
		set = append(set, r.shape())
	}
	x.set = r.set(set)
	for range min(r.Count(2), maxAttributes) {
		x.Attributes = append(x.Attributes, Attribute{r.text(), r.text()})
	}
	return x
}
