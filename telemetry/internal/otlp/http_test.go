package otlp_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	rpcpb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/protobuf/proto"

	"github.com/lensgo/lens/telemetry/internal/otlp"
)

// body is a request, of no interest to a collector that reads nothing of it.
var body = []byte("\x0a\x00")

// serve starts a collector for a test.
func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewUnstartedServer(h)
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.Start()
	t.Cleanup(server.Close)
	return server
}

// answer is a collector that reads the request and says the same to each.
func answer(status int, text string, header ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for _, line := range header {
			name, value, _ := strings.Cut(line, ": ")
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

// TestHTTP_status: OT-15.
func TestHTTP_status(t *testing.T) {
	for status, retry := range map[int]bool{
		400: false, 401: false, 403: false, 404: false, 408: false, 413: false, 415: false, 500: false, 501: false,
		429: true, 502: true, 503: true, 504: true,
	} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			server := serve(t, answer(status, "because\n", "Retry-After: 7"))
			s := sender(t, otlp.Traces, "ENDPOINT="+server.URL)
			f := fail(t.Context(), t, s, body)
			if f.Retry != retry || f.Lasting {
				t.Errorf("retry %t, lasting %t", f.Retry, f.Lasting)
			}
			if want := map[bool]time.Duration{true: 7 * time.Second}[retry]; f.After != want {
				t.Errorf("after %v, want %v", f.After, want)
			}
			if gateway := status == 502 || status == 504; f.MayHaveArrived != gateway {
				t.Errorf("may have arrived: %t", f.MayHaveArrived)
			}
			wantText(t, f.Error(), server.URL+"/v1/traces answered "+strconv.Itoa(status), ": because")
		})
	}
}

func TestHTTP_success(t *testing.T) {
	for _, status := range []int{200, 202, 204} {
		s := sender(t, otlp.Traces, "ENDPOINT="+serve(t, answer(status, "")).URL)
		if a, err := s.Send(t.Context(), body); err != nil || a != (otlp.Answer{}) {
			t.Errorf("%d: %+v, %v", status, a, err)
		}
	}
}

// A date counts from now.
func TestHTTP_retry_after_a_date(t *testing.T) {
	at := time.Now().Add(time.Hour).UTC().Format(http.TimeFormat)
	s := sender(t, otlp.Traces, "ENDPOINT="+serve(t, answer(503, "", "Retry-After: "+at)).URL)
	if f := fail(t.Context(), t, s, body); f.After <= 0 || f.After > time.Hour {
		t.Errorf("after %v", f.After)
	}
}

// What a collector says is bounded, text, and without the wrapping of protobuf.
func TestHTTP_reasons(t *testing.T) {
	wrapped, err := proto.Marshal(&rpcpb.Status{Code: 3, Message: "no such tenant"})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ text, media, want string }{
		{string(wrapped), "application/x-protobuf", "answered 400 Bad Request: no such tenant"},
		{"\xff\xff\xff", "application/x-protobuf", "answered 400 Bad Request"},
		{`{"message":"no"}`, "application/json", `answered 400 Bad Request: {"message":"no"}`},
		{"a\xffb", "text/plain", "answered 400 Bad Request: a\uFFFDb"},
		{strings.Repeat("é", 1<<20), "text/plain", "é ..."},
	} {
		s := sender(t, otlp.Traces, "ENDPOINT="+serve(t, answer(400, c.text, "Content-Type: "+c.media)).URL)
		f := fail(t.Context(), t, s, body)
		if text := f.Error(); !strings.HasSuffix(text, c.want) || len(text) > 1200 || !utf8.ValidString(text) {
			t.Errorf("%.40q: %.1300q, want %s", c.text, text, c.want)
		}
	}
}

// A redirect would send the headers, which hold keys, to a host that nobody named.
func TestHTTP_redirect(t *testing.T) {
	other := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("the request went to another host") })
	for _, status := range []int{301, 302, 307, 308} {
		s := sender(t, otlp.Traces, "HEADERS=api-key=k", "ENDPOINT="+serve(t, answer(status, "", "Location: "+other.URL+"/there")).URL)
		f := fail(t.Context(), t, s, body)
		if f.Retry {
			t.Errorf("%d is tried again", status)
		}
		wantText(t, f.Error(), strconv.Itoa(status), other.URL+"/there", "endpoint")
	}
}

func TestHTTP_request(t *testing.T) {
	for _, c := range []struct {
		vars     []string
		media    string
		encoding string
	}{
		{nil, "application/x-protobuf", ""},
		{[]string{"COMPRESSION=gzip"}, "application/x-protobuf", "gzip"},
		{[]string{"PROTOCOL=http/json"}, "application/json", ""},
		{[]string{"PROTOCOL=http/json", "COMPRESSION=gzip"}, "application/json", "gzip"},
	} {
		t.Run(strings.Join(c.vars, " "), func(t *testing.T) {
			for _, sample := range samples {
				var got []byte
				server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
					h := r.Header
					if r.Method != http.MethodPost || r.URL.Path != sample.signal.Path || r.Host != "collector.example" ||
						h.Get("Content-Type") != c.media || h.Get("Content-Encoding") != c.encoding || h.Get("X-Key") != "k, %" ||
						!strings.HasPrefix(h.Get("User-Agent"), "OTel-OTLP-Exporter-") {
						t.Errorf("%s %s of %s with %v", r.Method, r.URL, r.Host, h)
					}
					got = read(t, r)
				})
				s := sender(t, sample.signal, append(c.vars, "ENDPOINT="+server.URL,
					"HEADERS=x-key=k%2C %25,host=collector.example,content-type=text/plain,content-length=1")...)
				want := sample.encode(t)
				if _, err := s.Send(t.Context(), want); err != nil {
					t.Fatal(err)
				}
				if c.media == "application/json" {
					wantSample(t, got, sample)
				} else if !bytes.Equal(got, want) {
					t.Errorf("%s: the body is another", sample.signal.Name)
				}
			}
		})
	}
}

// read reads a body that may be compressed.
func read(t *testing.T, r *http.Request) []byte {
	from := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Error(err)
			return nil
		}
		from = z
	}
	text, err := io.ReadAll(from)
	if err != nil {
		t.Error(err)
	}
	return text
}

func TestHTTP_partial_success(t *testing.T) {
	const long = 2000
	for _, c := range []struct {
		name, text, media string
		want              otlp.Answer
	}{
		{"protobuf", "\x0a\x06\x08\x03\x12\x02no", "application/x-protobuf", otlp.Answer{Rejected: 3, Message: "no"}},
		{"no type", "\x0a\x06\x08\x03\x12\x02no", "", otlp.Answer{Rejected: 3, Message: "no"}},
		{"protobuf, only a message", "\x0a\x04\x12\x02no", "application/x-protobuf", otlp.Answer{Message: "no"}},
		{"protobuf, empty", "\x0a\x00", "application/x-protobuf", otlp.Answer{}},
		{"protobuf, none", "", "application/x-protobuf", otlp.Answer{}},
		{"JSON", `{"partialSuccess":{"rejectedSpans":"3","errorMessage":"no"}}`, "application/json", otlp.Answer{Rejected: 3, Message: "no"}},
		{"JSON, a number", `{"partialSuccess":{"rejectedDataPoints":3}}`, "Application/JSON; charset=utf-8", otlp.Answer{Rejected: 3}},
		{"JSON, log records", `{"partialSuccess":{"rejectedLogRecords":3}}`, "application/json", otlp.Answer{Rejected: 3}},
		{"JSON, none", `{"partialSuccess":null}`, "application/json", otlp.Answer{}},
		{"JSON, nothing", `{}`, "application/json", otlp.Answer{}},
		{"no JSON", `taken`, "application/json", otlp.Answer{}},
		{"long", `{"partialSuccess":{"errorMessage":"` + strings.Repeat("x", long) + `"}}`, "application/json",
			otlp.Answer{Message: strings.Repeat("x", 1024) + " ..."}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := sender(t, otlp.Traces, "ENDPOINT="+serve(t, answer(200, c.text, "Content-Type: "+c.media)).URL)
			if a, err := s.Send(t.Context(), body); err != nil || a != c.want {
				t.Errorf("%+v, %v, want %+v", a, err, c.want)
			}
		})
	}
}

// TestHTTP_flood: OT-27. 64 MiB of answer are neither read nor kept.
func TestHTTP_flood(t *testing.T) {
	for _, status := range []int{200, 503} {
		t.Run(strconv.Itoa(status), func(t *testing.T) {
			const flood, most = 64 << 20, 32 << 20 // most: 4 MiB, what they cost to collect, and what connections hold
			written := make(chan int, 1)
			chunk := make([]byte, 1<<16)
			server := serve(t, func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.WriteHeader(status)
				n := 0
				for n < flood {
					k, err := w.Write(chunk)
					if n += k; err != nil {
						break
					}
				}
				written <- n
			})
			s := sender(t, otlp.Traces, "ENDPOINT="+server.URL)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			f := fail(t.Context(), t, s, body)
			runtime.ReadMemStats(&after)
			if f.Retry != (status == 503) || f.MayHaveArrived {
				t.Errorf("retry %t, lasting %t, may have arrived %t: %v", f.Retry, f.Lasting, f.MayHaveArrived, f)
			}
			if n := after.TotalAlloc - before.TotalAlloc; n > most {
				t.Errorf("%d bytes were allocated", n)
			}
			if n := <-written; n > most {
				t.Errorf("%d bytes were taken", n)
			}
			if status == 200 {
				wantText(t, f.Error(), "200 OK", "more than 4194304 bytes")
			}
		})
	}
}

// Who says 200 has taken it, also when the rest of the answer is lost.
func TestHTTP_answer_that_breaks_off(t *testing.T) {
	s := sender(t, otlp.Traces, "ENDPOINT="+serve(t, answer(200, "x", "Content-Length: 10")).URL)
	if a, err := s.Send(t.Context(), body); err != nil || a != (otlp.Answer{}) {
		t.Errorf("%+v, %v", a, err)
	}
}

func TestHTTP_nobody_there(t *testing.T) {
	for name, endpoint := range map[string]string{"port": "http://" + freeAddress, "name": "http://name.invalid:4318"} {
		t.Run(name, func(t *testing.T) {
			f := fail(t.Context(), t, sender(t, otlp.Traces, "ENDPOINT="+endpoint), body)
			if !f.Retry || f.Lasting || f.MayHaveArrived {
				t.Errorf("retry %t, lasting %t, may have arrived %t: %v", f.Retry, f.Lasting, f.MayHaveArrived, f)
			}
			wantText(t, f.Error(), endpoint)
		})
	}
}

// freeAddress is one at which nobody listens: the port of a service that nothing has run for decades. One that was just given up
// may be another test's already.
const freeAddress = "127.0.0.1:1"

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// Where nobody answers a request that they have, it may be twice there after another try.
func TestHTTP_breaks_after_the_request(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		reset(t, w)
	})
	f := fail(t.Context(), t, sender(t, otlp.Traces, "ENDPOINT="+server.URL), body)
	if !f.Retry || f.Lasting || !f.MayHaveArrived {
		t.Errorf("retry %t, lasting %t, may have arrived %t: %v", f.Retry, f.Lasting, f.MayHaveArrived, f)
	}
}

// reset ends the connection of a request as a process does that is killed.
func reset(t *testing.T, w http.ResponseWriter) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	_ = conn.(*net.TCPConn).SetLinger(0)
	_ = conn.Close()
}

// A request that is larger than what connections hold cannot have arrived when nobody reads it.
func TestHTTP_breaks_before_the_request_is_there(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) { reset(t, w) })
	f := fail(t.Context(), t, sender(t, otlp.Traces, "ENDPOINT="+server.URL), make([]byte, 64<<20))
	if !f.Retry || f.Lasting || f.MayHaveArrived {
		t.Errorf("retry %t, lasting %t, may have arrived %t: %v", f.Retry, f.Lasting, f.MayHaveArrived, f)
	}
}

// A collector that hangs costs the timeout.
func TestHTTP_timeout(t *testing.T) {
	server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
	})
	f := fail(t.Context(), t, sender(t, otlp.Traces, "TIMEOUT=50", "ENDPOINT="+server.URL), body)
	if !f.Retry || f.Lasting {
		t.Errorf("retry %t, lasting %t, may have arrived %t: %v", f.Retry, f.Lasting, f.MayHaveArrived, f)
	}
	wantText(t, f.Error(), "OTEL_EXPORTER_OTLP_TIMEOUT", server.URL)
}

// One that hangs with the request in its hands may have taken it; one with which there is no connection yet has not.
func TestHTTP_ends_with_its_context(t *testing.T) {
	t.Run("after the request", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		server := serve(t, func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			cancel()
			<-r.Context().Done()
		})
		if f := fail(ctx, t, sender(t, otlp.Traces, "ENDPOINT="+server.URL), body); !f.Retry || !f.MayHaveArrived {
			t.Errorf("retry %t, lasting %t, may have arrived %t: %v", f.Retry, f.Lasting, f.MayHaveArrived, f)
		}
	})
	t.Run("before the connection", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		l := listen(t)
		go func() { // it accepts, and says nothing
			conn, err := l.Accept()
			cancel()
			if err == nil {
				_, _ = io.Copy(io.Discard, conn)
				_ = conn.Close()
			}
		}()
		if f := fail(ctx, t, sender(t, otlp.Traces, "ENDPOINT=https://"+l.Addr().String()), body); !f.Retry || f.MayHaveArrived {
			t.Errorf("retry %t, lasting %t, may have arrived %t: %v", f.Retry, f.Lasting, f.MayHaveArrived, f)
		}
	})
}

// TestHTTP_to_gRPC: OT-19.
func TestHTTP_to_gRPC(t *testing.T) {
	secure := tlsServer(t)
	cert, _ := pemFiles(t, secure)
	for name, c := range map[string]struct {
		options []grpc.ServerOption
		scheme  string
	}{
		"plain": {nil, "http"},
		"TLS":   {[]grpc.ServerOption{grpc.Creds(credentials.NewServerTLSFromCert(&secure.TLS.Certificates[0]))}, "https"},
	} {
		for _, size := range []int{2, 1 << 20} {
			t.Run(fmt.Sprint(name, " ", size), func(t *testing.T) {
				l := listen(t)
				server := grpc.NewServer(c.options...)
				done := make(chan error, 1)
				go func() { done <- server.Serve(l) }()
				defer func() { server.Stop(); <-done }()
				s := sender(t, otlp.Traces, "PROTOCOL=http/protobuf", "CERTIFICATE="+cert, "ENDPOINT="+c.scheme+"://"+l.Addr().String())
				f := fail(t.Context(), t, s, make([]byte, size))
				for tries := 0; size > 2 && !f.Lasting && strings.Contains(f.Error(), "reset by peer") && tries < 100; tries++ {
					f = fail(t.Context(), t, s, make([]byte, size)) // it closed what it had not read, and with that took back what it said
				}
				if f.MayHaveArrived || f.Retry && !f.Lasting {
					t.Errorf("retry %t, lasting %t, may have arrived %t: %v", f.Retry, f.Lasting, f.MayHaveArrived, f)
				}
				wantText(t, f.Error(), "OTEL_EXPORTER_OTLP_PROTOCOL=grpc", "4318", l.Addr().String())
			})
		}
	}
}

// tlsServer is a collector that speaks TLS.
func tlsServer(t *testing.T) *httptest.Server {
	server := httptest.NewUnstartedServer(answer(200, ""))
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// pemFiles writes the certificate of the server and its key, which serve as those of a client too.
func pemFiles(t *testing.T, server *httptest.Server) (cert, key string) {
	t.Helper()
	pair := server.TLS.Certificates[0]
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	write := func(name, kind string, der []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", "CERTIFICATE", pair.Certificate[0]), write("key.pem", "PRIVATE KEY", der)
}

func TestHTTP_TLS(t *testing.T) {
	server := tlsServer(t)
	cert, key := pemFiles(t, server)
	t.Run("trusted", func(t *testing.T) {
		s := sender(t, otlp.Traces, "ENDPOINT="+server.URL, "CERTIFICATE="+cert)
		if _, err := s.Send(t.Context(), body); err != nil {
			t.Error(err)
		}
	})
	t.Run("unknown", func(t *testing.T) {
		f := fail(t.Context(), t, sender(t, otlp.Traces, "ENDPOINT="+server.URL), body)
		if !f.Retry || !f.Lasting || f.MayHaveArrived {
			t.Errorf("retry %t, lasting %t, may have arrived %t: %v", f.Retry, f.Lasting, f.MayHaveArrived, f)
		}
		wantText(t, f.Error(), "OTEL_EXPORTER_OTLP_CERTIFICATE")
	})
	t.Run("no TLS there", func(t *testing.T) {
		plain := serve(t, answer(200, ""))
		f := fail(t.Context(), t, sender(t, otlp.Traces, "ENDPOINT="+strings.Replace(plain.URL, "http:", "https:", 1)), body)
		if !f.Retry || !f.Lasting || f.MayHaveArrived {
			t.Errorf("retry %t, lasting %t, may have arrived %t: %v", f.Retry, f.Lasting, f.MayHaveArrived, f)
		}
		wantText(t, f.Error(), "begin with http://")
	})
	t.Run("TLS there", func(t *testing.T) {
		l := listen(t)
		go func() { // what other servers than Go's say to who speaks no TLS
			conn, err := l.Accept()
			if err == nil {
				_, _ = conn.Read(make([]byte, 1<<10))
				_, _ = io.WriteString(conn, "\x15\x03\x01\x00\x02\x02\x46")
				_ = conn.Close()
			}
		}()
		f := fail(t.Context(), t, sender(t, otlp.Traces, "ENDPOINT=http://"+l.Addr().String()), body)
		if !f.Retry || !f.Lasting || f.MayHaveArrived {
			t.Errorf("retry %t, lasting %t, may have arrived %t: %v", f.Retry, f.Lasting, f.MayHaveArrived, f)
		}
		wantText(t, f.Error(), "https://")
	})
	mutual := httptest.NewUnstartedServer(answer(200, ""))
	mutual.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MinVersion: tls.VersionTLS12}
	mutual.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	mutual.StartTLS()
	defer mutual.Close()
	t.Run("a client with a certificate", func(t *testing.T) {
		s := sender(t, otlp.Traces, "ENDPOINT="+mutual.URL, "CERTIFICATE="+cert, "CLIENT_CERTIFICATE="+cert, "CLIENT_KEY="+key)
		if _, err := s.Send(t.Context(), body); err != nil {
			t.Error(err)
		}
	})
	t.Run("a client without one", func(t *testing.T) {
		f := fail(t.Context(), t, sender(t, otlp.Traces, "ENDPOINT="+mutual.URL, "CERTIFICATE="+cert), body)
		if !f.Retry || !f.Lasting || f.MayHaveArrived {
			t.Errorf("retry %t, lasting %t, may have arrived %t: %v", f.Retry, f.Lasting, f.MayHaveArrived, f)
		}
		wantText(t, f.Error(), "_CLIENT_CERTIFICATE")
	})
}

// Several goroutines use one sender, and close it while it works; it works no more then, and leaves nothing behind.
func TestHTTP_Close_during_Send(t *testing.T) {
	servers := map[string]*httptest.Server{"plain": serve(t, nil), "HTTP/2": tlsServer(t)}
	cert, _ := pemFiles(t, servers["HTTP/2"])
	for name, server := range servers {
		t.Run(name, func(t *testing.T) {
			const senders = 4
			arrived := make(chan struct{}, senders)
			server.Config.Handler = http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				arrived <- struct{}{}
				<-r.Context().Done()
			})
			s := sender(t, otlp.Traces, "TIMEOUT=0", "ENDPOINT="+server.URL, "CERTIFICATE="+cert)
			var all sync.WaitGroup
			for range senders {
				all.Go(func() {
					if _, err := s.Send(t.Context(), body); err == nil {
						t.Error("no error of a request without an answer")
					}
				})
			}
			for range senders {
				<-arrived
			}
			s.Close()
			all.Wait()
			if f := fail(t.Context(), t, s, body); f.MayHaveArrived {
				t.Errorf("after Close: retry %t, lasting %t, may have arrived %t: %v", f.Retry, f.Lasting, f.MayHaveArrived, f)
			}
			s.Close()
		})
	}
}

// A collector keeps connections open, also those of a sender that is closed.
func TestHTTP_Close_closes_connections(t *testing.T) {
	closed := make(chan struct{}, 1)
	server := httptest.NewUnstartedServer(answer(200, ""))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			closed <- struct{}{}
		}
	}
	server.Start()
	defer server.Close()
	s := sender(t, otlp.Traces, "ENDPOINT="+server.URL)
	for range 2 {
		if _, err := s.Send(t.Context(), body); err != nil {
			t.Fatal(err)
		}
	}
	s.Close()
	<-closed
}

// A connection that is still being made is no reason to stay.
func TestHTTP_Close_during_a_handshake(t *testing.T) {
	l := listen(t)
	accepted, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		conn, err := l.Accept()
		close(accepted)
		if err == nil {
			_, _ = io.Copy(io.Discard, conn) // ends with the connection
			_ = conn.Close()
		}
	}()
	s := sender(t, otlp.Traces, "TIMEOUT=0", "ENDPOINT=https://"+l.Addr().String())
	go func() { <-accepted; s.Close() }()
	if f := fail(t.Context(), t, s, body); f.MayHaveArrived {
		t.Errorf("retry %t, lasting %t, may have arrived %t: %v", f.Retry, f.Lasting, f.MayHaveArrived, f)
	}
	<-ended
}
