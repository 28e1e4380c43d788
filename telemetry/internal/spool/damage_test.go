package spool_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lensgo/lens/telemetry/internal/spool"
)

// plant leaves segments as dead processes do, each in the folder of its own process.
func plant(t *testing.T, root string, segments ...[]byte) {
	t.Helper()
	for i, text := range segments {
		dir := filepath.Join(root, destination.Key, fmt.Sprintf("20260102T030405.%09d-1-0", i))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "00000001.seg"), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// segment makes one of bodies, with one item each.
func segment(t *testing.T, bodies ...string) []byte {
	t.Helper()
	root := newRoot(t)
	s := open(t, root, spool.Options{})
	appendTo(t, s, bodies...)
	closeSpool(t, s)
	paths := segments(t, root)
	if len(paths) != 1 {
		t.Fatalf("%d segments", len(paths))
	}
	text, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	return text
}

const magic, header = 8, 16 // the lengths of what stands before records, and before bodies

// Whatever of a file reached the disk, the records that did so as a whole are sent, and what is lost is said.
func TestSpool_torn(t *testing.T) {
	bodies := []string{"first", "the second", "3rd"}
	whole, next := segment(t, bodies...), segment(t, "next")
	for name, rest := range map[string]func(end []byte) []byte{
		"cut":   func([]byte) []byte { return nil },
		"zeros": func(end []byte) []byte { return make([]byte, len(end)) }, // the length of the file came first
	} {
		for at := range len(whole) + 1 {
			torn := append(bytes.Clone(whole[:at]), rest(whole[at:])...)
			root := newRoot(t)
			plant(t, root, torn, next)
			s, said := openLoud(t, root, spool.Options{})
			want, end := []string{}, magic
			for _, b := range bodies {
				if end += header + len(b); end > at {
					break
				}
				want = append(want, b)
			}
			wantBodies(t, drain(s), append(want, "next")...)
			c := s.Stats().TakenOver // with zeros a record may have its header
			if most := map[string]uint64{"zeros": 1}[name]; c.Damaged > most || c.Kept != uint64(len(want))+1+c.Damaged || c.Waiting != 0 {
				t.Errorf("%s at %d: %+v", name, at, c)
			}
			complete := len(torn) == 0 || at == len(whole) || name == "cut" && at == magic+sum(want)
			if complete != (said.Len() == 0) {
				t.Errorf("%s at %d of %d: the log says %q", name, at, len(whole), said)
			}
			closeSpool(t, s)
			if left := files(t, root); len(left) > 0 {
				t.Errorf("%s at %d: left %v", name, at, left)
			}
		}
	}
}

func sum(bodies []string) (n int) {
	for _, b := range bodies {
		n += header + len(b)
	}
	return n
}

// A damaged byte costs one record, which is counted and said, and the rest of its file only when it is in a length.
func TestSpool_flipped(t *testing.T) {
	bodies := []string{"first", "the second", "3rd"}
	whole, next := segment(t, bodies...), segment(t, "next")
	second := magic + sum(bodies[:1])
	for at := second; at < second+header+len(bodies[1]); at++ {
		for _, flip := range []byte{1, 0x80, 0x55, 0xff} {
			flipped := bytes.Clone(whole)
			flipped[at] ^= flip
			root := newRoot(t)
			plant(t, root, flipped, next)
			s, said := openLoud(t, root, spool.Options{})
			got := strings.Join(drain(s), ",")
			c := s.Stats().TakenOver
			want, damaged := "first,3rd,next", uint64(1)
			switch field := at - second; {
			case field < 4, 12 < field && field < 16: // the length, and its check
				want, damaged = "first,next", 0
			case field >= 8 && field < 12: // the count itself
				damaged = c.Damaged
			case field == 12: // the state
				want, damaged = "first,the second,3rd,next", 0
			}
			if got != want || c.Damaged != damaged || c.Waiting != 0 {
				t.Errorf("byte %d ^ %x: %s with %+v, want %s with %d damaged", at-second, flip, got, c, want, damaged)
			}
			if quiet := at-second == 12; quiet != (said.Len() == 0) {
				t.Errorf("byte %d: the log says %q", at-second, said)
			}
			closeSpool(t, s)
		}
	}
}

// A state with a damaged bit is one that may have arrived, not one that is done; so is one that is none.
func TestSpool_flipped_state(t *testing.T) {
	whole := segment(t, "a")
	for _, flip := range []byte{1, 2, 4, 8, 16, 32, 64, 128, whole[magic+12], 0xff} {
		text := bytes.Clone(whole)
		text[magic+12] ^= flip
		root := newRoot(t)
		plant(t, root, text)
		s := open(t, root, spool.Options{})
		if e := s.Oldest(); e == nil || !e.Tried {
			t.Errorf("state %08b: %+v", text[magic+12], e)
		}
		drain(s)
		closeSpool(t, s)
	}
}

// Many damaged records of a file are said once and all counted.
func TestSpool_says_damage_once(t *testing.T) {
	text := segment(t, numbered(100)...)
	for i := magic + header; i < len(text); i++ {
		if string(text[i:min(i+4, len(text))]) == "body" {
			text[i] = 'B'
		}
	}
	root := newRoot(t)
	plant(t, root, text)
	s, said := openLoud(t, root, spool.Options{})
	if got := drain(s); len(got) > 0 {
		t.Errorf("%q", got)
	}
	if c := s.Stats().TakenOver; c != (spool.Counts{Kept: 100, Damaged: 100}) || strings.Count(said.String(), "\n") != 1 {
		t.Errorf("%+v, %s", c, said)
	}
}
