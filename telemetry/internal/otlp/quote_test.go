package otlp_test

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/lensgo/lens/telemetry/internal/otlp"
)

// What a collector says reaches logs and terminals: no control sequence and no line of its own making may, nor the key that it was
// sent.
func TestHTTP_says_it_fit_for_a_terminal(t *testing.T) {
	const text = "no \x1b[31mkey s3cr3t\x07\r\nall is well \u202e \u009b1m\xff"
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer func() { _ = conn.Close() }()
		_, _ = conn.Read(make([]byte, 4<<10))
		fmt.Fprintf(conn, "HTTP/1.1 400 \x1b[1ms3cr3t\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
	}()
	f := fail(t.Context(), t, sender(t, otlp.Traces, "ENDPOINT=http://"+l.Addr().String(), "HEADERS=x-key=s3cr3t"), []byte("x"))
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	<-done
	want := `answered 400 \x1b[1mxxxxx: no \x1b[31mkey xxxxx\a all is well \u202e \u009b1m` + "\ufffd"
	if got := f.Error(); !strings.HasSuffix(got, want) {
		t.Errorf("%q, want %q at its end", got, want)
	}
}
