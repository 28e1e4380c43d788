package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/lensgo/lens/bench"
	"github.com/lensgo/lens/telemetry"
)

// setup is one way to run the loop.
type setup struct {
	name  string
	state state
	spool bool
}

// state is that of the collector.
type state int

const (
	off     state = iota // there is no telemetry
	healthy              // it takes everything
	hostile              // it is in every trouble
	gone                 // it is not there
)

// base is what the others are compared with.
var base = setup{"healthy, no spool", healthy, false}

var allCases = []setup{
	{"telemetry off", off, false},
	base,
	{"healthy, spool", healthy, true},
	{"hostile, spool", hostile, true},
	{"gone, spool", gone, true},
	{"gone, no spool", gone, false},
}

// Measures.
const (
	thread  = "thread"  // CPU time of the loop's thread, ns a span
	others  = "others"  // of the rest of the process while the loop ran
	elapsed = "elapsed" // ns a span
	median  = "median"  // of one iteration, ns
	p99     = "p99"
	p999    = "p999"
	memory  = "memory"  // resident at most, MB
	disk    = "disk"    // share of the spans that waited on disk at the end of the loop
	dropped = "dropped" // share of the spans
	twice   = "twice"   // spans that arrived more than once
	trouble = "trouble" // requests that were in one
)

// sample runs the loop once.
func (r *run) sample(ctx context.Context, s setup) (_ bench.Sample, err error) {
	dir, err := os.MkdirTemp(r.dir, "spool-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	c, err := newCollector(s.state == hostile)
	if err != nil {
		return nil, err
	}
	ends := c.die
	if s.state == gone {
		if err := c.die(); err != nil {
			return nil, err
		}
		ends = func() error { return nil }
	}
	m, err := r.loop(ctx, s, c, dir)
	if err := errors.Join(err, ends()); err != nil {
		return nil, err
	}
	spans, again, err := c.count()
	if err != nil {
		return nil, err
	}
	if err := r.account(s, m, spans, again); err != nil {
		return nil, err
	}
	n := float64(r.spans)
	return bench.Sample{
		thread: m.Thread, others: m.Process - m.Thread, elapsed: m.Time, median: m.Median, p99: m.P99, p999: m.P999, memory: float64(m.Peak) / 1e6,
		disk: float64(m.Stats.Spooled) / n, dropped: float64(m.Finished.Dropped+m.Finished.Failed) / n, twice: float64(again),
		trouble: float64(c.troubles),
	}, nil
}

// account holds that every span of a loop is where the counts say.
func (r *run) account(s setup, m looped, arrived, again int) error {
	f := m.Finished
	if s.state == off {
		if f.Ended != 0 || arrived != 0 {
			return fmt.Errorf("%d spans have arrived with telemetry off; the counts are %+v", arrived, f)
		}
		return nil
	}
	lost := f.Dropped + f.Failed
	switch {
	case f.Ended != uint64(r.spans), f.Exported+f.Spooled+lost != f.Ended:
		return fmt.Errorf("of %d spans the counts are %+v", r.spans, f)
	case uint64(arrived) < f.Exported, uint64(arrived) > f.Exported+f.Spooled+f.Failed:
		return fmt.Errorf("%d spans have arrived; the counts are %+v", arrived, f)
	case uint64(again) > f.Repeated:
		return fmt.Errorf("%d spans have arrived twice; the counts are %+v", again, f)
	case s.spool && f.Failed > 0, s.spool && s.state == gone && f.Exported > 0, s.spool && s.state != gone && f.Spooled > 0:
		return fmt.Errorf("with a spool a span waits while the collector is gone, arrives when it is not, and is lost only when the queue has no room for it; the counts are %+v", f)
	}
	return nil
}

// loop is one process.
func (r *run) loop(ctx context.Context, s setup, c *collector, dir string) (m looped, err error) {
	self, err := os.Executable()
	if err != nil {
		return m, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, self, childLoop, strconv.Itoa(r.spans))
	cmd.Env = environment(s, c, dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return m, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return m, err
	}
	if err := cmd.Start(); err != nil {
		return m, err
	}
	err = r.talk(ctx, s, c, stdin, stdout, &m)
	if err != nil {
		cancel()
	}
	if ended := cmd.Wait(); err == nil && ended != nil {
		err = ended
	}
	if err != nil {
		return m, fmt.Errorf("the loop: %w\n%s", err, &stderr)
	}
	return m, nil
}

// talk lets the collector be gone for a while, reads what the loop measured, and lets it end.
func (r *run) talk(ctx context.Context, s setup, c *collector, stdin io.WriteCloser, stdout io.Reader, m *looped) error {
	absent := make(chan error, 1)
	if s.state == hostile {
		go func() { absent <- r.absent(ctx, c) }()
	} else {
		absent <- nil
	}
	answers := json.NewDecoder(bufio.NewReader(stdout))
	err := answers.Decode(m)
	c.calm()
	if err := errors.Join(err, <-absent); err != nil {
		return err
	}
	line := lineDrain
	if s.state == gone {
		line = lineEnd
	}
	if _, err := fmt.Fprintln(stdin, line); err != nil {
		return err
	}
	var f telemetry.Stats
	if err := answers.Decode(&f); err != nil {
		return err
	}
	m.Finished = f
	return stdin.Close()
}

// absent is the time that the collector is not there; it begins when half of it has passed.
func (r *run) absent(ctx context.Context, c *collector) error {
	if !wait(ctx, r.gone/2) {
		return context.Cause(ctx)
	}
	if err := c.die(); err != nil {
		return err
	}
	wait(ctx, r.gone)
	return c.comeBack(context.WithoutCancel(ctx))
}

func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// environment is that of this process without settings of telemetry, and those of the setup.
func environment(s setup, c *collector, dir string) []string {
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return slices.ContainsFunc([]string{"OTEL_", "NEMO_", "TRACE", "SLURM_", "GOMAXPROCS="}, func(p string) bool { return strings.HasPrefix(kv, p) })
	})
	if s.state == off {
		return env
	}
	return append(env, "NEMO_LENS_ENABLED=1", "NEMO_LENS_METRICS_ENABLED=0", "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
		"OTEL_EXPORTER_OTLP_ENDPOINT=http://"+c.address, "OTEL_EXPORTER_OTLP_TIMEOUT=1000",
		"NEMO_LENS_SPOOL="+strconv.FormatBool(s.spool), "NEMO_LENS_SPOOL_DIR="+dir+"/spool", "NEMO_LENS_SPOOL_BYTES=4GiB")
}
