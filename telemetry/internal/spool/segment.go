package spool

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strings"
)

// magic begins every segment.
const magic = "lensspl1"

// headerSize is the length of what stands before a body: length, checksum and items of four bytes each, the state, and
// three bytes that check the length, since without it nothing behind can be found.
const headerSize = 16

// MostBody bounds a record. What is longer was never written by a spool.
const MostBody = 256 << 20

// state says how far a record got.
type state byte

// The states are four bits apart, so that a damaged bit makes no lost record of one that waits.
const (
	waiting state = 0b00000011 // nobody tried
	tried   state = 0b00001100 // it may have arrived, and so may one whose state is none of these
	done    state = 0b00110000 // it need not be sent
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// record is one in a segment.
type record struct {
	offset int64 // of the header
	length uint32
	sum    uint32
	items  uint32
	state  state
}

func (r record) size() int64 { return headerSize + int64(r.length) }

// written is the record as it stands in a file.
func (r record) written(body []byte) []byte {
	b := make([]byte, 0, r.size())
	for _, word := range []uint32{r.length, r.sum, r.items, lengthCheck(r.length) | uint32(r.state)} {
		b = binary.LittleEndian.AppendUint32(b, word)
	}
	return append(b, body...)
}

// lengthCheck is what stands beside the state, in three bytes.
func lengthCheck(length uint32) uint32 {
	return crc32.Checksum(binary.LittleEndian.AppendUint32(nil, length), castagnoli) &^ 0xff
}

// checksum covers what a flipped bit may not change.
func checksum(items uint32, body []byte) uint32 {
	var n [4]byte
	binary.LittleEndian.PutUint32(n[:], items)
	return crc32.Update(crc32.Checksum(n[:], castagnoli), castagnoli, body)
}

// segment is one file.
type segment struct {
	path    string
	file    *os.File // nil: closed until it is needed
	records []record
	next    int   // the first record that may not be done
	size    int64 // up to the end of the last whole record
	dirty   bool  // written since the last sync
}

// createSegment makes an empty one.
func createSegment(path string) (*segment, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if _, err := f.WriteString(magic); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(path))
	}
	return &segment{path: path, file: f, size: int64(len(magic)), dirty: true}, nil
}

// errNoSegment is what a file gets that is none, or one of another version.
var errNoSegment = errors.New("not a segment of a spool")

// openSegment reads the records of a file. What stands behind the first one that cannot be, as after a power cut, is left
// out; lost says how many bytes that are.
func openSegment(path string) (s *segment, lost int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = f.Close() }()
	info, err := f.Stat()
	if err != nil {
		return nil, 0, err
	}
	s = &segment{path: path, size: int64(len(magic))}
	begin := make([]byte, len(magic))
	if _, err := f.ReadAt(begin, 0); err != nil && err != io.EOF {
		return nil, 0, err
	}
	switch begin = bytes.TrimRight(begin, "\x00"); {
	case string(begin) == magic:
	case strings.HasPrefix(magic, string(begin)): // its first write has not reached the disk as a whole
		return s, info.Size(), nil
	default:
		return nil, 0, fmt.Errorf("%s: %w", path, errNoSegment)
	}
	for {
		r, err := readHeader(f, s.size, info.Size())
		if err != nil {
			break
		}
		s.records = append(s.records, r)
		s.size += r.size()
	}
	s.skipDone()
	return s, info.Size() - s.size, nil
}

// readHeader reads the header at an offset of a file of so many bytes.
func readHeader(f io.ReaderAt, offset, end int64) (record, error) {
	var h [headerSize]byte
	if _, err := f.ReadAt(h[:], offset); err != nil {
		return record{}, err
	}
	r := record{
		offset: offset,
		length: binary.LittleEndian.Uint32(h[0:]),
		sum:    binary.LittleEndian.Uint32(h[4:]),
		items:  binary.LittleEndian.Uint32(h[8:]),
		state:  state(h[12]),
	}
	check := binary.LittleEndian.Uint32(h[12:]) &^ 0xff
	if r.length > MostBody || offset+r.size() > end || check != lengthCheck(r.length) {
		return record{}, io.ErrUnexpectedEOF
	}
	if r.state != waiting && r.state != done {
		r.state = tried
	}
	return r, nil
}

// open opens the file again when it is closed.
func (s *segment) open() (*os.File, error) {
	if s.file == nil {
		f, err := os.OpenFile(s.path, os.O_RDWR, 0)
		if err != nil {
			return nil, err
		}
		s.file = f
	}
	return s.file, nil
}

// append writes a record and returns its position in the list. A record that is written in part is cut off again.
func (s *segment) append(items uint32, body []byte, st state) (int, error) {
	f, err := s.open()
	if err != nil {
		return 0, err
	}
	r := record{offset: s.size, length: uint32(len(body)), sum: checksum(items, body), items: items, state: st}
	if _, err := f.WriteAt(r.written(body), s.size); err != nil {
		return 0, errors.Join(err, f.Truncate(s.size))
	}
	s.records = append(s.records, r)
	s.size += r.size()
	s.dirty = true
	return len(s.records) - 1, nil
}

// mark writes how far a record got. One byte is written whole or not at all.
func (s *segment) mark(i int, st state) error {
	s.records[i].state = st
	if st == done {
		s.skipDone()
	}
	f, err := s.open()
	if err != nil {
		return err
	}
	_, err = f.WriteAt([]byte{byte(st)}, s.records[i].offset+12)
	s.dirty = true
	return err
}

// skipDone moves next behind what is done.
func (s *segment) skipDone() {
	for s.next < len(s.records) && s.records[s.next].state == done {
		s.next++
	}
}

// over reports whether all of its records are done.
func (s *segment) over() bool { return s.next == len(s.records) }

// errClosed is that of a file which cannot be opened again, as in a process that has too many open.
var errClosed = errors.New("cannot open a file of the spool")

// body reads a record and checks it.
func (s *segment) body(i int) ([]byte, error) {
	f, err := s.open()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errClosed, err)
	}
	r := s.records[i]
	b := make([]byte, r.length)
	if _, err := f.ReadAt(b, r.offset+headerSize); err != nil {
		return nil, err
	}
	if checksum(r.items, b) != r.sum {
		return nil, fmt.Errorf("the checksum of the record at byte %d of %s is wrong", r.offset, s.path)
	}
	return b, nil
}

// left counts the items that are not done.
func (s *segment) left() (items uint64) {
	for _, r := range s.records[s.next:] {
		if r.state != done {
			items += uint64(r.items)
		}
	}
	return items
}

// unsynced is the file when it was written since the last call, and then the caller's to sync; else nil.
func (s *segment) unsynced() *os.File {
	if !s.dirty {
		return nil
	}
	s.dirty = false
	return s.file
}

// close closes the file until it is needed again.
func (s *segment) close() error {
	if s.file == nil {
		return nil
	}
	f := s.file
	s.file = nil
	return f.Close()
}

// remove closes the file and deletes it.
func (s *segment) remove() error { return errors.Join(s.close(), os.Remove(s.path)) }
