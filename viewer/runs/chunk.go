package runs

import (
	"cmp"
	"slices"
)

// chunk is what the spans of a chunk come to: sums that are added up, and the rows of the rollouts that they finish or change.
type chunk struct {
	stats  map[uint32]*stat     // by shape
	traces []traceRow           // what it adds
	rolls  []written            // some stand there twice, or are gone
	gone   map[goneKey]struct{} // what turned out to be no rollout
}

// written is a rollout that was written, and the row of its trace.
type written struct {
	spot
	trace uint32
}

func (c *chunk) reset() {
	*c = chunk{stats: map[uint32]*stat{}, traces: c.traces[:0], rolls: c.rolls[:0], gone: map[goneKey]struct{}{}}
}

func (c *chunk) empty() bool {
	return len(c.stats) == 0 && len(c.traces) == 0 && len(c.rolls) == 0 && len(c.gone) == 0
}

// goneKey names a rollout of any trace.
func (k goneKey) compare(o goneKey) int {
	return cmp.Or(slices.Compare(k.trace[:], o.trace[:]), slices.Compare(k.key.span[:], o.key.span[:]), cmp.Compare(k.key.id, o.key.id))
}

// footerVersion is the first byte of a footer.
const footerVersion = 2

// appendChunk encodes the chunk that the model has filled.
func (m *Model) appendChunk(b []byte) []byte {
	e := &m.enc
	e.reset(m.t)
	e.uvarint(uint64(m.seq))
	e.stats(m.chunk.stats)
	e.traces(m.chunk.traces)
	rolls := m.rolls()
	e.uvarint(uint64(len(rolls)))
	for _, r := range rolls {
		e.uvarint(uint64(m.traces.at(r.trace).at)) // the trace stands in this chunk too
		e.rollout(m.rolloutAt(r.spot))
	}
	e.uvarint(uint64(len(m.chunk.gone)))
	for _, k := range sortedGone(m.chunk.gone) {
		e.bytes(k.trace[:])
		e.bytes(k.key.span[:])
		e.text(k.key.id)
	}
	return append(e.head(append(b, footerVersion)), e.body...)
}

// rolls lists the rollouts that the chunk has written, each once.
func (m *Model) rolls() []written {
	list := slices.DeleteFunc(m.chunk.rolls, func(r written) bool {
		return m.seqOf(r.spot) != m.seq || m.rolloutAt(r.spot).Trace != m.traces.at(r.trace).id
	})
	slices.SortFunc(list, func(a, b written) int { return cmp.Or(cmp.Compare(a.run, b.run), cmp.Compare(a.row, b.row)) })
	return slices.Compact(list)
}

func sortedGone(gone map[goneKey]struct{}) []goneKey {
	keys := make([]goneKey, 0, len(gone))
	for k := range gone {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, goneKey.compare)
	return keys
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
		for _, x := range [...]int64{s.spans, s.bytes, s.errors, s.cut, s.copies, s.open, s.dropped} {
			e.varint(x)
		}
		e.uvarint(s.first)
		e.uvarint(s.last)
		e.body = s.durations.append(e.body)
		e.body = s.overTime.append(e.body)
	}
}

// What the first byte of a row says.
const (
	rowGym = 1 << iota
	rowChild
	rowFailed
	rowPartial
	rowSpans // has some, so it has times and a root
	rowOdd   // has errors, or anything that most have not
)

// traces writes rows by columns as far as that makes them smaller: ids are as good as random, and all else is like the row before.
func (e *encoder) traces(rows []traceRow) {
	e.uvarint(uint64(len(rows)))
	for i := range rows {
		e.bytes(rows[i].id[:])
	}
	for i := range rows {
		if rows[i].spans > 0 {
			e.bytes(rows[i].root.id[:])
		} else {
			e.bytes(make([]byte, 8))
		}
	}
	before := uint64(0)
	for i := range rows {
		before = e.trace(&rows[i], before)
	}
}

// trace writes a row, of which the one before begins at a time, and returns when this one does.
func (e *encoder) trace(r *traceRow, before uint64) uint64 {
	odd := r.errors != 0 || r.cut != 0 || r.open != 0 || r.copies != 0
	e.flags(r.gym, r.root.child, r.root.failed, r.partial, r.spans > 0, odd)
	e.varint(int64(r.spans))
	if odd {
		for _, x := range [...]int32{r.errors, r.cut, r.open, r.copies} {
			e.varint(int64(x))
		}
	}
	e.uvarint(e.teams.number(r.processes))
	if r.spans <= 0 {
		return before
	}
	e.varint(int64(r.first - before))
	e.uvarint(r.last - r.first)
	e.varint(int64(r.root.start - r.first))
	e.varint(int64(r.root.end - r.root.start))
	e.shape(r.root.shape)
	return r.first
}

func (e *encoder) rollout(r *Rollout) {
	e.bytes(r.Span[:])
	byID := r.ID != "" && r.ID == rolloutID(r.Task, r.Attempt, r.Retry)
	e.flags(r.HasReward, r.Guessed, byID, len(r.Attributes) > 0)
	if !byID {
		e.text(r.ID)
	}
	for _, s := range [...]string{r.Run, r.Environment, r.Agent, string(r.Outcome), r.Failure, r.Message} {
		e.text(s)
	}
	for _, x := range [...]int64{int64(r.Task), int64(r.Attempt), int64(r.Retry), r.Turns, r.Calls, r.TokensIn, r.TokensOut, int64(r.Spans), int64(r.Errors), int64(r.Cut), int64(r.Skewed)} {
		e.varint(x)
	}
	e.uvarint(r.Start)
	e.varint(int64(r.End - r.Start))
	for _, d := range r.Split {
		e.varint(int64(d))
	}
	e.float(r.Reward)
	e.shape(r.root)
	e.uvarint(e.sets.number(r.set))
	if len(r.Attributes) > 0 {
		e.uvarint(uint64(len(r.Attributes)))
		for _, a := range r.Attributes {
			e.text(a.Key)
			e.text(a.Value)
		}
	}
}
