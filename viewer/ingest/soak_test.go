package ingest_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding/gzip"

	"github.com/lensgo/lens/viewer/ingest"
)

// tally counts the spans of each name.
type tally struct {
	shelf
	t testing.TB
}

func (s *tally) names() map[string]int {
	spans, _, _ := s.decoded(s.t)
	out := map[string]int{}
	for _, span := range spans {
		out[span.Name()]++
	}
	return out
}

// TestSoak has many clients of every kind send at the same time, with some that leave in the middle of a request and some
// that send nonsense. Whatever was acknowledged is there once, and nothing else. LENS_SOAK makes it many more.
func TestSoak(t *testing.T) {
	each := 15
	if os.Getenv("LENS_SOAK") != "" {
		each = 500
	}
	const clients = 32
	path, sink := filepath.Join(t.TempDir(), "traces.jsonl"), &tally{t: t}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	r, client, stop := start(t, ingest.Config{Path: path, Sink: sink, GRPC: ln, MaxConcurrent: 2})
	url := r.Endpoint() + "/v1/traces"
	jsonGzip := map[string]string{"Content-Type": "application/json", "Content-Encoding": "gzip"}

	done := make(chan struct{}, clients)
	for c := range clients {
		conn := dial(t, r)
		go func() {
			defer func() { done <- struct{}{} }()
			for i := range each {
				spans := request(4, fmt.Sprintf("span-%d-%d", c, i))
				body, status := protobuf(t, spans), 200
				asText, err := spans.MarshalJSON()
				if err != nil {
					t.Error(err)
				}
				switch c % 8 {
				case 0:
					status = send(t, client, "POST", url, bytes.NewReader(body), proto).status
				case 1:
					status = send(t, client, "POST", url, bytes.NewReader(gz(t, body)), protoGzip).status
				case 2:
					status = send(t, client, "POST", url, bytes.NewReader(asText), asJSON).status
				case 3:
					status = send(t, client, "POST", url, bytes.NewReader(gz(t, asText)), jsonGzip).status
				case 4, 5:
					var options []grpc.CallOption
					if c%8 == 5 {
						options = append(options, grpc.UseCompressor(gzip.Name))
					}
					if _, err := ptraceotlp.NewGRPCClient(conn).Export(t.Context(), spans, options...); err != nil {
						t.Error(err)
					}
				case 6:
					if a := send(t, client, "POST", url, bytes.NewReader(body[:len(body)-1]), proto); a.status != 400 {
						t.Errorf("nonsense: status %d, want 400", a.status)
					}
				case 7:
					leave(t, r, body)
				}
				if status != 200 {
					t.Errorf("status %d, want 200", status)
				}
			}
		}()
	}
	for range clients {
		<-done
	}
	stop()
	const good = clients / 8 * 6
	names := sink.names()
	if len(names) != good*each {
		t.Errorf("%d names in the sink, want %d", len(names), good*each)
	}
	for name, n := range names {
		if n != 4 {
			t.Fatalf("%s is there %d times, want 4", name, n)
		}
	}
	requests, spans := readAll(t, path)
	if len(requests) != good*each || spans != 4*good*each {
		t.Errorf("%d requests with %d spans in the file, want %d with %d", len(requests), spans, good*each, 4*good*each)
	}
	if got := r.Stats(); got.Spans != int64(spans) || got.Requests != int64(len(requests)) || got.Refused < clients/8*int64(each) {
		t.Errorf("stats %+v, want %d requests with %d spans", got, len(requests), spans)
	}
}

// leave sends a part of a request and hangs up.
func leave(t testing.TB, r *ingest.Receiver, body []byte) {
	conn, err := net.Dial("tcp", r.Endpoint()[len("http://"):])
	if err != nil {
		t.Error(err)
		return
	}
	fmt.Fprintf(conn, "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\nContent-Length: %d\r\n\r\n%s",
		len(body), body[:len(body)/2])
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
}

// A sink that never ends holds up nobody for longer than the context of the shutdown.
func TestShutdown_cuts_off_a_slow_sink(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	called, ended := make(chan struct{}), false
	r, err := ingest.Start(t.Context(), ln, ingest.Config{Sink: slow{called, &ended}})
	must(t, err)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	failed := make(chan error, 1)
	go func() {
		resp, err := client.Post(r.Endpoint()+"/v1/traces", "application/x-protobuf", bytes.NewReader([]byte{0x0a, 0}))
		if err == nil {
			err = resp.Body.Close()
		}
		failed <- err
	}()
	<-called
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Shutdown(ctx); err == nil {
		t.Error("no error")
	}
	if !ended {
		t.Error("the sink is still at it")
	}
	if err := <-failed; err == nil {
		t.Error("the request was answered")
	}
}

// slow waits until it is told to stop.
type slow struct {
	called chan struct{}
	ended  *bool
}

func (s slow) wait(ctx context.Context) (int, string, error) {
	close(s.called)
	<-ctx.Done()
	*s.ended = true
	return 0, "", ctx.Err()
}

func (s slow) Traces(ctx context.Context, _ []byte) (int, string, error)  { return s.wait(ctx) }
func (s slow) Metrics(ctx context.Context, _ []byte) (int, string, error) { return s.wait(ctx) }
func (s slow) Logs(ctx context.Context, _ []byte) (int, string, error)    { return s.wait(ctx) }
