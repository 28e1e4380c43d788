package otlp

import (
	"encoding/hex"
	"fmt"
)

// TraceID is the id of a trace. Zero means none.
type TraceID [16]byte

// SpanID is the id of a span. Zero means none.
type SpanID [8]byte

// String returns the id as 32 lower-case hexadecimal digits.
func (id TraceID) String() string { return hex.EncodeToString(id[:]) }

// String returns the id as 16 lower-case hexadecimal digits.
func (id SpanID) String() string { return hex.EncodeToString(id[:]) }

// IsZero tells whether there is no id.
func (id TraceID) IsZero() bool { return id == TraceID{} }

// IsZero tells whether there is no id.
func (id SpanID) IsZero() bool { return id == SpanID{} }

// AppendText appends what String returns. It never fails.
func (id TraceID) AppendText(b []byte) ([]byte, error) { return hex.AppendEncode(b, id[:]), nil }

// AppendText appends what String returns. It never fails.
func (id SpanID) AppendText(b []byte) ([]byte, error) { return hex.AppendEncode(b, id[:]), nil }

// MarshalText returns what String returns, so that an id is a string in JSON. It never fails.
func (id TraceID) MarshalText() ([]byte, error) { return id.AppendText(nil) }

// MarshalText returns what String returns, so that an id is a string in JSON. It never fails.
func (id SpanID) MarshalText() ([]byte, error) { return id.AppendText(nil) }

// UnmarshalText reads what [ParseTraceID] reads.
func (id *TraceID) UnmarshalText(text []byte) (err error) {
	*id, err = ParseTraceID(string(text))
	return err
}

// UnmarshalText reads what [ParseSpanID] reads.
func (id *SpanID) UnmarshalText(text []byte) (err error) {
	*id, err = ParseSpanID(string(text))
	return err
}

// ParseTraceID reads 32 hexadecimal digits of either case. The zero id is read like any other.
func ParseTraceID(s string) (id TraceID, err error) {
	if !parseHex(id[:], s) {
		return TraceID{}, fmt.Errorf("cannot read trace id %.64q: must be 32 hexadecimal digits", s)
	}
	return id, nil
}

// ParseSpanID reads 16 hexadecimal digits of either case. The zero id is read like any other.
func ParseSpanID(s string) (id SpanID, err error) {
	if !parseHex(id[:], s) {
		return SpanID{}, fmt.Errorf("cannot read span id %.64q: must be 16 hexadecimal digits", s)
	}
	return id, nil
}

func parseHex(id []byte, s string) bool {
	if len(s) != 2*len(id) {
		return false
	}
	_, err := hex.Decode(id, bytesOf(s))
	return err == nil
}
