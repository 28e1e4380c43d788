package rollout

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/semconv"
)

var errUsed = errors.New("a plan runs once: prepare another")

// Run collects. It returns when every rollout has ended, when it was drained and the running ones have ended, or soon
// after it was cut short: by the end of ctx, by an agent that is gone, by a file that cannot be written. Cut short, it
// gives an error beside the summary. The summary is nil only when nothing could begin.
//
// A failed aggregation is no error: see Summary.AggregateErr.
func (p *Plan) Run(ctx context.Context, client *wire.Client) (*Summary, error) {
	if !p.started.CompareAndSwap(false, true) {
		return nil, errUsed
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r, err := p.begin(cancel, client)
	if err != nil {
		return nil, err
	}
	jobCtx, job := telemetry.Job.Start(ctx, semconv.SpanGymJob)
	defer job.End()
	r.trace(ctx, jobCtx, job)

	stopWatch := r.watch()
	r.dispatch(ctx)
	stopWatch()
	cut := r.cutShort(ctx)
	r.progress.stop()
	s := r.summary(cut != nil)
	if cut == nil && !p.o.DisableAggregation {
		s.AggregateErr = r.aggregate(jobCtx, s)
	}
	if err := r.close(); err != nil && cut == nil {
		cut = fmt.Errorf("cannot close the output: %w", err)
	}
	job.Err(wire.SpanError(cut))
	r.progress.final(s)
	return s, cut
}

// run is a plan in motion.
type run struct {
	*Plan
	client   *wire.Client
	journal  *journal
	rows     *os.File // the materialized inputs
	stats    *stats
	progress *progress
	cut      context.CancelCauseFunc
	began    time.Time

	base context.Context // what rollouts start from
	job  lens.Ref        // what they link to; not valid: nothing
}

// begin opens and prepares the files.
func (p *Plan) begin(cut context.CancelCauseFunc, client *wire.Client) (*run, error) {
	j, err := openJournal(p.files, &p.before)
	if err != nil {
		return nil, err
	}
	if !p.before.resumed {
		if err := errors.Join(j.clear(), p.materialize()); err != nil {
			return nil, errors.Join(err, j.close())
		}
	}
	rows, err := os.Open(p.files.materialized)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot read the materialized inputs: %w", err), j.close())
	}
	r := &run{Plan: p, client: client, journal: j, rows: rows, cut: cut, began: time.Now()}
	r.stats = newStats(p)
	r.progress = newProgress(p.o.Progress, len(p.tasks), r.stats)
	r.Plan.progress.Store(r.progress)
	return r, nil
}

func (r *run) close() error {
	return errors.Join(r.journal.close(), r.rows.Close())
}

// trace decides where rollouts begin: from the caller's context and with a link to the job, or below the job.
func (r *run) trace(ctx, jobCtx context.Context, job lens.Span) {
	r.base = ctx
	if r.o.SingleTrace {
		r.base = jobCtx
		return
	}
	r.job = job.Ref()
}

// dispatch runs the tasks in their order, as many at a time as the options allow, until all have ended or no new one
// may begin.
func (r *run) dispatch(ctx context.Context) {
	work := make(chan *task)
	var workers sync.WaitGroup
	for range min(r.o.Concurrency, len(r.tasks)) {
		workers.Go(func() {
			for t := range work {
				r.rollout(t)
			}
		})
	}
	for i := range r.tasks {
		if r.draining() || ctx.Err() != nil { // a free worker must not win against these
			break
		}
		select {
		case work <- &r.tasks[i]:
		case <-r.drain:
		case <-ctx.Done():
		}
	}
	close(work)
	workers.Wait()
}

// cutShort says why the run ended before its time, nil when it did not.
func (r *run) cutShort(ctx context.Context) error {
	if ctx.Err() == nil || r.stats.missing() == 0 {
		return nil
	}
	return fmt.Errorf("the collection was cut short: %w", context.Cause(ctx))
}

// row reads the line of a task from the materialized inputs.
func (r *run) row(t *task) ([]byte, error) {
	text := make([]byte, t.length)
	if _, err := r.rows.ReadAt(text, t.offset); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("cannot read task %d, rollout %d from %s: %w", t.task, t.rollout, r.files.materialized, err)
	}
	return text, nil
}
