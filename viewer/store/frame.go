package store

import (
	"encoding/binary"
	"sync"

	"github.com/klauspost/compress/zstd"
)

const (
	frameMagic = 0xFD2FB528 // of a zstd frame
	skipMagic  = 0x184D2A5C // of the skippable frame that holds a footer; one of the sixteen that zstd reserves

	maxBlock = 128 << 10 // the most that a block of a zstd frame may hold

	blockRaw, blockRLE, blockReserved = 0, 1, 3
)

// frameSize returns the length of the zstd frame at the beginning of b, read from the heads of its blocks; nothing is
// decompressed. It is false when b does not begin with a whole frame.
func frameSize(b []byte) (int, bool) {
	if len(b) < 6 || binary.LittleEndian.Uint32(b) != frameMagic {
		return 0, false
	}
	descriptor := b[4]
	single := descriptor>>5&1 == 1
	n := 5 + [4]int{0, 1, 2, 4}[descriptor&3] + [4]int{0, 2, 4, 8}[descriptor>>6]
	switch {
	case !single:
		n++ // window descriptor
	case descriptor>>6 == 0:
		n++ // content size of one byte
	}
	for last := false; !last; {
		if len(b) < n+3 {
			return 0, false
		}
		head := uint32(b[n]) | uint32(b[n+1])<<8 | uint32(b[n+2])<<16
		last = head&1 == 1
		size := int(head >> 3)
		switch head >> 1 & 3 {
		case blockReserved:
			return 0, false
		case blockRLE:
			size = 1
		}
		n += 3 + size
	}
	if descriptor>>2&1 == 1 {
		n += 4 // checksum
	}
	return n, n <= len(b)
}

// appendStored appends a zstd frame that holds payload as it is: for the open log, which must be quick to write and is read
// by the same tools as a segment.
func appendStored(dst, payload []byte) []byte {
	dst = binary.LittleEndian.AppendUint32(dst, frameMagic)
	dst = append(dst, 2<<6|1<<5) // content size of four bytes, single segment, no checksum: the footer has one
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(payload)))
	for {
		block := payload[:min(len(payload), maxBlock)]
		payload = payload[len(block):]
		head := uint32(len(block))<<3 | blockRaw<<1
		if len(payload) == 0 {
			head |= 1
		}
		dst = append(dst, byte(head), byte(head>>8), byte(head>>16))
		dst = append(dst, block...)
		if len(payload) == 0 {
			return dst
		}
	}
}

// maxDecoded bounds what a frame may unpack to. A chunk is as large as one request at least.
const maxDecoded = 1 << 30

// codec packs and unpacks frames. Both ways are safe for concurrent use, need no end and start nothing. Each store has its
// own, because it has channels inside, which a testing/synctest bubble must not share with the world.
type codec struct {
	encoder func() *zstd.Encoder
	decoder func() *zstd.Decoder
}

func newCodec() codec {
	return codec{
		encoder: sync.OnceValue(func() *zstd.Encoder {
			e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
			if err != nil {
				panic(err) // options are constants
			}
			return e
		}),
		decoder: sync.OnceValue(func() *zstd.Decoder {
			d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxDecoded), zstd.WithDecoderMaxWindow(maxDecoded))
			if err != nil {
				panic(err)
			}
			return d
		}),
	}
}

// pack appends a frame of data to dst.
func (c codec) pack(data, dst []byte) []byte { return c.encoder().EncodeAll(data, dst) }

// unpack decompresses one frame. size is what the footer announces; it is believed only so far.
func (c codec) unpack(frame []byte, size int) ([]byte, error) {
	return c.decoder().DecodeAll(frame, make([]byte, 0, min(size, 64*len(frame)+maxBlock)))
}
