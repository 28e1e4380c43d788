package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/lensgo/lens/bench"
)

// browse opens the traces in a browser, and scrolls through the largest one with all its rows shown.
func browse(r *run) (err error) {
	b, err := r.openBrowser()
	if b == nil {
		return err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	v, list, err := r.largeTraces(r.size.Repeats)
	if err != nil {
		return err
	}
	defer v.kill()
	t, err := b.tab()
	if err != nil {
		return err
	}
	if err := t.open(v, "/runs"); err != nil { // once, for the browser's own caches
		return err
	}
	if err := r.openPages(v, t, list); err != nil {
		return err
	}
	return r.scroll(t)
}

// openPages opens each trace, from the address to the rows.
func (r *run) openPages(v *viewerProcess, t *tab, list []largeTrace) error {
	first, all, longest := map[int][]float64{}, map[int][]float64{}, map[int][]float64{}
	for _, trace := range list {
		if err := t.open(v, "/traces/"+trace.id); err != nil {
			return err
		}
		if err := t.until("probe.all"); err != nil {
			return err
		}
		times, err := eval[[]float64](t, "[probe.first, probe.all, probe.longest]")
		if err != nil {
			return err
		}
		n := trace.spans
		first[n], all[n], longest[n] = append(first[n], times[0]), append(all[n], times[1]), append(longest[n], times[2])
	}
	table := r.report.section("browser, opening", "a trace in Chromium, from the address to rows that can be painted; the browser has the same cores", "ms to first rows", "ms to all", "longest task ms")
	for _, n := range []int{r.size.Large / 10, r.size.Large} {
		table.row(fmt.Sprintf("%d spans", n), bench.SpreadOf(first[n]), bench.SpreadOf(all[n]), bench.SpreadOf(longest[n]))
	}
	return nil
}

// scroll unfolds what is open in the tab, and scrolls in two ways.
func (r *run) scroll(t *tab) error {
	for _, key := range []string{"X", "p"} { // repeats folded, calls paired
		if err := t.press(key); err != nil {
			return err
		}
	}
	if err := t.until(fmt.Sprintf("probe.rows() >= %d", r.size.Large)); err != nil {
		return err
	}
	if _, err := eval[bool](t, "probe.rest()"); err != nil {
		return err
	}
	middle, err := eval[[]float64](t, "probe.middle()")
	if err != nil {
		return err
	}
	table := r.report.section("browser, scrolling", fmt.Sprintf("%d rows, 1440 by 900; milliseconds of script in each frame that moves: as the thread worked (cpu), and as time went by", r.size.Large),
		"frames/s", "cpu p50", "p95", "max", "time p50", "p95", "max", "longest task cpu", "time")
	for _, way := range []struct {
		name string
		move func() error
	}{
		{"wheel", func() error { return t.wheel(middle[0], middle[1], r.size.Scroll) }},
		{"scrollbar", func() error {
			_, err := eval[float64](t, fmt.Sprintf("probe.drag(%d)", r.size.Scroll/time.Millisecond))
			return err
		}},
	} {
		before, err := eval[float64](t, "probe.where()")
		if err != nil {
			return err
		}
		events, err := t.record(way.move)
		if err != nil {
			return err
		}
		after, err := eval[float64](t, "probe.where()")
		if err != nil {
			return err
		}
		if before == after {
			return fmt.Errorf("%s: nothing scrolled", way.name)
		}
		f, err := framesOf(events)
		if err != nil {
			return fmt.Errorf("%s: %w", way.name, err)
		}
		table.row(way.name, f.row()...)
		r.report.atMost(fmt.Sprintf("scrolling %d spans, %s: script a frame, median", r.size.Large, way.name), "ms", bench.Quantile(f.scriptCPU, .5), 6)
		r.report.atMost(fmt.Sprintf("scrolling %d spans, %s: script a frame, p95", r.size.Large, way.name), "ms", bench.Quantile(f.scriptCPU, .95), 12)
		r.report.atMost(fmt.Sprintf("scrolling %d spans, %s: longest task", r.size.Large, way.name), "ms", f.taskCPU, 50)
	}
	return nil
}
