package wire

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/lensgo/lens/metrics"
)

const (
	// clientIdle is shorter than serverIdle, see there.
	clientIdle = 15 * time.Second

	dialTimeout = 10 * time.Second
	bufferSize  = 16 << 10
)

// newTransport returns the transport under a client. Every call keeps its connection as long as it likes: with net/http's
// default of two idle ones a server, a busy driver dials more often than it calls. inside has the servers of the run, by host
// and port.
func newTransport(inside map[string]string, maxPerHost int, idle time.Duration) *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	dialer := &net.Dialer{
		Timeout:         dialTimeout,
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 60 * time.Second, Interval: 10 * time.Second, Count: 3},
	}
	dials := &dials{most: mostDials}
	return &http.Transport{
		Proxy: func(r *http.Request) (*url.URL, error) {
			if inside[hostPort(r.URL)] != "" {
				return nil, nil
			}
			return http.ProxyFromEnvironment(r)
		},
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			done, err := dials.begin(ctx, addr)
			if err != nil {
				return nil, &dialError{err}
			}
			defer done()
			conn, err := dialer.DialContext(ctx, network, addr)
			if err != nil {
				return nil, &dialError{err}
			}
			metrics.Gym.PoolConnected(ctx, inside[addr])
			return conn, nil
		},
		TLSHandshakeTimeout: dialTimeout,
		MaxIdleConnsPerHost: 1 << 16,
		MaxConnsPerHost:     maxPerHost,
		IdleConnTimeout:     idle,
		WriteBufferSize:     bufferSize,
		ReadBufferSize:      bufferSize,
		DisableCompression:  true, // most servers are on this machine
		Protocols:           &protocols,
	}
}

// hostPort is where a URL leads, as it is dialled.
func hostPort(u *url.URL) string {
	if u.Port() != "" {
		return u.Host
	}
	if u.Scheme == "https" {
		return net.JoinHostPort(u.Hostname(), "443")
	}
	return net.JoinHostPort(u.Hostname(), "80")
}

// dialError says that no connection came about, and so that nothing was sent.
type dialError struct{ err error }

func (e *dialError) Error() string { return e.err.Error() }

// Unwrap hides the dialler's own timeout, which errors.Is would find to be a deadline of the caller's.
func (e *dialError) Unwrap() error {
	if errors.Is(e.err, context.DeadlineExceeded) {
		return nil
	}
	return e.err
}
