package main

import (
	"fmt"
	"time"

	"github.com/lensgo/lens/bench"
	"github.com/lensgo/lens/bench/load"
	"github.com/lensgo/lens/bench/meter"
)

// memorySteps is how often memory is looked at while spans are sent.
const memorySteps = 8

// memory sends without a pause, and looks at what the viewer holds and what is on disk in the end.
func memory(r *run) error {
	table := r.report.section("memory", fmt.Sprintf("%d spans of each shape without a pause into an empty folder; the rate includes the compression of all of them", r.size.Spans),
		"spans/s", "MB at start", "MB at end", "MB peak", "MB/million", "disk MB/million", "raw MB/million", "disk / raw")
	for _, shape := range []load.Shape{load.Gym, load.Generic} {
		if err := r.memoryOf(table, shape); err != nil {
			return fmt.Errorf("%s: %w", shape, err)
		}
	}
	return nil
}

func (r *run) memoryOf(table *Section, shape load.Shape) (err error) {
	stock, err := load.NewStock(shape)
	if err != nil {
		return err
	}
	dir, err := r.folder("memory")
	if err != nil {
		return err
	}
	v, err := r.view(dir, "all")
	if err != nil {
		return err
	}
	stopped := false
	defer func() {
		if !stopped {
			v.kill()
		}
	}()
	if _, err := v.status(r); err != nil {
		return err
	}
	begin, err := meter.MemoryOf(v.pid())
	if err != nil {
		return err
	}
	// A run of a million spans: 150 waves of rollouts.
	source := load.NewSource(stock, load.Options{Run: "memory", RunWaves: 150})
	var sent, seen []float64
	spans, start := 0, time.Now()
	var m meter.Memory
	for range memorySteps {
		n, err := r.fill(v.program, source, load.Until{Spans: r.size.Spans / memorySteps})
		if err != nil {
			return err
		}
		spans += n
		if m, err = meter.MemoryOf(v.pid()); err != nil {
			return err
		}
		sent, seen = append(sent, float64(spans)/1e6), append(seen, float64(m.RSS)/1e6)
	}
	if _, err := meter.Quiet(r, v.pid(), time.Minute); err != nil {
		return err
	}
	took := time.Since(start)
	s, err := v.status(r)
	if err != nil {
		return err
	}
	if s.Spans.Stored != int64(spans) || s.Spans.Duplicates != 0 {
		return fmt.Errorf("sent %d spans, %d are stored and %d were there already", spans, s.Spans.Stored, s.Spans.Duplicates)
	}
	stopped = true
	if err := v.stop(); err != nil {
		return err
	}
	disk, err := meter.Disk(dir)
	if err != nil {
		return err
	}
	perSpan, raw := float64(disk)/float64(spans), stock.SpanBytes(load.Protobuf)
	table.row(string(shape), one(float64(spans)/took.Seconds()), one(float64(begin.RSS)/1e6), one(float64(m.RSS)/1e6), one(float64(m.Peak)/1e6),
		one(bench.Slope(sent[1:], seen[1:])), one(perSpan), one(raw), one(perSpan/raw))
	return nil
}
