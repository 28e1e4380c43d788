package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/lensgo/lens/bench/load"
)

// kills sends requests of one trace each, kills the viewer at any moment with kill -9, starts it again, and looks for every request
// that was acknowledged.
func kills(r *run) error {
	stock, err := load.NewStock(load.Single)
	if err != nil {
		return err
	}
	dir, err := r.folder("kill")
	if err != nil {
		return err
	}
	v, err := r.view(dir, "all")
	if err != nil {
		return err
	}
	defer func() { v.kill() }()
	source := load.NewSource(stock, load.Options{Seed: 9})
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 0))
	acked, late, missing := 0, 0, 0
	for range r.size.Kills {
		at, now, err := r.killOnce(v, source, time.Duration(200+rng.IntN(800))*time.Millisecond)
		if err != nil {
			return err
		}
		if v, err = r.view(dir, "all"); err != nil {
			return err
		}
		for number, when := range now {
			found, err := v.has(r, source.TraceID(number, 0))
			if err != nil {
				return err
			}
			if !found {
				missing++
				if at.Sub(when) > time.Second {
					late++
				}
			}
		}
		acked += len(now)
	}
	s, err := v.status(r)
	if err != nil {
		return err
	}
	if lost := int64(acked-missing)*load.Batch - s.Spans.Stored; lost > 0 {
		return fmt.Errorf("%d spans are gone that were there after an earlier kill", lost)
	}
	table := r.report.section("kill", "kill -9 under load, at any moment; requests that were acknowledged and are not there after the next start", "kills", "requests acknowledged", "missing", "missing, acknowledged over 1 s before")
	table.row("lens view", one(float64(r.size.Kills)), one(float64(acked)), one(float64(missing)), one(float64(late)))
	r.report.atMost("kill -9: requests missing that were acknowledged more than 1 s before", "requests", float64(late), 0)
	if late > 0 {
		return fmt.Errorf("%d of %d acknowledged requests are missing", late, acked)
	}
	return nil
}

// killOnce sends, kills some time after the first request was acknowledged, and returns when that was, and when each request was
// acknowledged.
func (r *run) killOnce(v *viewerProcess, source *load.Source, after time.Duration) (at time.Time, acked map[int]time.Time, err error) {
	var mu sync.Mutex
	acked = map[int]time.Time{}
	killed := make(chan time.Time, 1)
	_, err = r.fill(v.program, source, load.Until{For: time.Minute, Acked: func(number int) {
		now := time.Now()
		mu.Lock()
		defer mu.Unlock()
		acked[number] = now
		if len(acked) == 1 {
			time.AfterFunc(after, func() {
				killed <- time.Now()
				v.cmd.Process.Kill() //nolint:errcheck // what follows sees it
			})
		}
	}})
	if len(acked) == 0 {
		return at, nil, errors.Join(errors.New("nothing was acknowledged"), err)
	}
	at = <-killed
	v.kill()
	if err == nil || errors.Is(err, context.Canceled) {
		return at, nil, errors.Join(errors.New("sending did not end with the kill"), err)
	}
	return at, acked, nil
}

// has tells whether a trace of one request is there, whole.
func (v *viewerProcess) has(ctx context.Context, id string) (bool, error) {
	var head header
	_, err := v.get(ctx, "/api/v1/traces/"+id, &head)
	var none *statusError
	if errors.As(err, &none) && none.code == 404 {
		return false, nil
	}
	return head.Spans == load.Batch, err
}
