package load

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Until says when a drive ends: at whichever comes first. A zero field never comes. One request is sent in any case: of none nothing could
// be said, and a short time may be over before a busy machine has run the first sender.
type Until struct {
	For   time.Duration
	Spans int
	// PerSecond is how many spans are sent a second at most; 0 is as many as are taken.
	PerSecond float64
	// Acked is told of each request that was acknowledged, from several goroutines.
	Acked func(number int)
}

// Drive sends from a source over all senders at the same time, until it ends or a request fails. Spans counts those that were acknowledged.
func Drive(ctx context.Context, source *Source, senders []Sender, u Until) (spans int, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	start := time.Now()
	var begun, acked atomic.Int64
	var all sync.WaitGroup
	for _, s := range senders {
		all.Go(func() {
			var buf []byte
			for {
				n := int(begun.Add(1)) - 1
				if u.Spans > 0 && n*Batch >= u.Spans || !wait(ctx, u, start, n) {
					return
				}
				var number int
				buf, number = source.Next(buf, s.Encoding())
				if err := s.Send(ctx, buf); err != nil {
					cancel(err)
					return
				}
				acked.Add(Batch)
				if u.Acked != nil {
					u.Acked(number)
				}
			}
		})
	}
	all.Wait()
	if err := context.Cause(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return int(acked.Load()), err
	}
	return int(acked.Load()), nil
}

// wait holds the n-th request back until it is its time. It tells whether to send it.
func wait(ctx context.Context, u Until, start time.Time, n int) bool {
	if u.PerSecond > 0 {
		due := start.Add(time.Duration(float64(n*Batch) / u.PerSecond * float64(time.Second)))
		select {
		case <-ctx.Done():
			return false
		case <-time.After(time.Until(due)):
		}
	}
	return ctx.Err() == nil && (n == 0 || u.For == 0 || time.Since(start) < u.For)
}
