package spool

// Entry is a record of a spool.
type Entry struct {
	Items     int
	Tried     bool   // it may have arrived
	TakenOver bool   // another process kept it
	Body      []byte // of [Spool.Oldest]; that of Append has it already

	spool   *Spool
	segment *owned
	index   int
}

// Try marks that the entry may arrive from now on.
func (e *Entry) Try() { e.turn(waiting, tried) }

// Untry marks that it has not arrived: the collector said so.
func (e *Entry) Untry() { e.turn(tried, waiting) }

func (e *Entry) turn(from, to state) {
	e.spool.mu.Lock()
	defer e.spool.mu.Unlock()
	if e.segment.gone || e.segment.records[e.index].state != from {
		return
	}
	if err := e.segment.mark(e.index, to); err != nil {
		e.spool.options.Log.Warn("telemetry: cannot mark a record of the spool", "error", err)
	}
}

// Done marks that it need not be sent, and deletes its file when it was the last in it.
func (e *Entry) Done() {
	e.spool.mu.Lock()
	defer e.spool.mu.Unlock()
	e.spool.finish(e.segment, e.index)
}
