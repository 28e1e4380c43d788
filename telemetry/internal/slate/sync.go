package slate

import (
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
)

// Sync writes what has changed since the last one to the copy on the disk, and waits for the disk; who writes notes does not.
// A note that was wiped because its subject is elsewhere must not be gone from the disk before that is there: before is called
// when changes are collected and not written yet. One call at a time.
func (s *Slate) Sync(before func() error) error {
	if s.lost.Load() {
		return ErrLost
	}
	if s.scratch == nil {
		s.scratch = make([]byte, extentSize)
	}
	c := collection{slate: s, before: before}
	for _, p := range s.parts {
		for i := 0; ; i++ {
			u := p.unit(i)
			if u == nil {
				break
			}
			if err := c.add(p, u); err != nil {
				return err
			}
		}
	}
	return c.finish()
}

// collection is what Sync has copied from the mapped file into scratch and not written yet.
type collection struct {
	slate  *Slate
	before func() error
	pieces []piece
	size   int
	wrote  bool
}

type piece struct {
	part *Part
	unit *unit
}

// add copies a unit when it has changed.
func (c *collection) add(p *Part, u *unit) error {
	if c.size+len(u.mem) > len(c.slate.scratch) {
		if err := c.flush(); err != nil {
			return err
		}
	}
	copied, err := p.copyDirty(u, c.slate.scratch[c.size:])
	if copied {
		c.pieces = append(c.pieces, piece{p, u})
		c.size += len(u.mem)
	}
	return err
}

// flush writes what is collected. What cannot be written is tried again by the next Sync.
func (c *collection) flush() error {
	if len(c.pieces) == 0 {
		return nil
	}
	err := errors.Join(c.before(), c.slate.writeCopy(c.pieces))
	if err != nil {
		for _, p := range c.pieces {
			p.part.Lock()
			p.unit.dirty = true
			p.part.Unlock()
		}
	}
	c.pieces, c.size, c.wrote = c.pieces[:0], 0, true
	return err
}

func (c *collection) finish() error {
	if err := c.flush(); err != nil || !c.wrote {
		return err
	}
	return c.slate.copied.Sync()
}

// unit returns the i-th of the part, nil behind the last.
func (p *Part) unit(i int) *unit {
	p.Lock()
	defer p.Unlock()
	if p.closed || i >= len(p.units) {
		return nil
	}
	return p.units[i]
}

// copyDirty copies a unit when it has changed.
func (p *Part) copyDirty(u *unit, to []byte) (copied bool, err error) {
	p.Lock()
	defer p.Unlock()
	if p.closed || !u.dirty {
		return false, nil
	}
	defer p.slate.guard(debug.SetPanicOnFault(true), &err)
	copy(to, u.mem)
	u.dirty = false
	return true, nil
}

// writeCopy writes pieces, which are one after the other in scratch.
func (s *Slate) writeCopy(pieces []piece) error {
	if s.copied == nil {
		f, err := os.OpenFile(filepath.Join(s.dir, syncName), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
		if err != nil {
			return err
		}
		s.copied = f
		if err := SyncFolders(s.dir, filepath.Dir(s.dir), filepath.Dir(filepath.Dir(s.dir))); err != nil {
			return err
		}
	}
	b := s.scratch
	for _, p := range pieces {
		size := shapes[p.unit.shape].size()
		if _, err := s.copied.WriteAt(b[:size], p.unit.offset); err != nil {
			return err
		}
		b = b[size:]
	}
	return nil
}

// SyncFolders writes to the disk which files folders have.
func SyncFolders(paths ...string) error {
	var errs []error
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		errs = append(errs, f.Sync(), f.Close())
	}
	return errors.Join(errs...)
}

// Close ends the slate. Its files stay when there is a note in it that is not wiped. Later calls of the other methods do
// nothing.
func (s *Slate) Close() error {
	used := 0
	for _, p := range s.parts {
		p.Lock()
		used += p.used
		p.Unlock()
	}
	var errs []error
	if used > 0 && !s.lost.Load() {
		errs = append(errs, s.Sync(func() error { return nil }))
	}
	for _, p := range s.parts {
		p.Lock()
		defer p.Unlock()
		p.closed = true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, mem := range s.extents {
		errs = append(errs, unmap(mem))
	}
	s.extents, s.rest, s.spare, s.first = nil, region{}, nil, nil
	for _, f := range []**os.File{&s.file, &s.copied} {
		if *f != nil {
			errs = append(errs, (*f).Close())
			*f = nil
		}
	}
	if used == 0 {
		errs = append(errs, Remove(s.dir))
	}
	return errors.Join(errs...)
}
