package main

import (
	"flag"
	"testing"

	"github.com/lensgo/lens/cmd/internal/reference"
)

// TestReference compares the page of commands with the commands.
func TestReference(t *testing.T) {
	page := reference.Page{Path: "../../docs/cli-reference.md", Update: flag.Lookup("update").Value.String() == "true"}
	page.Check(t, "lens", reference.Commands(newRoot()))
}
