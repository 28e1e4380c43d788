//go:build !lens_off

package telemetry_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/otelopt"
)

// Programs that train seed every process alike; ids must not notice.
func TestIDs_are_unique_whatever_is_seeded(t *testing.T) {
	setup(t, config())
	const workers, each = 4, 2_000
	var mu sync.Mutex
	traces, ids := map[[16]byte]bool{}, map[[8]byte]bool{}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			//lint:ignore SA1019 it is what such programs do
			rand.Seed(1)
			for range each {
				_, span := lens.Start(t.Context(), "x")
				ref := span.Ref()
				span.End()
				mu.Lock()
				if !ref.Valid() || traces[ref.TraceID] || ids[ref.SpanID] {
					t.Errorf("bad or repeated id: %v", ref)
				}
				traces[ref.TraceID], ids[ref.SpanID] = true, true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if len(traces) != workers*each {
		t.Errorf("%d trace ids", len(traces))
	}
}

// envPrintIDs makes a process of the test print the ids of so many spans.
const envPrintIDs = "LENS_TEST_PRINT_IDS"

// EN-15: eight ranks that start together, alike in everything, have no id in common.
func TestIDs_of_processes_alike(t *testing.T) {
	const processes, each = 8, 10_000
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	outs := make([]bytes.Buffer, processes)
	var ranks []*exec.Cmd
	for i := range processes {
		rank := exec.CommandContext(t.Context(), path)
		rank.Env = append(os.Environ(), envPrintIDs+"="+strconv.Itoa(each), "NEMO_LENS_RUN_ID=r", "PYTHONHASHSEED=1")
		rank.Stdout, rank.Stderr = &outs[i], os.Stderr
		if err := rank.Start(); err != nil {
			t.Fatal(err)
		}
		ranks = append(ranks, rank)
	}
	traces, ids := map[[16]byte]bool{}, map[[8]byte]bool{}
	for i, rank := range ranks {
		if err := rank.Wait(); err != nil {
			t.Fatal(err)
		}
		for line := outs[i].Bytes(); len(line) > 0; line = line[25:] {
			trace, id, flags := [16]byte(line), [8]byte(line[16:]), line[24]
			if trace == [16]byte{} || id == [8]byte{} || flags&2 == 0 || traces[trace] || ids[id] {
				t.Fatalf("rank %d: %x %x with flags %x is zero, or there was one already, or it is not said to be random", i, trace, id, flags)
			}
			traces[trace], ids[id] = true, true
		}
	}
	if len(traces) != processes*each {
		t.Errorf("%d spans", len(traces))
	}
}

func init() {
	text := os.Getenv(envPrintIDs)
	if text == "" {
		return
	}
	lens.SetLogger(quiet) // no library has registered groups yet
	n, err := strconv.Atoi(text)
	if err = errors.Join(err, printIDs(n)); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// printIDs is what such a rank does: it seeds all that it can, as programs that train do.
func printIDs(n int) error {
	//lint:ignore SA1019 it is what such programs do
	rand.Seed(1)
	h, err := telemetry.Setup(context.Background(), config(), otelopt.WithSpanExporter(&spans{}), telemetry.WithLogger(quiet))
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	for range n {
		_, span := lens.Start(context.Background(), "x")
		ref := span.Ref()
		span.End()
		out.Write(append(append(ref.TraceID[:], ref.SpanID[:]...), ref.Flags))
	}
	return errors.Join(out.Flush(), h.Shutdown(context.Background()))
}

// Every root says that its trace id is random, whoever starts it, and children say what their parent says.
func TestRandomFlag(t *testing.T) {
	h, exported := setup(t, config())
	const both = trace.FlagsSampled | trace.FlagsRandom
	other := otel.Tracer("other")
	ctx, ours := job.Start(t.Context(), "root of lens")
	_, s := other.Start(ctx, "child")
	s.End()
	_, ours2 := job.StartWith(ctx, "detached of lens", lens.StartConfig{Root: true, Kind: lens.Client})
	ours2.End()
	ours.End()
	_, s = other.Start(t.Context(), "root of another")
	s.End()
	link := trace.Link{SpanContext: trace.SpanContextFromContext(ctx)}
	newCtx, s := other.Start(ctx, "new root", trace.WithNewRoot(), trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(attribute.Int("n", 1)), trace.WithLinks(link))
	if trace.SpanFromContext(newCtx) != s {
		t.Error("the new root is not in its context")
	}
	s.End()
	remote, err := lens.ParseRef("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "")
	if err != nil {
		t.Fatal(err)
	}
	_, s = other.Start(lens.WithParent(t.Context(), remote), "child of an old caller")
	s.End()
	shutdown(t, h)

	for _, c := range []struct {
		name  string
		flags trace.TraceFlags
		root  bool
	}{
		{"root of lens", both, true}, {"child", both, false}, {"detached of lens", both, true},
		{"root of another", both, true}, {"new root", both, true}, {"child of an old caller", trace.FlagsSampled, false},
	} {
		got := exported.byName(t, c.name)
		if f := got.SpanContext().TraceFlags(); f != c.flags {
			t.Errorf("%s: flags %v, want %v", c.name, f, c.flags)
		}
		if root := !got.Parent().IsValid(); root != c.root {
			t.Errorf("%s: root %v, want %v", c.name, root, c.root)
		}
		if got.Parent().IsValid() != got.Parent().SpanID().IsValid() {
			t.Errorf("%s: half a parent: %v", c.name, got.Parent())
		}
	}
	root := exported.byName(t, "new root")
	if root.SpanKind() != trace.SpanKindServer || attr(root.Attributes(), "n") != "1" || len(root.Links()) != 1 {
		t.Errorf("the new root lost an option: %v %v %v", root.SpanKind(), root.Attributes(), root.Links())
	}
	if root.SpanContext().TraceID() == exported.byName(t, "root of lens").SpanContext().TraceID() {
		t.Error("the new root is in the old trace")
	}
}

// A reserved trace id is taken by the next root, with the flag of whoever drew it, and by no span that is no root of it.
func TestReservedIDs(t *testing.T) {
	const id = "0af7651916cd43dd8448eb211c80319c"
	for _, c := range []struct {
		flags string
		want  trace.TraceFlags
	}{{"03", 3}, {"01", 1}, {"00", 1}} {
		t.Run(c.flags, func(t *testing.T) {
			h, exported := setup(t, config())
			ref, err := lens.ParseRef("00-"+id+"-b7ad6b7169203331-"+c.flags, "lens=r")
			if err != nil {
				t.Fatal(err)
			}
			ctx := lens.WithParent(t.Context(), ref)
			first, span := job.Start(ctx, "first")
			_, child := step.Start(first, "child")
			child.End()
			_, detached := otel.Tracer("other").Start(first, "detached", trace.WithNewRoot())
			detached.End()
			span.End()
			_, second := otel.Tracer("other").Start(ctx, "second")
			second.End()
			_, fresh := otel.Tracer("other").Start(ctx, "fresh", trace.WithNewRoot())
			fresh.End()
			shutdown(t, h)
			for _, name := range []string{"first", "second"} {
				s := exported.byName(t, name)
				if s.SpanContext().TraceID().String() != id || s.Parent().IsValid() {
					t.Errorf("%s: trace %v, parent %v", name, s.SpanContext().TraceID(), s.Parent())
				}
				if f := s.SpanContext().TraceFlags(); f != c.want {
					t.Errorf("%s: flags %v, want %v", name, f, c.want)
				}
			}
			if s := exported.byName(t, "child"); s.SpanContext().TraceID().String() != id || !s.Parent().IsValid() {
				t.Errorf("child: %v below %v", s.SpanContext(), s.Parent())
			}
			for _, name := range []string{"detached", "fresh"} {
				s := exported.byName(t, name)
				if s.SpanContext().TraceID().String() == id || s.SpanContext().TraceFlags() != 3 {
					t.Errorf("%s: %v", name, s.SpanContext())
				}
			}
		})
	}
}
