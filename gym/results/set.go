package results

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/viewer/ingest"
)

// Set is the rows of files by rollout. It keeps where rows stand and reads them when asked. Open it with [Open], [OpenInputs] or
// [OpenFailures], and close it; in between it may be read by several goroutines.
type Set struct {
	files   []*openFile
	agents  []string
	entries []entry // sorted by key
	notes   []string
}

type openFile struct {
	path string
	text io.ReaderAt
	// close also removes the decompressed copy, if there is one.
	close func() error
}

// entry is where a row stands.
type entry struct {
	Key
	agent  int32
	file   int32
	line   int32
	length int32
	offset int64
}

// repeats says what a rollout that stands several times means.
type repeats uint8

const (
	refused  repeats = iota // in two files: an error; in one: the first counts
	firstOne                // the first counts
	allowed                 // each counts
)

// Open indexes files of results, in which a rollout stands once. Of one that stands in a file twice the first counts, which a note
// says; one that stands in two files is an error.
func Open(paths ...string) (*Set, error) { return open(paths, refused) }

// OpenInputs indexes files of materialized inputs. Shards of one run may share them: the first row of a rollout counts.
func OpenInputs(paths ...string) (*Set, error) { return open(paths, firstOne) }

// OpenFailures indexes files of failures, in which a rollout stands as often as it failed.
func OpenFailures(paths ...string) (*Set, error) { return open(paths, allowed) }

func open(paths []string, mode repeats) (_ *Set, err error) {
	s := &Set{}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close())
		}
	}()
	for _, path := range paths {
		if err := s.add(path); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(s.entries, func(a, b entry) int { return a.compare(b.Key) })
	if mode == allowed {
		return s, nil
	}
	return s, s.unique(mode)
}

func (k Key) compare(o Key) int {
	return cmp.Or(cmp.Compare(k.Task, o.Task), cmp.Compare(k.Rollout, o.Rollout))
}

// add indexes one file.
func (s *Set) add(path string) error {
	f, err := openText(path)
	if err != nil {
		return err
	}
	s.files = append(s.files, f)
	file := int32(len(s.files) - 1)
	torn, err := Read(path, func(r Row) error {
		k, err := r.Key()
		if err != nil {
			return err
		}
		s.entries = append(s.entries, entry{
			Key: k, agent: s.agent(r.Agent()), file: file, line: int32(r.Line), length: int32(r.Length), offset: r.Offset,
		})
		return nil
	})
	if torn != nil {
		s.notes = append(s.notes, torn.String())
	}
	return err
}

func (s *Set) agent(name string) int32 {
	i := slices.Index(s.agents, name)
	if i < 0 {
		i, s.agents = len(s.agents), append(s.agents, name)
	}
	return int32(i)
}

// unique leaves one entry for each rollout.
func (s *Set) unique(mode repeats) error {
	again := 0
	kept := s.entries[:0]
	for _, e := range s.entries {
		if n := len(kept); n > 0 && kept[n-1].Key == e.Key {
			first := kept[n-1]
			if first.file != e.file && mode == refused {
				return fmt.Errorf("cannot use %s and %s together: task %d, rollout %d stands in both (lines %d and %d), so they are no shards of one run",
					s.files[first.file].path, s.files[e.file].path, e.Task, e.Rollout, first.line, e.line)
			}
			if first.file == e.file {
				again++
			}
			continue
		}
		kept = append(kept, e)
	}
	s.entries = kept
	if again > 0 {
		s.notes = append(s.notes, fmt.Sprintf("%d rows belong to a rollout that stands in its file before: the first one counts", again))
	}
	return nil
}

// openText opens a file to read its text anywhere in it. A compressed one is decompressed into a temporary file.
func openText(path string) (*openFile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read results: %w", err)
	}
	var magic [4]byte
	n, err := f.ReadAt(magic[:], 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, errors.Join(fmt.Errorf("cannot read %s: %w", path, err), f.Close())
	}
	if !compressed(magic[:n]) {
		return &openFile{path, f, f.Close}, nil
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("cannot read %s: %w", path, err)
	}
	return unpack(path)
}

// compressed tells by a file's first bytes; no JSON begins with them.
func compressed(magic []byte) bool {
	return bytes.HasPrefix(magic, []byte{0x1F, 0x8B}) || bytes.Equal(magic, []byte{0x28, 0xB5, 0x2F, 0xFD}) ||
		len(magic) == 4 && magic[0]&0xF0 == 0x50 && bytes.Equal(magic[1:], []byte{0x2A, 0x4D, 0x18})
}

// unpack decompresses a file. One that is cut off gives what there is of it.
func unpack(path string) (*openFile, error) {
	in, err := ingest.OpenFile(path)
	if err != nil {
		return nil, err
	}
	temp, err := os.CreateTemp("", "gym-results-*.jsonl")
	if err != nil {
		return nil, errors.Join(fmt.Errorf("cannot decompress %s: %w", path, err), in.Close())
	}
	file := &openFile{path, temp, func() error { return errors.Join(temp.Close(), os.Remove(temp.Name())) }}
	_, err = io.Copy(temp, in)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // the reading that indexes it says so
	}
	if err = errors.Join(err, in.Close()); err != nil {
		return nil, errors.Join(fmt.Errorf("cannot decompress %s: %w", path, err), file.close())
	}
	return file, nil
}

// Close closes the files.
func (s *Set) Close() error {
	var errs []error
	for _, f := range s.files {
		errs = append(errs, f.close())
	}
	s.files = nil
	return errors.Join(errs...)
}

// Notes are what a user should know: lines that were torn, rows that do not count.
func (s *Set) Notes() []string { return slices.Clone(s.notes) }

// Len is the number of rows.
func (s *Set) Len() int { return len(s.entries) }

// Keys are the rollouts in order; one with several failures comes as often.
func (s *Set) Keys() iter.Seq[Key] {
	return func(yield func(Key) bool) {
		for _, e := range s.entries {
			if !yield(e.Key) {
				return
			}
		}
	}
}

// Has tells whether the rollout has a row.
func (s *Set) Has(k Key) bool { return len(s.of(k)) > 0 }

// Agent is the agent that the rollout's first row names.
func (s *Set) Agent(k Key) (name string, ok bool) {
	of := s.of(k)
	if len(of) == 0 {
		return "", false
	}
	return s.agents[of[0].agent], true
}

// of are the entries of a rollout.
func (s *Set) of(k Key) []entry {
	first, _ := slices.BinarySearchFunc(s.entries, k, func(e entry, k Key) int { return e.compare(k) })
	last := first
	for last < len(s.entries) && s.entries[last].Key == k {
		last++
	}
	return s.entries[first:last]
}

// Get reads the rows of a rollout: none, one, or each of its failures.
func (s *Set) Get(k Key) ([]responses.Object, error) {
	var out []responses.Object
	for _, e := range s.of(k) {
		o, err := s.object(e)
		if err != nil {
			return nil, err
		}
		out = append(out, o)
	}
	return out, nil
}

// Each calls fn with every row, by task and rollout. The row is fn's to keep.
func (s *Set) Each(fn func(k Key, agent string, row responses.Object) error) error {
	for _, e := range s.entries {
		o, err := s.object(e)
		if err != nil {
			return err
		}
		if err := fn(e.Key, s.agents[e.agent], o); err != nil {
			return err
		}
	}
	return nil
}

// object reads one row again.
func (s *Set) object(e entry) (responses.Object, error) {
	f := s.files[e.file]
	text := make([]byte, e.length)
	if _, err := f.text.ReadAt(text, e.offset); err != nil {
		return responses.Object{}, fmt.Errorf("cannot read %s:%d again: %w", f.path, e.line, err)
	}
	o, err := responses.ParseObject(text)
	if err != nil {
		return o, fmt.Errorf("cannot use %s:%d: the file was changed while it was read: %w", f.path, e.line, err)
	}
	return o, nil
}

// place names where a row stands.
func (s *Set) place(e entry) string { return fmt.Sprintf("%s:%d", s.files[e.file].path, e.line) }

// WriteTo writes the rows by task and rollout, one a line, as they are.
func (s *Set) WriteTo(w io.Writer) (total int64, err error) {
	var buf []byte
	err = s.Each(func(_ Key, _ string, row responses.Object) error {
		buf = row.AppendLine(buf[:0])
		n, err := w.Write(buf)
		total += int64(n)
		return err
	})
	return total, err
}
