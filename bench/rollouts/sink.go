package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/lensgo/lens/semconv"
)

// sink receives OTLP over HTTP, counts spans and drops everything. It works in this process, whose CPU time nobody counts.
type sink struct {
	url    string
	server *http.Server
	done   chan error

	mu     sync.Mutex
	bodies [][]byte // of traces; looked at when nobody is measured
}

func listen() (*sink, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &sink{url: "http://" + ln.Addr().String(), done: make(chan error, 1)}
	s.server = &http.Server{Handler: s}
	go func() { s.done <- s.server.Serve(ln) }()
	return s, nil
}

func (s *sink) close() {
	s.server.Close()
	<-s.done
}

func (s *sink) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if encoding := r.Header.Get("Content-Encoding"); err == nil && encoding != "" {
		err = errors.New("this receiver takes no " + encoding)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
	if strings.HasSuffix(r.URL.Path, "/traces") {
		s.mu.Lock()
		s.bodies = append(s.bodies, body)
		s.mu.Unlock()
	}
}

func (s *sink) reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bodies = nil
}

// count is how many rollouts and spans have come since the reset.
func (s *sink) count() (rollouts, spans int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, body := range s.bodies {
		var request tracepb.TracesData // a request is encoded in the same way
		if err := proto.Unmarshal(body, &request); err != nil {
			return 0, 0, fmt.Errorf("cannot read spans: %w", err)
		}
		for _, resource := range request.GetResourceSpans() {
			for _, scope := range resource.GetScopeSpans() {
				spans += len(scope.GetSpans())
				for _, span := range scope.GetSpans() {
					if span.GetName() == semconv.SpanGymRollout {
						rollouts++
					}
				}
			}
		}
	}
	return rollouts, spans, nil
}
