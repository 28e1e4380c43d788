package envlist_test

import (
	"fmt"
	"testing"

	"github.com/lensgo/lens/internal/envlist"
)

func ExamplePairs() {
	for k, v := range envlist.Pairs(" service.name = a%20b ,, =x, y, rank=1,rank=2%zz") {
		fmt.Printf("%s: %s\n", k, v)
	}
	// Output:
	// service.name: a b
	// rank: 1
	// rank: 2%zz
}

func TestLast(t *testing.T) {
	for key, want := range map[string]string{"a": "3", "b": "2", "c": ""} {
		if got := envlist.Last("a=1,b=2,a=3", key); got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
}
