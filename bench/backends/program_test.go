package backends_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/metrics"
	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/lensslog"
)

// programs are what this binary can be: programs with telemetry, which have it from their environment.
var programs = map[string]func() error{
	"one of each": oneOfEach,
	"a trainer":   trainer,
	"rare things": rareThings,
	"a loser":     loser,
	"both ways":   bothWays,
}

// start returns a command that runs one of them.
func start(ctx context.Context, name string, environment []string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Env = append(environment, programVariable+"="+name)
	return cmd
}

// runProgram runs one of them, which has to end well.
func runProgram(t *testing.T, name string, environment []string) {
	t.Helper()
	if out, err := start(t.Context(), name, environment).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", name, err, out)
	}
}

var work = lens.NewGroup("work")

// watched runs a program with telemetry set up as its environment says; it is an error when something does not arrive.
func watched(program func(ctx context.Context, h *telemetry.Handle)) (err error) {
	ctx := context.Background()
	c, err := telemetry.FromEnv("NEMO_LENS")
	if err != nil {
		return err
	}
	if !c.Enabled {
		return errors.New("telemetry is off")
	}
	h, err := telemetry.Setup(ctx, c)
	if err != nil {
		return err
	}
	defer func() {
		ctx, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		err = errors.Join(err, h.Shutdown(ctx))
	}()
	program(ctx, h)
	return nil
}

// oneOfEach sends a span, a counter with a histogram, and a log record.
func oneOfEach() error {
	lens.MustRegister(lens.Library{Namespace: "backends", Groups: []*lens.Group{work}, Presets: lens.Presets{"default": {"work"}}})
	metrics.MustRegister(metrics.Group{Name: "backends", Metrics: []metrics.Metric{
		{Key: "done", Name: "backends.done", Kind: metrics.Counter},
		{Key: "took", Name: "backends.took", Kind: metrics.Histogram, Unit: "s"},
	}})
	return watched(func(ctx context.Context, _ *telemetry.Handle) {
		ctx, span := work.Start(ctx, "backends.work")
		defer span.End()
		metrics.Record(ctx, "backends", metrics.Values{"done": 1, "took": 0.25})
		slog.New(lensslog.NewExporter(slog.NewTextHandler(io.Discard, nil), slog.LevelInfo)).InfoContext(ctx, "one of each")
	})
}

// twice records the same things before and after an export, because a rate needs two samples.
func twice(ctx context.Context, h *telemetry.Handle, record func()) {
	record()
	_ = h.ForceFlush(ctx) // what a backend refuses is what the program is there for
	record()
}

// rareThings records what a run of Gym on a test's machine does not have: a caller that takes answers as streams, more requests
// than a server may have connections, and a Docker whose registry fails.
func rareThings() error {
	return watched(func(ctx context.Context, h *telemetry.Handle) { twice(ctx, h, func() { rare(ctx) }) })
}

func rare(ctx context.Context) {
	metrics.Gym.ModelCalled(ctx, metrics.ModelCall{Server: "model", Dialect: semconv.DialectResponses, Outcome: semconv.ModelCallOK,
		Took: time.Second, FirstToken: 200 * time.Millisecond})
	metrics.Gym.PoolQueued(ctx, "model", false, 5*time.Millisecond)
	metrics.Gym.SandboxRetried(ctx, "docker")
}

// trainer records all that trainers and inference servers do.
func trainer() error {
	groups := []metrics.Group{metrics.Training(), metrics.RL()}
	for _, g := range groups {
		metrics.MustRegister(g)
	}
	return watched(func(ctx context.Context, h *telemetry.Handle) { twice(ctx, h, func() { train(ctx, groups) }) })
}

func train(ctx context.Context, groups []metrics.Group) {
	for _, g := range groups {
		for i, m := range g.Metrics {
			metrics.Record(ctx, g.Name, metrics.Values{m.Key: float64(i + 1)}, labelsOf(m.Name)...)
		}
	}
	metrics.Inference.Served(ctx, "policy", 300*time.Millisecond)
	metrics.Inference.Used(ctx, "policy", 100, 20)
}

// labelsOf are those that NeMo-RL gives to a metric.
func labelsOf(name string) []metrics.Label {
	switch name {
	case semconv.MetricRLSetupDuration:
		return []metrics.Label{metrics.Str(semconv.RLSetupPhase, "policy_init")}
	case semconv.MetricRLEfficiencySeconds:
		return []metrics.Label{metrics.Str(semconv.RLEfficiencyCategory, "productive"), metrics.Str(semconv.RLBucket, "generation"),
			metrics.Str(semconv.RLEfficiencyMeasurement, semconv.MeasuredWallClock), metrics.Str(semconv.RLEfficiencyWindow, semconv.WindowStep)}
	case semconv.MetricRLEfficiencyPercent:
		return []metrics.Label{metrics.Str(semconv.RLEfficiencyMeasurement, semconv.MeasuredWallClock), metrics.Str(semconv.RLEfficiencyWindow, semconv.WindowStep)}
	}
	return nil
}

// loser is a program whose spans and log records nobody wants: it has metrics of what it has lost. More spans end than its queue
// has room for.
func loser() error {
	lens.MustRegister(lens.Library{Namespace: "backends", Groups: []*lens.Group{work}, Presets: lens.Presets{"default": {"work"}}})
	log := slog.New(lensslog.NewExporter(slog.NewTextHandler(io.Discard, nil), slog.LevelInfo))
	err := watched(func(ctx context.Context, h *telemetry.Handle) {
		twice(ctx, h, func() {
			for range 100 {
				_, span := work.Start(ctx, "backends.work")
				span.End()
			}
			log.InfoContext(ctx, "nobody wants this")
			_ = h.ForceFlush(ctx) // so that what is lost now is counted in what is exported next
		})
	})
	if err == nil {
		return errors.New("nothing was lost")
	}
	return nil
}
