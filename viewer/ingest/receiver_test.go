package ingest_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/lensgo/lens/viewer/ingest"
)

// start runs a receiver on a port of its own. The test calls stop when it wants to look at the file.
func start(t testing.TB, c ingest.Config) (r *ingest.Receiver, client *http.Client, stop func()) {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if c.Path == "" && c.Sink == nil {
		c.Path = filepath.Join(t.TempDir(), "traces.jsonl")
	}
	r, err = ingest.Start(t.Context(), ln, c)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	var once sync.Once
	stop = func() {
		once.Do(func() {
			transport.CloseIdleConnections()
			if err := r.Shutdown(context.Background()); err != nil {
				t.Errorf("Shutdown: %v", err)
			}
		})
	}
	t.Cleanup(stop)
	return r, &http.Client{Transport: transport}, stop
}

// request has n spans of one trace with every kind of value that JSON could spoil.
func request(n int, name string) ptraceotlp.ExportRequest {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	rs.Resource().Attributes().PutStr("service.name", "svc")
	ss := rs.ScopeSpans().AppendEmpty()
	for i := range n {
		s := ss.Spans().AppendEmpty()
		s.SetTraceID(pcommon.TraceID{0x0a, 0xf7, 0x65, 15: 0x9c})
		s.SetSpanID(pcommon.SpanID{0xb7, 7: byte(i)})
		s.SetName(name)
		s.SetKind(ptrace.SpanKindServer)
		s.SetStartTimestamp(pcommon.Timestamp(math.MaxInt64))
		s.Attributes().PutInt("big", math.MaxInt64)
		s.Attributes().PutDouble("inf", math.Inf(1))
		s.Attributes().PutStr("text", "line\nbreak \u2028 \"quoted\" 😀")
		s.Attributes().PutEmptyBytes("bytes").FromRaw([]byte{0, 1, 255})
		s.Status().SetCode(ptrace.StatusCodeError)
	}
	return ptraceotlp.NewExportRequestFromTraces(td)
}

func protobuf(t testing.TB, req ptraceotlp.ExportRequest) []byte {
	t.Helper()
	b, err := req.MarshalProto()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

type answer struct {
	status int
	header http.Header
	body   []byte
}

func send(t testing.TB, client *http.Client, method, url string, body io.Reader, header map[string]string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, body)
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range header {
		req.Header.Set(k, v)
	}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, b}
}

var (
	proto     = map[string]string{"Content-Type": "application/x-protobuf"}
	asJSON    = map[string]string{"Content-Type": "application/json"}
	protoGzip = map[string]string{"Content-Type": "application/x-protobuf", "Content-Encoding": "gzip"}
)

func gz(t testing.TB, b []byte) []byte {
	t.Helper()
	var buf bytes.Buffer
	w := gzip.NewWriter(&buf)
	if _, err := w.Write(b); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// readAll returns every request of a file in protobuf, to compare.
func readAll(t testing.TB, path string) (requests []string, spans int) {
	t.Helper()
	err := ingest.ReadFile(path, func(td ptrace.Traces) error {
		requests = append(requests, string(protobuf(t, ptraceotlp.NewExportRequestFromTraces(td))))
		spans += td.SpanCount()
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return requests, spans
}

func TestReceiver_traces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "traces.jsonl")
	r, client, stop := start(t, ingest.Config{Path: path})
	plain, packed := protobuf(t, request(2, "plain")), protobuf(t, request(3, "packed"))

	for _, a := range []answer{
		send(t, client, "POST", r.Endpoint()+"/v1/traces", bytes.NewReader(plain), proto),
		send(t, client, "POST", r.Endpoint()+"/v1/traces", bytes.NewReader(gz(t, packed)), protoGzip),
	} {
		if a.status != 200 || a.header.Get("Content-Type") != "application/x-protobuf" || len(a.body) != 0 {
			t.Errorf("answer %d %q, %d bytes; want 200, application/x-protobuf, an empty message",
				a.status, a.header.Get("Content-Type"), len(a.body))
		}
	}
	// An acknowledged request is in the file before anything is shut down.
	if _, spans := readAll(t, path); spans != 5 {
		t.Errorf("%d spans in the file, want 5", spans)
	}
	stop()
	requests, _ := readAll(t, path)
	if diff := cmp.Diff([]string{string(plain), string(packed)}, requests); diff != "" {
		t.Errorf("requests read back (-sent +got):\n%s", diff)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n != 2 {
		t.Errorf("%d lines, want 2", n)
	}
	for _, want := range []string{`"traceId":"0af7650000000000000000000000009c"`, `"spanId":"b700000000000001"`, `"kind":2`, `"intValue":"9223372036854775807"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("file has no %s:\n%s", want, text)
		}
	}
	got := r.Stats()
	if got.Requests != 2 || got.Spans != 5 || got.Bytes != int64(len(text)) {
		t.Errorf("stats %+v, want 2 requests, 5 spans, %d bytes", got, len(text))
	}
}

// OT-17, over HTTP in protobuf: the empty request.
func TestReceiver_empty_request(t *testing.T) {
	path := filepath.Join(t.TempDir(), "traces.jsonl")
	r, client, stop := start(t, ingest.Config{Path: path})
	if a := send(t, client, "POST", r.Endpoint()+"/v1/traces", nil, proto); a.status != 200 {
		t.Errorf("status %d, want 200", a.status)
	}
	if a := send(t, client, "POST", r.Endpoint()+"/v1/traces", bytes.NewReader(gz(t, nil)), protoGzip); a.status != 200 {
		t.Errorf("gzip: status %d, want 200", a.status)
	}
	stop()
	if text, _ := os.ReadFile(path); len(text) != 0 {
		t.Errorf("file has %q, want nothing", text)
	}
	if got := r.Stats(); got.Requests != 2 {
		t.Errorf("stats %+v, want 2 requests", got)
	}
}

func TestReceiver_refusals(t *testing.T) {
	body := protobuf(t, request(1, "x"))
	lying := gz(t, body)
	binary.LittleEndian.PutUint32(lying[len(lying)-4:], 1<<30)
	limits := ingest.Config{MaxBody: 4096, MaxDecoded: 8192}
	tests := []struct {
		name   string
		method string
		header map[string]string
		body   []byte
		status int
		code   uint64 // of google.rpc.Status; 0: plain text
		text   string
	}{
		{"GET", "GET", proto, nil, 405, 0, "must be POST"},
		{"PUT", "PUT", proto, body, 405, 0, "must be POST"},
		{"text", "POST", map[string]string{"Content-Type": "text/plain"}, body, 415, 0, `"text/plain"`},
		{"no type", "POST", nil, body, 415, 0, "application/x-protobuf"},
		{"unknown encoding", "POST", map[string]string{"Content-Type": "application/x-protobuf", "Content-Encoding": "zstd"}, body, 415, 0, "gzip"},
		{"encoded twice", "POST", map[string]string{"Content-Type": "application/x-protobuf", "Content-Encoding": "gzip, gzip"}, body, 415, 0, "gzip"},
		{"no protobuf", "POST", proto, []byte("hello"), 400, 3, "ExportTraceServiceRequest"},
		{"cut off protobuf", "POST", proto, body[:len(body)-3], 400, 3, "ExportTraceServiceRequest"},
		{"no gzip", "POST", protoGzip, []byte("this is not gzip data"), 400, 3, "decompress"},
		{"cut off gzip", "POST", protoGzip, gz(t, body)[:40], 400, 3, "decompress"},
		{"gzip of nothing", "POST", protoGzip, []byte{}, 400, 3, "decompress"},
		{"gzip with a lying size", "POST", protoGzip, lying, 400, 3, "decompress"},
		{"large body", "POST", proto, make([]byte, 4097), 413, 8, "4096"},
		{"large after decompression", "POST", protoGzip, gz(t, make([]byte, 8193)), 413, 8, "8192"},
	}
	r, client, _ := start(t, limits)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := send(t, client, tt.method, r.Endpoint()+"/v1/traces", bytes.NewReader(tt.body), tt.header)
			if a.status != tt.status || !strings.Contains(string(a.body), tt.text) {
				t.Errorf("answer %d %q, want %d with %q", a.status, a.body, tt.status, tt.text)
			}
			if tt.code == 0 {
				return
			}
			if got := a.header.Get("Content-Type"); got != "application/x-protobuf" {
				t.Errorf("content type %q, want application/x-protobuf", got)
			}
			checkStatus(t, a.body, tt.code)
		})
	}
	if a := send(t, client, "GET", r.Endpoint()+"/v1/traces", nil, nil); a.header.Get("Allow") != "POST" {
		t.Errorf("Allow is %q, want POST", a.header.Get("Allow"))
	}
	if a := send(t, client, "POST", r.Endpoint()+"/v1/nothing", nil, proto); a.status != 404 {
		t.Errorf("unknown path: status %d, want 404", a.status)
	}
	if got := r.Stats(); got.Refused != int64(len(tests))+1 || got.Requests != 0 {
		t.Errorf("stats %+v, want %d refused", got, len(tests)+1)
	}
}

// checkStatus reads a google.rpc.Status by hand: code is field 1, message is field 2.
func checkStatus(t *testing.T, b []byte, code uint64) {
	t.Helper()
	if len(b) < 4 || b[0] != 0x08 || uint64(b[1]) != code || b[2] != 0x12 {
		t.Fatalf("body %x is no google.rpc.Status with code %d", b, code)
	}
	n, size := binary.Uvarint(b[3:])
	if int(n) != len(b)-3-size {
		t.Errorf("message of %d bytes is announced, %d came", n, len(b)-3-size)
	}
}

func TestReceiver_content_type_forms(t *testing.T) {
	r, client, _ := start(t, ingest.Config{})
	for _, ct := range []string{"application/x-protobuf; charset=utf-8", "APPLICATION/X-PROTOBUF"} {
		a := send(t, client, "POST", r.Endpoint()+"/v1/traces", nil, map[string]string{"Content-Type": ct, "Content-Encoding": "identity"})
		if a.status != 200 {
			t.Errorf("%s: status %d, want 200", ct, a.status)
		}
	}
}

// A gzip body may be several members one after the other; the announced size is then that of the last.
func TestReceiver_gzip_members(t *testing.T) {
	path := filepath.Join(t.TempDir(), "traces.jsonl")
	r, client, stop := start(t, ingest.Config{Path: path})
	body := protobuf(t, request(9, "x"))
	members := append(gz(t, body[:len(body)-2]), gz(t, body[len(body)-2:])...)
	if a := send(t, client, "POST", r.Endpoint()+"/v1/traces", bytes.NewReader(members), protoGzip); a.status != 200 {
		t.Errorf("status %d, want 200", a.status)
	}
	stop()
	if requests, _ := readAll(t, path); len(requests) != 1 || requests[0] != string(body) {
		t.Errorf("the request did not come through")
	}
}

// OT-13, over HTTP: 128 MiB of zeros in 130 KB of gzip.
func TestReceiver_gzip_bomb(t *testing.T) {
	bomb := bombOf(t, 128<<20)
	honest := len(bomb)
	lying := bytes.Clone(bomb) // says that it is small
	binary.LittleEndian.PutUint32(lying[honest-4:], 1000)
	r, client, _ := start(t, ingest.Config{})
	for name, body := range map[string][]byte{"honest": bomb, "lying": lying} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		a := send(t, client, "POST", r.Endpoint()+"/v1/traces", bytes.NewReader(body), protoGzip)
		runtime.ReadMemStats(&after)
		if a.status != 413 {
			t.Errorf("%s: status %d, want 413", name, a.status)
		}
		if grown := int64(after.Sys) - int64(before.Sys); grown > 64<<20 {
			t.Errorf("%s: memory grew by %d MiB, want less than 64", name, grown>>20)
		}
	}
	if a := send(t, client, "POST", r.Endpoint()+"/v1/traces", bytes.NewReader(protobuf(t, request(1, "x"))), proto); a.status != 200 {
		t.Errorf("after the bomb: status %d, want 200", a.status)
	}
}

func bombOf(t *testing.T, size int) []byte {
	t.Helper()
	var buf bytes.Buffer
	w, err := gzip.NewWriterLevel(&buf, gzip.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	zeros := make([]byte, 1<<20)
	for range size / len(zeros) {
		if _, err := w.Write(zeros); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// Without a sink metrics and logs are taken, counted and dropped.
func TestReceiver_metrics_and_logs(t *testing.T) {
	path := filepath.Join(t.TempDir(), "traces.jsonl")
	r, client, stop := start(t, ingest.Config{Path: path, MaxBody: 100})
	for _, signal := range []string{"metrics", "logs"} {
		url := r.Endpoint() + "/v1/" + signal
		if a := send(t, client, "POST", url, nil, proto); a.status != 200 || len(a.body) != 0 {
			t.Errorf("%s: answer %d %q, want 200 and an empty message", signal, a.status, a.body)
		}
		a := send(t, client, "POST", url, strings.NewReader("{}"), asJSON)
		if a.status != 200 || string(a.body) != "{}" || a.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s in JSON: answer %d %q %s, want 200 {}", signal, a.status, a.body, a.header.Get("Content-Type"))
		}
		for _, refused := range []struct {
			method string
			header map[string]string
			body   string
			status int
		}{
			{"GET", proto, "", 405},
			{"POST", nil, "", 415},
			{"POST", proto, "anything", 400},
			{"POST", asJSON, "anything", 400},
			{"POST", proto, strings.Repeat("x", 101), 413},
		} {
			a := send(t, client, refused.method, url, strings.NewReader(refused.body), refused.header)
			if a.status != refused.status {
				t.Errorf("%s %s of %.10q: status %d, want %d", refused.method, signal, refused.body, a.status, refused.status)
			}
		}
	}
	stop()
	if text, _ := os.ReadFile(path); len(text) != 0 {
		t.Errorf("file has %q, want nothing", text)
	}
	if diff := cmp.Diff(ingest.Stats{MetricsRequests: 2, LogsRequests: 2, Refused: 10}, r.Stats()); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
}

func TestReceiver_concurrent_senders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "traces.jsonl")
	r, client, stop := start(t, ingest.Config{Path: path, MaxConcurrent: 3})
	const senders, each = 8, 20
	want := map[string]bool{}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for s := range senders {
		wg.Go(func() {
			for i := range each {
				name := fmt.Sprintf("span-%d-%d", s, i)
				body := protobuf(t, request(1+i%3, name))
				if a := send(t, client, "POST", r.Endpoint()+"/v1/traces", bytes.NewReader(body), proto); a.status != 200 {
					t.Errorf("status %d, want 200", a.status)
				}
				mu.Lock()
				want[string(body)] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	stop()
	requests, spans := readAll(t, path)
	if len(requests) != senders*each || int64(spans) != r.Stats().Spans {
		t.Errorf("%d requests with %d spans in the file, want %d with %d", len(requests), spans, senders*each, r.Stats().Spans)
	}
	for _, b := range requests {
		if !want[b] {
			t.Fatal("the file has a request that nobody sent")
		}
	}
}

// Shutdown waits for a request that is being read, and the request is kept.
func TestReceiver_shutdown_drains(t *testing.T) {
	path := filepath.Join(t.TempDir(), "traces.jsonl")
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r, err := ingest.Start(t.Context(), ln, ingest.Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	body := protobuf(t, request(2, "late"))

	reader, writer := io.Pipe()
	got := make(chan answer, 1)
	go func() { got <- send(t, client, "POST", r.Endpoint()+"/v1/traces", reader, proto) }()
	// The first byte is taken from the pipe only when the connection is up and the request is under way.
	if _, err := writer.Write(body[:1]); err != nil {
		t.Fatal(err)
	}
	waitForRequest(t, r)

	stopped := make(chan error, 1)
	go func() { stopped <- r.Shutdown(context.Background()) }()
	select {
	case err := <-stopped:
		t.Fatalf("Shutdown returned %v while a request was running", err)
	default:
	}
	if _, err := writer.Write(body[1:]); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	if a := <-got; a.status != 200 {
		t.Errorf("status %d, want 200", a.status)
	}
	if err := <-stopped; err != nil {
		t.Errorf("Shutdown: %v", err)
	}
	if _, spans := readAll(t, path); spans != 2 {
		t.Errorf("%d spans in the file, want 2", spans)
	}
	if err := r.Shutdown(context.Background()); err != nil {
		t.Errorf("second Shutdown: %v", err)
	}
}

// waitForRequest returns when the server works on a request: with one place to work in, a second sender has to wait.
func waitForRequest(t *testing.T, r *ingest.Receiver) {
	t.Helper()
	for r.Running() == 0 {
		runtime.Gosched()
	}
}

func TestReceiver_shutdown_deadline(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "traces.jsonl")
	r, err := ingest.Start(t.Context(), ln, ingest.Config{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.Endpoint(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprint(conn, "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\nContent-Length: 100\r\n\r\nabc")
	waitForRequest(t, r)

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := r.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Shutdown: %v, want context.Canceled", err)
	}
	if _, err := io.ReadAll(conn); err != nil && !errors.Is(err, net.ErrClosed) {
		t.Logf("connection ended with: %v", err)
	}
}

func TestReceiver_write_failure(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("needs /dev/full")
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r, err := ingest.Start(t.Context(), ln, ingest.Config{Path: "/dev/full"})
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	a := send(t, &http.Client{Transport: transport}, "POST", r.Endpoint()+"/v1/traces", bytes.NewReader(protobuf(t, request(1, "x"))), proto)
	if a.status != 503 || a.header.Get("Retry-After") == "" {
		t.Errorf("status %d, Retry-After %q, want 503 and a time", a.status, a.header.Get("Retry-After"))
	}
	checkStatus(t, a.body, 14)
	if got := r.Stats(); got.WriteErrors != 1 || got.Requests != 0 || got.Spans != 0 {
		t.Errorf("stats %+v, want 1 write error and no request", got)
	}
	_ = r.Shutdown(context.Background()) // a device cannot be synced
}

func TestStart_failures(t *testing.T) {
	listen := func() net.Listener {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		return ln
	}
	ln := listen()
	path := filepath.Join(t.TempDir(), "no", "such", "folder", "t.jsonl")
	if _, err := ingest.Start(t.Context(), ln, ingest.Config{Path: path}); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v, want one that names %s", err, path)
	}
	if _, err := ln.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener is still open: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ingest.Start(ctx, listen(), ingest.Config{Path: filepath.Join(t.TempDir(), "t")}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
}

func TestReceiver_endpoint_of_any_address(t *testing.T) {
	ln, err := net.Listen("tcp4", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	r, err := ingest.Start(t.Context(), ln, ingest.Config{Path: filepath.Join(t.TempDir(), "t.jsonl")})
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("http://127.0.0.1:%d", ln.Addr().(*net.TCPAddr).Port); r.Endpoint() != want {
		t.Errorf("endpoint %s, want %s", r.Endpoint(), want)
	}
	if err := r.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestReceiver_invalid_utf8(t *testing.T) {
	path := filepath.Join(t.TempDir(), "traces.jsonl")
	r, client, stop := start(t, ingest.Config{Path: path})
	body := protobuf(t, request(1, "bad\xffname"))
	if a := send(t, client, "POST", r.Endpoint()+"/v1/traces", bytes.NewReader(body), proto); a.status != 200 {
		t.Errorf("status %d, want 200", a.status)
	}
	stop()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "bad\uFFFDname") {
		t.Errorf("file has no bad\uFFFDname: %s", text)
	}
}

// The file of an earlier run is appended to; what a crash tore off its end is cut.
func TestStart_existing_file(t *testing.T) {
	line := `{"resourceSpans":[{"resource":{},"scopeSpans":[{"scope":{},"spans":[{"name":"old"}]}]}]}`
	tests := []struct {
		name, before string
		spans        int
	}{
		{"whole", line + "\n", 2},
		{"without its last line break", line + "\n" + line, 3},
		{"torn", line + "\n" + line[:50], 2},
		{"torn in its only line", line[:50], 1},
		{"torn in a long line", line + "\n" + `{"resourceSpans":[{"resource":{"attributes":[{"key":"` + strings.Repeat("x", 200_000), 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "traces.jsonl")
			if err := os.WriteFile(path, []byte(tt.before), 0o644); err != nil {
				t.Fatal(err)
			}
			r, client, stop := start(t, ingest.Config{Path: path})
			send(t, client, "POST", r.Endpoint()+"/v1/traces", bytes.NewReader(protobuf(t, request(1, "new"))), proto)
			stop()
			if _, spans := readAll(t, path); spans != tt.spans {
				t.Errorf("%d spans, want %d", spans, tt.spans)
			}
		})
	}
}

// stall sends a part of a request and stops.
func stall(t *testing.T, r *ingest.Receiver) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(r.Endpoint(), "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	fmt.Fprint(conn, "POST /v1/traces HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-protobuf\r\nContent-Length: 100\r\n\r\nabc")
}

func TestReceiver_slow_sender_holds_nobody_up(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r, err := ingest.Start(t.Context(), ln, ingest.Config{
		Path: filepath.Join(t.TempDir(), "t.jsonl"), MaxConcurrent: 1, ReadTimeout: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	for n := range ingest.BodiesPerSlot - 1 {
		stall(t, r)
		for r.Running() == n {
			runtime.Gosched()
		}
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	if a := send(t, &http.Client{Transport: transport}, "POST", r.Endpoint()+"/v1/traces", nil, proto); a.status != 200 {
		t.Errorf("status %d, want 200", a.status)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_ = r.Shutdown(ctx) // they stall for an hour
}

func TestReceiver_slow_sender_is_cut(t *testing.T) {
	r, client, _ := start(t, ingest.Config{MaxConcurrent: 1, ReadTimeout: time.Second})
	for range ingest.BodiesPerSlot {
		stall(t, r)
	}
	for r.Running() < ingest.BodiesPerSlot && r.Stats().Refused == 0 { // a slow machine may cut the first before it sees the last
		runtime.Gosched()
	}
	// All places are taken by senders that say nothing more; this one gets one in the end.
	if a := send(t, client, "POST", r.Endpoint()+"/v1/traces", nil, proto); a.status != 200 {
		t.Errorf("status %d, want 200", a.status)
	}
}

// field is a field of bytes, tag and length before it.
func field(number byte, b []byte) []byte {
	return append(binary.AppendUvarint([]byte{number<<3 | 2}, uint64(len(b))), b...)
}

// A body that is small on the wire and when it is unpacked can still be large when it is decoded, or too deep for a stack.
func TestReceiver_small_bodies_that_grow(t *testing.T) {
	r, client, _ := start(t, ingest.Config{MaxDecoded: 1 << 20})
	spans := func(span []byte) []byte { return field(1, field(2, span)) }
	nested := func(levels int) []byte {
		value := []byte{}
		for range levels {
			value = field(5, field(1, value))
		}
		return spans(field(2, field(9, field(2, value))))
	}
	for _, c := range []struct {
		name   string
		body   []byte
		status int
	}{
		{"empty spans", spans(bytes.Repeat([]byte{2<<3 | 2, 0}, 100_000)), 413},
		{"empty events", spans(field(2, bytes.Repeat([]byte{11<<3 | 2, 0}, 100_000))), 413},
		{"empty attributes in a group", spans(field(2, slices.Concat([]byte{7<<3 | 3, 7<<3 | 4},
			bytes.Repeat([]byte{9<<3 | 2, 0}, 100_000)))), 413},
		{"not so many empty spans", spans(bytes.Repeat([]byte{2<<3 | 2, 0}, 10_000)), 200},
		{"values in values", nested(40), 200},
		{"far too many of them", nested(2_000), 400},
	} {
		t.Run(c.name, func(t *testing.T) {
			header := map[string]string{"Content-Type": "application/x-protobuf", "Content-Encoding": "gzip"}
			a := send(t, client, "POST", r.Endpoint()+"/v1/traces", bytes.NewReader(gz(t, c.body)), header)
			if a.status != c.status {
				t.Errorf("status %d, want %d: %s", a.status, c.status, a.body)
			}
		})
	}
}

// A disk that is full is said once, not for each of the many that try again.
func TestReceiver_write_failure_is_logged_once(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("needs /dev/full")
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	r, err := ingest.Start(t.Context(), ln, ingest.Config{Path: "/dev/full", Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	for range 3 {
		send(t, &http.Client{Transport: transport}, "POST", r.Endpoint()+"/v1/traces",
			bytes.NewReader(protobuf(t, request(1, "x"))), proto)
	}
	_ = r.Shutdown(context.Background()) // a device cannot be synced
	if n := strings.Count(log.String(), "no space"); n != 1 {
		t.Errorf("logged %d times:\n%s", n, &log)
	}
}
