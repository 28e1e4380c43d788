//go:build linux || darwin

package export

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens/telemetry/export/internal/protospan"
	"github.com/lensgo/lens/telemetry/internal/slate"
)

// recording is an exporter with records, and a tracer before both.
type recording struct {
	*OTLP
	trace.Tracer
	batch *Batch
	said  *bytes.Buffer
	dir   string // of the slate
}

func newRecording(t *testing.T, spoolBytes int64, b BatchConfig) *recording {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	t.Cleanup(server.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	r := &recording{said: &bytes.Buffer{}}
	root := t.TempDir() + "/spool"
	log := slog.New(slog.NewTextHandler(r.said, nil))
	var err error
	if r.OTLP, err = NewOTLP(t.Context(), OTLPConfig{SpoolDir: root, SpoolBytes: spoolBytes, StartRecords: true, Logger: log}); err != nil {
		t.Fatal(err)
	}
	b.Logger = log
	r.batch = NewBatch(r.OTLP, b)
	p := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(r.Records()), sdktrace.WithSpanProcessor(r.batch))
	t.Cleanup(func() {
		if err := p.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	r.Tracer = p.Tracer("test")
	paths, err := filepath.Glob(filepath.Join(root, "*", "*", "slate"))
	if err != nil || len(paths) != 1 {
		t.Fatalf("%v, %v", paths, err)
	}
	r.dir = filepath.Dir(paths[0])
	return r
}

// records are the spans that have one: their number by state.
func (r *recording) records(t *testing.T) (open, ended int) {
	t.Helper()
	c, err := slate.Load(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range c.Notes {
		switch n.State {
		case slate.Open:
			open++
		case slate.Ended:
			ended++
		}
	}
	return open, ended
}

func (r *recording) want(t *testing.T, open, ended int) {
	t.Helper()
	if o, e := r.records(t); o != open || e != ended {
		t.Errorf("%d records of open and %d of ended spans, want %d and %d", o, e, open, ended)
	}
}

func (r *recording) flush(t *testing.T) {
	t.Helper()
	if err := r.batch.ForceFlush(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// sent waits until the collector has taken n spans. On a busy machine they go by the disk, and a flush does not wait for that.
func (r *recording) sent(t *testing.T, n uint64) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); r.Stats().Sent < n; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not sent within a minute: %+v", r.Stats())
		}
	}
}

// A span has a record from its start until it has arrived.
func TestRecords(t *testing.T) {
	r := newRecording(t, 0, BatchConfig{})
	ctx, a := r.Start(t.Context(), "a")
	_, b := r.Start(ctx, "b")
	r.want(t, 2, 0)
	b.End()
	r.want(t, 1, 1)
	r.flush(t)
	r.want(t, 1, 0)
	a.End()
	r.flush(t)
	r.want(t, 0, 0)
	r.sent(t, 2)
	if s := r.Stats(); s.Sent != 2 || s.Unrecorded > 0 || r.said.Len() > 0 {
		t.Errorf("%+v, and the log says %s", s, r.said)
	}
}

// What the sampler leaves out has no record.
func TestRecords_not_sampled(t *testing.T) {
	r := newRecording(t, 0, BatchConfig{})
	p := sdktrace.NewTracerProvider(sdktrace.WithSampler(recordOnly{}), sdktrace.WithSpanProcessor(r.Records()))
	_, s := p.Tracer("x").Start(t.Context(), "x")
	r.want(t, 0, 0)
	s.End()
	r.want(t, 0, 0)
}

type recordOnly struct{}

func (recordOnly) Description() string { return "" }
func (recordOnly) ShouldSample(sdktrace.SamplingParameters) sdktrace.SamplingResult {
	return sdktrace.SamplingResult{Decision: sdktrace.RecordOnly}
}

// A span that the queue has no room for is counted as dropped, and does not come back.
func TestRecords_dropped(t *testing.T) {
	release := make(chan struct{})
	r := newRecording(t, 0, BatchConfig{QueueSize: 2, BatchSize: 2})
	hold := &holding{OTLP: r.OTLP, release: release, holds: make(chan struct{}, 10)}
	b := NewBatch(hold, BatchConfig{QueueSize: 2, BatchSize: 2, Logger: slog.New(slog.DiscardHandler)})
	p := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(r.Records()), sdktrace.WithSpanProcessor(b))
	end := func(n int) {
		for range n {
			_, s := p.Tracer("x").Start(t.Context(), "x")
			s.End()
		}
	}
	end(2)
	<-hold.holds // they are out of the queue, and their export waits
	end(5)       // for two of these there is room
	r.want(t, 0, 4)
	if s := b.Stats(); s.Dropped != 3 {
		t.Errorf("%+v", s)
	}
	close(release)
	if err := b.ForceFlush(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.want(t, 0, 0)
	if err := b.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	end(1)
	if slate.Exists(r.dir) || r.Stats().Unrecorded > 0 {
		t.Errorf("after the shutdown: %+v", r.Stats())
	}
}

// holding is an exporter that waits before it exports.
type holding struct {
	*OTLP
	holds   chan struct{}
	release chan struct{}
}

func (h *holding) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	h.holds <- struct{}{}
	<-h.release
	return h.OTLP.ExportSpans(ctx, spans)
}

// The record of an open span follows what is set on it, when somebody looks, and one of a span that has ended does not.
func TestRecords_look(t *testing.T) {
	r := newRecording(t, 0, BatchConfig{})
	_, a := r.Start(t.Context(), "a")
	_, b := r.Start(t.Context(), "b")
	b.End()
	a.SetAttributes(attribute.String("late", "x"))
	a.AddEvent("event")
	before := r.bodies(t)
	r.Records().look()
	after := r.bodies(t)
	want := string(protospan.Append(nil, a.(sdktrace.ReadOnlySpan)))
	if len(after) != 2 || slices.Contains(before, want) || !slices.Contains(after, want) {
		t.Errorf("the record of the open span is not what the span is: %q, and before %q", after, before)
	}
	ended := slices.DeleteFunc(before, func(body string) bool { return !slices.Contains(after, body) })
	if len(ended) != 1 {
		t.Errorf("the record of the ended span has changed: %q", after)
	}
	a.End()
	r.want(t, 0, 2)
}

// bodies are the records.
func (r *recording) bodies(t *testing.T) (list []string) {
	t.Helper()
	c, err := slate.Load(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range c.Notes {
		if n.State != slate.Shared {
			list = append(list, string(n.Body))
		}
	}
	return list
}

// Where there is no room for records the program goes on, and it is counted and said once.
func TestRecords_full(t *testing.T) {
	r := newRecording(t, 64<<20, BatchConfig{}) // a quarter of that, which holds 2,000 of these
	var open []trace.Span
	for range 3000 {
		_, s := r.Start(t.Context(), strings.Repeat("a long name ", 400))
		open = append(open, s)
	}
	with, _ := r.records(t)
	missing := r.Stats().Unrecorded
	if with == 0 || missing == 0 || with+int(missing) != len(open) {
		t.Errorf("%d records, and %d are missing", with, missing)
	}
	// The end of a span finds no room while its start has some, and the record stays.
	for _, s := range open {
		s.SetAttributes(attribute.String("more", strings.Repeat("x", 8000)))
		s.End()
	}
	r.flush(t)
	r.want(t, 0, 0)
	if n := strings.Count(r.said.String(), "cannot keep a record"); n != 1 || strings.Count(r.said.String(), "\n") != 1 {
		t.Errorf("it is said %d times: %s", n, r.said)
	}
}

// A file that somebody cuts off costs the records and nothing else.
func TestRecords_cut_off(t *testing.T) {
	r := newRecording(t, 0, BatchConfig{})
	_, a := r.Start(t.Context(), "a")
	if err := os.Truncate(filepath.Join(r.dir, "slate"), 0); err != nil {
		t.Fatal(err)
	}
	_, b := r.Start(t.Context(), "b")
	b.End()
	a.End()
	r.Records().look()
	r.flush(t)
	r.sent(t, 2)
	if s := r.Stats(); s.Sent != 2 || s.Unrecorded == 0 || strings.Count(r.said.String(), "\n") != 1 {
		t.Errorf("%+v, and the log says %s", s, r.said)
	}
}

// A file that somebody deletes is said, although there is memory to write into.
func TestRecords_deleted(t *testing.T) {
	r := newRecording(t, 0, BatchConfig{})
	_, a := r.Start(t.Context(), "a")
	if err := os.Remove(filepath.Join(r.dir, "slate")); err != nil {
		t.Fatal(err)
	}
	r.Records().look()
	if !strings.Contains(r.said.String(), "the records of spans are lost") {
		t.Errorf("the log says %q", r.said)
	}
	_, b := r.Start(t.Context(), "b")
	b.End()
	a.End()
	r.flush(t)
	r.sent(t, 2)
	if s := r.Stats(); s.Sent != 2 || s.Unrecorded == 0 || strings.Count(r.said.String(), "\n") != 1 {
		t.Errorf("%+v, and the log says %s", s, r.said)
	}
}

// Without a spool there are no records, which is said.
func TestRecords_without_spool(t *testing.T) {
	var said bytes.Buffer
	o, err := NewOTLP(t.Context(), OTLPConfig{StartRecords: true, Logger: slog.New(slog.NewTextHandler(&said, nil))})
	if err != nil {
		t.Fatal(err)
	}
	if o.Records() != nil || !strings.Contains(said.String(), "there are no start records") {
		t.Errorf("the log says %s", &said)
	}
	if err := o.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
}
