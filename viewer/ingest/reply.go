package ingest

import (
	"encoding/binary"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// receipt is what a sender is told of a request that was taken.
type receipt struct {
	rejected int
	why      string
}

// appendProto appends an ExportTraceServiceResponse, or that of another signal: they are alike on the wire. Without
// anything to tell it has no bytes.
func (c receipt) appendProto(b []byte) []byte {
	if c == (receipt{}) {
		return b
	}
	partial := make([]byte, 0, len(c.why)+16)
	if c.rejected > 0 {
		partial = binary.AppendUvarint(append(partial, 1<<3), uint64(c.rejected)) // a varint is wire type 0
	}
	partial = appendString(partial, 2, c.why)
	return appendString(b, 1, string(partial))
}

// json returns the same in JSON.
func (c receipt) json(s *signal) []byte {
	if c == (receipt{}) {
		return []byte("{}")
	}
	partial := map[string]string{} // int64 is a string in OTLP
	if c.rejected > 0 {
		partial["rejected"+s.items] = strconv.Itoa(c.rejected)
	}
	if c.why != "" {
		partial["errorMessage"] = c.why
	}
	return mustJSON(map[string]any{"partialSuccess": partial})
}

// Codes of google.rpc.Code.
const (
	rpcInvalidArgument   = 3
	rpcPermissionDenied  = 7
	rpcResourceExhausted = 8
	rpcUnavailable       = 14
)

func rpcCode(status int) uint32 {
	switch status {
	case http.StatusForbidden:
		return rpcPermissionDenied
	case http.StatusRequestEntityTooLarge:
		return rpcResourceExhausted
	case http.StatusServiceUnavailable:
		return rpcUnavailable
	}
	return rpcInvalidArgument
}

// appendStatus appends a google.rpc.Status: field 1 is the code, field 2 the message. Two fields need no generated code.
func appendStatus(b []byte, code uint32, message string) []byte {
	b = append(b, 1<<3)
	b = binary.AppendUvarint(b, uint64(code))
	return appendString(b, 2, strings.ToValidUTF8(message, "\uFFFD"))
}

// jsonStatus returns the same in JSON.
func jsonStatus(code uint32, message string) []byte {
	return mustJSON(struct {
		Code    uint32 `json:"code"`
		Message string `json:"message"`
	}{code, message})
}

// appendString appends a field of bytes, or nothing for none.
func appendString(b []byte, number byte, s string) []byte {
	if s == "" {
		return b
	}
	b = append(b, number<<3|2) // bytes are wire type 2
	b = binary.AppendUvarint(b, uint64(len(s)))
	return append(b, s...)
}

// mustJSON writes what cannot fail: strings and numbers.
func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
