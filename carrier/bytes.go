package carrier

import (
	"context"
	"encoding/json"
	"errors"
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
func parse(b []byte) (object lens.Map, ok bool) {
	if len(b) == 0 || len(b) > MaxBytes || !utf8.Valid(b) {
		return nil, false
	}
	var m lens.Map
	var foreign *json.UnmarshalTypeError // a member that is no text is "" in the map, which counts as absent
	if err := json.Unmarshal(b, &m); err != nil && !errors.As(err, &foreign) {
		return nil, false
	}
	return m, members(b) == len(m)
}

// members counts the members of an object that is known to be JSON, those of the objects in it aside.
func members(object []byte) (n int) {
	depth, quoted := 0, false
	for i := 0; i < len(object); i++ {
		switch c := object[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{', c == '[':
			depth++
		case c == '}', c == ']':
			depth--
		case c == ':' && depth == 1:
			n++
		}
	}
	return n
}
