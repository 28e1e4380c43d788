package typo_test

import (
	"fmt"
	"testing"

	"github.com/lensgo/lens/internal/typo"
)

func ExampleDistance() {
	fmt.Println(typo.Distance("defualt", "default"))
	// Output: 1
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "abc", 0},
		{"abc", "abd", 1},
		{"abc", "ab", 1},
		{"abc", "acb", 1}, // a swap
		{"ca", "abc", 3},  // what was swapped is not touched again
		{"größe", "grösse", 2},
		{"agnet", "agent", 1},
		{"ä", "a", 1},
		{"kitten", "sitting", 3},
	} {
		if got := typo.Distance(c.a, c.b); got != c.want {
			t.Errorf("from %q to %q: %d, want %d", c.a, c.b, got, c.want)
		}
		if got := typo.Distance(c.b, c.a); got != c.want {
			t.Errorf("from %q to %q: %d, want %d", c.b, c.a, got, c.want)
		}
	}
}
