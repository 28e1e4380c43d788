package w3c

import (
	"errors"
	"fmt"
	"strings"
)

// Flags that level 2 gives a meaning. Others are cleared when a value is read and never written.
const (
	Sampled byte = 1 << 0
	Random  byte = 1 << 1

	knownFlags = Sampled | Random
)

// TraceparentLen is the length of a value of version 00, the only version that is written.
const TraceparentLen = 55

// The parts of a value, by position: "00-<32 hex>-<16 hex>-<2 hex>".
const (
	versionEnd  = 2
	traceIDFrom = versionEnd + 1
	traceIDEnd  = traceIDFrom + 32
	spanIDFrom  = traceIDEnd + 1
	spanIDEnd   = spanIDFrom + 16
	flagsFrom   = spanIDEnd + 1
)

// Parent is what a traceparent says.
type Parent struct {
	TraceID [16]byte
	SpanID  [8]byte
	Flags   byte // Sampled and Random; nothing else
}

// Valid says whether both ids are set. Only a valid parent may be written.
func (p Parent) Valid() bool {
	return p.TraceID != [16]byte{} && p.SpanID != [8]byte{}
}

// ParseTraceparent reads one header value; blanks and tabs around it do not count. A value of a future version is read
// as far as version 00 goes, when its tail begins with a dash. Flags without a meaning are cleared, not refused.
func ParseTraceparent(value string) (Parent, error) {
	s := strings.Trim(value, " \t")
	p, err := parseTraceparent(s)
	if err != nil {
		return Parent{}, fmt.Errorf("cannot read traceparent %q: %w", clip(s), err)
	}
	return p, nil
}

var (
	errVersion     = errors.New("the version is not two lower-case hex digits")
	errVersionFF   = errors.New("version ff is forbidden")
	errTraceID     = errors.New("the trace id is not 32 lower-case hex digits")
	errSpanID      = errors.New("the parent id is not 16 lower-case hex digits")
	errFlags       = errors.New("the flags are not two lower-case hex digits")
	errZeroTraceID = errors.New("the trace id is all zero")
	errZeroSpanID  = errors.New("the parent id is all zero")
	errDashes      = errors.New("the four parts are not parted by dashes")
	errTail        = errors.New("a future version goes on after its flags with something else than a dash")
)

func parseTraceparent(s string) (Parent, error) {
	var p Parent
	if len(s) < TraceparentLen {
		return p, fmt.Errorf("it has %d characters, not %d (00-<trace id>-<parent id>-<flags>)", len(s), TraceparentLen)
	}
	if s[versionEnd] != '-' || s[traceIDEnd] != '-' || s[spanIDEnd] != '-' {
		return p, errDashes
	}
	var version, flags [1]byte
	switch {
	case !decodeHex(version[:], s[:versionEnd]):
		return p, errVersion
	case version[0] == 0xff:
		return p, errVersionFF
	case version[0] == 0 && len(s) != TraceparentLen:
		return p, fmt.Errorf("it has %d characters, and version 00 has %d", len(s), TraceparentLen)
	case len(s) > TraceparentLen && s[TraceparentLen] != '-':
		return p, errTail
	case !decodeHex(p.TraceID[:], s[traceIDFrom:traceIDEnd]):
		return p, errTraceID
	case !decodeHex(p.SpanID[:], s[spanIDFrom:spanIDEnd]):
		return p, errSpanID
	case !decodeHex(flags[:], s[flagsFrom:TraceparentLen]):
		return p, errFlags
	case p.TraceID == [16]byte{}:
		return p, errZeroTraceID
	case p.SpanID == [8]byte{}:
		return p, errZeroSpanID
	}
	p.Flags = flags[0] & knownFlags
	return p, nil
}

// AppendTo appends the value of version 00, without a check: see [Parent.Valid].
func (p Parent) AppendTo(b []byte) []byte {
	b = append(b, '0', '0', '-')
	b = appendHex(b, p.TraceID[:])
	b = append(b, '-')
	b = appendHex(b, p.SpanID[:])
	f := p.Flags & knownFlags
	return append(b, '-', '0', hexDigits[f])
}

// String is the value of version 00. It allocates the string and nothing more.
func (p Parent) String() string {
	var buf [TraceparentLen]byte
	return string(p.AppendTo(buf[:0]))
}

const hexDigits = "0123456789abcdef"

func appendHex(b, src []byte) []byte {
	for _, c := range src {
		b = append(b, hexDigits[c>>4], hexDigits[c&0x0f])
	}
	return b
}

// decodeHex fills dst from s, which is twice as long. encoding/hex takes upper case too, which the specification forbids.
func decodeHex(dst []byte, s string) bool {
	var bad byte
	for i := range dst {
		hi, lo := nibble(s[2*i]), nibble(s[2*i+1])
		bad |= hi | lo
		dst[i] = hi<<4 | lo&0x0f
	}
	return bad < 0x10
}

func nibble(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	}
	return 0xff
}

// clip keeps error texts short: what is quoted came from outside.
func clip(s string) string {
	const most = 128
	if len(s) <= most {
		return s
	}
	return s[:most] + "..."
}
