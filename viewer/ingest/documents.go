package ingest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// isSpread reports whether a line is the beginning of a JSON object that goes on in the next one: a request that somebody
// printed for people, which is no line of the OTLP JSON file format and still one that a person wants to look at.
func isSpread(line []byte) bool {
	if !bytes.HasPrefix(line, []byte("{")) {
		return false
	}
	var v json.RawMessage
	return errors.Is(json.NewDecoder(bytes.NewReader(line)).Decode(&v), io.ErrUnexpectedEOF)
}

// readDocuments calls fn with each JSON value of a file, whatever lines it is spread over. All of them together may have
// maxLine bytes.
func readDocuments(path string, fn func(document []byte) error) (err error) {
	f, err := OpenFile(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()

	r := bufio.NewReader(io.LimitReader(f, maxLine))
	if mark, _ := r.Peek(len(byteOrderMark)); bytes.Equal(mark, []byte(byteOrderMark)) {
		r.Discard(len(byteOrderMark))
	}
	documents := json.NewDecoder(r)
	for {
		var document json.RawMessage
		begin := documents.InputOffset()
		switch err := documents.Decode(&document); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("cannot read %s from byte %d on: %w", path, begin, err)
		}
		if err := fn(document); err != nil {
			return fmt.Errorf("cannot read %s from byte %d on: %w", path, begin, err)
		}
	}
}
