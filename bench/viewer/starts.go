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
		"GB", "million spans", "s", "s/GB", "cold s", "cold s/GB", "MB after", "µs/span")
	table.row("empty", one(0), one(0), empty, none, none, none, none, none)
	if err := r.startOn(table, "filled", dir, spans, empty.Median); err != nil {
		return err
	}
	if err := copySegments(dir, r.size.StartCopies); err != nil {
		return err
	}
	return r.startOn(table, fmt.Sprintf("segments copied %d times", r.size.StartCopies), dir, spans*int64(1+r.size.StartCopies), empty.Median)
}

// emptyStart is what a start takes that has nothing to read.
func (r *run) emptyStart() (bench.Spread, error) {
	var all []float64
	for range r.size.Starts {
		dir, err := r.folder("empty")
		if err != nil {
			return none, err
		}
		took, _, err := r.startOnce(dir, 0)
		if err != nil {
			return none, err
		}
		all = append(all, took)
	}
	return bench.SpreadOf(all), nil
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
func (r *run) startOn(table *Section, name, dir string, spans int64, empty float64) error {
	size, err := meter.Disk(dir)
	if err != nil {
		return err
	}
	gb := float64(size) / 1e9
	var warm, cold, held []float64
	for range r.size.Starts {
		for _, drop := range []bool{true, false} {
			if drop {
				if err := meter.Forget(dir); err != nil {
					return err
				}
			}
			took, rss, err := r.startOnce(dir, spans)
			if err != nil {
				return err
			}
			if drop {
				cold = append(cold, took)
			} else {
				warm, held = append(warm, took), append(held, rss)
			}
		}
	}
	w, c := bench.SpreadOf(warm), bench.SpreadOf(cold)
	table.row(name, one(gb), one(float64(spans)/1e6), w, one((w.Median-empty)/gb), c, one((c.Median-empty)/gb), bench.SpreadOf(held), one((w.Median-empty)*1e6/float64(spans)))
	r.report.atMost(fmt.Sprintf("start on %s GB (%s)", bench.Round(gb), name), "s/GB", (w.Median-empty)/gb, 2)
	return nil
}

// startOnce is the time of one start, in seconds, and what it holds then, in MB.
func (r *run) startOnce(dir string, spans int64) (took, rss float64, err error) {
	start := time.Now()
	v, err := r.view(dir, "all")
	if err != nil {
		return 0, 0, err
	}
	s, err := v.status(r)
	took = time.Since(start).Seconds()
	if err != nil {
		v.kill()
		return 0, 0, err
	}
	m, err := meter.MemoryOf(v.pid())
	if err == nil && (s.Spans.Stored != spans || len(s.Store.Problems) > 0) {
		err = fmt.Errorf("%d spans are stored, want %d; problems: %v", s.Spans.Stored, spans, s.Store.Problems)
	}
	return took, float64(m.RSS) / 1e6, errors.Join(err, v.stop())
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
