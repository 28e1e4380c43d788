package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/lensgo/lens/lensvet/program"
)

// Exit codes of -program, the same as those of the analyzers where they mean the same.
const (
	exitClean  = 0
	exitFailed = 1 // the program could not be read
	exitUsage  = 2
	exitFound  = 3
)

// wholeProgram reports whether the command line asks for the checks of a whole program, and gives the rest of it.
func wholeProgram(args []string) (rest []string, ok bool) {
	if len(args) == 0 || args[0] != "-program" && args[0] != "--program" {
		return args, false
	}
	return args[1:], true
}

// checkProgram looks at a whole program. It writes findings to stderr, as compilers do, and with -json to stdout; notes
// never fail.
func checkProgram(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("lensvet -program", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintf(stderr, "usage: lensvet -program [flags] [package...]\n\n"+
			"Looks at the packages and all that they import, as one program; name the whole module, ./..., so that every call site is seen.\n"+
			"Exits with 0, with 3 when there are findings that are not only notes, with 1 when the program does not compile.\n\n")
		flags.PrintDefaults()
	}
	tags := flags.String("tags", "", "build `tags`, separated by commas")
	asJSON := flags.Bool("json", false, "write findings as one JSON list to standard output, and exit with 0 if there are some")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return exitClean
		}
		return exitUsage
	}
	var o program.Options
	if *tags != "" {
		o.Tags = strings.Split(*tags, ",")
	}
	p, err := program.Load(context.Background(), ".", flags.Args(), o)
	if err != nil {
		fmt.Fprintf(stderr, "lensvet: %v\n", err)
		return exitFailed
	}
	if len(p.Problems) > 0 {
		for _, problem := range p.Problems {
			fmt.Fprintln(stderr, problem)
		}
		return exitFailed
	}
	if *asJSON {
		return printJSON(stdout, stderr, p.Check())
	}
	return printText(stderr, p.Check())
}

func printText(w io.Writer, findings []program.Finding) int {
	code := exitClean
	for _, f := range findings {
		if f.Note {
			f.Message = "note: " + f.Message
		} else {
			code = exitFound
		}
		fmt.Fprintln(w, f)
	}
	return code
}

func printJSON(stdout, stderr io.Writer, findings []program.Finding) int {
	if findings == nil {
		findings = []program.Finding{}
	}
	enc := json.NewEncoder(stdout)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(findings); err != nil {
		fmt.Fprintf(stderr, "lensvet: cannot write findings: %v\n", err)
		return exitFailed
	}
	return exitClean
}
