package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/lensgo/lens/bench"
	"github.com/lensgo/lens/bench/load"
	"github.com/lensgo/lens/bench/meter"
)

// starts fills a folder, and starts a viewer on it: with the files in the page cache, and without. Then the same with the segments
// copied some times.
func starts(r *run) error {
	dir, err := r.folder("start")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	spans, err := r.fillFolder(dir)
	if err != nil {
		return err
	}
	empty, err := r.emptyStart()
	if err != nil {
		return err
	}
	table := r.report.section("start", "from the start of the program to the first answer about what is stored; cold is with the files dropped from the page cache; a GB's time is without that of an empty folder",
		"GB", "million spans", "s", "s/GB", "cold s", "cold s/GB", "CPU s", "CPU s/GB", "MB after")
	table.row("empty", one(0), one(0), empty.took(), none, none, none, empty.cpu(), none, empty.rss())
	if err := r.startOn(table, "filled", dir, spans, empty); err != nil {
		return err
	}
	if err := copySegments(dir, r.size.StartCopies); err != nil {
		return err
	}
	return r.startOn(table, fmt.Sprintf("segments copied %d times", r.size.StartCopies), dir, spans*int64(1+r.size.StartCopies), empty)
}

// started is what one start took, in seconds, and what it held then, in MB.
type started struct{ took, cpu, rss float64 }

type startsOn []started

func (s startsOn) spread(of func(started) float64) bench.Spread {
	var all []float64
	for _, one := range s {
		all = append(all, of(one))
	}
	return bench.SpreadOf(all)
}

func (s startsOn) took() bench.Spread { return s.spread(func(s started) float64 { return s.took }) }
func (s startsOn) cpu() bench.Spread  { return s.spread(func(s started) float64 { return s.cpu }) }
func (s startsOn) rss() bench.Spread  { return s.spread(func(s started) float64 { return s.rss }) }

// emptyStart is what a start takes that has nothing to read.
func (r *run) emptyStart() (all startsOn, err error) {
	for range r.size.Starts {
		dir, err := r.folder("empty")
		if err != nil {
			return nil, err
		}
		s, err := r.startOnce(dir, 0)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

// fillFolder sends rollouts until the folder has its size, and returns how many spans that were.
func (r *run) fillFolder(dir string) (spans int64, err error) {
	stock, err := load.NewStock(load.Gym)
	if err != nil {
		return 0, err
	}
	v, err := r.view(dir, "all")
	if err != nil {
		return 0, err
	}
	source := load.NewSource(stock, load.Options{Run: "start", RunWaves: 150})
	for {
		n, err := r.fill(v.program, source, load.Until{Spans: 10 * source.PerWave() * load.Batch})
		if err != nil {
			v.kill()
			return 0, err
		}
		spans += int64(n)
		sealed, err := segmentBytes(dir)
		if err != nil {
			v.kill()
			return 0, err
		}
		if sealed >= r.size.StartBytes {
			return spans, v.stop()
		}
	}
}

// startOn starts a viewer on a folder some times.
func (r *run) startOn(table *Section, name, dir string, spans int64, empty startsOn) error {
	size, err := meter.Disk(dir)
	if err != nil {
		return err
	}
	gb := float64(size) / 1e9
	var warm, cold startsOn
	for range r.size.Starts {
		if err := meter.Forget(dir); err != nil {
			return err
		}
		for _, to := range []*startsOn{&cold, &warm} {
			s, err := r.startOnce(dir, spans)
			if err != nil {
				return err
			}
			r.say("start: %s: %.1f s, %.0f MB", name, s.took, s.rss)
			*to = append(*to, s)
		}
	}
	perGB := func(s startsOn) float64 { return (s.took().Median - empty.took().Median) / gb }
	table.row(name, one(gb), one(float64(spans)/1e6), warm.took(), one(perGB(warm)), cold.took(), one(perGB(cold)),
		warm.cpu(), one((warm.cpu().Median-empty.cpu().Median)/gb), warm.rss())
	r.report.atMost(fmt.Sprintf("start on %s GB (%s)", bench.Round(gb), name), "s/GB", perGB(warm), 2)
	return nil
}

// startOnce starts a viewer on a folder, asks what is stored, and ends it.
func (r *run) startOnce(dir string, spans int64) (s started, err error) {
	start := time.Now()
	v, err := r.view(dir, "all")
	if err != nil {
		return s, err
	}
	st, err := v.status(r)
	s.took = time.Since(start).Seconds()
	if err != nil {
		v.kill()
		return s, err
	}
	cpu, err := meter.CPU(v.pid())
	m, memErr := meter.MemoryOf(v.pid())
	s.cpu, s.rss = cpu.Seconds(), float64(m.RSS)/1e6
	if st.Spans.Stored != spans || len(st.Store.Problems) > 0 {
		err = errors.Join(err, fmt.Errorf("%d spans are stored, want %d; problems: %v", st.Spans.Stored, spans, st.Store.Problems))
	}
	return s, errors.Join(err, memErr, v.stop())
}

// segmentsOf lists the files of a folder that hold traces and are not written any more, or only at the end.
func segmentsOf(dir string) ([]string, error) {
	list, err := filepath.Glob(filepath.Join(dir, "traces-*.zst"))
	return slices.DeleteFunc(list, func(s string) bool { return strings.HasSuffix(s, ".open.zst") }), err
}

func segmentBytes(dir string) (n int64, err error) {
	list, err := segmentsOf(dir)
	if err != nil {
		return 0, err
	}
	for _, path := range list {
		info, err := os.Stat(path)
		if err != nil {
			return 0, err
		}
		n += info.Size()
	}
	return n, nil
}

// copySegments copies all segments of traces under new numbers, so often.
func copySegments(dir string, times int) error {
	segments, err := segmentsOf(dir)
	if err != nil {
		return err
	}
	if len(segments) == 0 {
		return fmt.Errorf("there are no segments in %s", dir)
	}
	next := 0
	for range times {
		for _, from := range segments {
			next++
			if err := copyFile(filepath.Join(dir, fmt.Sprintf("traces-%012d.zst", 900_000_000_000+next)), from); err != nil {
				return err
			}
		}
	}
	return nil
}

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
