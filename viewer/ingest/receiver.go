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
)

// Config says where to and how much. Only Path is needed.
type Config struct {
	// Path is the file that lines are appended to; it is created when missing. A torn last line, which a crash leaves
	// behind, is cut off and logged.
	Path string
	// Logger gets what no sender sees: failed writes, a cut line. Nil means none.
	Logger *slog.Logger
	// MaxBody is the largest body in bytes as it comes over the wire; 0 means 16 MiB.
	MaxBody int64
	// MaxDecoded is the largest body in bytes after decompression; 0 means 32 MiB. A body that would take more than four
	// times that in memory when it is decoded, such as one of a million empty spans, is refused as well.
	MaxDecoded int64
	// MaxConcurrent is how many trace requests are decoded and written at a time; 0 means 8. Eight times as many bodies
	// are read or wait meanwhile; more wait in their connections.
	MaxConcurrent int
	// ReadTimeout bounds the reading of one request, so that a stalled sender frees its place; 0 means 30 s.
	ReadTimeout time.Duration
}

const bodiesPerSlot = 8

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
	// Requests is the trace requests that were acknowledged, Spans the spans in them and Bytes what they took in the file.
	Requests, Spans, Bytes int64
	// MetricsRequests and LogsRequests were acknowledged and dropped.
	MetricsRequests, LogsRequests int64
	// Refused is the requests that got a 4xx: the sender's fault, and lost if the sender does not mend them.
	Refused int64
	// WriteErrors is the requests that could not be written, or not taken before their sender gave up. They got a 503,
	// which asks the sender to try again.
	WriteErrors int64
}

type counters struct {
	requests, spans, bytes, metrics, logs, refused, writeErrors atomic.Int64
}

// Receiver is a running OTLP/HTTP receiver. Its methods are safe for concurrent use.
type Receiver struct {
	cfg      Config
	endpoint string
	srv      *http.Server
	file     *lineFile
	bodies   chan struct{} // a place for each body in memory
	slots    chan struct{} // a place for each request that is decoded and written
	failing  atomic.Bool   // the last request could not be kept
	n        counters

	served   chan struct{} // closed when Serve has returned
	serveErr error         // valid after served

	stop    sync.Once
	stopErr error
}

// Start serves OTLP/HTTP on ln, which it owns from then on, also when it fails. The receiver runs until Shutdown; the end
// of ctx does not stop it, because whoever ends a run wants its last spans.
func Start(ctx context.Context, ln net.Listener, c Config) (*Receiver, error) {
	if err := ctx.Err(); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot start receiver: %w", err), ln.Close())
	}
	c = c.withDefaults()
	file, err := openLines(c.Path, c.Logger)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot start receiver: %w", err), ln.Close())
	}
	r := &Receiver{
		cfg:      c,
		endpoint: endpoint(ln.Addr()),
		file:     file,
		bodies:   make(chan struct{}, bodiesPerSlot*c.MaxConcurrent),
		slots:    make(chan struct{}, c.MaxConcurrent),
		served:   make(chan struct{}),
	}
	r.srv = &http.Server{
		Handler:           r.routes(),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       c.ReadTimeout,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          slog.NewLogLogger(c.Logger.Handler(), slog.LevelWarn),
	}
	go func() {
		defer close(r.served)
		r.serveErr = r.srv.Serve(ln)
	}()
	return r, nil
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

// Stats returns the counts so far.
func (r *Receiver) Stats() Stats {
	return Stats{
		Requests:        r.n.requests.Load(),
		Spans:           r.n.spans.Load(),
		Bytes:           r.n.bytes.Load(),
		MetricsRequests: r.n.metrics.Load(),
		LogsRequests:    r.n.logs.Load(),
		Refused:         r.n.refused.Load(),
		WriteErrors:     r.n.writeErrors.Load(),
	}
}

// Shutdown takes no new requests, lets the running ones end, syncs the file and closes it. When ctx ends first it cuts
// the rest off: they are not acknowledged. Every line that was acknowledged is in the file in either case. Later calls
// wait for the first and return what it returned.
func (r *Receiver) Shutdown(ctx context.Context) error {
	r.stop.Do(func() {
		err := r.srv.Shutdown(ctx)
		if err != nil {
			err = errors.Join(fmt.Errorf("cannot drain receiver: %w", err), r.srv.Close())
		}
		<-r.served
		if !errors.Is(r.serveErr, http.ErrServerClosed) {
			err = errors.Join(err, fmt.Errorf("cannot serve OTLP on %s: %w", r.endpoint, r.serveErr))
		}
		r.stopErr = errors.Join(err, r.file.close())
	})
	return r.stopErr
}
