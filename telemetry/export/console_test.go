package export_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdkresource "go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens/telemetry/export"
)

var update = flag.Bool("update", false, "write the golden files")

func context1(span byte, remote bool) trace.SpanContext {
	state, _ := trace.ParseTraceState("vendor=1")
	return trace.NewSpanContext(trace.SpanContextConfig{
		TraceID: trace.TraceID{0xab, 15: 1}, SpanID: trace.SpanID{7: span}, TraceFlags: 3, TraceState: state, Remote: remote,
	})
}

// rich is a span with one of everything.
func rich() sdktrace.ReadOnlySpan {
	at := time.Date(2026, 1, 2, 3, 4, 5, 678_900_000, time.FixedZone("", 3600))
	return tracetest.SpanStub{
		Name:        "gym.rollout",
		SpanContext: context1(2, false),
		Parent:      context1(1, true),
		SpanKind:    trace.SpanKindServer,
		StartTime:   at,
		EndTime:     at.Add(1500 * time.Millisecond),
		Attributes: []attribute.KeyValue{
			attribute.Bool("bool", true),
			attribute.Int64("int", math.MaxInt64),
			attribute.Float64("float", 0.1),
			attribute.Float64("nan", math.NaN()),
			attribute.Float64("inf", math.Inf(-1)),
			attribute.String("text", "line\nbreak\t\"quoted\" \\ é \x1b[31m \u0085 \u2028 \xff"),
			attribute.BoolSlice("bools", []bool{true, false}),
			attribute.Int64Slice("ints", []int64{1, -1}),
			attribute.Float64Slice("floats", []float64{1, math.Inf(1)}),
			attribute.StringSlice("texts", []string{"a", "b\x00"}),
			attribute.StringSlice("none", nil),
		},
		Events: []sdktrace.Event{{Name: "e", Time: at, Attributes: []attribute.KeyValue{attribute.Int("n", 1)}}},
		Links:  []sdktrace.Link{{SpanContext: context1(9, true)}},
		Status: sdktrace.Status{Code: codes.Error, Description: "boom"},
		Resource: sdkresource.NewSchemaless(
			attribute.String("service.name", "nemo-gym/agent"), attribute.Int("process.pid", 7)),
		InstrumentationScope: instrumentation.Scope{
			Name: "nemo_gym", Version: "v1", Attributes: attribute.NewSet(attribute.String("lens.group", "rollout")),
		},
	}.Snapshot()
}

// AT-01, AT-03 and AT-09: one line of JSON a span, whatever is in it.
func TestConsole_golden(t *testing.T) {
	var out bytes.Buffer
	noError(t, export.NewConsole(&out).ExportSpans(t.Context(), []sdktrace.ReadOnlySpan{rich(), span("root")}))
	const file = "testdata/console.jsonl"
	if *update {
		noError(t, os.WriteFile(file, out.Bytes(), 0o644))
	}
	want, err := os.ReadFile(file)
	noError(t, err)
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}

func TestConsole_lines_are_JSON_objects(t *testing.T) {
	var out bytes.Buffer
	noError(t, export.NewConsole(&out).ExportSpans(t.Context(), []sdktrace.ReadOnlySpan{rich(), span("root"), rich()}))
	lines := strings.SplitAfter(out.String(), "\n")
	if len(lines) != 4 || lines[3] != "" {
		t.Fatalf("want 3 lines, each with one newline at its end: %q", lines)
	}
	for _, line := range lines[:3] {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.Errorf("%v in %s", err, line)
		}
	}
}

// writes remembers each Write, to see that a line is one of them.
type writes struct {
	mu  sync.Mutex
	all []string
}

func (w *writes) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.all = append(w.all, string(p))
	return len(p), nil
}

func TestConsole_one_write_a_line(t *testing.T) {
	w := &writes{}
	c := export.NewConsole(w)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 50 {
				_ = c.ExportSpans(context.Background(), []sdktrace.ReadOnlySpan{span("a"), span("b")})
			}
		})
	}
	wg.Wait()
	if len(w.all) != 400 {
		t.Errorf("%d writes for 400 spans", len(w.all))
	}
	for _, line := range w.all {
		if strings.Count(line, "\n") != 1 || !strings.HasSuffix(line, "\n") {
			t.Fatalf("not one line: %q", line)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestConsole_errors(t *testing.T) {
	spans := []sdktrace.ReadOnlySpan{span("a"), span("b")}
	if err := export.NewConsole(broken{}).ExportSpans(t.Context(), spans); !errors.Is(err, os.ErrClosed) {
		t.Errorf("closed writer: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var out bytes.Buffer
	if err := export.NewConsole(&out).ExportSpans(ctx, spans); !errors.Is(err, context.Canceled) || out.Len() > 0 {
		t.Errorf("ended context: %v, wrote %q", err, &out)
	}
}

// FuzzConsole: whatever a span is called, its line is one line of JSON, printable, and says the same name.
func FuzzConsole(f *testing.F) {
	for _, s := range []string{"", "plain", "a\nb", "\"\\", "\x00\x1f\x7f", "\u0085\u2028\u2029", "é漢\U0001f600", "\xff\xc3", "\ufffd"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, name string) {
		var out bytes.Buffer
		noError(t, export.NewConsole(&out).ExportSpans(t.Context(), []sdktrace.ReadOnlySpan{span(name)}))
		line := strings.TrimSuffix(out.String(), "\n")
		for _, r := range line {
			if r < 0x20 || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 {
				t.Fatalf("%q holds %U", line, r)
			}
		}
		var object struct{ Name string }
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		if want := string([]rune(name)); object.Name != want {
			t.Errorf("name %q came out as %q", name, object.Name)
		}
	})
}
