package ingest

import (
	"encoding/binary"
	"net/http"
	"strings"
)

// Codes of google.rpc.Code.
const (
	rpcInvalidArgument   = 3
	rpcResourceExhausted = 8
	rpcUnavailable       = 14
)

func rpcCode(status int) uint64 {
	switch status {
	case http.StatusRequestEntityTooLarge:
		return rpcResourceExhausted
	case http.StatusServiceUnavailable:
		return rpcUnavailable
	}
	return rpcInvalidArgument
}

// appendStatus appends a google.rpc.Status: field 1 is the code, field 2 the message. Two fields need no generated code.
func appendStatus(b []byte, code uint64, message string) []byte {
	message = strings.ToValidUTF8(message, "\uFFFD")
	b = append(b, 1<<3) // a varint is wire type 0
	b = binary.AppendUvarint(b, code)
	b = append(b, 2<<3|2) // bytes are wire type 2
	b = binary.AppendUvarint(b, uint64(len(message)))
	return append(b, message...)
}
