//go:build !lens_off && (linux || darwin)

package telemetry_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/telemetry"
)

func init() { children["open"], children["busy"] = keepOpen, keepBusy }

// receiver is a collector that keeps the spans it takes.
type receiver struct {
	*httptest.Server
	mu       sync.Mutex
	requests int
	refuse   func(request int) bool // nil: never
	spans    []received
}

type received struct {
	*tracepb.Span
	scope, service string
}

func newReceiver(t *testing.T, refuse func(request int) bool) (*receiver, string) {
	t.Helper()
	r := &receiver{refuse: refuse}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r, r.URL
}

// all are the spans that it has taken, when nobody sends any more: what a killed process had sent may be on its way still.
func (r *receiver) all() []received {
	r.Close()
	return r.spans
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	body, err := io.ReadAll(q.Body)
	if err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.requests++
	if r.refuse != nil && r.refuse(r.requests) {
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	var request coltracepb.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &request); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	for _, rs := range request.ResourceSpans {
		for _, ss := range rs.ScopeSpans {
			for _, s := range ss.Spans {
				r.spans = append(r.spans, received{s, ss.Scope.GetName(), text(rs.Resource.GetAttributes(), semconv.ServiceName)})
			}
		}
	}
}

func text(attrs []*commonpb.KeyValue, key string) string {
	for _, kv := range attrs {
		if kv.Key == key {
			return kv.Value.GetStringValue()
		}
	}
	return ""
}

// cutOff reports whether a span has both marks of a truncated one.
func (s received) cutOff() bool {
	for _, kv := range s.Attributes {
		if kv.Key == semconv.SpanTruncated && kv.Value.GetBoolValue() {
			last := s.Events[len(s.Events)-1]
			return last.Name == semconv.SpanTruncated && text(last.Attributes, semconv.SpanTruncatedReason) == "still open when its process ended" &&
				last.TimeUnixNano == s.EndTimeUnixNano
		}
	}
	return false
}

// startChild starts a process with start records.
func startChild(t *testing.T, name, endpoint, dir string, more ...string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), "TELEMETRY_TEST_CHILD="+name, "NEMO_LENS_ENABLED=1", "NEMO_LENS_START_RECORDS=1", "NEMO_LENS_SPAN_GROUPS=all",
		"NEMO_LENS_SPOOL_DIR="+dir, "NEMO_LENS_METRICS_ENABLED=0", "OTEL_EXPORTER_OTLP_ENDPOINT="+endpoint, "OTEL_SERVICE_NAME=child")
	cmd.Env = append(cmd.Env, more...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.StdinPipe(); err != nil { // open until the child is gone
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd, bufio.NewScanner(out)
}

// kill ends a child as nothing else does, and returns what it said last.
func kill(t *testing.T, cmd *exec.Cmd, out *bufio.Scanner) (last string) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for out.Scan() {
		last = out.Text()
	}
	_ = cmd.Wait()
	return last
}

// mustSetUp is the set-up of a child.
func mustSetUp() *telemetry.Handle {
	c, err := telemetry.FromEnv("NEMO_LENS")
	if err != nil {
		panic(err)
	}
	h, err := telemetry.Setup(context.Background(), c)
	if err != nil {
		panic(err)
	}
	return h
}

// keepOpen has a span that was sent, three that are open, one in the other, and one that has ended and waits.
func keepOpen() {
	h := mustSetUp()
	ctx, root := job.Start(context.Background(), "1 lens")
	_, sent := step.Start(ctx, "sent")
	sent.End()
	if err := h.ForceFlush(context.Background()); err != nil {
		panic(err)
	}
	deadline := time.Now().Add(time.Minute)
	for ; h.Stats().Exported < 1; time.Sleep(time.Millisecond) { // on a busy machine it goes by the disk
		if time.Now().After(deadline) {
			panic("nothing was sent within a minute")
		}
	}
	ctx, _ = otel.Tracer("other").Start(ctx, "2 other", trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(attribute.String("early", "x")),
		trace.WithLinks(trace.Link{SpanContext: trace.SpanContextFromContext(ctx)}))
	ctx, _ = step.Start(ctx, "3 lens")
	_, ended := step.Start(ctx, "ended")
	ended.Str("late", "y").EndErr(new(errors.New("it failed")))
	root.Str("late", "set after the start")
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin) // for as long as we live
}

// What is open when a process is killed, and what has ended and waits, comes from the next one: once, and in one trace.
func TestStartRecords_after_SIGKILL(t *testing.T) {
	collector, endpoint := newReceiver(t, nil)
	dir := t.TempDir() + "/spool"
	cmd, out := startChild(t, "open", endpoint, dir, "OTEL_BSP_SCHEDULE_DELAY=3600000")
	if !out.Scan() {
		t.Fatal("the child ended")
	}
	waitForRecord(t, dir, "set after the start")
	conf := config()
	conf.MetricsEnabled, conf.Spool, conf.SpoolDir = false, true, dir
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
	early := start(t, conf)
	shutdown(t, early)
	if s := early.Stats(); s != (telemetry.Stats{}) {
		t.Errorf("a process that lives was robbed: %+v", s)
	}
	kill(t, cmd, out)
	gone := time.Now()

	h := start(t, conf)
	shutdown(t, h)
	if s := h.Stats(); s != (telemetry.Stats{Recovered: 4, Truncated: 3}) {
		t.Errorf("Stats %+v", s)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left in the spool: %v, %v", left, err)
	}
	spans := map[string]received{}
	for _, s := range collector.all() {
		if _, there := spans[s.Name]; there {
			t.Errorf("%s has arrived twice", s.Name)
		}
		spans[s.Name] = s
	}
	if len(spans) != 5 {
		t.Fatalf("%d spans have arrived", len(spans))
	}
	root := spans["1 lens"]
	for name, parent := range map[string]string{"1 lens": "", "sent": "1 lens", "2 other": "1 lens", "3 lens": "2 other", "ended": "3 lens"} {
		s := spans[name]
		if !bytes.Equal(s.TraceId, root.TraceId) || !bytes.Equal(s.ParentSpanId, spans[parent].GetSpanId()) || s.service != "child" {
			t.Errorf("%s is in another place: %v", name, s)
		}
		open := name != "sent" && name != "ended"
		if s.cutOff() != open {
			t.Errorf("%s: marks %v %v", name, s.Attributes, s.Events)
		}
		if s.EndTimeUnixNano < s.StartTimeUnixNano || s.EndTimeUnixNano > uint64(gone.UnixNano()) {
			t.Errorf("%s ended at %d", name, s.EndTimeUnixNano)
		}
	}
	if got := text(root.Attributes, "late"); got != "set after the start" || root.scope != "demo" {
		t.Errorf("the root has %q, in scope %q", got, root.scope)
	}
	if s := spans["2 other"]; s.scope != "other" || s.Kind != tracepb.Span_SPAN_KIND_CLIENT || text(s.Attributes, "early") != "x" || len(s.Links) != 1 {
		t.Errorf("%v in scope %q", s, s.scope)
	}
	if s := spans["ended"]; text(s.Attributes, "late") != "y" || s.Status.GetMessage() != "it failed" {
		t.Errorf("%v", s)
	}
}

// waitForRecord waits until the record of a span has a text that was set after its start.
func waitForRecord(t *testing.T, dir, what string) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for ; time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		paths, err := filepath.Glob(filepath.Join(dir, "*", "*", "slate"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if b, err := os.ReadFile(path); err == nil && bytes.Contains(b, []byte(what)) {
				return
			}
		}
	}
	t.Fatalf("no record has %q", what)
}

// keepBusy ends spans for ever, and says the number of each that has ended.
func keepBusy() {
	mustSetUp()
	ctx, _ := job.Start(context.Background(), "root")
	for n := 0; ; n++ {
		_, span := step.Start(ctx, strconv.Itoa(n))
		span.Int("n", n).End()
		fmt.Println(n)
	}
}

// A process is killed while its spans are everywhere: in memory, under way, on disk, refused and sent. All that have ended
// arrive, whole, and twice only those that are counted.
func TestStartRecords_under_way(t *testing.T) {
	for name, refuse := range map[string]func(request int) bool{
		"taken": nil, "refused at times": func(n int) bool { return n%7 > 3 }, "refused": func(int) bool { return true },
	} {
		t.Run(name, func(t *testing.T) {
			collector, endpoint := newReceiver(t, refuse)
			dir := t.TempDir() + "/spool"
			cmd, out := startChild(t, "busy", endpoint, dir, "OTEL_BSP_SCHEDULE_DELAY=2", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE=100")
			for range 20_000 {
				if !out.Scan() {
					t.Fatal("the child ended")
				}
			}
			last, err := strconv.Atoi(kill(t, cmd, out))
			if err != nil {
				last = 19_999
			}
			collector.mu.Lock()
			collector.refuse = nil
			collector.mu.Unlock()

			conf := config()
			conf.MetricsEnabled, conf.Spool, conf.SpoolDir = false, true, dir
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint)
			h := start(t, conf)
			shutdown(t, h)
			allArrived(t, collector.all(), last, h.Stats())
		})
	}
}

// allArrived wants the spans 0 to last, and one root.
func allArrived(t *testing.T, spans []received, last int, s telemetry.Stats) {
	t.Helper()
	copies, again := map[string]int{}, uint64(0)
	for _, s := range spans {
		if copies[s.Name]++; copies[s.Name] > 1 {
			again++
		}
		if n, err := strconv.Atoi(s.Name); err == nil && n <= last && s.cutOff() {
			t.Errorf("%d had ended, and is truncated", n)
		}
		if s.Name == "root" && !s.cutOff() {
			t.Errorf("the root is not truncated: %v", s)
		}
	}
	for n := range last + 1 {
		if copies[strconv.Itoa(n)] == 0 {
			t.Fatalf("%d of %d is lost", n, last)
		}
	}
	if copies["root"] != 1 || s.Truncated < 1 || s.Truncated > 2 || again > s.Repeated {
		t.Errorf("%d roots, %d have arrived twice, %+v", copies["root"], again, s)
	}
	t.Logf("%d spans, %d of them twice: %+v", last+1, again, s)
}
