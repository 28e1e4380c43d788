package export_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/lensgo/lens/telemetry/export"
)

// secure is a collector that speaks TLS and wants to know who calls.
func secure(t *testing.T) *httptest.Server {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	server.TLS = &tls.Config{ClientAuth: tls.RequireAnyClientCert, MinVersion: tls.VersionTLS12}
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	server.StartTLS()
	t.Cleanup(server.Close)
	return server
}

// pemFiles writes the certificate of the server and its key, which serve as those of a client too.
func pemFiles(t *testing.T, server *httptest.Server) (cert, key string) {
	pair := server.TLS.Certificates[0]
	der, err := x509.MarshalPKCS8PrivateKey(pair.PrivateKey)
	noError(t, err)
	cert, key = filepath.Join(t.TempDir(), "cert.pem"), filepath.Join(t.TempDir(), "key.pem")
	noError(t, os.WriteFile(cert, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[0]}), 0o600))
	noError(t, os.WriteFile(key, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600))
	return cert, key
}

func TestOTLP_TLS(t *testing.T) {
	server := secure(t)
	cert, key := pemFiles(t, server)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_CERTIFICATE", cert)
	t.Run("nobody", func(t *testing.T) {
		e, err := export.NewOTLP(t.Context(), export.OTLPConfig{Logger: slog.New(slog.DiscardHandler)})
		noError(t, err)
		if err := e.ExportSpans(t.Context(), []sdktrace.ReadOnlySpan{span("x")}); err == nil || !strings.Contains(err.Error(), "certificate") {
			t.Errorf("a client without a certificate got %v", err)
		}
		noError(t, e.Shutdown(t.Context()))
	})
	t.Setenv("OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE", cert)
	t.Setenv("OTEL_EXPORTER_OTLP_CLIENT_KEY", key)
	t.Run("spans", func(t *testing.T) { exportOne(t) })
	t.Run("metrics", func(t *testing.T) {
		e, err := export.NewOTLPMetrics(t.Context(), export.OTLPConfig{Logger: slog.New(slog.DiscardHandler)})
		noError(t, err)
		noError(t, e.Export(t.Context(), &metricdata.ResourceMetrics{}))
		noError(t, e.ForceFlush(t.Context()))
		noError(t, e.Shutdown(t.Context()))
	})
}

// A request that took too long is tried again, until the export's own context ends, here after the first.
func TestOTLP_timeout(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-r.Context().Done()
		cancel()
	}))
	t.Cleanup(server.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1000000")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", "100")
	e, err := export.NewOTLP(t.Context(), export.OTLPConfig{Logger: slog.New(slog.DiscardHandler)})
	noError(t, err)
	if err := e.ExportSpans(ctx, []sdktrace.ReadOnlySpan{span("x")}); err == nil {
		t.Error("no error of a request without an answer")
	}
	noError(t, e.Shutdown(t.Context()))
}

func TestOTLP_timeout_that_is_no_number(t *testing.T) {
	t.Setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "10s")
	var said bytes.Buffer
	e, err := export.NewOTLP(t.Context(), export.OTLPConfig{Logger: slog.New(slog.NewTextHandler(&said, nil))})
	noError(t, err)
	noError(t, e.Shutdown(t.Context()))
	if !strings.Contains(said.String(), "OTEL_EXPORTER_OTLP_TIMEOUT") || !strings.Contains(said.String(), "10s") {
		t.Errorf("the log says %q", said.String())
	}
}

// A collector keeps its connections open, also those of an exporter that is shut down.
func TestOTLP_closes_connections(t *testing.T) {
	closed := make(chan struct{}, 8)
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			closed <- struct{}{}
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	spans, err := export.NewOTLP(t.Context(), export.OTLPConfig{Logger: slog.New(slog.DiscardHandler)})
	noError(t, err)
	noError(t, spans.ExportSpans(t.Context(), []sdktrace.ReadOnlySpan{span("x")}))
	metrics, err := export.NewOTLPMetrics(t.Context(), export.OTLPConfig{Logger: slog.New(slog.DiscardHandler)})
	noError(t, err)
	noError(t, metrics.Export(t.Context(), &metricdata.ResourceMetrics{}))
	noError(t, spans.Shutdown(t.Context()))
	<-closed
	noError(t, metrics.Shutdown(t.Context()))
	<-closed
	if err := spans.ExportSpans(t.Context(), []sdktrace.ReadOnlySpan{span("x")}); err == nil || !strings.Contains(err.Error(), "shut down") {
		t.Errorf("an export after the shutdown returned %v", err)
	}
}
