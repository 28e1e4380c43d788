package main

import (
	"strings"
	"testing"

	"golang.org/x/mod/module"
)

// TestAddSums: lines of others stay, an old line of a version goes, and the order is the go command's.
func TestAddSums(t *testing.T) {
	r := repo{dir: t.TempDir()}
	put(t, r, "go.sum", "example.com/a v1.2.0 h1:a\nexample.com/a v1.2.0/go.mod h1:am\nexample.com/m v0.1.0 h1:old\nexample.com/z v1.0.0/go.mod h1:z\n")
	err := addSums(r, mod{dir: "."}, []checksum{
		{module.Version{Path: "example.com/m", Version: "v0.1.0/go.mod"}, "h1:mm"},
		{module.Version{Path: "example.com/m", Version: "v0.1.0"}, "h1:m"},
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = "example.com/a v1.2.0 h1:a\nexample.com/a v1.2.0/go.mod h1:am\nexample.com/m v0.1.0 h1:m\nexample.com/m v0.1.0/go.mod h1:mm\nexample.com/z v1.0.0/go.mod h1:z\n"
	if got := read(t, r, "go.sum"); got != want {
		t.Errorf("go.sum is\n%s\nwant\n%s", got, want)
	}
	put(t, r, "go.sum", "<<<<<<< HEAD\n")
	if err := addSums(r, mod{dir: "."}, nil); err == nil || !strings.Contains(err.Error(), "is not a module, a version and a hash") {
		t.Errorf("of a file that is none: %v", err)
	}
}

func TestInOrder(t *testing.T) {
	all := []mod{{path: "c", needs: []string{"b", "a"}, released: true}, {path: "b", needs: []string{"a"}, released: true}, {path: "a", released: true}}
	got, err := inOrder(all)
	if err != nil || got[0].path != "a" || got[1].path != "b" || got[2].path != "c" {
		t.Errorf("%v, %v", got, err)
	}
	if _, err := inOrder([]mod{{path: "a", needs: []string{"b"}}, {path: "b", needs: []string{"a"}}}); err == nil {
		t.Error("two that need each other have an order")
	}
}
