package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"golang.org/x/term"

	"github.com/lensgo/lens/cmd/internal/cli"
	"github.com/lensgo/lens/gym/eval"
)

func printJSON(v any) error { return printJSONTo(os.Stdout, v) }

func printJSONTo(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// standardOutput is where the summary goes. With --json it is one document: all else that would be printed there, the
// console exporter's spans above all, goes to standard error.
func standardOutput(asJSON bool) io.Writer {
	out := os.Stdout
	if asJSON {
		os.Stdout = os.Stderr
	}
	return out
}

// finish prints what a run left behind and turns it into the exit code.
func finish(out io.Writer, asJSON bool, result *eval.Result, err error) error {
	var printErr error
	switch {
	case asJSON:
		printErr = eval.WriteJSON(out, result, err)
	case result != nil:
		printErr = eval.WriteText(out, result)
	}
	if printErr != nil && err == nil {
		err = fmt.Errorf("cannot print the summary: %w", printErr)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gym:", err)
	}
	if code := eval.ExitCode(result, err); code != eval.ExitOK {
		return cli.ExitStatus(code)
	}
	return nil
}

// isTerminal says whether a person looks at standard output.
func isTerminal() bool { return term.IsTerminal(int(os.Stdout.Fd())) }
