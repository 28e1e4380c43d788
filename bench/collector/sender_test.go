package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"strings"
	"time"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/metrics"
	"github.com/lensgo/lens/telemetry"
	_ "github.com/lensgo/lens/telemetry/export/otlpgrpc"
	"github.com/lensgo/lens/telemetry/lensslog"
)

var (
	work = lens.NewGroup("work")
	logs = slog.New(lensslog.NewExporter(slog.DiscardHandler, slog.LevelDebug))
)

// send is the program that sends: what there is once, or as much as it is asked for. It returns its exit code.
func send(what string) int {
	lens.MustRegister(lens.Library{Namespace: "sender", Groups: []*lens.Group{work}, Presets: lens.Presets{"default": {"work"}}})
	metrics.MustRegister(metrics.Group{Name: "sender", Metrics: []metrics.Metric{
		{Key: "level", Name: "sender.level", Unit: "By", Description: "how much there is"},
		{Key: "done", Name: "sender.done", Kind: metrics.Counter, Unit: "{step}"},
		{Key: "open", Name: "sender.open", Kind: metrics.UpDownCounter},
		{Key: "took", Name: "sender.took", Kind: metrics.Histogram, Unit: "ms", Bounds: []float64{1, 10, 100}},
		{Key: "asked", Name: "sender.asked", Kind: metrics.ObservableGauge, Callback: func(_ context.Context, observe metrics.Observe) {
			observe(-1.5, metrics.Str("side", "left"))
			observe(2, metrics.Str("side", "right"))
		}},
		{Key: "counted", Name: "sender.counted", Kind: metrics.ObservableCounter, Callback: func(_ context.Context, observe metrics.Observe) { observe(5) }},
		{Key: "queued", Name: "sender.queued", Kind: metrics.ObservableUpDownCounter, Callback: func(_ context.Context, observe metrics.Observe) { observe(-5) }},
	}})
	c, err := telemetry.FromEnv("NEMO_LENS")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	h, err := telemetry.Setup(context.Background(), c)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	if what == "everything" {
		everything()
	} else {
		waves(h)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	err = h.Shutdown(ctx)
	_ = json.NewEncoder(os.Stdout).Encode(h.Stats())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return 0
}

// at is a time of what has a fixed one.
func at(seconds float64) time.Time {
	return time.Unix(1_700_000_000, 0).Add(time.Duration(seconds * float64(time.Second)))
}

// everything is one of each thing that there is to send.
func everything() {
	remote, err := lens.ParseRef("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03", "vendor=one,other=two")
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	root := work.EmitWith(ctx, "root", lens.EmitConfig{Start: at(0), End: at(2.000000001), Kind: lens.Server, Root: true, Links: []lens.Ref{remote}, Fill: func(s lens.Span) {
		s.Str("words", "a line\nand \"ανάλυση\" 🔭").Str("empty", "").Str("broken", "a\xffb").Str("long", strings.Repeat("x", 200))
		s.Int("int", 42).Int64("most", math.MaxInt64).Int64("least", math.MinInt64).Float("float", 0.1).Bool("yes", true).Bool("no", false)
		s.Strs("list", []string{"a", "", "c"}).Strs("none", []string{})
		s.Event("event", lens.Int("n", 1), lens.Str("why", "it happened"))
		s.Event("event")
		s.Ok()
	}})
	child := lens.WithParent(ctx, root)
	work.EmitWith(child, "failed", lens.EmitConfig{Start: at(1), End: at(2), Kind: lens.Client, Fill: func(s lens.Span) {
		s.Err(errors.New("cannot do it"))
		s.Fail("cannot do it")
	}})
	work.EmitWith(child, "linked", lens.EmitConfig{Start: at(1), End: at(1), Kind: lens.Producer, Fill: func(s lens.Span) {
		s.Link(root, lens.Str("kind", "cause"))
	}})
	work.EmitWith(lens.WithParent(ctx, remote), "of another process", lens.EmitConfig{Start: at(0), End: at(1), Kind: lens.Consumer})

	ctx, span := work.Start(ctx, "now")
	defer span.End()
	metrics.Record(ctx, "sender", metrics.Values{"level": 7, "done": 3, "open": -2, "took": 12.5}, metrics.Str("phase", "train"), metrics.Bool("last", true))
	metrics.Record(ctx, "sender", metrics.Values{"took": 1e6}, metrics.Str("phase", "train"), metrics.Bool("last", true))
	metrics.Record(ctx, "sender", metrics.Values{"done": 1}, metrics.Int("part", 2))
	logs.InfoContext(ctx, "in a span", "n", 1, "share", 0.5, "ok", true, "took", time.Second, "when", at(3), "why", errors.New("broken"), "text", "ü")
	logs.With("always", "there").WithGroup("group").ErrorContext(ctx, "grouped", "n", 2, slog.Group("inner", "list", []string{"a", "b"}))
	logs.Debug("without a span")
	logs.Warn("")
}

// waves sends what it is asked for: "send N" for spans, records and counts with numbers that go on, "stats", "end".
func waves(h *telemetry.Handle) {
	next := 0
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		var n int
		switch line := in.Text(); {
		case line == "stats":
			_ = json.NewEncoder(os.Stdout).Encode(h.Stats())
		case line == "end":
			return
		default:
			if _, err := fmt.Sscanf(line, "send %d", &n); err != nil {
				panic(err)
			}
			for ; n > 0; n-- {
				one(next)
				next++
			}
			fmt.Println("sent", next)
		}
	}
}

func one(n int) {
	ctx, span := work.Start(context.Background(), "numbered")
	defer span.End()
	span.Int("n", n)
	logs.InfoContext(ctx, "numbered", "n", n)
	metrics.Record(ctx, "sender", metrics.Values{"done": 1})
}
