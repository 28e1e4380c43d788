package export

import (
	"context"
	"time"

	"github.com/lensgo/lens/telemetry/internal/otlp"
	"github.com/lensgo/lens/telemetry/internal/spool"
)

// syncEvery is how much a power cut may take.
const syncEvery = time.Second

// pump is the goroutine of a delivery with a spool, the only one that sends.
func (d *delivery) pump() {
	defer close(d.pumped)
	ticker := time.NewTicker(syncEvery)
	defer ticker.Stop()
	for d.ctx.Err() == nil {
		if d.sendNext() {
			continue
		}
		select {
		case <-d.wake:
		case <-d.paused():
		case <-ticker.C:
			if err := d.spool.Sync(); err != nil {
				d.log.Debug("telemetry: cannot write the spool out to the disk", "error", err)
			}
		case <-d.ctx.Done():
		}
	}
}

// paused is a channel that has something when a pause is over, or never when there is none.
func (d *delivery) paused() <-chan time.Time {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.pause.on() {
		return nil
	}
	return time.After(time.Until(d.pause.until))
}

// sendNext sends what is next, the job or the oldest on disk. It reports whether there may be more at once.
func (d *delivery) sendNext() bool {
	j, ok := d.begin()
	switch {
	case !ok:
		return false
	case j != nil:
		d.sendJob(j)
	default:
		d.sendEntry(d.spool.Oldest())
	}
	return true
}

// begin takes the job, or none when what is next is on disk. It is not ok when there is nothing to send now.
func (d *delivery) begin() (j *job, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.pause.on() || d.job == nil && d.spool.Empty() {
		d.rest()
		return nil, false
	}
	j, d.job, d.busy = d.job, nil, true
	return j, true
}

// rest tells who waits for the pump that it sends nothing until it is woken.
func (d *delivery) rest() {
	close(d.idle)
	d.idle = make(chan struct{})
}

// sendJob sends a request that a caller waits for.
func (d *delivery) sendJob(j *job) {
	answer, err := d.sender.Send(d.ctx, j.body)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.busy = false
	j.ended = true
	if err == nil {
		d.pause = pause{}
		d.count(answer, j.items, false, false)
		if j.entry != nil {
			j.entry.Done()
		}
		j.tell(nil)
		return
	}
	j.tell(d.jobFailed(j, failure(err)))
}

// tell gives the caller the result, unless it has one: that its request is on disk.
func (j *job) tell(err error) {
	if j.entry == nil {
		j.result <- err
	}
}

// jobFailed keeps a request for another try, or says that there is none.
func (d *delivery) jobFailed(j *job, f *otlp.Failure) error {
	if !f.Retry {
		d.refuse(f, j.items)
		if j.entry != nil {
			j.entry.Done()
		}
		return f
	}
	d.fail(f)
	if j.entry == nil {
		return d.keepOrLose(j.body, j.items, f.MayHaveArrived)
	}
	if !f.MayHaveArrived {
		j.entry.Untry()
	}
	return nil
}

// sendEntry sends what is on disk; nil when the last of it was damaged.
func (d *delivery) sendEntry(e *spool.Entry) {
	if e == nil {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.busy = false
		return
	}
	again := e.Tried
	e.Try()
	answer, err := d.sender.Send(d.ctx, e.Body)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.busy = false
	if err == nil {
		d.pause = pause{}
		d.count(answer, e.Items, e.TakenOver, again)
		e.Done()
		return
	}
	f := failure(err)
	if !f.Retry {
		d.refuse(f, e.Items)
		e.Done()
		return
	}
	d.fail(f)
	if !f.MayHaveArrived && !again {
		e.Untry()
	}
}

// fail begins a pause.
func (d *delivery) fail(f *otlp.Failure) {
	d.pause.until = time.Now().Add(d.pause.after(f))
	if d.ctx.Err() != nil {
		return
	}
	d.said.failing.Do(func() {
		d.log.Warn("telemetry: the collector does not take what is sent; it is kept on disk and sent when it does. This is said once, Stats counts",
			"signal", d.target.Signal.Name, "endpoint", d.target.String(), "error", shorten(f))
	})
}

// refuse counts what a collector does not want.
func (d *delivery) refuse(f *otlp.Failure, items int) {
	d.stats.refused.Add(uint64(items))
	d.said.refused.Do(func() {
		d.log.Warn("telemetry: the collector refuses what is sent, and it is lost; this is said once, Stats counts",
			"signal", d.target.Signal.Name, "endpoint", d.target.String(), "error", shorten(f))
	})
}

// shutdown gives the pump the time of ctx, save what writing to the disk may need, as long as the collector takes something.
func (d *delivery) shutdown(ctx context.Context) error {
	if d.down.Swap(true) {
		return nil
	}
	if d.spool != nil {
		d.drain(ctx)
	}
	d.cancel()
	d.sender.Close()
	if d.spool == nil {
		return ctx.Err()
	}
	<-d.pumped
	err := d.spool.Close()
	d.sayLeft()
	return err
}

// reserve is the part of the time of a shutdown that is kept for the disk.
const reserve = 200 * time.Millisecond

// lastTryTime is how long a shutdown waits for a collector that did not take what was sent last.
const lastTryTime = time.Second

// drain waits until nothing is left, the collector does not answer, or the time is over.
func (d *delivery) drain(ctx context.Context) {
	if deadline, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, deadline.Add(-min(reserve, time.Until(deadline)/4)))
		defer cancel()
	}
	lastTry := ctx
	if d.endPause() {
		var cancel context.CancelFunc
		lastTry, cancel = context.WithTimeout(ctx, lastTryTime)
		defer cancel()
	}
	for {
		d.mu.Lock()
		idle := d.idle
		failing := d.pause.failures > 0
		over := d.pause.on() || d.job == nil && !d.busy && d.spool.Empty()
		d.mu.Unlock()
		if over {
			return
		}
		patient := ctx
		if failing {
			patient = lastTry
		}
		select {
		case <-idle:
		case <-patient.Done():
			return
		}
	}
}

// endPause lets the pump try once more before the end, since the collector may be back by now, and reports whether there was a
// pause. One that the collector asked for holds.
func (d *delivery) endPause() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.pause.on() || d.pause.asked {
		return false
	}
	d.pause.until = time.Time{}
	d.wakeUp()
	return true
}

// sayLeft tells where what is left can be found.
func (d *delivery) sayLeft() {
	c := d.spool.Stats()
	if n := c.Own.Waiting + c.TakenOver.Waiting; n > 0 {
		d.log.Warn("telemetry: the collector has not taken everything; the next program that sends there does it, or lens recover",
			"signal", d.target.Signal.Name, "endpoint", d.target.String(), "items", n, "spool", d.spool.Dir())
	}
}
