package lenshttp

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"sync/atomic"
)

// response remembers the status. It is used by the handler's goroutine, as every ResponseWriter; the route may be set from
// another one.
type response struct {
	http.ResponseWriter
	status   int // the final one that was sent; 0: none yet
	hijacked bool
	route    atomic.Pointer[string] // what SetRoute said
}

// wrap gives the response in the shape that shows Flush, Hijack and Push exactly where the original has them: handlers
// ask for them with type assertions.
func (w *response) wrap() http.ResponseWriter {
	_, flush := w.ResponseWriter.(http.Flusher)
	_, hijack := w.ResponseWriter.(http.Hijacker)
	_, push := w.ResponseWriter.(http.Pusher)
	f, h, p := flusher{w}, hijacker{w}, pusher{w}
	switch {
	case flush && hijack && push:
		return struct {
			*response
			flusher
			hijacker
			pusher
		}{w, f, h, p}
	case flush && hijack: // net/http over HTTP/1
		return struct {
			*response
			flusher
			hijacker
		}{w, f, h}
	case flush && push: // over HTTP/2
		return struct {
			*response
			flusher
			pusher
		}{w, f, p}
	case hijack && push:
		return struct {
			*response
			hijacker
			pusher
		}{w, h, p}
	case flush:
		return struct {
			*response
			flusher
		}{w, f}
	case hijack:
		return struct {
			*response
			hijacker
		}{w, h}
	case push: // http.TimeoutHandler
		return struct {
			*response
			pusher
		}{w, p}
	}
	return w
}

// returned says that the handler came back: what it did not send, net/http sends as 200.
func (w *response) returned() {
	if w.status == 0 && !w.hijacked {
		w.status = http.StatusOK
	}
}

// Unwrap serves http.ResponseController.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *response) WriteHeader(status int) {
	w.sent(status)
	w.ResponseWriter.WriteHeader(status)
}

// sent notes the first final status. Informational ones (100 to 199) may come before it; 101 is final. What is written beside a
// connection that was taken over is not sent.
func (w *response) sent(status int) {
	if w.status == 0 && !w.hijacked && (status >= 200 || status == http.StatusSwitchingProtocols) {
		w.status = status
	}
}

func (w *response) Write(b []byte) (int, error) {
	w.sent(http.StatusOK)
	return w.ResponseWriter.Write(b)
}

// WriteString keeps a string from being copied where the original can take it.
func (w *response) WriteString(s string) (int, error) {
	w.sent(http.StatusOK)
	return io.WriteString(w.ResponseWriter, s)
}

// ReadFrom keeps sendfile: io.Copy hands the source to the original when that can take it.
func (w *response) ReadFrom(src io.Reader) (int64, error) {
	w.sent(http.StatusOK)
	return io.Copy(w.ResponseWriter, src)
}

type flusher struct{ w *response }

func (f flusher) Flush() { _ = f.FlushError() }

func (f flusher) FlushError() error {
	f.w.sent(http.StatusOK)
	return http.NewResponseController(f.w.ResponseWriter).Flush()
}

type hijacker struct{ w *response }

func (h hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := h.w.ResponseWriter.(http.Hijacker).Hijack()
	h.w.hijacked = h.w.hijacked || err == nil
	return conn, rw, err
}

type pusher struct{ w *response }

func (p pusher) Push(target string, o *http.PushOptions) error {
	return p.w.ResponseWriter.(http.Pusher).Push(target, o)
}
