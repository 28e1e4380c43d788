package ingest

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
)

// Config says where to and how much. Path or Sink is needed.
type Config struct {
	// Path is the file that traces are appended to, a request a line; it is created when missing. A torn last line, which
	// a crash leaves behind, is cut off and logged. Metrics and logs do not go there.
	Path string
	// Sink gets everything. With Path too it is asked first: what it takes and the file does not is sent again, and the
	// sink must know a copy when it sees one.
	Sink Sink
	// GRPC is where OTLP/gRPC is served, nil for nowhere. The receiver owns it from then on, like the other listener.
	GRPC net.Listener
	// Logger gets what no sender sees: failed writes, a cut line. Nil means none.
	Logger *slog.Logger
	// Hosts are names and addresses, without a port, by which this machine may be called in a Host header, besides
	// those of the loopback and the address that a connection came in at. Other names get 403, because a page of another
	// site could use one.
	Hosts []string
	// Origins are the origins, such as "http://127.0.0.1:4319", whose pages may send here. Those of others get 403.
	Origins []string
	// MaxBody is the largest HTTP body in bytes as it comes over the wire; 0 means 16 MiB.
	MaxBody int64
	// MaxDecoded is the largest body, or gRPC message, in bytes after decompression; 0 means 32 MiB. A body that would take
	// more than four times that in memory when it is decoded, such as one of a million empty spans, is refused as well.
	MaxDecoded int64
	// MaxConcurrent is how many requests are worked on at a time, whatever they came over; 0 means 8. Eight times as many
	// bodies are read or wait meanwhile; more wait in their connections.
	MaxConcurrent int
	// ReadTimeout bounds the reading of one request, so that a stalled sender frees its place; 0 means 30 s.
	ReadTimeout time.Duration
}

const (
	bodiesPerSlot = 8
	maxHeader     = 64 << 10
	headerTimeout = 10 * time.Second
)

func (c Config) withDefaults() Config {
	if c.Logger == nil {
		c.Logger = slog.New(slog.DiscardHandler)
	}
	if c.MaxBody <= 0 {
		c.MaxBody = 16 << 20
	}
	if c.MaxDecoded <= 0 {
		c.MaxDecoded = 32 << 20
	}
	if c.MaxConcurrent <= 0 {
		c.MaxConcurrent = 8
	}
	if c.ReadTimeout <= 0 {
		c.ReadTimeout = 30 * time.Second
	}
	return c
}

// Stats counts what a receiver has done since its start.
type Stats struct {
	// Requests is the trace requests that were acknowledged, Spans the spans in them that were kept and Bytes what they
	// took in the file.
	Requests, Spans, Bytes int64
	// MetricsRequests and LogsRequests were acknowledged. DataPoints and LogRecords are what of them a Sink has kept.
	MetricsRequests, LogsRequests int64
	DataPoints, LogRecords        int64
	// Rejected is the spans, data points and log records that a Sink turned down within requests that were acknowledged.
	Rejected int64
	// Refused is the requests that got a 4xx: the sender's fault, and lost if the sender does not mend them.
	Refused int64
	// WriteErrors is the requests that could not be written, or not taken before their sender gave up. They got a 503,
	// which asks the sender to try again.
	WriteErrors int64
}

type counters struct {
	requests, spans, bytes, metrics, points, logs, records, rejected, refused, writeErrors atomic.Int64
}

// Receiver is a running receiver of OTLP over HTTP, and over gRPC when it was given a listener for that. Its methods are
// safe for concurrent use.
type Receiver struct {
	cfg          Config
	endpoint     string
	grpcEndpoint string
	file         *lineFile     // nil without Path
	bodies       chan struct{} // a place for each body in memory
	slots        chan struct{} // a place for each request that is worked on
	failing      atomic.Bool   // the last request could not be kept
	n            counters

	http    *http.Server
	grpc    *grpc.Server   // nil without a listener for it
	reading sync.WaitGroup // goroutines that wait for a message of gRPC

	serving sync.WaitGroup
	httpErr error // of Serve, valid after serving
	grpcErr error

	stop    sync.Once
	stopErr error
}

// Start serves OTLP/HTTP on ln, which it owns from then on, also when it fails. The receiver runs until Shutdown; the end
// of ctx does not stop it, because whoever ends a run wants its last spans.
func Start(ctx context.Context, ln net.Listener, c Config) (*Receiver, error) {
	r, err := newReceiver(ctx, c)
	if err != nil {
		err = errors.Join(fmt.Errorf("cannot start receiver: %w", err), ln.Close())
		if c.GRPC != nil {
			err = errors.Join(err, c.GRPC.Close())
		}
		return nil, err
	}
	r.endpoint = endpoint(ln.Addr())
	r.http = &http.Server{
		Handler:           r.handler(),
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       r.cfg.ReadTimeout,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(r.cfg.Logger.Handler(), slog.LevelWarn),
	}
	r.serving.Go(func() { r.httpErr = r.http.Serve(ln) })
	if c.GRPC != nil {
		r.grpcEndpoint = endpoint(c.GRPC.Addr())
		r.grpc = r.grpcServer()
		r.serving.Go(func() { r.grpcErr = r.grpc.Serve(c.GRPC) })
	}
	return r, nil
}

// newReceiver makes a receiver that does not serve yet.
func newReceiver(ctx context.Context, c Config) (*Receiver, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if c.Path == "" && c.Sink == nil {
		return nil, errors.New("configuration has neither Path nor Sink")
	}
	c = c.withDefaults()
	r := &Receiver{
		cfg:    c,
		bodies: make(chan struct{}, bodiesPerSlot*c.MaxConcurrent),
		slots:  make(chan struct{}, c.MaxConcurrent),
	}
	if c.Path == "" {
		return r, nil
	}
	var err error
	r.file, err = openLines(c.Path, c.Logger)
	return r, err
}

// take hands a request in protobuf to whom it is for, and counts it.
func (r *Receiver) take(ctx context.Context, s *signal, req []byte) (receipt, *refusal) {
	items, err := s.inspect(req, r.cfg.MaxDecoded)
	if err != nil {
		return receipt{}, refusalOf(err)
	}
	var took receipt
	if len(req) > 0 {
		if took, err = r.keep(ctx, s, req); err != nil {
			return receipt{}, refusalOf(err)
		}
		r.failing.Store(false)
	}
	took.rejected = min(max(took.rejected, 0), items)
	r.n.rejected.Add(int64(took.rejected))
	requests, kept := r.n.of(s)
	requests.Add(1)
	kept.Add(int64(items - took.rejected))
	return took, nil
}

func (r *Receiver) keep(ctx context.Context, s *signal, req []byte) (took receipt, err error) {
	if r.cfg.Sink != nil {
		if took.rejected, took.why, err = s.put(ctx, r.cfg.Sink, req); err != nil {
			return took, err
		}
	}
	if r.file == nil || s != traces {
		return took, nil
	}
	size, err := r.file.keep(req, r.cfg.MaxDecoded)
	if err == nil {
		r.n.bytes.Add(int64(size))
	}
	return took, err
}

// of returns the counters of a signal.
func (n *counters) of(s *signal) (requests, kept *atomic.Int64) {
	switch s {
	case metrics:
		return &n.metrics, &n.points
	case logs:
		return &n.logs, &n.records
	}
	return &n.requests, &n.spans
}

// count counts a request that was not taken.
func (r *Receiver) count(bad *refusal) {
	if bad.status < 500 {
		r.n.refused.Add(1)
		return
	}
	r.n.writeErrors.Add(1)
	if !r.failing.Swap(true) { // senders try again and again: a full disk is said once
		r.cfg.Logger.Error("cannot keep requests; senders are asked to try again", "error", bad.err)
	}
}

// enter waits for a place.
func enter(ctx context.Context, places chan struct{}) *refusal {
	select {
	case places <- struct{}{}:
		return nil
	case <-ctx.Done():
		return refuse(http.StatusServiceUnavailable, "cannot take request: %w", ctx.Err())
	}
}

// endpoint is the base URL that a sender on this machine uses for a listener's address.
func endpoint(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return "http://" + addr.String()
	}
	switch ip := net.ParseIP(host); {
	case ip == nil:
	case ip.IsUnspecified() && ip.To4() != nil:
		host = "127.0.0.1"
	case ip.IsUnspecified():
		host = "::1"
	}
	return "http://" + net.JoinHostPort(host, port)
}

// Endpoint returns the base URL, without a path: what OTEL_EXPORTER_OTLP_ENDPOINT wants.
func (r *Receiver) Endpoint() string { return r.endpoint }

// GRPCEndpoint returns the URL for OTLP/gRPC, empty when it is not served.
func (r *Receiver) GRPCEndpoint() string { return r.grpcEndpoint }

// Stats returns the counts so far.
func (r *Receiver) Stats() Stats {
	return Stats{
		Requests:        r.n.requests.Load(),
		Spans:           r.n.spans.Load(),
		Bytes:           r.n.bytes.Load(),
		MetricsRequests: r.n.metrics.Load(),
		LogsRequests:    r.n.logs.Load(),
		DataPoints:      r.n.points.Load(),
		LogRecords:      r.n.records.Load(),
		Rejected:        r.n.rejected.Load(),
		Refused:         r.n.refused.Load(),
		WriteErrors:     r.n.writeErrors.Load(),
	}
}

// Shutdown takes no new requests, lets the running ones end, syncs the file and closes it. When ctx ends first it cuts
// the rest off: they are not acknowledged. Every line that was acknowledged is in the file in either case, and no call of
// the Sink is running when Shutdown returns: a sink has to heed the end of its context. Later calls wait for the first
// and return what it returned.
func (r *Receiver) Shutdown(ctx context.Context) error {
	r.stop.Do(func() {
		var httpErr, grpcErr error
		var both sync.WaitGroup
		both.Go(func() { httpErr = r.stopHTTP(ctx) })
		if r.grpc != nil {
			both.Go(func() { grpcErr = r.stopGRPC(ctx) })
		}
		both.Wait()
		r.serving.Wait()
		r.reading.Wait()
		for range cap(r.bodies) { // whoever was cut off has left when all places are ours
			r.bodies <- struct{}{}
		}
		if !errors.Is(r.httpErr, http.ErrServerClosed) {
			httpErr = errors.Join(httpErr, fmt.Errorf("cannot serve OTLP on %s: %w", r.endpoint, r.httpErr))
		}
		if r.grpcErr != nil {
			grpcErr = errors.Join(grpcErr, fmt.Errorf("cannot serve OTLP on %s: %w", r.grpcEndpoint, r.grpcErr))
		}
		r.stopErr = errors.Join(httpErr, grpcErr)
		if r.file != nil {
			r.stopErr = errors.Join(r.stopErr, r.file.close())
		}
	})
	return r.stopErr
}

func (r *Receiver) stopHTTP(ctx context.Context) error {
	err := r.http.Shutdown(ctx)
	if err != nil {
		err = errors.Join(fmt.Errorf("cannot drain receiver: %w", err), r.http.Close())
	}
	return err
}

func (r *Receiver) stopGRPC(ctx context.Context) error {
	drained := make(chan struct{})
	go func() {
		defer close(drained)
		r.grpc.GracefulStop()
	}()
	select {
	case <-drained:
		return nil
	case <-ctx.Done():
		r.grpc.Stop()
		<-drained
		return fmt.Errorf("cannot drain gRPC receiver: %w", ctx.Err())
	}
}
