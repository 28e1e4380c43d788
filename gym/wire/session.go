package wire

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"strings"
)

// A server's session cookie is named after Python's rule, class and instance; ours is of the class Gym. The attributes
// are those of Starlette: fourteen days, hidden from scripts.
const (
	sessionPrefix     = "Gym___"
	sessionAttributes = "; path=/; Max-Age=1209600; HttpOnly; SameSite=lax"
)

// maxSession bounds a session's id, in bytes. Ours have 36; whoever keeps state for each must not keep a header for each.
const maxSession = 128

// session finds the session in a request's cookies, or begins one. Quotes around the value are taken off, because a
// Python agent may have put them there when it copied the cookie. A value that is too long is none of ours.
func (s *Server) session(c Cookies) (id string, fresh bool) {
	if v, ok := c.Get(s.cookie); ok {
		if len(v) >= 2 && v[0] == '"' && v[len(v)-1] == '"' {
			v = v[1 : len(v)-1]
		}
		if v != "" && len(v) <= maxSession {
			return v, false
		}
	}
	return newUUID(), true
}

// newUUID returns a random (version 4) UUID.
func newUUID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	var text [36]byte
	hex.Encode(text[0:8], b[0:4])
	hex.Encode(text[9:13], b[4:6])
	hex.Encode(text[14:18], b[6:8])
	hex.Encode(text[19:23], b[8:10])
	hex.Encode(text[24:36], b[10:16])
	for _, i := range [...]int{8, 13, 18, 23} {
		text[i] = '-'
	}
	return string(text[:])
}

// checkName reports whether an instance name can stand in a cookie's name.
func checkName(name string) error {
	if name == "" {
		return fmt.Errorf("cannot name a server %q: a name is needed, for its session cookie %s<name>", name, sessionPrefix)
	}
	for i, r := range name {
		if r <= ' ' || r >= 0x7f || strings.ContainsRune(`()<>@,;:\"/[]?={}`, r) {
			return fmt.Errorf("cannot name a server %q: %q at byte %d cannot stand in the name of its session cookie; "+
				"letters, digits and !#$%%&'*+-.^_`|~ can", name, r, i)
		}
	}
	return nil
}
