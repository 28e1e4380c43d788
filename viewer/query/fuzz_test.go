package query_test

import (
	"errors"
	"testing"

	"github.com/lensgo/lens/viewer/query"
)

// FuzzParse holds that any text is read or refused with a place in it, and that a query means the same when it is written
// and read again.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"", "-", `"`, `env:a,"b\"c" -reward<0.5 dur:5s..8s text`, "a.b~^x$", "since:2d", "task:1,2..3", "−1", "reward:−1..0", "http.x>=5kB", "ünï:1", "-\xff:\xff", "a:b\"c", `dur:"5s"`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := query.Parse(text, options)
		if err != nil {
			var e *query.Error
			if !errors.As(err, &e) || e.Offset < 0 || e.Length < 1 || e.Offset+e.Length > len(text) || e.Reason == "" || !q.Empty() {
				t.Fatalf("%q: bad error %+v", text, err)
			}
			return
		}
		end := 0
		for _, term := range q.Terms() {
			if term.Offset < end || term.Length < 1 || term.Offset+term.Length > len(text) {
				t.Fatalf("%q: term at %d+%d", text, term.Offset, term.Length)
			}
			end = term.Offset + term.Length
		}
		got := q.Match(sample)
		again, err := query.Parse(q.String(), options)
		if len(q.String()) > query.MaxLength {
			return // quotes made it longer than what is read
		}
		if err != nil || again.String() != q.String() || again.Match(sample) != got {
			t.Fatalf("%q, written as %q: %v, or it means something else", text, q, err)
		}
	})
}
