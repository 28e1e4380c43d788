//go:build !lens_off

package otlpgrpc_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	collogspb "go.opentelemetry.io/proto/otlp/collector/logs/v1"
	colmetricspb "go.opentelemetry.io/proto/otlp/collector/metrics/v1"
	coltracepb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	logspb "go.opentelemetry.io/proto/otlp/logs/v1"
	metricspb "go.opentelemetry.io/proto/otlp/metrics/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/protoadapt"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/lensgo/lens/telemetry/internal/otlp"
)

func TestSend(t *testing.T) {
	c := newCollector(t, nil)
	for _, compression := range []string{"", "gzip"} {
		for _, signal := range []otlp.Signal{otlp.Traces, otlp.Metrics, otlp.Logs} {
			s := sender(t, signal, "ENDPOINT="+c.url(), "COMPRESSION="+compression, "HEADERS=Api-Key=k%2C %25,x%2Dy=1,te=x")
			want := bytes.Repeat([]byte(signal.Name), 1<<15)
			if a, err := s.Send(t.Context(), want); err != nil || a != (otlp.Answer{}) {
				t.Fatalf("%+v, %v", a, err)
			}
			got := c.last(t)
			if got.method != signal.Call || got.compression != compression || !bytes.Equal(got.body, want) {
				t.Errorf("%s: %s, %q, %d bytes", signal.Name, got.method, got.compression, len(got.body))
			}
			if key := got.metadata.Get("api-key"); len(key) != 1 || key[0] != "k, %" {
				t.Errorf("metadata %v", got.metadata)
			}
			if agent := got.metadata.Get("user-agent"); len(agent) != 1 || !strings.HasPrefix(agent[0], "OTel-OTLP-Exporter-") {
				t.Errorf("user agent %q", agent)
			}
		}
	}
}

// The services that OTLP defines take what is sent, and their answers are understood.
func TestSend_to_the_collector_services(t *testing.T) {
	d := newDoor(t)
	server := grpc.NewServer()
	coltracepb.RegisterTraceServiceServer(server, traces{})
	colmetricspb.RegisterMetricsServiceServer(server, metrics{})
	collogspb.RegisterLogsServiceServer(server, logs{})
	done := make(chan error, 1)
	go func() { done <- server.Serve(d) }()
	defer func() { server.Stop(); <-done }()
	for signal, m := range map[otlp.Signal]proto.Message{
		otlp.Traces:  &tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{SchemaUrl: "traces"}}},
		otlp.Metrics: &metricspb.MetricsData{ResourceMetrics: []*metricspb.ResourceMetrics{{SchemaUrl: "metrics"}}},
		otlp.Logs:    &logspb.LogsData{ResourceLogs: []*logspb.ResourceLogs{{SchemaUrl: "logs"}}},
	} {
		b, err := proto.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		a, err := sender(t, signal, "ENDPOINT="+d.url()).Send(t.Context(), b)
		if want := (otlp.Answer{Rejected: 2, Message: strings.ToLower(signal.Name)}); err != nil || a != want {
			t.Errorf("%+v, %v, want %+v", a, err, want)
		}
	}
}

type traces struct {
	coltracepb.UnimplementedTraceServiceServer
}

func (traces) Export(_ context.Context, r *coltracepb.ExportTraceServiceRequest) (*coltracepb.ExportTraceServiceResponse, error) {
	return &coltracepb.ExportTraceServiceResponse{PartialSuccess: &coltracepb.ExportTracePartialSuccess{
		RejectedSpans: 2, ErrorMessage: r.ResourceSpans[0].SchemaUrl}}, nil
}

type metrics struct {
	colmetricspb.UnimplementedMetricsServiceServer
}

func (metrics) Export(_ context.Context, r *colmetricspb.ExportMetricsServiceRequest) (*colmetricspb.ExportMetricsServiceResponse, error) {
	return &colmetricspb.ExportMetricsServiceResponse{PartialSuccess: &colmetricspb.ExportMetricsPartialSuccess{
		RejectedDataPoints: 2, ErrorMessage: r.ResourceMetrics[0].SchemaUrl}}, nil
}

type logs struct {
	collogspb.UnimplementedLogsServiceServer
}

func (logs) Export(_ context.Context, r *collogspb.ExportLogsServiceRequest) (*collogspb.ExportLogsServiceResponse, error) {
	return &collogspb.ExportLogsServiceResponse{PartialSuccess: &collogspb.ExportLogsPartialSuccess{
		RejectedLogRecords: 2, ErrorMessage: r.ResourceLogs[0].SchemaUrl}}, nil
}

// What a collector says may do nothing to a terminal, and does not tell the key that it was sent.
func TestSend_says_it_fit_for_a_terminal(t *testing.T) {
	c := newCollector(t, func(context.Context, call) ([]byte, error) {
		return nil, status.Error(codes.InvalidArgument, "no \x1b[31ms3cr3t\nwell")
	})
	f := fail(t.Context(), t, sender(t, otlp.Traces, "ENDPOINT="+c.url(), "HEADERS=x-key=s3cr3t"))
	if want := `InvalidArgument: no \x1b[31mxxxxx well`; !strings.HasSuffix(f.Error(), want) {
		t.Errorf("%q, want %q at its end", f, want)
	}
}

// The table of the OTLP specification, and who may have taken what.
func TestSend_codes(t *testing.T) {
	retry := map[codes.Code]bool{
		codes.Canceled: true, codes.DeadlineExceeded: true, codes.Aborted: true, codes.OutOfRange: true, codes.Unavailable: true, codes.DataLoss: true,
	}
	var answer error
	c := newCollector(t, func(context.Context, call) ([]byte, error) { return nil, answer })
	s := sender(t, otlp.Traces, "ENDPOINT="+c.url())
	for code := codes.Canceled; code <= codes.Unauthenticated; code++ {
		for _, asked := range []bool{false, true} {
			t.Run(fmt.Sprint(code, " ", asked), func(t *testing.T) {
				st := status.New(code, "because")
				if asked {
					st, _ = st.WithDetails(protoadapt.MessageV1Of(&errdetails.RetryInfo{RetryDelay: durationpb.New(7 * time.Second)}))
				}
				answer = st.Err()
				f := fail(t.Context(), t, s)
				want := otlp.Failure{Err: f.Err, Retry: retry[code] || asked && code == codes.ResourceExhausted}
				if want.Retry && asked {
					want.After = 7 * time.Second
				}
				want.MayHaveArrived = code == codes.Canceled || code == codes.DeadlineExceeded
				if *f != want {
					t.Errorf("%+v, want %+v", *f, want)
				}
				wantText(t, f.Error(), c.url()+" answered "+code.String()+": because")
			})
		}
	}
}

// What a collector says is bounded, whatever it is.
func TestSend_answers_that_are_long(t *testing.T) {
	t.Run("a reason", func(t *testing.T) {
		c := newCollector(t, func(context.Context, call) ([]byte, error) {
			return nil, status.Error(codes.InvalidArgument, strings.Repeat("é", 100<<10))
		})
		f := fail(t.Context(), t, sender(t, otlp.Traces, "ENDPOINT="+c.url()))
		if text := f.Error(); len(text) > 1200 || !utf8.ValidString(text) || f.Retry {
			t.Errorf("%.2000s", text)
		}
	})
	t.Run("a flood (OT-27)", func(t *testing.T) {
		c := newCollector(t, func(context.Context, call) ([]byte, error) { return make([]byte, 64<<20), nil })
		f := fail(t.Context(), t, sender(t, otlp.Traces, "ENDPOINT="+c.url()))
		if f.Retry {
			t.Errorf("retry %t, lasting %t, may have arrived %t: %v", f.Retry, f.Lasting, f.MayHaveArrived, f)
		}
		wantText(t, f.Error(), "larger than max")
	})
}

func TestSend_nobody_there(t *testing.T) {
	d := newDoor(t)
	_ = d.Close()
	for name, endpoint := range map[string]string{"port": d.url(), "name": "http://name.invalid:4317"} {
		t.Run(name, func(t *testing.T) {
			f := fail(t.Context(), t, sender(t, otlp.Traces, "ENDPOINT="+endpoint))
			if !f.Retry || f.Lasting || f.MayHaveArrived {
				t.Errorf("retry %t, lasting %t, may have arrived %t: %v", f.Retry, f.Lasting, f.MayHaveArrived, f)
			}
			wantText(t, f.Error(), "no answer from "+endpoint)
		})
	}
}

// A collector that dies with a request in its hands may have taken it; while it is away nothing arrives; then it goes on.
func TestSend_while_the_collector_dies_and_returns(t *testing.T) {
	var c *collector
	first := true
	c = newCollector(t, func(ctx context.Context, _ call) ([]byte, error) {
		if first {
			first = false
			c.kill()
			<-ctx.Done()
		}
		return nil, nil
	})
	s := sender(t, otlp.Traces, "ENDPOINT="+c.url())
	if f := fail(t.Context(), t, s); !f.Retry || f.Lasting || !f.MayHaveArrived {
		t.Errorf("killed: retry %t, lasting %t, may have arrived %t: %v", f.Retry, f.Lasting, f.MayHaveArrived, f)
	}
	if f := fail(t.Context(), t, s); !f.Retry || f.Lasting || f.MayHaveArrived {
		t.Errorf("away: retry %t, lasting %t, may have arrived %t: %v", f.Retry, f.Lasting, f.MayHaveArrived, f)
	}
	c.open()
	for {
		_, err := s.Send(t.Context(), body)
		if err == nil {
			break
		}
		if f := err.(*otlp.Failure); !f.Retry || f.MayHaveArrived {
			t.Fatalf("back: retry %t, may have arrived %t: %v", f.Retry, f.MayHaveArrived, f)
		}
		awaitConnection(t, s)
	}
}

func TestSend_timeout(t *testing.T) {
	c := newCollector(t, func(ctx context.Context, _ call) ([]byte, error) { <-ctx.Done(); return nil, ctx.Err() })
	f := fail(t.Context(), t, sender(t, otlp.Traces, "TIMEOUT=50", "ENDPOINT="+c.url()))
	if !f.Retry || f.Lasting {
		t.Errorf("retry %t, lasting %t, may have arrived %t: %v", f.Retry, f.Lasting, f.MayHaveArrived, f)
	}
	wantText(t, f.Error(), "OTEL_EXPORTER_OTLP_TIMEOUT", c.url())
}

func TestSend_ends_with_its_context(t *testing.T) {
	t.Run("after the request", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		c := newCollector(t, func(ctx context.Context, _ call) ([]byte, error) { cancel(); <-ctx.Done(); return nil, ctx.Err() })
		if f := fail(ctx, t, sender(t, otlp.Traces, "ENDPOINT="+c.url())); !f.Retry || !f.MayHaveArrived {
			t.Errorf("retry %t, lasting %t, may have arrived %t: %v", f.Retry, f.Lasting, f.MayHaveArrived, f)
		}
	})
	t.Run("before the connection", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		d := silent(t, cancel)
		if f := fail(ctx, t, sender(t, otlp.Traces, "TIMEOUT=0", "ENDPOINT="+d.url())); !f.Retry || f.MayHaveArrived {
			t.Errorf("retry %t, lasting %t, may have arrived %t: %v", f.Retry, f.Lasting, f.MayHaveArrived, f)
		}
	})
}

func TestSend_Close_during(t *testing.T) {
	const senders = 4
	arrived := make(chan struct{}, senders)
	c := newCollector(t, func(ctx context.Context, _ call) ([]byte, error) {
		arrived <- struct{}{}
		<-ctx.Done()
		return nil, ctx.Err()
	})
	s := sender(t, otlp.Traces, "TIMEOUT=0", "ENDPOINT="+c.url())
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
	if f := fail(t.Context(), t, s); !f.Retry || f.MayHaveArrived {
		t.Errorf("after Close: retry %t, lasting %t, may have arrived %t: %v", f.Retry, f.Lasting, f.MayHaveArrived, f)
	}
	s.Close()
}

func TestSend_Close_while_it_connects(t *testing.T) {
	accepted := make(chan struct{})
	d := silent(t, func() { close(accepted) })
	s := sender(t, otlp.Traces, "TIMEOUT=0", "ENDPOINT="+d.url())
	go func() { <-accepted; s.Close() }()
	if f := fail(t.Context(), t, s); !f.Retry || f.MayHaveArrived {
		t.Errorf("retry %t, lasting %t, may have arrived %t: %v", f.Retry, f.Lasting, f.MayHaveArrived, f)
	}
}

// certificates makes a pair that serves as that of a server and of a client, and the files of it.
func certificates(t *testing.T) (pair tls.Certificate, cert, key string) {
	t.Helper()
	server := httptest.NewUnstartedServer(nil)
	server.StartTLS()
	defer server.Close()
	pair = server.TLS.Certificates[0]
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
	return pair, write("cert.pem", "CERTIFICATE", pair.Certificate[0]), write("key.pem", "PRIVATE KEY", der)
}

func TestSend_TLS(t *testing.T) {
	pair, cert, key := certificates(t)
	secure := newCollector(t, nil, grpc.Creds(credentials.NewServerTLSFromCert(&pair)))
	mutual := newCollector(t, nil, grpc.Creds(credentials.NewTLS(&tls.Config{
		Certificates: []tls.Certificate{pair}, ClientAuth: tls.RequireAnyClientCert, MinVersion: tls.VersionTLS12,
	})))
	plain := newCollector(t, nil)
	t.Run("none to who speaks TLS", func(t *testing.T) {
		f := fail(t.Context(), t, sender(t, otlp.Traces, "ENDPOINT="+secure.url()))
		if !f.Retry || f.MayHaveArrived {
			t.Errorf("retry %t, lasting %t, may have arrived %t: %v", f.Retry, f.Lasting, f.MayHaveArrived, f)
		}
		wantText(t, f.Error(), "https://")
	})
	web := httptest.NewUnstartedServer(http.NotFoundHandler())
	web.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	web.Start()
	defer web.Close()
	https := func(c *collector) string { return "https://" + c.Addr().String() }
	for name, c := range map[string]struct {
		endpoint string
		vars     []string
		says     string // "" where it works
	}{
		"trusted":                       {https(secure), []string{"CERTIFICATE=" + cert}, ""},
		"unknown":                       {https(secure), nil, "OTEL_EXPORTER_OTLP_CERTIFICATE"},
		"with a certificate":            {https(mutual), []string{"CERTIFICATE=" + cert, "CLIENT_CERTIFICATE=" + cert, "CLIENT_KEY=" + key}, ""},
		"without one":                   {https(mutual), []string{"CERTIFICATE=" + cert}, "_CLIENT_CERTIFICATE"},
		"TLS to who speaks none":        {https(plain), []string{"CERTIFICATE=" + cert}, "https://"},
		"bare, as a variable says":      {plain.Addr().String(), []string{"INSECURE=true"}, ""},
		"bare, with TLS":                {secure.Addr().String(), []string{"INSECURE=false", "CERTIFICATE=" + cert}, ""},
		"gRPC to a port of HTTP":        {web.URL, nil, "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf"},
		"the path of HTTP in the URL":   {plain.url() + "/v1/traces", nil, ""},
		"a name that reads as a scheme": {strings.Replace(plain.url(), "127.0.0.1", "localhost", 1), nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := sender(t, otlp.Traces, append(c.vars, "ENDPOINT="+c.endpoint)...)
			if c.says == "" {
				if _, err := s.Send(t.Context(), body); err != nil {
					t.Error(err)
				}
				return
			}
			f := fail(t.Context(), t, s)
			for tries := 0; tries < 100 && (strings.Contains(f.Error(), "broken pipe") || strings.Contains(f.Error(), "reset by peer")); tries++ {
				// What the server said of the certificate went with the connection.
				f = fail(t.Context(), t, sender(t, otlp.Traces, append(c.vars, "ENDPOINT="+c.endpoint)...))
			}
			if !f.Retry || !f.Lasting || f.MayHaveArrived {
				t.Errorf("lasting %t, may have arrived %t: %v", f.Lasting, f.MayHaveArrived, f)
			}
			wantText(t, f.Error(), c.says)
		})
	}
}
