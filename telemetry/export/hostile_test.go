package export_test

import (
	"context"
	"encoding/binary"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"sync"
	"testing"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/lensgo/lens/telemetry/export"
)

// hostile is a collector in every trouble there is: it stalls, resets before and after it has taken something, answers 429 and
// 503 with Retry-After, and is gone for a while.
type hostile struct {
	mu       sync.Mutex
	rand     *rand.Rand
	times    map[uint32]int // how often each span arrived
	lost     map[uint32]int // how often the answer to a request with it was lost
	requests int
	calm     bool
}

func (h *hostile) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var request coltracepb.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	switch trouble := h.next(); trouble {
	case 0: // it stalls, and takes nothing
		<-r.Context().Done()
		h.answerLost(&request)
	case 1: // it takes everything, and nobody hears of it
		h.take(&request)
		h.answerLost(&request)
		panic(http.ErrAbortHandler)
	case 2: // it takes nothing, and nobody hears of it
		h.answerLost(&request)
		panic(http.ErrAbortHandler)
	case 3, 4:
		w.Header().Set("Retry-After", "0")
		w.WriteHeader([]int{http.StatusTooManyRequests, http.StatusServiceUnavailable}[trouble-3])
	default:
		h.take(&request)
	}
}

// next is the trouble of a request; most of the first ones are in one.
func (h *hostile) next() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.requests++
	if h.calm {
		return 5
	}
	return h.rand.IntN(10)
}

func (h *hostile) take(r *coltracepb.ExportTraceServiceRequest)       { h.each(r, h.times) }
func (h *hostile) answerLost(r *coltracepb.ExportTraceServiceRequest) { h.each(r, h.lost) }

func (h *hostile) each(r *coltracepb.ExportTraceServiceRequest, counts map[uint32]int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, rs := range r.ResourceSpans {
		for _, ss := range rs.ScopeSpans {
			for _, s := range ss.Spans {
				counts[binary.BigEndian.Uint32(s.SpanId)]++
			}
		}
	}
}

// numbered is a span whose id is its number.
func numbered(n uint32) sdktrace.ReadOnlySpan {
	var id trace.SpanID
	binary.BigEndian.PutUint32(id[:], n+1)
	return tracetest.SpanStub{
		Name: "step",
		SpanContext: trace.NewSpanContext(trace.SpanContextConfig{
			TraceID: trace.TraceID{1}, SpanID: id, TraceFlags: trace.FlagsSampled}),
	}.Snapshot()
}

// 100,000 spans before the hostile collector: each arrives, and twice only when it was in a request whose answer was lost,
// which the counts say. The program's side never waits: OnEnd drops nothing although nobody takes anything for a while.
func TestOTLP_hostile_collector(t *testing.T) {
	const spans = 100_000
	h := &hostile{rand: rand.New(rand.NewPCG(1, 2)), times: map[uint32]int{}, lost: map[uint32]int{}}
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.Start()
	address := server.Listener.Addr().String()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "300")
	log := slog.New(slog.DiscardHandler)
	e, err := export.NewOTLP(t.Context(), export.OTLPConfig{Logger: log, SpoolDir: t.TempDir() + "/spool"})
	noError(t, err)
	b := export.NewBatch(e, export.BatchConfig{Logger: log, BatchSize: 5000})

	var peak uint64
	for n := range uint32(spans) {
		if n%5000 == 0 {
			noError(t, b.ForceFlush(t.Context())) // what a program does over minutes is done in a second: the queue need not hold it
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			peak = max(peak, m.HeapAlloc)
		}
		if n == spans/2 { // it dies
			server.CloseClientConnections()
			_ = server.Listener.Close()
		}
		b.OnEnd(numbered(n))
	}
	noError(t, b.ForceFlush(t.Context()))
	if s := e.Stats(); s.Spooled == 0 {
		t.Errorf("nothing is on disk while the collector is away: %+v", s)
	}
	server.CloseClientConnections()
	back := httptest.NewUnstartedServer(h) // and returns, where it was
	_ = back.Listener.Close()
	back.Listener = listenAgain(t, address)
	back.Config.ErrorLog = server.Config.ErrorLog
	back.Start()
	t.Cleanup(func() { back.CloseClientConnections(); back.Close(); server.Close() })
	waitUntil(t, "half of what was on disk is sent", func() bool { return e.Stats().Sent > 3*spans/4 })
	h.mu.Lock()
	h.calm = true
	h.mu.Unlock()
	waitUntil(t, "everything is sent", func() bool { return e.Stats().Spooled == 0 })
	noError(t, b.Shutdown(t.Context()))

	h.check(t, spans, b.Stats(), e.Stats())
	if peak > 100<<20 {
		t.Errorf("the heap grew to %d MiB", peak>>20)
	}
}

func (h *hostile) check(t *testing.T, spans int, b export.Stats, s export.DeliveryStats) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if b.Ended != uint64(spans) || b.Dropped != 0 || b.Failed != 0 || s.Sent != uint64(spans) {
		t.Errorf("%+v %+v", b, s)
	}
	twice := 0
	for n := range uint32(spans) {
		switch times := h.times[n+1]; {
		case times == 0:
			t.Fatalf("span %d has not arrived", n)
		case times > 1+h.lost[n+1]:
			t.Fatalf("span %d arrived %d times, and the answer was lost %d times", n, times, h.lost[n+1])
		case times > 1:
			twice++
		}
	}
	if twice == 0 || uint64(twice) > s.Repeated {
		t.Errorf("%d spans arrived twice, and the counts say that at most %d did", twice, s.Repeated)
	}
	t.Logf("%d requests; %d spans twice, at most %d by the counts in %d requests", h.requests, twice, s.Repeated, s.RepeatedRequests)
}

// listenAgain listens where a server was, as soon as the system gives the port back.
func listenAgain(t *testing.T, address string) net.Listener {
	t.Helper()
	var l net.Listener
	waitUntil(t, "the port is free again", func() bool {
		var err error
		l, err = net.Listen("tcp", address)
		return err == nil
	})
	return l
}

// waitUntil looks again and again until something holds.
func waitUntil(t *testing.T, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("not within two minutes: %s", what)
		}
	}
}
