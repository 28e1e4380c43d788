// Command lensvet checks how Go code uses lens: span groups that are registered too late, spans that never end, work that is
// done for a span even when its group is off, and more. docs/lensvet.md has a section for each check.
//
//	lensvet ./...                           the checks of one package at a time; -fix mends what is safe to mend
//	lensvet -program ./cmd/server           what only a whole program shows
//	go vet -vettool=$(which lensvet) ./...  the checks of one package, cached by the go command
//	lensvet version                         what this binary was built from
//
// It exits with 0 when there is nothing to say, with 1 when something could not be read, and with 3 when there are findings.
// As a tool of go vet it does as vet does.
package main

import (
	"fmt"
	"os"

	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/lensgo/lens/internal/version"
	"github.com/lensgo/lens/lensvet/analyzers"
)

func main() {
	if args, ok := wholeProgram(os.Args[1:]); ok {
		os.Exit(checkProgram(args, os.Stdout, os.Stderr))
	}
	if len(os.Args) == 2 && os.Args[1] == "version" {
		fmt.Println(version.Line("lensvet"))
		return
	}
	if len(os.Args) == 1 || os.Args[1] == "help" && len(os.Args) == 2 {
		fmt.Fprint(os.Stderr, "lensvet -program [-json] [-tags list] [package]: what only a whole program shows.\n\n")
	}
	multichecker.Main(analyzers.All()...)
}
