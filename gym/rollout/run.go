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
	"github.com/lensgo/lens/gym/internal/durable"
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
	r.tasks, r.queue = nil, nil // as large as what the aggregation needs
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

	admission *admission
	queue     *queue
	answers   *room

	captureLoss, refusal sync.Once // to be told of

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
		err = p.startOver(j)
	} else if p.rewrite {
		err = p.run.write(p.files.Run)
	}
	if err != nil {
		return nil, errors.Join(err, j.close())
	}
	rows, err := os.Open(p.files.Materialized)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot read the materialized inputs: %w", err), j.close())
	}
	r := &run{
		Plan: p, client: client, journal: j, rows: rows, cut: cut,
		admission: newAdmission(&p.o), queue: &queue{tasks: p.tasks, began: time.Now()}, answers: &room{size: answerRoom},
	}
	r.stats = newStats(p)
	r.progress = newProgress(p.o.Progress, len(p.tasks), r.stats)
	r.Plan.progress.Store(r.progress)
	return r, nil
}

// startOver puts the files of this run in the place of those of an earlier one. What can fail for long, writing what agents will be sent,
// comes first and touches nothing of them. Then the earlier run's inputs go before its results, and this run's come last: whenever the
// process is killed, a resume finds results without inputs, which it refuses, or nothing, or this run; never the results of one run with
// the inputs of the other.
func (p *Plan) startOver(j *journal) error {
	temp, err := p.materialize()
	if err != nil {
		return err
	}
	if err = j.clear(p.files.Materialized, p.files.Run); err == nil {
		err = p.run.write(p.files.Run)
	}
	if err != nil {
		return errors.Join(err, os.Remove(temp))
	}
	if err := durable.Rename(temp, p.files.Materialized); err != nil {
		return fmt.Errorf("cannot write the materialized inputs: %w", err)
	}
	return nil
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

// dispatch runs the tasks in their order, as many at a time as admission allows, then those that are to begin again, until all have
// ended or no new one may begin.
func (r *run) dispatch(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	r.o.Meter.Offered(len(r.tasks))
	for !r.draining() && ctx.Err() == nil { // a free place must not win against these
		idle := r.admission.idle() // looked at first: what runs may put a task back
		t, ok := r.queue.first()
		if !ok && idle {
			return
		}
		if ok {
			if ticket, ok := r.admission.enter(); ok {
				r.queue.take()
				running.Go(func() { r.rollout(t, ticket) })
				continue
			}
		}
		select {
		case <-r.admission.freed:
		case <-r.drain:
		case <-ctx.Done():
		}
	}
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
		return nil, fmt.Errorf("cannot read task %d, rollout %d from %s: %w", t.task, t.rollout, r.files.Materialized, err)
	}
	return text, nil
}
