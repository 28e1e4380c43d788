// Command lensvet checks how Go code uses lens.
package main

import (
	"golang.org/x/tools/go/analysis/multichecker"

	"github.com/lensgo/lens/lensvet/analyzers"
)

func main() { multichecker.Main(analyzers.All()...) }
