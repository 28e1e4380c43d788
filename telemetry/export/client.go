package export

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net"
	"net/http"
	"os"
	"sync/atomic"
	"time"
)

// DefaultOTLPTimeout ends one request to a collector (OTEL_EXPORTER_OTLP_TIMEOUT, milliseconds; 0 is no limit).
const DefaultOTLPTimeout = 10 * time.Second

// errShutDown is what an export after Shutdown returns.
var errShutDown = errors.New("the exporter is shut down")

// client is the connections of one exporter. The stock exporters share theirs in the process and never close them, so that
// an exporter that is long shut down still holds connections to its collector, and two goroutines for each.
type client struct {
	http.Client
	down atomic.Bool
}

// newClient reads the timeout and the certificates of a signal.
func newClient(s signal, log *slog.Logger) (*client, error) {
	trust, err := s.tls()
	if err != nil {
		return nil, err
	}
	transport := &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig:       trust,
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          10,
		IdleConnTimeout:       90 * time.Second,
		TLSHandshakeTimeout:   10 * time.Second,
		ExpectContinueTimeout: time.Second,
	}
	return &client{Client: http.Client{Transport: transport, Timeout: s.timeout(log)}}, nil
}

// export runs one export, unless the exporter is shut down.
func (c *client) export(run func() error) error {
	if c.down.Load() {
		return errShutDown
	}
	err := run()
	if c.down.Load() { // it was shut down meanwhile, and the connection may have been made after that
		c.CloseIdleConnections()
	}
	return err
}

// shutdown runs the exporter's own, then closes what is open. A connection that is being made closes when it is there.
func (c *client) shutdown(ctx context.Context, run func(context.Context) error) error {
	c.down.Store(true)
	err := run(ctx)
	c.CloseIdleConnections()
	return err
}

// timeout is how long one request may take.
func (s signal) timeout(log *slog.Logger) time.Duration {
	variable, _ := firstSet(s.variable("TIMEOUT"), envPrefix+"TIMEOUT")
	if variable == "" {
		return DefaultOTLPTimeout
	}
	millis := number(log, variable, 0, math.MaxInt32, int(DefaultOTLPTimeout/time.Millisecond))
	return time.Duration(millis) * time.Millisecond
}

// tls is whom the signal's exporter trusts, and who it says it is; nil for the system's certificates and nobody.
func (s signal) tls() (*tls.Config, error) {
	roots, err := s.roots()
	if err != nil {
		return nil, err
	}
	self, err := s.certificates()
	if err != nil || roots == nil && self == nil {
		return nil, err
	}
	return &tls.Config{RootCAs: roots, Certificates: self, MinVersion: tls.VersionTLS12}, nil
}

// roots reads the certificates that a collector's may be signed with.
func (s signal) roots() (*x509.CertPool, error) {
	variable, file := firstSet(s.variable("CERTIFICATE"), envPrefix+"CERTIFICATE")
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: cannot read the certificates to trust: %w", variable, err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s=%s: no certificate in PEM form in it; it begins with -----BEGIN CERTIFICATE-----", variable, file)
	}
	return pool, nil
}

// certificates reads the certificate that the exporter shows, and its key.
func (s signal) certificates() ([]tls.Certificate, error) {
	certVariable, cert := firstSet(s.variable("CLIENT_CERTIFICATE"), envPrefix+"CLIENT_CERTIFICATE")
	keyVariable, key := firstSet(s.variable("CLIENT_KEY"), envPrefix+"CLIENT_KEY")
	switch {
	case cert == "" && key == "":
		return nil, nil
	case key == "":
		return nil, fmt.Errorf("%s is set and no key for it; set %s as well", certVariable, envPrefix+"CLIENT_KEY")
	case cert == "":
		return nil, fmt.Errorf("%s is set and no certificate for it; set %s as well", keyVariable, envPrefix+"CLIENT_CERTIFICATE")
	}
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return nil, fmt.Errorf("%s and %s: cannot load the certificate of this client: %w", certVariable, keyVariable, err)
	}
	return []tls.Certificate{pair}, nil
}
