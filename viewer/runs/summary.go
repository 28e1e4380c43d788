package runs

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/store"
)

// Seal returns what the spans since the last Seal came to, in a compact form that [Model.Merge] reads. It is empty when there
// was nothing. Rollouts that are in the middle of it may come with the next one; see [Model.Settle]. See [store.Summary].
func (m *Model) Seal() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.flushQuiet()
	m.fold()
	m.rd = reader{t: m.t}
	if m.chunk.empty() {
		return nil
	}
	b := m.appendChunk(nil)
	m.chunk.reset()
	m.seq++
	m.sweep()
	if now := time.Now(); now.Sub(m.published) > time.Minute {
		m.publish(now) // what nobody looks at any more need not be kept
	}
	return b
}

// Settle looks at all rollouts that have changed, also at those that are in the middle of it, so that the next Seal is complete: call it
// before the store is closed. After an end without it the next start completes them with [Model.Heal].
func (m *Model) Settle() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.flushWhere(time.Time{}, func(*work) bool { return true })
}

// Merge adds what Seal returned, in this process or an earlier one. The order does not matter. An error means that the bytes are
// damaged or of another version; the model is then as it was.
func (m *Model) Merge(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	x := newTally()
	if err := x.read(b); err != nil {
		return fmt.Errorf("cannot read the summary of a chunk: %w", err)
	}
	m.merge(x)
	x.release()
	return nil
}

// Prepare is Merge of several, most of it apart from the model. See [store.Preparer].
func (m *Model) Prepare(footers iter.Seq[[]byte]) (merge func(), err error) {
	x := newTally()
	for b := range footers {
		if len(b) == 0 {
			continue
		}
		if err := x.read(b); err != nil {
			return nil, fmt.Errorf("cannot read the summary of a chunk: %w", err)
		}
	}
	return func() {
		m.merge(x)
		x.release()
	}, nil
}

// merge adds what some chunks came to.
func (m *Model) merge(x *tally) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.changed = true
	m.seq = max(m.seq, x.seq+1)
	c := converter{from: x.t, to: m.t}
	for _, shape := range x.shapes {
		m.addStat(c.shape(shape), x.stats[shape], 1)
	}
	rows := make([]uint32, x.traces.n)
	for i := range rows {
		r := x.traces.at(uint32(i))
		r.processes, r.root.shape = c.team(r.processes), c.shapeOf(r)
		rows[i] = m.mergeTrace(r)
	}
	for _, r := range x.rolls {
		r.set, r.root = c.set(r.set), c.shape(r.root)
		m.mergeRollout(rows[r.trace], r.Rollout, r.seq)
	}
	for _, k := range x.gone {
		m.mergeGone(k.goneKey, k.seq)
	}
}

func (m *Model) mergeTrace(x *traceRow) (row uint32) {
	row = m.rowOf(x.id)
	at := m.traces.edit(row)
	before := m.runOf(at)
	at.merge(x, m.t)
	if x.judged >= at.judged {
		at.judged = x.judged
		if x.partial {
			m.partial[x.id] = struct{}{}
		} else {
			delete(m.partial, x.id)
		}
	}
	w := m.open[x.id]
	if w != nil && x.spans > 0 {
		w.partial = true // of what is remembered, this is not
	}
	at.processes = m.t.union(at.processes, x.processes)
	m.moved(before, m.runOf(at))
	if w != nil && w.partial && at.gym {
		m.partial[x.id] = struct{}{}
	}
	return row
}

func (m *Model) mergeRollout(row uint32, r *Rollout, seq uint32) {
	k := keyOf(r)
	if len(m.gone) > 0 && m.gone[goneKey{r.Trace, k}] > seq {
		return
	}
	if s, ok := m.find(row, k); !ok || m.seqOf(s) <= seq {
		m.place(row, r, seq)
	}
}

// seqOf is the chunk that a row was last written to.
func (m *Model) seqOf(s spot) uint32 { return m.runList[s.run].seqs[s.row] }

func (m *Model) mergeGone(k goneKey, seq uint32) {
	if row, ok := m.findRow(k.trace); ok {
		if s, ok := m.find(row, k.key); ok {
			if m.seqOf(s) > seq {
				return
			}
			m.unplace(row, k.key)
		}
	}
	m.gone[k] = max(m.gone[k], seq)
}

// Forget takes away what a chunk came to. A trace of which nothing is left is gone, with its rollouts. Nothing happens without the
// footer. See [store.Summary].
func (m *Model) Forget(_ store.Removed, b []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.flushAll()
	x := newTally()
	if x.read(b) != nil {
		return
	}
	defer x.release()
	m.fold()
	m.changed = true
	m.forgotten++
	c := converter{from: x.t, to: m.t}
	for _, shape := range x.shapes {
		m.addStat(c.shape(shape), x.stats[shape], -1)
	}
	for _, r := range x.rolls {
		m.forgetRollout(r.Rollout, r.seq)
	}
	for i := range x.traces.n {
		m.forgetTrace(x.traces.at(uint32(i)))
	}
	for _, k := range x.gone {
		if m.gone[k.goneKey] == k.seq {
			delete(m.gone, k.goneKey)
		}
	}
}

// forgetRollout removes a row that stands in no younger chunk.
func (m *Model) forgetRollout(r *Rollout, seq uint32) {
	row, ok := m.findRow(r.Trace)
	if !ok {
		return
	}
	if s, ok := m.find(row, keyOf(r)); ok && m.seqOf(s) == seq {
		m.unplace(row, keyOf(r))
	}
}

func (m *Model) forgetTrace(x *traceRow) {
	row, ok := m.findRow(x.id)
	if !ok {
		return
	}
	at := m.traces.edit(row)
	before := m.runOf(at)
	at.counts(x, -1)
	if at.spans > 0 {
		return
	}
	m.moved(before, nil)
	for m.traces.at(row).rollouts > 0 {
		m.unplace(row, m.slotAt(row, 0).key)
	}
	if w := m.open[x.id]; w != nil {
		m.release(w)
	}
	delete(m.partial, x.id)
	m.ids.drop(hashTrace(x.id), row)
	*m.traces.edit(row) = traceRow{}
	m.free = append(m.free, row)
	m.live--
}

// Loader returns all the spans of a trace, as the store has them.
type Loader func(ctx context.Context, id otlp.TraceID) ([]Span, error)

// Partial is the number of traces that wait for [Model.Heal].
func (m *Model) Partial() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.partial)
}

// Heal brings the rollouts up to date to which spans came after their other spans were no longer in memory: after a restart, or
// after a long silence. Until then their rows stay as they were. It asks the loader for one trace at a time, without holding up
// anybody, and returns how many it healed. A trace that cannot be loaded, or to which spans come meanwhile, stays as it is until the
// next call; the error says which was the first that could not.
//
// It may be called by any goroutine, also while spans come; call it after the folder was opened and then every few seconds.
func (m *Model) Heal(ctx context.Context, load Loader) (healed int, err error) {
	for _, x := range m.waiting() {
		if ctx.Err() != nil {
			return healed, ctx.Err()
		}
		spans, loadErr := load(ctx, x.id)
		if loadErr != nil {
			err = cmp.Or(err, fmt.Errorf("cannot load trace %s: %w", x.id, loadErr))
			continue
		}
		if m.heal(x, spans) {
			healed++
		}
	}
	return healed, err
}

// patient is a trace that waits for Heal, and how many spans it has.
type patient struct {
	id    otlp.TraceID
	spans int32
}

func (m *Model) waiting() (list []patient) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id := range m.partial {
		if row, ok := m.findRow(id); ok {
			list = append(list, patient{id, m.traces.at(row).spans})
		} else {
			delete(m.partial, id)
		}
	}
	return list
}

// heal puts loaded spans beside those that are remembered. It is false for a trace to which spans came meanwhile, or will at once: the
// store shows them before the model is told, which would take them for copies. It is healed the next time.
func (m *Model) heal(x patient, spans []Span) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	row, ok := m.findRow(x.id)
	if !ok {
		return false
	}
	var loaded bundle
	for i := range spans {
		if spans[i].Trace == x.id {
			loaded.add(&spans[i], m.t.shapeOf(&spans[i]))
		}
	}
	if at := m.traces.at(row); at.spans != x.spans || len(loaded.nodes) > int(at.spans) {
		return false
	}
	w := m.open[x.id]
	if w == nil {
		w = m.newWork(x.id)
	}
	w.touched = m.added
	for i := range spans {
		if spans[i].Trace == x.id && w.add(&spans[i], m.t.shapeOf(&spans[i])) {
			m.nodes++
		}
	}
	m.recount(row, len(w.nodes))
	delete(m.partial, x.id)
	w.partial, w.done = false, 0 // look at everything
	m.changed = true
	m.soil(w)
	return true
}

// recount corrects the spans of a trace by what turned out to be copies.
func (m *Model) recount(row uint32, spans int) {
	at := m.traces.edit(row)
	delta := m.deltaOf(at) // also to say that it was healed
	if extra := at.spans - int32(spans); extra > 0 && spans > 0 {
		at.spans, delta.spans = at.spans-extra, delta.spans-extra
		at.copies, delta.copies = at.copies+extra, delta.copies+extra
	}
}
