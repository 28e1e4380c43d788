package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"time"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collector takes spans over HTTP, with all the troubles that there are while it is hostile.
type collector struct {
	address string
	server  *http.Server
	served  chan error

	mu       sync.Mutex
	rand     *rand.Rand // nil: it is calm
	calmed   chan struct{}
	bodies   [][]byte // what it took; looked at when nobody is measured
	troubles int      // requests that were in one
}

// newCollector begins to serve.
func newCollector(hostile bool) (*collector, error) {
	c := &collector{calmed: make(chan struct{})}
	if hostile {
		c.rand = rand.New(rand.NewPCG(1, 2))
	}
	return c, c.listen("127.0.0.1:0")
}

func (c *collector) listen(address string) error {
	ln, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	c.address = ln.Addr().String()
	c.server = &http.Server{Handler: c, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)}
	c.served = make(chan error, 1)
	go func() { c.served <- c.server.Serve(ln) }()
	return nil
}

// die closes the port and every connection.
func (c *collector) die() error {
	err := c.server.Close()
	if served := <-c.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// comeBack listens where it was, as soon as the system gives the port back.
func (c *collector) comeBack(ctx context.Context) error {
	for {
		err := c.listen(c.address)
		if err == nil {
			return nil
		}
		select {
		case <-time.After(10 * time.Millisecond):
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		}
	}
}

// calm ends the troubles.
func (c *collector) calm() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rand != nil {
		c.rand = nil
		close(c.calmed)
	}
}

// next is the trouble of a request; -1 is none.
func (c *collector) next() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rand == nil {
		return -1
	}
	trouble := c.rand.IntN(6)
	if trouble < 5 {
		c.troubles++
	}
	return trouble
}

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	switch trouble := c.next(); trouble {
	case 0: // it stalls, and takes nothing
		select {
		case <-r.Context().Done():
		case <-c.calmed:
		}
		panic(http.ErrAbortHandler)
	case 1: // it takes everything, and nobody hears of it
		c.take(body)
		panic(http.ErrAbortHandler)
	case 2: // it takes nothing, and nobody hears of it
		panic(http.ErrAbortHandler)
	case 3, 4:
		w.Header().Set("Retry-After", "1")
		w.WriteHeader([]int{http.StatusTooManyRequests, http.StatusServiceUnavailable}[trouble-3])
	default:
		c.take(body)
	}
}

func (c *collector) take(body []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bodies = append(c.bodies, body)
}

// count is how many spans have come, and how many of them more than once.
func (c *collector) count() (spans, twice int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	times := map[uint64]int{}
	for _, body := range c.bodies {
		var request tracepb.TracesData // a request is encoded in the same way
		if err := proto.Unmarshal(body, &request); err != nil {
			return 0, 0, fmt.Errorf("cannot read spans: %w", err)
		}
		for _, resource := range request.GetResourceSpans() {
			for _, scope := range resource.GetScopeSpans() {
				for _, span := range scope.GetSpans() {
					id := binary.BigEndian.Uint64(span.GetSpanId())
					if times[id]++; times[id] == 2 {
						twice++
					}
				}
			}
		}
	}
	return len(times), twice, nil
}
