package otlp

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"
)

// What stands at a port that is none of OTLP over HTTP.
var (
	errNoHTTP = errors.New("that is no OTLP over HTTP: is it the port of OTLP over gRPC? Then set OTEL_EXPORTER_OTLP_PROTOCOL=grpc, " +
		"or an endpoint with the collector's HTTP port, usually 4318")
	errTLS = errors.New("it speaks TLS: does the endpoint begin with https://?")
)

var dialer = net.Dialer{Timeout: 30 * time.Second, KeepAlive: 30 * time.Second}

// dialPlain is the DialContext of a transport for URLs without TLS.
func dialPlain(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &plainConn{Conn: conn, heard: make(chan struct{})}, nil
}

// plainConn notices that the other end speaks no HTTP. A server of gRPC speaks first and closes; what net/http makes of that
// depends on who is faster, and is one of five errors and at times a line in the standard log.
type plainConn struct {
	net.Conn
	first   sync.Once
	heard   chan struct{} // closed after the first Read
	foreign error         // what the first Read says; afterwards
}

func (c *plainConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.first.Do(func() {
		c.foreign = foreign(b[:n])
		close(c.heard)
	})
	if c.foreign != nil {
		return 0, c.foreign
	}
	return n, err
}

// foreign tells by its first bytes what is no HTTP/1: HTTP/2 begins with a frame of settings, for no stream, and who wants TLS
// answers with an alert.
func foreign(first []byte) error {
	switch {
	case len(first) >= 9 && string(first[3:9]) == "\x04\x00\x00\x00\x00\x00":
		return errNoHTTP
	case len(first) >= 2 && string(first[:2]) == "\x15\x03":
		return errTLS
	}
	return nil
}
