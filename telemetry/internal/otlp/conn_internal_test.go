package otlp

import (
	"errors"
	"io"
	"net"
	"testing"
)

// What is no HTTP never reaches net/http, which would write of it into the standard log.
func TestPlainConn(t *testing.T) {
	for said, want := range map[string]error{
		"\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x05\x00\x00\x40\x00": errNoHTTP,
		"\x00\x00\x00\x04\x00\x00\x00\x00\x00":                         errNoHTTP,
		"\x15\x03\x01\x00\x02\x02\x46":                                 errTLS,
		"HTTP/1.1 200 OK\r\n":                                          nil,
		"\x05\x00":                                                     nil, // a SOCKS proxy
		"HTT\x04\x00\x00\x00\x00\x00":                                  errNoHTTP,
		"":                                                             nil,
	} {
		ours, theirs := net.Pipe()
		c := &plainConn{Conn: ours, heard: make(chan struct{})}
		go func() {
			_, _ = io.WriteString(theirs, said)
			_ = theirs.Close()
		}()
		got, err := io.ReadAll(c)
		if text := map[bool]string{true: said}[want == nil]; string(got) != text || !errors.Is(err, want) {
			t.Errorf("%q: %q, %v", said, got, err)
		}
		<-c.heard
		_ = c.Close()
	}
}
