package rollout

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/lensgo/lens/gym/internal/jsonl"
	"github.com/lensgo/lens/gym/results"
)

// digest hashes the rows of an input, whatever their file is: compressed or not, with whatever line ends.
type digest struct {
	path string
	hash hash.Hash
	rows int
}

func newDigest(path string) *digest { return &digest{path: path, hash: sha256.New()} }

func (d *digest) add(row []byte) {
	sum := sha256.Sum256(row)
	d.hash.Write(sum[:])
	d.rows++
}

func (d *digest) data() results.RunData {
	return results.RunData{Path: d.path, Rows: d.rows, Hash: hex.EncodeToString(d.hash.Sum(nil))}
}

// readDigest hashes the rows of an input as reading them for a run does.
func readDigest(input string, limit int) (data results.RunData, err error) {
	src, err := openSource(input)
	if err != nil {
		return data, err
	}
	r, err := src.open()
	if err != nil {
		return data, err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	d := newDigest(input)
	for rows := jsonl.NewReader(r); limit == 0 || d.rows < limit; {
		at, err := rows.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return data, fmt.Errorf("%s:%d: %w", input, rows.Number()+1, err)
		}
		if !at.Blank {
			d.add(at.Text)
		}
	}
	return d.data(), nil
}
