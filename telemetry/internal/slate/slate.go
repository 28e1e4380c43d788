package slate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"
)

// Names of the files, and how much is mapped at once.
const (
	fileName   = "slate"
	syncName   = "slate.sync"
	extentSize = 1 << 20
)

// Parts is how many goroutines can write at the same moment.
const Parts = 16

// Why a note is not written.
var (
	ErrFull  = errors.New("the slate is full")
	ErrLarge = errors.New("the note is too large for a slate")
	ErrLost  = errors.New("the file of the slate was deleted or cut off, or its disk is full")

	// ErrClosed is what a slate says that was closed.
	ErrClosed = errors.New("the slate is closed")
)

// Slate is the notes of a process. Its methods are safe for concurrent use.
type Slate struct {
	dir   string
	most  int64
	at    boot
	parts [Parts]*Part

	mu      sync.Mutex
	file    *os.File
	size    int64
	extents [][]byte
	rest    region   // of the last extent: not cut into units yet
	spare   []region // single units that were left over at the end of an extent
	first   []byte   // the header of the first unit; nil until there is one

	failed  atomic.Bool // there was no more room at the last try; the next comes after a Beat
	lost    atomic.Bool
	copied  *os.File // nil until the first Sync
	scratch []byte   // of Sync
}

// region is mapped memory, and where in the file it is.
type region struct {
	mem    []byte
	offset int64
}

// cut splits the first bytes off.
func (r *region) cut(size int) region {
	first := region{r.mem[:size:size], r.offset}
	r.mem, r.offset = r.mem[size:], r.offset+int64(size)
	return first
}

// Part is a share of a slate. Whoever writes notes in it or wipes them holds its lock, which may guard more than the part.
type Part struct {
	sync.Mutex
	slate  *Slate
	free   [][]Slot // by shape
	units  []*unit
	order  uint64
	used   int
	closed bool
}

// unit is one that a part has.
type unit struct {
	region
	shape int
	dirty bool // changed since the last Sync
}

// Slot is the place of a note. The zero Slot is none.
type Slot struct {
	unit *unit
	at   int
}

// Valid reports whether it is a place.
func (s Slot) Valid() bool { return s.unit != nil }

func (s Slot) mem() []byte { return s.unit.mem[s.at : s.at+shapes[s.unit.shape].slot] }

// Create makes the slate of a process in its folder, with files of at most so many bytes each.
func Create(dir string, most int64) (*Slate, error) {
	if !supported {
		return nil, fmt.Errorf("cannot make a slate: %w on this system", errors.ErrUnsupported)
	}
	f, err := os.OpenFile(filepath.Join(dir, fileName), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot make a slate: %w", err)
	}
	s := &Slate{dir: dir, most: most, at: thisBoot(), file: f}
	for i := range s.parts {
		s.parts[i] = &Part{slate: s, free: make([][]Slot, len(shapes))}
	}
	return s, nil
}

// Part returns one of the parts, 0 to Parts-1.
func (s *Slate) Part(i int) *Part { return s.parts[i] }

// guard makes an error of a fault in mapped memory, as when somebody has cut the file off.
func (s *Slate) guard(old bool, err *error) {
	debug.SetPanicOnFault(old)
	v := recover()
	if v == nil {
		return
	}
	if _, fault := v.(interface{ Addr() uintptr }); !fault {
		panic(v)
	}
	s.lost.Store(true)
	*err = ErrLost
}

// Put writes a note. The lock of the part is held.
func (p *Part) Put(state State, origin uint32, body []byte) (slot Slot, err error) {
	i, ok := shapeOf(len(body))
	if !ok {
		return Slot{}, ErrLarge
	}
	if slot, err = p.take(i); err != nil {
		return Slot{}, err
	}
	defer p.slate.guard(debug.SetPanicOnFault(true), &err)
	p.order++
	write(slot.mem(), state, origin, p.order, body)
	slot.unit.dirty = true
	if state != Shared {
		p.used++
	}
	return slot, nil
}

// usable says why nothing can be written.
func (p *Part) usable() error {
	switch {
	case p.closed:
		return ErrClosed
	case p.slate.lost.Load():
		return ErrLost
	}
	return nil
}

// Mark changes the state of a note. The lock of the part is held.
func (p *Part) Mark(slot Slot, state State) { _ = p.mark(slot, state) }

func (p *Part) mark(slot Slot, state State) (err error) {
	if err := p.usable(); err != nil {
		return err
	}
	defer p.slate.guard(debug.SetPanicOnFault(true), &err)
	slot.mem()[0] = byte(state)
	slot.unit.dirty = true
	return nil
}

// Wipe gives the place of a note up. The lock of the part is held.
func (p *Part) Wipe(slot Slot) {
	if p.mark(slot, wiped) == nil {
		p.used--
		p.free[slot.unit.shape] = append(p.free[slot.unit.shape], slot)
	}
}

// Same reports whether a note has this body. The lock of the part is held.
func (p *Part) Same(slot Slot, body []byte) bool {
	same, err := p.same(slot, body)
	return same && err == nil
}

func (p *Part) same(slot Slot, body []byte) (same bool, err error) {
	if err := p.usable(); err != nil {
		return false, err
	}
	defer p.slate.guard(debug.SetPanicOnFault(true), &err)
	mem := slot.mem()
	length := int(binary.LittleEndian.Uint32(mem[4:]))
	return length == len(body) && length <= len(mem)-slotHeader && bytes.Equal(mem[slotHeader:slotHeader+length], body), nil
}

// take returns a free slot. The one that was wiped last comes first: its page is warm, and so few pages change.
func (p *Part) take(i int) (Slot, error) {
	if err := p.usable(); err != nil {
		return Slot{}, err
	}
	if len(p.free[i]) == 0 {
		if err := p.grow(i); err != nil {
			return Slot{}, err
		}
	}
	last := len(p.free[i]) - 1
	slot := p.free[i][last]
	p.free[i] = p.free[i][:last]
	return slot, nil
}

// grow adds a unit of a shape.
func (p *Part) grow(i int) error {
	u, err := p.slate.newUnit(i)
	if err != nil {
		return err
	}
	p.units = append(p.units, u)
	for n := shapes[i].slots - 1; n >= 0; n-- {
		p.free[i] = append(p.free[i], Slot{unit: u, at: unitHeader + n*shapes[i].slot})
	}
	return nil
}

// newUnit makes a unit of a shape.
func (s *Slate) newUnit(i int) (u *unit, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := s.room(shapes[i].size())
	if err != nil {
		return nil, err
	}
	defer s.guard(debug.SetPanicOnFault(true), &err)
	shapes[i].head(r.mem, s.at)
	if s.first == nil {
		s.first = r.mem[:unitHeader]
		s.alive(time.Now())
	}
	return &unit{region: r, shape: i, dirty: true}, nil
}

// room returns memory that no unit has.
func (s *Slate) room(size int) (region, error) {
	if n := len(s.spare); n > 0 && size == unitSize {
		r := s.spare[n-1]
		s.spare = s.spare[:n-1]
		return r, nil
	}
	if len(s.rest.mem) < size {
		if err := s.extend(); err != nil {
			return region{}, err
		}
	}
	return s.rest.cut(size), nil
}

// extend makes the file larger. What a disk has promised it cannot refuse later, so the room is taken at once.
func (s *Slate) extend() error {
	if s.failed.Load() || s.file == nil || s.size+extentSize > s.most {
		return ErrFull
	}
	if err := reserve(s.file, s.size, extentSize); err != nil {
		s.failed.Store(true)
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	mem, err := mapFile(s.file, s.size, extentSize)
	if err != nil {
		s.failed.Store(true)
		return fmt.Errorf("%w: cannot map its file: %w", ErrFull, err)
	}
	for len(s.rest.mem) > 0 {
		s.spare = append(s.spare, s.rest.cut(unitSize))
	}
	s.extents = append(s.extents, mem)
	s.rest = region{mem, s.size}
	s.size += extentSize
	return nil
}

// Beat notes that the process is alive. What somebody has deleted meanwhile is still mapped, but nobody would find it.
func (s *Slate) Beat(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failed.Store(false)
	if _, err := os.Lstat(filepath.Join(s.dir, fileName)); errors.Is(err, fs.ErrNotExist) && s.file != nil {
		s.lost.Store(true)
	}
	if s.first != nil && !s.lost.Load() {
		_ = s.beat(now)
	}
}

func (s *Slate) beat(now time.Time) (err error) {
	defer s.guard(debug.SetPanicOnFault(true), &err)
	s.alive(now)
	return nil
}

func (s *Slate) alive(now time.Time) {
	binary.LittleEndian.PutUint64(s.first[atAlive:], uint64(now.UnixNano()))
}
