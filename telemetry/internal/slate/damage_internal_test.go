//go:build linux || darwin

package slate

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// written is a slate with notes in several units, as its file.
func written(tb testing.TB) (dir string, file []byte) {
	tb.Helper()
	dir = tb.TempDir()
	s, err := Create(dir, 2<<20)
	if err != nil {
		tb.Fatal(err)
	}
	for _, n := range []int{1, 2, 300, 70_000} {
		if _, err := s.Part(n%Parts).Put(Open, 1, bytes.Repeat([]byte{'x'}, n)); err != nil {
			tb.Fatal(err)
		}
	}
	s.Beat(time.Unix(1_700_000_000, 0))
	if err := s.Close(); err != nil {
		tb.Fatal(err)
	}
	if file, err = os.ReadFile(filepath.Join(dir, fileName)); err != nil {
		tb.Fatal(err)
	}
	return dir, file
}

func read1(t *testing.T, file []byte) loaded {
	t.Helper()
	l, err := parse(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// What is damaged is counted, and costs nothing else.
func TestLoad_damaged(t *testing.T) {
	_, file := written(t)
	whole := read1(t, file)
	if len(whole.Notes) != 4 || whole.Damaged > 0 || !whole.known || whole.at != thisBoot() || whole.Alive != time.Unix(1_700_000_000, 0) {
		t.Fatalf("%d notes, %d damaged, alive %v", len(whole.Notes), whole.Damaged, whole.Alive)
	}
	for name, c := range map[string]struct {
		at             int
		notes, damaged int
	}{
		"a note":               {unitHeader + slotHeader, 3, 1},
		"its state":            {unitHeader, 3, 1},
		"its length":           {unitHeader + 7, 3, 1},
		"its order":            {unitHeader + 16, 3, 1},
		"the name of a unit":   {0, 3, 1},
		"the size of slots":    {atSlotSize, 3, 1},
		"when it was alive":    {atAlive + 1, 4, 0},
		"what nobody has used": {len(file) - 1, 4, 0},
		"a large note":         {bytes.Index(file, bytes.Repeat([]byte{'x'}, 301)), 3, 1},
	} {
		t.Run(name, func(t *testing.T) {
			b := bytes.Clone(file)
			b[c.at] ^= 0x40
			if l := read1(t, b); len(l.Notes) != c.notes || l.Damaged != c.damaged {
				t.Errorf("%d notes, %d damaged", len(l.Notes), l.Damaged)
			}
		})
	}
	if l := read1(t, file[:unitSize+1000]); len(l.Notes) != 1 || l.Damaged != 1 {
		t.Errorf("a part of the file: %d notes, %d damaged", len(l.Notes), l.Damaged)
	}
	if l := read1(t, nil); len(l.Notes) != 0 || l.known {
		t.Errorf("no file: %+v", l)
	}
}

// When the system was started anew, the copy that was on the disk counts: of the mapped file it has written what it liked.
func TestLoad_after_a_power_cut(t *testing.T) {
	dir, file := written(t) // Close has written the copy
	for at := 0; at+unitHeader < len(file); at += unitSize {
		if s, _, ok := readHead(file[at:]); ok {
			s.head(file[at:], boot{1})
		}
	}
	file[unitHeader] = 0 // wiped, and that was not synced
	path := filepath.Join(dir, fileName)
	load := func(want int) {
		t.Helper()
		c, err := Load(dir)
		if err != nil || len(c.Notes) != want {
			t.Errorf("%d notes, %v; want %d", len(c.Notes), err, want)
		}
	}
	load(4)
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	load(4) // those of the copy
	if err := os.WriteFile(filepath.Join(dir, syncName), make([]byte, 1000), 0o600); err != nil {
		t.Fatal(err)
	}
	load(3) // there was no time for a copy
	if err := os.Remove(filepath.Join(dir, syncName)); err != nil {
		t.Fatal(err)
	}
	load(3)
	if err := os.Truncate(path, mostFile+1); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(dir); err == nil {
		t.Error("a file of any size is read")
	}
}

// FuzzLoad reads files that are damaged, or written by somebody else: units of all shapes, with any head and any slots.
func FuzzLoad(f *testing.F) {
	slot := make([]byte, slotHeader+5)
	write(slot, Open, 1, 2, []byte("hello"))
	f.Add(byte(0), []byte(nil), slot)
	f.Add(byte(12), []byte(nil), slot)
	f.Add(byte(3), []byte(magic), slot[:20])
	f.Fuzz(func(t *testing.T, i byte, head, slots []byte) {
		s := shapes[int(i)%len(shapes)]
		file := make([]byte, s.size())
		copy(file[unitHeader:], slots)
		s.head(file, boot{1})
		copy(file, head)
		l, err := parse(bytes.NewReader(file), int64(len(file)))
		if err != nil {
			t.Fatal(err) // there is nothing that cannot be read
		}
		total := 0
		for _, n := range l.Notes {
			total += slotHeader + len(n.Body)
			if !n.State.known() {
				t.Errorf("state %x", n.State)
			}
		}
		if total > len(file) {
			t.Errorf("%d bytes of notes in %d", total, len(file))
		}
	})
}

// No room on the disk is no reason to ask it for each note; it may have some later.
func TestSlate_full_disk(t *testing.T) {
	s, err := Create(t.TempDir(), 2<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	file := s.file
	if s.file, err = os.Open(os.DevNull); err != nil { // it takes no more
		t.Fatal(err)
	}
	p := s.Part(0)
	if _, err := p.Put(Open, 1, nil); !errors.Is(err, ErrFull) {
		t.Errorf("a disk that takes nothing: %v", err)
	}
	_ = s.file.Close()
	s.file = file
	if _, err := p.Put(Open, 1, nil); !errors.Is(err, ErrFull) {
		t.Errorf("it was asked again at once: %v", err)
	}
	s.Beat(time.Now())
	if _, err := p.Put(Open, 1, nil); err != nil {
		t.Errorf("when there is room: %v", err)
	}
}
