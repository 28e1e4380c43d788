package slate

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

const (
	magic      = "lensslt1" // begins every unit
	unitSize   = 64 << 10
	unitHeader = 64
	slotHeader = 24
)

// State says what a note is. States are four bits apart, so that a damaged bit makes no other of one.
type State byte

// The states of a note.
const (
	wiped   State = 0          // nothing is there
	Open    State = 0b00001111 // what it is about has not ended
	Ended   State = 0b00110011 // it has, and nobody has it yet
	Sending State = 0b01010101 // it has, and somebody may have it
	Shared  State = 0b01101010 // notes name it as their origin
)

func (s State) known() bool { return s == Open || s == Ended || s == Sending || s == Shared }

// Places inside the header of a unit.
const (
	atSlotSize = 8
	atUnits    = 12
	atBoot     = 16
	atCheck    = 32
	atAlive    = 40
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// boot names a run of the operating system. The zero boot is unknown.
type boot [16]byte

// shape is how a unit is cut into slots.
type shape struct {
	slot  int // bytes of a slot
	slots int
	units int
}

func (s shape) size() int { return s.units * unitSize }

// shapes are all there are, by the size of their slots: halves of a unit, and doubles of it.
var shapes = func() (list []shape) {
	for n := 256; n >= 1; n /= 2 {
		list = append(list, shape{slot: (unitSize - unitHeader) / n &^ 7, slots: n, units: 1})
	}
	for n := 2; n <= extentSize/unitSize; n *= 2 {
		list = append(list, shape{slot: n*unitSize - unitHeader, slots: 1, units: n})
	}
	return list
}()

// MostBody is the length of the longest note.
var MostBody = shapes[len(shapes)-1].slot - slotHeader

// shapeOf returns the index of the smallest shape that holds a body, or that of none.
func shapeOf(body int) (i int, ok bool) {
	for i, s := range shapes {
		if body+slotHeader <= s.slot {
			return i, true
		}
	}
	return 0, false
}

// head writes the header of a unit.
func (s shape) head(b []byte, at boot) {
	binary.LittleEndian.PutUint32(b[atSlotSize:], uint32(s.slot))
	binary.LittleEndian.PutUint32(b[atUnits:], uint32(s.units))
	copy(b[atBoot:atCheck], at[:])
	copy(b, magic)
	binary.LittleEndian.PutUint32(b[atCheck:], crc32.Checksum(b[:atCheck], castagnoli))
}

// readHead reads the header of a unit.
func readHead(b []byte) (s shape, at boot, ok bool) {
	if len(b) < unitHeader || !bytes.HasPrefix(b, []byte(magic)) ||
		binary.LittleEndian.Uint32(b[atCheck:]) != crc32.Checksum(b[:atCheck], castagnoli) {
		return shape{}, boot{}, false
	}
	slot, units := binary.LittleEndian.Uint32(b[atSlotSize:]), binary.LittleEndian.Uint32(b[atUnits:])
	for _, s := range shapes {
		if uint32(s.slot) == slot && uint32(s.units) == units {
			return s, boot(b[atBoot:atCheck]), true
		}
	}
	return shape{}, boot{}, false
}

// write fills a slot. The state comes last: until it is there, nothing is.
func write(slot []byte, state State, origin uint32, order uint64, body []byte) {
	copy(slot[slotHeader:], body)
	binary.LittleEndian.PutUint32(slot[4:], uint32(len(body)))
	binary.LittleEndian.PutUint32(slot[12:], origin)
	binary.LittleEndian.PutUint64(slot[16:], order)
	binary.LittleEndian.PutUint32(slot[8:], check(slot, len(body)))
	slot[0] = byte(state)
}

// read is the note in a slot; none when it is wiped. What is there and cannot be read is damaged.
func read(slot []byte) (n Note, there, damaged bool) {
	n.State = State(slot[0])
	if n.State == wiped {
		return Note{}, false, false
	}
	length := binary.LittleEndian.Uint32(slot[4:])
	if !n.State.known() || uint64(length) > uint64(len(slot)-slotHeader) ||
		binary.LittleEndian.Uint32(slot[8:]) != check(slot, int(length)) {
		return Note{}, false, true
	}
	n.Origin = binary.LittleEndian.Uint32(slot[12:])
	n.Order = binary.LittleEndian.Uint64(slot[16:])
	n.Body = bytes.Clone(slot[slotHeader : slotHeader+length])
	return n, true, false
}

// check covers all of a slot that is written once: length, origin, order and body.
func check(slot []byte, length int) uint32 {
	sum := crc32.Checksum(slot[4:8], castagnoli)
	return crc32.Update(sum, castagnoli, slot[12:slotHeader+length])
}
