package load

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/lensgo/lens/semconv"
)

// mark is a place in an encoded request that differs from wave to wave.
type mark struct {
	at   int
	what what
}

type what uint8

const (
	markTraceID    what = iota // the first half of one
	markTraceIDHex             // the same in JSON
	markTime                   // fixed64
	markTimeText               // 19 digits
	markTaskVarint             // four bytes
	markTaskText               // seven digits, alone or at the start of a rollout's id
	markRun                    // len(runPlace) bytes
)

// change is what a wave writes at its marks.
type change struct {
	salt  uint64 // XORed to trace ids
	shift uint64 // added to times
	tasks int    // added to task numbers
	run   string
}

// apply writes a change into a copy of a request.
func (c *change) apply(b []byte, marks []mark) {
	for _, m := range marks {
		p := b[m.at:]
		switch m.what {
		case markTraceID:
			binary.BigEndian.PutUint64(p, binary.BigEndian.Uint64(p)^c.salt)
		case markTraceIDHex:
			var half [8]byte
			hex.Decode(half[:], p[:16]) //nolint:errcheck // jsonMarks has seen that it is hexadecimal
			binary.BigEndian.PutUint64(half[:], binary.BigEndian.Uint64(half[:])^c.salt)
			hex.Encode(p, half[:])
		case markTime:
			binary.LittleEndian.PutUint64(p, binary.LittleEndian.Uint64(p)+c.shift)
		case markTimeText:
			putDigits(p[:timeDigits], digits(p[:timeDigits])+c.shift)
		case markTaskVarint:
			n, _ := protowire.ConsumeVarint(p)
			protowire.AppendVarint(p[:0], n+uint64(c.tasks))
		case markTaskText:
			putDigits(p[:taskDigits], digits(p[:taskDigits])+uint64(c.tasks))
		case markRun:
			copy(p, c.run)
		}
	}
}

const (
	timeDigits = 19
	taskDigits = 7
	mostTasks  = 9_999_999 - firstTask // that fit into the digits
)

func digits(b []byte) (n uint64) {
	for _, d := range b {
		n = n*10 + uint64(d-'0')
	}
	return n
}

func putDigits(b []byte, n uint64) {
	for i := len(b) - 1; i >= 0; i-- {
		b[i] = byte('0' + n%10)
		n /= 10
	}
}

var errOdd = errors.New("the request is not as this package writes it")

// protobufMarks finds the marks of an ExportTraceServiceRequest.
func protobufMarks(b []byte) ([]mark, error) {
	f := finder{whole: b}
	err := f.fields(b, func(_ protowire.Number, v []byte) error { // resource_spans
		return f.fields(v, func(num protowire.Number, v []byte) error {
			switch num {
			case 1: // resource
				return f.fields(v, func(_ protowire.Number, v []byte) error { return f.attribute(v) })
			case 2: // scope_spans
				return f.fields(v, func(num protowire.Number, v []byte) error {
					if num != 2 {
						return nil
					}
					return f.fields(v, f.span)
				})
			}
			return nil
		})
	})
	return f.marks, err
}

type finder struct {
	whole []byte
	marks []mark
}

// mark remembers a part of the request.
func (f *finder) mark(part []byte, w what) {
	f.marks = append(f.marks, mark{cap(f.whole) - cap(part), w})
}

// fields calls fn for the fields of a message: with the content of those that have a length, with the eight bytes of a fixed64.
func (f *finder) fields(b []byte, fn func(protowire.Number, []byte) error) error {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return errOdd
		}
		b = b[n:]
		size := protowire.ConsumeFieldValue(num, typ, b)
		if size < 0 {
			return errOdd
		}
		v := b[:size]
		b = b[size:]
		if typ == protowire.BytesType {
			_, n := protowire.ConsumeVarint(v)
			v = v[n:]
		} else if typ != protowire.Fixed64Type {
			continue
		}
		if err := fn(num, v); err != nil {
			return err
		}
	}
	return nil
}

// span marks a field of a span.
func (f *finder) span(num protowire.Number, v []byte) error {
	switch num {
	case 1: // trace_id
		if len(v) != 16 {
			return errOdd
		}
		f.mark(v, markTraceID)
	case 7, 8: // start and end
		f.mark(v, markTime)
	case 9: // attributes
		return f.attribute(v)
	}
	return nil
}

// attribute marks the value of a KeyValue that names the run, the rollout or the task.
func (f *finder) attribute(b []byte) error {
	key, n := protowire.ConsumeBytes(b[min(1, len(b)):])
	if n < 0 || b[0] != 10 {
		return errOdd
	}
	value := b[1+n:] // 18, size, then an AnyValue
	switch string(key) {
	case semconv.NemoRunID:
		return f.value(value, 10, markRun, len(runPlace))
	case semconv.GymRolloutID:
		return f.value(value, 10, markTaskText, 0)
	case semconv.GymTaskIndex:
		return f.value(value, 24, markTaskVarint, 0)
	}
	return nil
}

// value marks an AnyValue with this tag. A text has its length before it, which is to be size when that is given.
func (f *finder) value(b []byte, tag byte, w what, size int) error {
	if len(b) < 5 || b[0] != 18 || b[2] != tag || (size != 0 && int(b[3]) != size) {
		return errOdd
	}
	if tag == 24 {
		f.mark(b[3:], w)
	} else {
		f.mark(b[4:], w)
	}
	return nil
}

// jsonPlaces are the texts that stand before a mark.
var jsonPlaces = []struct {
	before string
	what   what
}{
	{`"traceId":"`, markTraceIDHex},
	{`"startTimeUnixNano":"`, markTimeText},
	{`"endTimeUnixNano":"`, markTimeText},
	{`"key":"` + semconv.GymRolloutID + `","value":{"stringValue":"`, markTaskText},
	{`"key":"` + semconv.GymTaskIndex + `","value":{"intValue":"`, markTaskText},
	{`"key":"` + semconv.NemoRunID + `","value":{"stringValue":"`, markRun},
}

// jsonMarks finds the marks of a request in JSON.
func jsonMarks(b []byte) (marks []mark, err error) {
	for _, p := range jsonPlaces {
		for at := 0; ; {
			i := bytes.Index(b[at:], []byte(p.before))
			if i < 0 {
				break
			}
			at += i + len(p.before)
			if err := checkText(b[at:], p.what); err != nil {
				return nil, fmt.Errorf("after %s: %w", p.before, err)
			}
			marks = append(marks, mark{at, p.what})
		}
	}
	return marks, nil
}

// checkText sees that what a mark writes over is what it takes it for.
func checkText(b []byte, w what) error {
	switch w {
	case markTraceIDHex:
		if len(b) < 32 {
			return errOdd
		}
		_, err := hex.DecodeString(string(b[:32]))
		return err
	case markTimeText:
		if len(b) <= timeDigits || b[timeDigits] != '"' {
			return errOdd
		}
		_, err := strconv.ParseUint(string(b[:timeDigits]), 10, 64)
		return err
	case markTaskText:
		_, err := strconv.ParseUint(string(b[:min(taskDigits, len(b))]), 10, 64)
		return err
	case markRun:
		if !bytes.HasPrefix(b, []byte(runPlace+`"`)) {
			return errOdd
		}
	}
	return nil
}
