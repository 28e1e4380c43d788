// Package command is what benchmarks of a command of this repository, lens or gym, share: how they end, their flags, and how it is built.
package command

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
)

// Main runs a benchmark with the arguments of the process until it is done or interrupted, and ends the process with 1 when it fails.
func Main(start func(ctx context.Context, args []string, stdout, stderr io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := start(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// Flags are the flags that every one of them has.
type Flags struct {
	Size    string // the name of how much is measured
	name    string // of the command
	command string // its path, "" until it is built
	dir     string
	asJSON  bool
}

// Register adds the flags of a benchmark that measures the command of that name.
func (o *Flags) Register(f *flag.FlagSet, command string, sizes []string) {
	o.name = command
	f.StringVar(&o.Size, "size", "seconds", "how much is measured: "+strings.Join(sizes, ", "))
	f.BoolVar(&o.asJSON, "json", false, "print one JSON object")
	f.StringVar(&o.command, command, "", "the "+command+" `program` (default: built from this repository)")
	f.StringVar(&o.dir, "dir", "", "`folder` for data (default: that for temporary files)")
}

// Run makes a folder for data, which is gone afterwards, and the command, unless a flag has named one, and calls measure with both.
func (o *Flags) Run(ctx context.Context, measure func(dir, command string) error) (err error) {
	dir, err := os.MkdirTemp(o.dir, "lens-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	command := o.command
	if command == "" {
		command = filepath.Join(dir, o.name)
		if err := build(ctx, o.name, command); err != nil {
			return err
		}
	}
	return measure(dir, command)
}

// Print writes a report as one JSON object, when a flag asks for that, or as its text.
func (o *Flags) Print(w io.Writer, report any, text func(w io.Writer) error) error {
	if o.asJSON {
		return json.NewEncoder(w).Encode(report)
	}
	return text(w)
}
