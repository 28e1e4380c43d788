package resources

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
)

// tokens are the tokens by which MCP clients say which session they belong to. Each stands for one session, and a session has
// one at most. They are kept for as long as sessions are; see [Sessions]. A nil one has no tokens and takes none.
type tokens struct {
	granted Sessions[grant]  // by the digest of the token, so that finding one tells nothing about its text by its time
	digests Sessions[string] // by session
}

// grant is what a token stands for.
type grant struct{ token, session string }

// mint returns a new token for a session, whose old one is void.
func (t *tokens) mint(session string) (token string, err error) {
	var random [16]byte
	rand.Read(random[:]) // never fails
	token = hex.EncodeToString(random[:])
	digest := digestOf(token)
	err = t.digests.Do(session, func(current *string) error {
		t.granted.Delete(*current)
		*current = digest
		return t.granted.Do(digest, func(g *grant) error {
			*g = grant{token: token, session: session}
			return nil
		})
	})
	return token, err
}

// session returns the session that a token stands for.
func (t *tokens) session(token string) (session string, ok bool) {
	t.granted.Peek(digestOf(token), func(g *grant) {
		if subtle.ConstantTimeCompare([]byte(g.token), []byte(token)) == 1 {
			session, ok = g.session, true
		}
	})
	if ok { // a session that calls tools is in use, by whatever way it does
		t.digests.Peek(session, func(*string) {})
	}
	return session, ok
}

// done says that a session has probably seen its last call.
func (t *tokens) done(session string) {
	if t == nil {
		return
	}
	t.digests.Peek(session, func(digest *string) { t.granted.Done(*digest) })
	t.digests.Done(session)
}

// revoke makes a session's token void.
func (t *tokens) revoke(session string) {
	if t == nil {
		return
	}
	t.digests.Peek(session, func(digest *string) { t.granted.Delete(*digest) })
	t.digests.Delete(session)
}

func digestOf(token string) string {
	sum := sha256.Sum256([]byte(token))
	return string(sum[:])
}
