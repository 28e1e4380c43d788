package web

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	maxResultRows = 2_000_000 // in the index: about 60 bytes each
	maxResultLine = 32 << 20  // bytes of a row that is read to be shown
	maxReaders    = 2         // that hold such a row at a time
	resultsEvery  = time.Second
)

// results finds the rows of a run's results file, and of the file of its failures, by rollout. The files are read in the
// background, once, byte by byte and without keeping a line; later only what was appended.
type results struct {
	wake    chan struct{}
	readers chan struct{} // one token for each who holds a row

	mu      sync.Mutex
	files   []*resultsFile
	at      map[resultKey]resultPlace
	reading bool
	ready   chan struct{} // closed after the first reading
}

// resultKey names a rollout as the files do: all count from 0.
type resultKey struct{ task, rollout, retry int64 }

type resultPlace struct {
	file   int32
	length int32
	offset int64
}

type resultsFile struct {
	path    string
	must    bool // is a problem when it is not there
	info    os.FileInfo
	offset  int64 // of the first byte that was not read; always the start of a line
	problem string
}

// newResults tells where the files are. Nothing is read before run.
func newResults(path string) *results {
	ext := filepath.Ext(path)
	return &results{
		wake: make(chan struct{}, 1), readers: make(chan struct{}, maxReaders), ready: make(chan struct{}), at: map[resultKey]resultPlace{},
		files: []*resultsFile{{path: strings.TrimSuffix(path, ext) + "_failures" + ext}, {path: path, must: true}},
	}
}

// run reads until ctx ends: at once, and then whenever somebody asked and a second has passed.
func (x *results) run(ctx context.Context) {
	for first := true; ; first = false {
		x.refresh(ctx)
		if first {
			close(x.ready)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(resultsEvery):
		}
		select {
		case <-ctx.Done():
			return
		case <-x.wake:
		}
	}
}

// poke asks for what was appended.
func (x *results) poke() {
	select {
	case x.wake <- struct{}{}:
	default:
	}
}

func (x *results) refresh(ctx context.Context) {
	x.setReading(true)
	defer x.setReading(false)
	for i, f := range x.files {
		problem := ""
		if err := x.read(ctx, int32(i), f); err != nil && ctx.Err() == nil && (f.must || !errors.Is(err, fs.ErrNotExist)) {
			problem = err.Error()
		}
		x.mu.Lock()
		f.problem = problem
		x.mu.Unlock()
	}
}

func (x *results) setReading(on bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.reading = on
}

// read reads what is new in a file, all of it when it is another file by now or has become shorter.
func (x *results) read(ctx context.Context, n int32, f *resultsFile) error {
	file, err := os.Open(f.path)
	if err != nil {
		return fmt.Errorf("cannot read results: %w", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return fmt.Errorf("cannot read results: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("cannot read results from %s: it is no regular file", f.path)
	}
	if f.info != nil && (!os.SameFile(f.info, info) || info.Size() < f.offset) {
		f.offset = 0
		x.forget(n)
	}
	f.info = info
	if _, err := file.Seek(f.offset, io.SeekStart); err != nil {
		return fmt.Errorf("cannot read results: %w", err)
	}
	return x.scan(ctx, n, f, file)
}

func (x *results) forget(n int32) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for key, place := range x.at {
		if place.file == n {
			delete(x.at, key)
		}
	}
}

// scan reads whole lines from the file's offset on. A line without its newline is still being written.
func (x *results) scan(ctx context.Context, n int32, f *resultsFile, r io.Reader) error {
	buf := make([]byte, 64<<10)
	var line lineScan
	length := int64(0)
	for ctx.Err() == nil {
		got, err := r.Read(buf)
		for _, c := range buf[:got] {
			length++
			if c != '\n' {
				line.next(c)
				continue
			}
			if key, ok := line.key(); ok {
				if err := x.put(key, resultPlace{file: n, offset: f.offset, length: int32(min(length, 1<<31-1))}); err != nil {
					return err
				}
			}
			f.offset += length
			length, line = 0, lineScan{}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("cannot read results: %w", err)
		}
	}
	return ctx.Err()
}

func (x *results) put(key resultKey, place resultPlace) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	old, ok := x.at[key]
	if ok && old.file > place.file {
		return nil // scored in the end
	}
	if !ok && len(x.at) >= maxResultRows {
		return fmt.Errorf("cannot read results past row %d: more are not kept", maxResultRows)
	}
	x.at[key] = place
	return nil
}

// length is how long the row of a rollout is, 0 when there is none.
func (x *results) length(key resultKey) int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return int(x.at[key].length)
}

// row reads the row of a rollout. The error is ErrNotExist when the files do not have it.
func (x *results) row(key resultKey) ([]byte, error) {
	x.poke()
	x.mu.Lock()
	place, ok := x.at[key]
	x.mu.Unlock()
	if !ok {
		return nil, fs.ErrNotExist
	}
	if place.length > maxResultLine {
		return nil, errTooLong
	}
	file, err := os.Open(x.files[place.file].path)
	if err != nil {
		return nil, fmt.Errorf("cannot read results: %w", err)
	}
	defer file.Close()
	line := make([]byte, place.length)
	if _, err := file.ReadAt(line, place.offset); errors.Is(err, io.EOF) {
		return nil, fs.ErrNotExist // it has become shorter
	} else if err != nil {
		return nil, fmt.Errorf("cannot read results: %w", err)
	}
	var again lineScan
	for _, c := range line[:len(line)-1] {
		again.next(c)
	}
	if now, ok := again.key(); !ok || now != key {
		return nil, fs.ErrNotExist // the file is another one by now
	}
	return line, nil
}

var errTooLong = errors.New("the row is too long")

// status says how far the reading is.
func (x *results) status() ResultsStatus {
	if x == nil {
		return ResultsStatus{}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	s := ResultsStatus{Known: true, Rows: len(x.at), Reading: x.reading}
	for _, f := range x.files {
		if f.problem != "" {
			s.Problem = new(f.problem)
		}
	}
	return s
}

// lineScan finds the indices of a row while its bytes pass by, whatever the row is long and whatever else is in it. It
// looks at the members of the outermost object only.
type lineScan struct {
	depth   int
	inText  bool
	escaped bool
	isValue bool // behind the colon of a member
	text    []byte
	member  string
	got     resultKey
	has     [3]bool
}

const longestWanted = len("_ng_rollout_index")

func (l *lineScan) next(c byte) {
	if l.inText {
		l.inside(c)
		return
	}
	switch c {
	case '"':
		l.inText = true
		if l.depth == 1 {
			l.text = l.text[:0]
		}
	case '{', '[':
		l.depth++
	case '}', ']':
		l.end()
		l.depth--
	case ':':
		if l.depth == 1 && !l.isValue {
			l.member, l.isValue, l.text = string(l.text), true, l.text[:0]
		}
	case ',':
		l.end()
	default:
		if l.depth == 1 && l.isValue && c > ' ' && len(l.text) < 32 {
			l.text = append(l.text, c)
		}
	}
}

func (l *lineScan) inside(c byte) {
	switch {
	case l.escaped:
		l.escaped = false
	case c == '\\':
		l.escaped = true
	case c == '"':
		l.inText = false
		if l.isValue && l.depth == 1 {
			l.text = append(l.text[:0], '"') // a text is no number
		}
		return
	}
	if l.depth == 1 && len(l.text) <= longestWanted {
		l.text = append(l.text, c)
	}
}

// end takes the value of a member of the outermost object.
func (l *lineScan) end() {
	if l.depth != 1 || !l.isValue {
		return
	}
	l.isValue = false
	var to *int64
	n := 0
	switch l.member {
	case "_ng_task_index":
		to = &l.got.task
	case "_ng_rollout_index":
		to, n = &l.got.rollout, 1
	case "_ng_attempt_index":
		to, n = &l.got.retry, 2
	default:
		return
	}
	v, err := strconv.ParseInt(string(l.text), 10, 64)
	*to, l.has[n] = v, err == nil
}

func (l *lineScan) key() (resultKey, bool) {
	return l.got, l.depth == 0 && !l.inText && l.has[0] && l.has[1]
}
