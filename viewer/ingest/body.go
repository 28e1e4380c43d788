package ingest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// readBody returns the body of a request as it came.
func readBody(w http.ResponseWriter, req *http.Request, c Config) ([]byte, *refusal) {
	body, err := readAll(http.MaxBytesReader(w, req.Body, c.MaxBody), min(req.ContentLength, c.MaxBody))
	if err != nil {
		return nil, bodyError(err)
	}
	return body, nil
}

// decompress returns a body as its sender made it.
func decompress(req *http.Request, body []byte, c Config) ([]byte, *refusal) {
	if encoding(req) != "gzip" {
		if int64(len(body)) > c.MaxDecoded {
			return nil, refuse(http.StatusRequestEntityTooLarge, "body is larger than %d bytes", c.MaxDecoded)
		}
		return body, nil
	}
	decoded, err := gunzip(body, c.MaxDecoded)
	if errors.Is(err, errTooLarge) {
		return nil, refuse(http.StatusRequestEntityTooLarge, "body is larger than %d bytes after decompression", c.MaxDecoded)
	}
	if err != nil {
		return nil, refuse(http.StatusBadRequest, "cannot decompress body of %d bytes: %w", len(body), err)
	}
	return decoded, nil
}

// readAll reads r to its end into a buffer of the size that was announced, or a growing one. The announcement is believed
// only so far: it costs the sender nothing.
func readAll(r io.Reader, announced int64) ([]byte, error) {
	const believed = 1 << 20
	var b bytes.Buffer
	b.Grow(int(min(max(announced, 0), believed)) + bytes.MinRead)
	_, err := b.ReadFrom(r)
	return b.Bytes(), err
}

var errTooLarge = errors.New("too large")

// maxRatio is the most that deflate can shrink data.
const maxRatio = 1032

var gzipReaders = sync.Pool{New: func() any { return new(gzip.Reader) }}

// gunzip unpacks a body into one buffer of its final size. The last four bytes of gzip announce that size; one above the
// limit is refused before anything is unpacked. Where they say too little, because they lie or because the body is
// several members, the size is counted first: a buffer that grows would need the memory of two.
func gunzip(body []byte, limit int64) ([]byte, error) {
	if len(body) < 18 {
		return nil, fmt.Errorf("gzip data is cut off: %w", io.ErrUnexpectedEOF)
	}
	size := int64(binary.LittleEndian.Uint32(body[len(body)-4:]))
	possible := maxRatio * int64(len(body))
	if size > limit && size <= possible {
		return nil, errTooLarge
	}
	zr := gzipReaders.Get().(*gzip.Reader)
	defer gzipReaders.Put(zr)

	decoded, err := unpack(zr, body, min(size, limit, possible))
	if !errors.Is(err, errTooLarge) {
		return decoded, err
	}
	if err := zr.Reset(bytes.NewReader(body)); err != nil {
		return nil, err
	}
	size, err = io.Copy(io.Discard, io.LimitReader(zr, limit+1))
	if err != nil {
		return nil, err
	}
	if size > limit {
		return nil, errTooLarge
	}
	return unpack(zr, body, size)
}

// unpack reads a body that has at most size bytes when it is unpacked.
func unpack(zr *gzip.Reader, body []byte, size int64) ([]byte, error) {
	if err := zr.Reset(bytes.NewReader(body)); err != nil {
		return nil, err
	}
	b := make([]byte, size+1) // one more, to see the end, or that there is none
	for n := 0; ; {
		m, err := zr.Read(b[n:]) // not io.ReadFull, which calls a short but whole body cut off
		n += m
		switch {
		case n == len(b):
			return nil, errTooLarge
		case errors.Is(err, io.EOF):
			return b[:n], nil
		case err != nil:
			return nil, err
		}
	}
}
