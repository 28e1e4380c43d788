package responses_test

import (
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/responses"
)

// TestLongLists puts what ends a list, and what only looks like it, at each place after numbers: lists are read eight bytes at
// a time.
func TestLongLists(t *testing.T) {
	for pad := range 20 {
		numbers := strings.Repeat("1,", pad) + strings.Repeat("7", pad+1)
		for _, tail := range []string{``, `,"]"`, `,"é}"`, `,[2]`, `,{"x":"\"]"}`, `, -1.5e3`, ` , 1E5`, `,null,"]"`, `,[[]],{}`} {
			list := `[` + numbers + tail + `]`
			o, err := responses.ParseObject([]byte(`{"a":` + list + `,"b":[` + list + `,` + list + `],"c":3}`))
			if err != nil {
				t.Fatal(err)
			}
			a, _ := o.Get("a")
			b, _ := o.Array("b")
			if c, _ := o.Int("c"); string(a) != list || len(b) != 2 || string(b[0]) != list || string(b[1]) != list || c != 3 {
				t.Errorf("%s: a is %s, b is %s, c is %d", list, a, b, c)
			}
		}
	}
}
