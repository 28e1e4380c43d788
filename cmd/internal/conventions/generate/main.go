// Command generate writes what is made from semconv/conventions.yaml: the constants of package semconv and their page. It is what
// go generate ./semconv runs, in the folder of that package.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/lensgo/lens/cmd/internal/conventions"
)

func main() {
	if err := generate(".."); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate(root string) error {
	table, err := conventions.Read(root)
	if err != nil {
		return err
	}
	outputs, err := table.Outputs()
	if err != nil {
		return err
	}
	for name, text := range outputs {
		if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(name)), text, 0o644); err != nil {
			return fmt.Errorf("cannot write what the table says: %w", err)
		}
	}
	return nil
}
