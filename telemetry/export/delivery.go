package export

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/lensgo/lens/telemetry/internal/otlp"
	"github.com/lensgo/lens/telemetry/internal/spool"
)

// delivery brings the encoded requests of one signal to its collector, one at a time and in order.
//
// Without a spool a request is tried until its context ends. With one nobody waits for a collector for longer than patience:
// what it has not taken by then is on disk, and so is everything behind it, until a goroutine has sent it all.
type delivery struct {
	target otlp.Target
	sender otlp.Sender
	spool  *spool.Spool // nil: there is none
	log    *slog.Logger

	down   atomic.Bool
	ctx    context.Context // of what is sent; ends with the shutdown
	cancel context.CancelFunc

	mu     sync.Mutex
	job    *job          // what the pump is to send next, ahead of an empty spool
	busy   bool          // the pump sends
	pause  pause         // after failures
	wake   chan struct{} // there is something to send
	idle   chan struct{} // closed and made anew when the pump has nothing to do, or pauses
	pumped chan struct{} // the pump has ended; nil without one

	stats deliveryCounts
	said  struct{ failing, rejected, refused, overflow, disk sync.Once }
}

// job is a request that its caller still has in memory.
type job struct {
	body   []byte
	items  int
	result chan error   // has room for one
	entry  *spool.Entry // once it is on disk too; under the delivery's mutex
	ended  bool
}

// patience is how long an export waits for an answer before it writes the request to disk. The queue of spans holds the
// bursts of that time.
const patience = 100 * time.Millisecond

// newDelivery makes a delivery with the spool that c asks for. A spool that cannot be had is said, and no reason not to send.
func newDelivery(s otlp.Signal, c OTLPConfig) (*delivery, error) {
	log := c.Logger
	if log == nil {
		log = slog.Default()
	}
	t, err := otlp.Resolve(s, log)
	if err != nil {
		return nil, err
	}
	sender, err := t.Dial()
	if err != nil {
		return nil, err
	}
	d := &delivery{target: t, sender: sender, log: log}
	d.ctx, d.cancel = context.WithCancel(context.Background())
	if c.SpoolDir == "" {
		return d, nil
	}
	kept, err := spool.Open(c.SpoolDir, spool.Destination{Key: t.Key(), Signal: s.Name, URL: t.String()},
		spool.Options{MaxBytes: c.spoolBytes(), Log: log, Requests: requestsOf})
	if err != nil {
		log.Warn("telemetry: there is no spool, so what a collector does not take is lost", "signal", s.Name, "error", err)
		return d, nil
	}
	d.spoolTo(kept)
	return d, nil
}

// spoolTo gives the delivery its spool, and starts to send what is in it.
func (d *delivery) spoolTo(s *spool.Spool) {
	d.spool = s
	d.wake, d.idle, d.pumped = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
	go d.pump()
}

// deliver brings a request there, or onto the disk. An error says that it is lost.
func (d *delivery) deliver(ctx context.Context, body []byte, items int) error {
	if d.down.Load() {
		d.stats.unsent.Add(uint64(items))
		return errShutDown
	}
	if d.spool == nil {
		return d.insist(ctx, body, items)
	}
	j, err := d.offer(ctx, body, items)
	if j == nil {
		return err
	}
	return d.await(ctx, j)
}

// errShutDown is what an export after Shutdown returns.
var errShutDown = errors.New("the exporter is shut down")

// mostInsist bounds the tries of one request when its context does not.
const mostInsist = time.Minute

var errInsist = fmt.Errorf("the collector did not take it within %v", mostInsist)

// insist sends until there is an answer, an error for good, or no time left.
func (d *delivery) insist(ctx context.Context, body []byte, items int) error {
	ctx, cancel := context.WithTimeoutCause(ctx, mostInsist, errInsist)
	defer cancel()
	defer context.AfterFunc(d.ctx, cancel)()
	var p pause
	arrived := false // perhaps
	for {
		answer, err := d.sender.Send(ctx, body)
		otlp.Tell(ctx, answer, err)
		if err == nil {
			d.count(answer, items, false, arrived)
			return nil
		}
		f := failure(err)
		arrived = arrived || f.MayHaveArrived
		wait := p.after(f)
		if !f.Retry || f.Lasting || !d.worthWaiting(ctx, p, wait) {
			return d.lose(ctx, f, items)
		}
		if !sleep(ctx, wait) {
			return d.lose(ctx, f, items)
		}
	}
}

// worthWaiting says no when the time is over before the wait, and in the last export of a program whose collector is not
// there: that would make every exit without one as long as it may be.
func (d *delivery) worthWaiting(ctx context.Context, p pause, wait time.Duration) bool {
	if deadline, ok := ctx.Deadline(); ok && time.Until(deadline) < wait {
		return false
	}
	return ctx.Value(lastExport{}) == nil || p.failures <= 1
}

// lastExport is the key of a context in which the last telemetry of a program leaves.
type lastExport struct{}

// Last marks the context of a program's last export: an exporter of OTLP without a spool does not insist then when there is
// no collector at all. [Batch.Shutdown] does so by itself.
func Last(ctx context.Context) context.Context { return context.WithValue(ctx, lastExport{}, true) }

// lose counts a request that nobody tries again.
func (d *delivery) lose(ctx context.Context, f *otlp.Failure, items int) error {
	if f.Retry {
		d.stats.unsent.Add(uint64(items))
	} else {
		d.stats.refused.Add(uint64(items))
	}
	if cause := context.Cause(ctx); cause != nil && ctx.Err() != nil && !errors.Is(f, cause) {
		return fmt.Errorf("%w: %w", cause, f)
	}
	return f
}

// failure makes a failure of every error of a sender.
func failure(err error) *otlp.Failure {
	if f, ok := errors.AsType[*otlp.Failure](err); ok {
		return f
	}
	return &otlp.Failure{Err: err, Retry: true, MayHaveArrived: true}
}

// offer gives a request to the pump when nothing is before it, and else to the disk. Without a job the request is done with.
func (d *delivery) offer(ctx context.Context, body []byte, items int) (*job, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if ctx.Err() != nil || d.busy || d.job != nil || d.pause.on() || !d.spool.Empty() {
		return nil, d.keepOrLose(body, items, false)
	}
	d.job = &job{body: body, items: items, result: make(chan error, 1)}
	d.wakeUp()
	return d.job, nil
}

// await waits for the pump, no longer than patience, then puts the request onto the disk.
func (d *delivery) await(ctx context.Context, j *job) error {
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case err := <-j.result:
		return err
	case <-timer.C:
	case <-ctx.Done():
	}
	if d.give(j) {
		return <-j.result
	}
	select { // the disk does not take it: what the pump is told decides
	case err := <-j.result:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// give takes a job back that nobody has begun, and writes one to the disk that is under way. It reports whether the job has
// its result then.
func (d *delivery) give(j *job) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case j.ended:
	case d.job == j:
		d.job = nil
		j.result <- d.keepOrLose(j.body, j.items, false)
	default:
		var err error
		if j.entry, err = d.keep(j.body, j.items, true); err != nil {
			return false
		}
		j.result <- nil
	}
	return true
}

// keepOrLose writes a request to the disk, and counts it when that fails.
func (d *delivery) keepOrLose(body []byte, items int, mayHaveArrived bool) error {
	_, err := d.keep(body, items, mayHaveArrived)
	if err != nil {
		d.stats.unsent.Add(uint64(items))
	}
	return err
}

// keep writes a request to the disk.
func (d *delivery) keep(body []byte, items int, mayHaveArrived bool) (*spool.Entry, error) {
	e, err := d.spool.Append(items, body, mayHaveArrived)
	if err != nil {
		d.said.disk.Do(func() {
			d.log.Warn("telemetry: cannot keep what the collector does not take; it is lost, and this is said once",
				"signal", d.target.Signal.Name, "error", err)
		})
		return nil, err
	}
	d.stats.kept.Add(1)
	d.sayOverflow()
	d.wakeUp()
	return e, nil
}

func (d *delivery) sayOverflow() {
	if d.spool.Stats().Own.Overflowed > 0 {
		d.said.overflow.Do(func() {
			d.log.Warn("telemetry: the spool is full and its oldest is dropped; this is said once, Stats counts it. "+
				"A larger NEMO_LENS_SPOOL_BYTES holds longer outages", "signal", d.target.Signal.Name)
		})
	}
}

// wakeUp tells the pump that there is something.
func (d *delivery) wakeUp() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// sleep waits, and reports whether ctx is still on.
func sleep(ctx context.Context, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
