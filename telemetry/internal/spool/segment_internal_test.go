package spool

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// Whatever stands in a file, reading it ends, finds only what is in it, and can be gone on with.
func FuzzOpenSegment(f *testing.F) {
	dir := f.TempDir()
	path := filepath.Join(dir, "seed")
	s, err := createSegment(path)
	if err != nil {
		f.Fatal(err)
	}
	for i, st := range []state{done, waiting, tried, done} {
		if _, err := s.append(uint32(i), bytes.Repeat([]byte{'x'}, 10*i), st); err != nil {
			f.Fatal(err)
		}
	}
	if err := s.close(); err != nil {
		f.Fatal(err)
	}
	seed, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	for _, text := range [][]byte{seed, seed[:len(seed)-5], seed[:20], nil, []byte(magic), make([]byte, 30), append(bytes.Clone(seed), make([]byte, 30)...)} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		path := filepath.Join(t.TempDir(), "1.seg")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		s, lost, err := openSegment(path)
		if err != nil {
			return
		}
		if end := int64(len(text)); len(s.records) > 0 && s.size+lost != end || s.size > max(end, int64(len(magic))) || lost < 0 || lost > end {
			t.Errorf("%d bytes and %d lost of %d", s.size, lost, end)
		}
		for i := range s.records {
			if b, err := s.body(i); err == nil && checksum(s.records[i].items, b) != s.records[i].sum {
				t.Errorf("record %d is another", i)
			}
		}
		for i := range s.records {
			if err := s.mark(i, done); err != nil {
				t.Error(err)
			}
		}
		if !s.over() || s.left() != 0 {
			t.Error("it is not over")
		}
		if err := s.remove(); err != nil {
			t.Error(err)
		}
	})
}
