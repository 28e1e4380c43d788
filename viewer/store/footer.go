package store

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// footer describes the frame that it stands behind. On disk it is a zstd skippable frame, which every zstd tool passes over:
//
//	magic u32, size u32                            the skippable frame; size counts what follows
//	"lens", version u8, kind u8, flags u16
//	number u64, first u64, last u64, arrived u64   times in unix nanoseconds
//	frame u32, raw u32, requests u32, items u32, frame checksum u32
//	hashes u32, summary u32                        their numbers: words, bytes
//	hashes, summary
//	checksum u32, size u32, "snel"                 so that a file can be read from its end
//
// All numbers are little endian, checksums are CRC-32C. The footer's covers everything before it.
type footer struct {
	meta
	kind    Kind
	hashes  []uint32 // of the trace ids, sorted, each once
	summary []byte
	summed  bool // summary is what a Summary said, even if it is empty
	packed  bool // summary is a zstd frame of that
}

const (
	footerVersion = 1
	flagSummed    = 1
	flagPacked    = 2

	skipHead    = 8
	fixedSize   = 8 + 4*8 + 5*4 + 2*4
	trailerSize = 12
	minFooter   = skipHead + fixedSize + trailerSize
	maxFooter   = 1 << 28
)

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)

	headMark = [4]byte{'l', 'e', 'n', 's'}
	tailMark = [4]byte{'s', 'n', 'e', 'l'}
)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// append encodes the footer behind dst.
func (f *footer) append(dst []byte) []byte {
	le := binary.LittleEndian
	begin := len(dst)
	size := uint32(fixedSize + 4*len(f.hashes) + len(f.summary) + trailerSize)
	dst = le.AppendUint32(dst, skipMagic)
	dst = le.AppendUint32(dst, size)
	dst = append(dst, headMark[:]...)
	var flags uint16
	if f.summed {
		flags |= flagSummed
	}
	if f.packed {
		flags |= flagPacked
	}
	dst = append(dst, footerVersion, byte(f.kind))
	dst = le.AppendUint16(dst, flags)
	for _, v := range [...]uint64{f.number, f.first, f.last, f.arrived} {
		dst = le.AppendUint64(dst, v)
	}
	for _, v := range [...]uint32{f.frame, f.raw, f.requests, f.items, f.sum, uint32(len(f.hashes)), uint32(len(f.summary))} {
		dst = le.AppendUint32(dst, v)
	}
	for _, h := range f.hashes {
		dst = le.AppendUint32(dst, h)
	}
	dst = append(dst, f.summary...)
	dst = le.AppendUint32(dst, checksum(dst[begin:]))
	dst = le.AppendUint32(dst, size)
	return append(dst, tailMark[:]...)
}

var (
	errNoFooter  = errors.New("no footer")
	errBadFooter = errors.New("footer is damaged")
)

// footerSize returns the length of the footer that b begins with, by what its head says.
func footerSize(b []byte) (int, bool) {
	if len(b) < skipHead+8 || binary.LittleEndian.Uint32(b) != skipMagic || [4]byte(b[skipHead:]) != headMark {
		return 0, false
	}
	size := binary.LittleEndian.Uint32(b[4:])
	return int(size) + skipHead, size >= minFooter-skipHead && size <= maxFooter
}

// footerSizeAtEnd returns the length of the footer that b ends with, by what its end says.
func footerSizeAtEnd(b []byte) (int, bool) {
	if len(b) < trailerSize || [4]byte(b[len(b)-4:]) != tailMark {
		return 0, false
	}
	size := binary.LittleEndian.Uint32(b[len(b)-8:])
	return int(size) + skipHead, size >= minFooter-skipHead && size <= maxFooter
}

// parseFooter decodes a footer. b is exactly it; the result keeps no part of b.
func parseFooter(b []byte) (*footer, error) {
	le := binary.LittleEndian
	if n, ok := footerSize(b); !ok || n > len(b) {
		return nil, errNoFooter
	} else if n < len(b) {
		return nil, errBadFooter
	}
	trailer := b[len(b)-trailerSize:]
	if [4]byte(trailer[8:]) != tailMark || le.Uint32(trailer[4:]) != uint32(len(b)-skipHead) || le.Uint32(trailer) != checksum(b[:len(b)-trailerSize]) {
		return nil, errBadFooter
	}
	p := b[skipHead+4:]
	if p[0] != footerVersion {
		return nil, fmt.Errorf("footer has version %d, must be %d", p[0], footerVersion)
	}
	flags := le.Uint16(p[2:])
	f := &footer{kind: Kind(p[1]), summed: flags&flagSummed != 0, packed: flags&flagPacked != 0}
	p = p[4:]
	for _, v := range [...]*uint64{&f.number, &f.first, &f.last, &f.arrived} {
		*v = le.Uint64(p)
		p = p[8:]
	}
	var hashes, summary uint32
	for _, v := range [...]*uint32{&f.frame, &f.raw, &f.requests, &f.items, &f.sum, &hashes, &summary} {
		*v = le.Uint32(p)
		p = p[4:]
	}
	p = p[:len(p)-trailerSize]
	if f.kind >= kinds || flags&^(flagSummed|flagPacked) != 0 || f.frame > math.MaxInt32 || f.raw > maxDecoded || uint64(len(p)) != 4*uint64(hashes)+uint64(summary) {
		return nil, errBadFooter
	}
	if hashes > 0 {
		f.hashes = make([]uint32, hashes)
		for i := range f.hashes {
			f.hashes[i] = le.Uint32(p[4*i:])
		}
	}
	if summary > 0 {
		f.summary = append([]byte(nil), p[4*hashes:]...)
	}
	return f, nil
}

// setSummary keeps what a Summary said, packed where that makes it smaller.
func (f *footer) setSummary(c codec, summary []byte) {
	f.summed = true
	f.summary = c.pack(summary, nil)
	f.packed = len(f.summary) < len(summary)
	if !f.packed {
		f.summary = summary
	}
}

// unpackSummary makes summary what a Summary said. It is not to be had when the footer says so in error.
func (f *footer) unpackSummary(c codec) {
	if !f.packed {
		return
	}
	var err error
	f.packed = false
	if f.summary, err = c.unpack(f.summary, 0); err != nil {
		f.summary, f.summed = nil, false
	}
}
