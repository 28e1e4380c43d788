package carrier

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/lensgo/lens"
)

// MaxBytes is how long the bytes of a context may be: more is neither written nor read. W3C's own bounds come to less than
// half of it.
const MaxBytes = 64 << 10

// Bytes returns the trace context and the baggage of ctx as a JSON object of texts, and nil when there is neither:
//
//	{"baggage":"tenant=blue","traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
func Bytes(ctx context.Context) []byte {
	m := lens.Map{}
	if lens.Inject(ctx, m); len(m) == 0 {
		return nil
	}
	b, err := json.Marshal(m)
	if err != nil || len(b) > MaxBytes {
		return nil
	}
	return b
}

// FromBytes returns ctx with the trace context and the baggage that [Bytes] has written. Members that it does not know are
// passed over. With anything else, nothing included, it returns ctx as given.
func FromBytes(ctx context.Context, b []byte) context.Context {
	if ctx == nil {
		ctx = context.Background()
	}
	m, ok := parse(b)
	if !ok {
		return ctx
	}
	return lens.Extract(ctx, m)
}

// parse reads a JSON object. A name that comes twice makes it unusable: readers would disagree on what it says.
func parse(b []byte) (m lens.Map, ok bool) {
	if len(b) == 0 || len(b) > MaxBytes || !utf8.Valid(b) {
		return nil, false
	}
	dec := json.NewDecoder(bytes.NewReader(b))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	m = lens.Map{}
	for dec.More() {
		token, err := dec.Token()
		name, isName := token.(string)
		if _, twice := m[name]; err != nil || !isName || twice {
			return nil, false
		}
		var value any
		if dec.Decode(&value) != nil {
			return nil, false
		}
		m[name], _ = value.(string) // what is no text counts as absent
	}
	if _, err := dec.Token(); err != nil { // the brace that closes
		return nil, false
	}
	_, err := dec.Token()
	return m, errors.Is(err, io.EOF)
}
