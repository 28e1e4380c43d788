package export

import (
	"bufio"
	"context"
	"io"

	"github.com/lensgo/lens/viewer/runs"
	"github.com/lensgo/lens/viewer/store"
)

// Source is what is exported.
type Source struct {
	Store *store.Store
	Runs  *runs.Model // of the store; may be nil when [Options.NeedsRuns] is false
}

// Done says what was written.
type Done struct {
	Traces, Spans int
	Rows          int // of a table
	Items         int // data points or log records

	Copies  int // spans that came more than once with equal content, and were written once
	Unread  int // chunks that could not be read: damaged, or taken away by retention meanwhile; their data is missing
	Undrawn int // arrows of [Chrome] that were left out: the called span ended before the caller began, or there were too many
}

// Empty tells whether nothing matched.
func (d *Done) Empty() bool { return d.Traces == 0 && d.Rows == 0 && d.Items == 0 }

// Write writes what the options say to w, as the source is at the time of the call. When nothing matches it writes an empty document, and
// Done is Empty. After an error, also that of ctx, what is in w is not whole.
func Write(ctx context.Context, w io.Writer, src Source, o Options) (Done, error) {
	if err := o.Check(); err != nil {
		return Done{}, err
	}
	buffered := bufio.NewWriterSize(w, 256<<10)
	j := &job{src: src, o: o.withDefaults(), w: buffered}
	if err := j.run(ctx); err != nil {
		return j.done, err
	}
	return j.done, buffered.Flush()
}

// job is one export.
type job struct {
	src  Source
	o    Options
	w    *bufio.Writer
	done Done
}

func (j *job) run(ctx context.Context) error {
	switch {
	case j.o.Signal != Traces:
		return j.requests(ctx)
	case j.o.Format == CSV && j.o.Table == Rollouts:
		return j.rollouts(ctx)
	case j.o.Format == CSV && j.o.Table == TraceRow:
		return j.traces(ctx)
	}
	return j.spans(ctx)
}

// writer writes traces one after the other.
type writer interface {
	begin(ctx context.Context, chosen *selection) error
	trace(t *store.Trace) error
	end() error
}

func (j *job) writer() writer {
	switch j.o.Format {
	case Chrome:
		return &chrome{j: j}
	case CSV:
		return &spanTable{table: newTable(j.w)}
	case OTLPProto:
		return &messages{w: j.w}
	}
	return &lines{w: j.w}
}

// spans writes what is in the chosen traces.
func (j *job) spans(ctx context.Context) error {
	chosen, err := j.choose()
	if err != nil {
		return err
	}
	out := j.writer()
	if err := out.begin(ctx, &chosen); err != nil {
		return err
	}
	unread, err := j.src.Store.EachTrace(ctx, chosen.ids, func(t *store.Trace) error {
		if len(t.Spans) == 0 {
			return nil
		}
		j.done.Traces++
		j.done.Spans += len(t.Spans)
		j.done.Copies += t.Copies
		return out.trace(t)
	})
	j.done.Unread += unread
	if err != nil {
		return err
	}
	return out.end()
}
