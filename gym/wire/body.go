package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

var (
	errTooLarge   = errors.New("the body is too large")
	errClientGone = errors.New("the client went away")
)

// firstRead bounds what is taken from memory on the word of a Content-Length alone.
const firstRead = 64 << 10

// readBody reads a whole body of a length that is known, or -1, and at most limit bytes of it. It returns nil for an empty
// one. A body of the known length is read to its last byte and no further, which is what lets net/http watch for the
// client's leave from then on.
func readBody(r io.Reader, length, limit int64) ([]byte, error) {
	if length > limit {
		return nil, errTooLarge
	}
	if length == 0 || r == nil {
		return nil, nil
	}
	if length < 0 {
		return readUnknown(r, limit)
	}
	buf := make([]byte, min(length, firstRead))
	read := 0
	for {
		n, err := io.ReadFull(r, buf[read:])
		read += n
		if int64(read) == length {
			return buf, nil
		}
		if err != nil {
			return nil, unexpected(err)
		}
		grown := make([]byte, min(length, 4*int64(len(buf))))
		copy(grown, buf)
		buf = grown
	}
}

func readUnknown(r io.Reader, limit int64) ([]byte, error) {
	buf, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(buf)) > limit {
		return nil, errTooLarge
	}
	if len(buf) == 0 {
		return nil, nil
	}
	return buf, nil
}

// shortBody is a body that comes in one piece with its header, or costs nobody much when it does not.
const shortBody = 4 << 10

// requestBody reads the body of a request and gives up on a client that is silent in the middle of it. When the context
// ends it gives up at once, so that such a client does not hold up the server's stop.
type requestBody struct {
	ctx      context.Context
	body     io.Reader
	deadline func(time.Time) error // of the connection's reads; it may fail, where there is no connection
	idle     time.Duration
}

func (b requestBody) Read(p []byte) (int, error) {
	b.deadline(time.Now().Add(b.idle))
	// After the deadline was set: the end of the context sets one that has passed, and that one must be the last.
	if b.ctx.Err() != nil {
		return 0, context.Cause(b.ctx)
	}
	return b.body.Read(p)
}

// readRequest reads the body of a request with readBody, by way of requestBody unless it is short. It leaves the
// connection without a deadline when the body is whole; otherwise the deadline stays, because net/http reads on.
func readRequest(ctx context.Context, w http.ResponseWriter, r *http.Request, limit int64, idle time.Duration) ([]byte, error) {
	if n := r.ContentLength; n > limit || 0 <= n && n <= shortBody {
		return readBody(r.Body, r.ContentLength, limit)
	}
	deadline := http.NewResponseController(w).SetReadDeadline
	stop := context.AfterFunc(ctx, func() { deadline(time.Unix(1, 0)) })
	defer stop()
	body, err := readBody(requestBody{ctx, r.Body, deadline, idle}, r.ContentLength, limit)
	if err != nil {
		return nil, err
	}
	deadline(time.Time{})
	return body, nil
}

// unexpected is an end of file in the middle of a body.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// connectionLost reports whether an error of reading means that the other side is gone, not that it spoke nonsense.
func connectionLost(err error) bool {
	var netErr net.Error
	return errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.As(err, &netErr)
}
