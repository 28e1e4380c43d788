package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/bench"
	"github.com/lensgo/lens/bench/meter"
	"github.com/lensgo/lens/telemetry"
)

// looped is what a loop measured, in nanoseconds a span, and bytes.
type looped struct {
	Thread   float64         `json:"thread"`  // CPU time of the loop's thread
	Process  float64         `json:"process"` // of the whole process
	Time     float64         `json:"time"`
	Median   float64         `json:"median"` // of one iteration
	P99      float64         `json:"p99"`
	P999     float64         `json:"p999"`
	Peak     int64           `json:"peak"`  // resident memory
	Stats    telemetry.Stats `json:"stats"` // at its end
	Finished telemetry.Stats `json:"-"`     // at the end of the process
}

// loop is the program that is watched: so many spans around work. It prints what it measured, waits for a line, sees to it that what is on disk
// is sent when the line says so, and prints its last counts.
func loop(ctx context.Context, args []string, stdin io.Reader, stdout io.Writer) error {
	if len(args) != 1 {
		return fmt.Errorf("the loop takes the number of its spans, not %q", args)
	}
	spans, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	lens.MustRegister(lens.Library{Namespace: "outage", Groups: []*lens.Group{steps}, Presets: lens.Presets{"default": {"step"}}})
	c, err := telemetry.FromEnv("NEMO_LENS")
	if err != nil {
		return err
	}
	h, err := telemetry.Setup(ctx, c)
	if err != nil {
		return err
	}
	measured, err := iterations(ctx, spans)
	if err != nil {
		return err
	}
	measured.Stats = h.Stats()
	answers := json.NewEncoder(stdout)
	if err := answers.Encode(measured); err != nil {
		return err
	}
	most := time.Second
	in := bufio.NewScanner(stdin)
	if in.Scan() && in.Text() == lineDrain {
		most = time.Minute
		drain(ctx, h)
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), most)
	defer cancel()
	_ = h.Shutdown(ctx) // the counts tell what it would
	return answers.Encode(h.Stats())
}

// What a loop is told when it has printed what it measured.
const (
	lineDrain = "drain" // everything can be sent: wait until it is
	lineEnd   = "end"   // nobody takes anything
)

// drain waits until no span is left in memory or on disk.
func drain(ctx context.Context, h *telemetry.Handle) {
	_ = h.ForceFlush(ctx) // likewise
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for s := h.Stats(); s.Exported+s.Dropped+s.Failed < s.Ended; s = h.Stats() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

var steps = lens.NewGroup("step")

// iterations runs the loop on a thread of its own.
func iterations(ctx context.Context, spans int) (m looped, err error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	took := make([]float64, spans)
	input := make([]byte, 32<<10)
	process, err := meter.CPU(os.Getpid())
	if err != nil {
		return m, err
	}
	thread, err := threadCPU()
	if err != nil {
		return m, err
	}
	began := time.Now()
	for i := range took {
		at := time.Now()
		step(ctx, i, input)
		took[i] = float64(time.Since(at))
	}
	all := time.Since(began)
	threadEnd, err := threadCPU()
	if err != nil {
		return m, err
	}
	processEnd, err := meter.CPU(os.Getpid())
	if err != nil {
		return m, err
	}
	memory, err := meter.MemoryOf(os.Getpid())
	slices.Sort(took)
	n := float64(spans)
	return looped{
		Thread: float64(threadEnd-thread) / n, Process: float64(processEnd-process) / n, Time: float64(all) / n,
		Median: bench.Quantile(took, .5), P99: bench.Quantile(took, .99), P999: bench.Quantile(took, .999), Peak: memory.Peak,
	}, err
}

// step is an iteration: a span around some 20 µs of work.
func step(ctx context.Context, i int, input []byte) {
	_, span := steps.Start(ctx, "train.step")
	defer span.End()
	sum := sha256.Sum256(input)
	copy(input, sum[:])
	span.Int("iteration", i).Str("phase", "train").Float("loss", math.Sqrt(float64(sum[0]))).Bool("last", false)
}

// threadCPU is what the calling thread has used.
func threadCPU() (time.Duration, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t); err != nil {
		return 0, fmt.Errorf("cannot read CPU time of the thread: %w", err)
	}
	return time.Duration(t.Nano()), nil
}
