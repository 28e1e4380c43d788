package resource

import (
	"crypto/sha1"
	"fmt"
)

// namespaceURL is the namespace of names that are URLs (RFC 9562, 6.6).
var namespaceURL = [16]byte{0x6b, 0xa7, 0xb8, 0x11, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8}

// uuidOf returns the UUID of a name (version 5): the same wherever it is computed.
func uuidOf(name string) string {
	sum := sha1.Sum(append(namespaceURL[:], name...)) // SHA-1 is what version 5 is
	b := sum[:16]
	b[6] = b[6]&0x0f | 0x50
	b[8] = b[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}
