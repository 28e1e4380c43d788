package runs

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/lensgo/lens/viewer/internal/packed"
	"github.com/lensgo/lens/viewer/otlp"
)

// tally is what some chunks come to, with the numbers of a table of its own. It is read from their footers without the model, so
// several can be at the same time, and then added to the model at the cost of a single footer.
type tally struct {
	t      *table
	seq    uint32   // of the youngest chunk
	shapes []uint32 // of which there are stats
	stats  []*stat  // by shape
	here   []bool   // shapes, by shape
	traces vec[traceRow]
	ids    rowIndex
	rolls  []tallied
	spare  []Rollout // made many at a time
	gone   []struct {
		goneKey
		seq uint32
	}
}

// tallied is a rollout that a chunk wrote.
type tallied struct {
	*Rollout
	trace uint32 // index into traces
	seq   uint32
}

// tallies are those that may be used again: each takes some megabytes, and a start reads one after the other.
var tallies = sync.Pool{New: func() any { return &tally{t: newTable(math.MaxInt)} }}

func newTally() *tally { return tallies.Get().(*tally) }

// release gives the tally back. Nothing of it may be in use but its rollouts.
func (x *tally) release() {
	for _, shape := range x.shapes {
		x.stats[shape].reset()
		x.here[shape] = false
	}
	clear(x.rolls)
	clear(x.gone)
	x.seq, x.shapes, x.rolls, x.gone = 0, x.shapes[:0], x.rolls[:0], x.gone[:0]
	x.traces.empty()
	x.ids.reset()
	if len(x.t.shapes) > 4*minDead {
		x.t, x.stats, x.here = newTable(math.MaxInt), nil, nil
	}
	tallies.Put(x)
}

// statOf finds the sums of a shape.
func (x *tally) statOf(shape uint32) *stat {
	for uint32(len(x.stats)) <= shape {
		x.stats, x.here = append(x.stats, nil), append(x.here, false)
	}
	s := x.stats[shape]
	if s == nil {
		s = new(stat)
		x.stats[shape] = s
	}
	if !x.here[shape] {
		x.here[shape] = true
		x.shapes = append(x.shapes, shape)
	}
	return s
}

func (x *tally) newRollout() *Rollout {
	if len(x.spare) == 0 {
		x.spare = make([]Rollout, 32)
	}
	r := &x.spare[0]
	x.spare = x.spare[1:]
	return r
}

// add adds what a chunk adds to a trace, and returns where it is.
func (x *tally) add(r *traceRow) uint32 {
	hash := hashTrace(r.id)
	i, ok := x.ids.find(hash, func(i uint32) bool { return x.traces.at(i).id == r.id })
	if !ok {
		i = x.traces.grow()
		x.ids.add(hash, i)
		*x.traces.edit(i) = *r
		return i
	}
	at := x.traces.edit(i)
	at.merge(r, x.t)
	at.processes = x.t.union(at.processes, r.processes)
	if r.judged >= at.judged {
		at.judged, at.partial = r.judged, r.partial
	}
	return i
}

// read adds a footer. After an error the tally is of no use.
func (x *tally) read(b []byte) error {
	if len(b) == 0 {
		return errors.New("it is empty")
	}
	if b[0] != footerVersion {
		return fmt.Errorf("it has version %d, must be %d", b[0], footerVersion)
	}
	r := footerReader{decoder: decoder{packed.NewReader(b[1:])}, to: x}
	r.head()
	r.body()
	if r.Err() == nil && r.Len() > 0 {
		r.Fail("it goes on behind its end")
	}
	return r.Err()
}

// footerReader reads what appendChunk wrote.
type footerReader struct {
	decoder
	to  *tally
	seq uint32

	texts     []string
	processes []uint32
	scopes    []uint32
	shapes    []uint32
	teams     []uint32
	sets      []uint32
	rows      []uint32 // of the traces
}

func (r *footerReader) head() {
	t := r.to.t
	for range r.Count(1) {
		r.texts = append(r.texts, r.string())
	}
	for range r.Count(5) {
		p := Process{r.string(), r.string(), r.string(), r.string(), r.string()}
		r.processes = append(r.processes, t.processOf(&p))
	}
	for range r.Count(2) {
		r.scopes = append(r.scopes, t.scopeOf(scope{r.string(), r.string()}))
	}
	for range r.Count(5) {
		k := shape{process: pick(r, r.processes), scope: pick(r, r.scopes), name: r.string()}
		k.kind, k.class = otlp.Kind(r.int32()), class(r.below(uint64(PartOther)+2))
		if r.Err() == nil {
			r.shapes = append(r.shapes, t.intern(k))
		}
	}
	for range r.Count(1) {
		r.teams = append(r.teams, r.set(r.processes))
	}
	for range r.Count(1) {
		r.sets = append(r.sets, r.set(r.shapes))
	}
}

func (r *footerReader) string() string { return r.to.t.own(r.Bytes(r.Count(1))) }

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

// set numbers a set of members of a list, which may stand there in any order.
func (r *footerReader) set(of []uint32) uint32 {
	var members []uint32
	for range r.Count(1) {
		members = append(members, pick(r, of))
	}
	slices.Sort(members)
	return r.to.t.setOf(slices.Compact(members))
}

func (r *footerReader) body() {
	r.seq = uint32(r.below(math.MaxUint32))
	r.to.seq = max(r.to.seq, r.seq)
	for range r.Count(10) {
		shape := r.shape()
		if r.Err() == nil {
			r.stat(r.to.statOf(shape))
		}
	}
	r.traces()
	for range r.Count(30) {
		x := tallied{r.to.newRollout(), pick(r, r.rows), r.seq}
		r.rollout(x.Rollout)
		if r.Err() == nil {
			x.Trace = r.to.traces.at(x.trace).id
			r.to.rolls = append(r.to.rolls, x)
		}
	}
	for range r.Count(25) {
		var k goneKey
		r.id(k.trace[:])
		r.id(k.key.span[:])
		k.key.id = r.text()
		r.to.gone = append(r.to.gone, struct {
			goneKey
			seq uint32
		}{k, r.seq})
	}
}

// stat adds to the sums of a shape.
func (r *footerReader) stat(to *stat) {
	var s stat
	for _, n := range [...]*int64{&s.spans, &s.bytes, &s.errors, &s.cut, &s.copies, &s.open, &s.dropped} {
		*n = r.Varint()
	}
	s.first, s.last = r.Uvarint(), r.Uvarint()
	to.merge(&s)
	to.durations.read(&r.decoder)
	s.overTime.read(&r.decoder)
	to.overTime.merge(&s.overTime)
}

func (r *footerReader) traces() {
	n := r.Count(25)
	ids, roots := r.Bytes(16*n), r.Bytes(8*n)
	before := uint64(0)
	r.rows = make([]uint32, 0, n)
	for i := range n {
		if r.Err() != nil {
			return
		}
		x := traceRow{id: otlp.TraceID(ids[16*i:]), judged: r.seq}
		x.root.id = otlp.SpanID(roots[8*i:])
		before = r.trace(&x, before)
		if r.Err() == nil {
			r.rows = append(r.rows, r.to.add(&x))
		}
	}
}

// trace reads what encoder.trace wrote.
func (r *footerReader) trace(x *traceRow, before uint64) uint64 {
	on := r.Byte()
	x.gym, x.root.child, x.root.failed, x.partial = on&rowGym != 0, on&rowChild != 0, on&rowFailed != 0, on&rowPartial != 0
	x.spans = r.int32()
	if on&rowOdd != 0 {
		for _, n := range [...]*int32{&x.errors, &x.cut, &x.open, &x.copies} {
			*n = r.int32()
		}
	}
	x.processes = pick(r, r.teams)
	if (on&rowSpans != 0) != (x.spans > 0) {
		r.Fail("a trace has times without spans, or spans without times")
	}
	if x.spans <= 0 {
		return before
	}
	x.first = before + uint64(r.Varint())
	x.last = x.first + r.Uvarint()
	x.root.start = x.first + uint64(r.Varint())
	x.root.end = x.root.start + uint64(r.Varint())
	x.root.shape = r.shape()
	return x.first
}

func (r *footerReader) rollout(x *Rollout) {
	r.id(x.Span[:])
	on := r.Byte()
	x.HasReward, x.Guessed = on&1 != 0, on&2 != 0
	if on&4 == 0 {
		x.ID = r.text()
	}
	var outcome string
	for _, s := range [...]*string{&x.Run, &x.Environment, &x.Agent, &outcome, &x.Failure, &x.Message} {
		*s = r.text()
	}
	x.Outcome = Outcome(outcome)
	for _, n := range [...]*int{&x.Task, &x.Attempt, &x.Retry} {
		*n = r.small()
	}
	if on&4 != 0 {
		x.ID = rolloutID(x.Task, x.Attempt, x.Retry)
	}
	for _, n := range [...]*int64{&x.Turns, &x.Calls, &x.TokensIn, &x.TokensOut} {
		*n = r.Varint()
	}
	for _, n := range [...]*int{&x.Spans, &x.Errors, &x.Cut, &x.Skewed} {
		*n = r.small()
	}
	x.Start = r.Uvarint()
	x.End = x.Start + uint64(r.Varint())
	for i := range x.Split {
		x.Split[i] = time.Duration(r.Varint())
	}
	x.Reward = r.Float()
	if math.IsNaN(x.Reward) || math.IsInf(x.Reward, 0) {
		r.Fail("a reward is no number")
	}
	x.root, x.set = r.shape(), pick(r, r.sets)
	if on&8 != 0 {
		for range min(r.Count(2), maxAttributes) {
			x.Attributes = append(x.Attributes, Attribute{r.text(), r.text()})
		}
	}
}

// rolloutID is the id that Gym gives to a rollout, "" where its numbers are not known.
func rolloutID(task, attempt, retry int) string {
	if task < 0 || attempt <= 0 {
		return ""
	}
	b := make([]byte, 0, 32)
	b = append(strconv.AppendInt(b, int64(task), 10), '-')
	b = strconv.AppendInt(b, int64(attempt)-1, 10)
	if retry > 0 {
		b = strconv.AppendInt(append(b, "-a"...), int64(retry), 10)
	}
	return string(b)
}
