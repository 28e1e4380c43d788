package wire

import (
	"errors"
	"io"
	"net"
)

var (
	errTooLarge   = errors.New("the body is too large")
	errClientGone = errors.New("the client went away")
)

// firstRead bounds what is taken from memory on the word of a Content-Length alone.
const firstRead = 1 << 20

// readBody reads a whole body of a length that is known, or -1, and at most max bytes of it. It returns nil for an empty
// one. A body of the known length is read to its last byte and no further, which is what lets net/http watch for the
// client's leave from then on.
func readBody(r io.Reader, length, max int64) ([]byte, error) {
	if length > max {
		return nil, errTooLarge
	}
	if length == 0 || r == nil {
		return nil, nil
	}
	if length < 0 {
		return readUnknown(r, max)
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

func readUnknown(r io.Reader, max int64) ([]byte, error) {
	buf, err := io.ReadAll(io.LimitReader(r, max+1))
	if err != nil {
		return nil, err
	}
	if int64(len(buf)) > max {
		return nil, errTooLarge
	}
	if len(buf) == 0 {
		return nil, nil
	}
	return buf, nil
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
