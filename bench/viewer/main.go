// Command viewer measures the viewer: the real program, over the network, beside other receivers, in one run.
//
//	GOWORK=off go run ./viewer                          seconds for each part
//	GOWORK=off go run ./viewer -size full -skip soak    some minutes for each part
//	GOWORK=off go run ./viewer -only ingest -json
//
// The parts are ingest, memory, traces, browser, list, lookup, start, kill and soak; docs/benchmarks.md says what each measures. Results
// go to standard output as tables, or as one JSON object; what it is doing goes to standard error. It ends with 1 when
// something is wrong or cannot be measured (an answer that is no answer, spans that are missing), and with 0 whatever the speed.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/lensgo/lens/bench/command"
)

func main() { command.Main(start) }

// start is the program: measuring, or one of the processes that it starts of itself.
func start(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) > 1 {
		switch args[0] {
		case childReceiver:
			return receive(ctx, args[1], os.Stdin, stdout)
		case childHost:
			return host(ctx, args[1:], os.Stdin, stdout)
		}
	}
	return measure(ctx, args, stdout, stderr)
}

// part is one thing that is measured.
type part struct {
	name string
	run  func(*run) error
}

var parts = []part{
	{"ingest", ingest}, {"memory", memory}, {"traces", traces}, {"browser", browse}, {"list", list}, {"lookup", lookup},
	{"start", starts}, {"kill", kills}, {"soak", soak},
}

// run is what all parts have.
type run struct {
	context.Context
	size   Size
	dir    string // for data, gone afterwards
	lens   string // the program
	report *Report
	log    io.Writer
}

// say tells a person who waits.
func (r *run) say(format string, args ...any) { fmt.Fprintf(r.log, format+"\n", args...) }

// folder makes an empty folder.
func (r *run) folder(name string) (string, error) { return os.MkdirTemp(r.dir, name+"-") }

func measure(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	f := flag.NewFlagSet("viewer", flag.ContinueOnError)
	f.SetOutput(stderr)
	var flags command.Flags
	flags.Register(f, "lens", sizeNames())
	only := f.String("only", "", "`parts` to measure, separated by commas")
	skip := f.String("skip", "", "`parts` to leave out")
	var size Size
	size.flags(f)
	if err := f.Parse(args); err != nil {
		return err
	}
	size, err := size.complete(flags.Size)
	if err != nil {
		return err
	}
	chosen, err := choose(*only, *skip)
	if err != nil {
		return err
	}
	return flags.Run(ctx, func(dir, lens string) error {
		r := &run{Context: ctx, size: size, dir: dir, lens: lens, report: newReport(flags.Size), log: stderr}
		if err := r.all(chosen); err != nil {
			return err
		}
		return flags.Print(stdout, r.report, r.report.print)
	})
}

// all measures the parts, and sees that nothing is missing.
func (r *run) all(chosen []part) error {
	for _, p := range chosen {
		began := time.Now()
		r.say("%s ...", p.name)
		if err := p.run(r); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		r.say("%s: %.0f s", p.name, time.Since(began).Seconds())
	}
	return r.report.missing()
}

// choose takes parts by their names.
func choose(only, skip string) (out []part, err error) {
	want := split(only)
	for _, name := range append(want, split(skip)...) {
		if !slices.ContainsFunc(parts, func(p part) bool { return p.name == name }) {
			return nil, fmt.Errorf("there is no part %q", name)
		}
	}
	for _, p := range parts {
		if (only == "" || slices.Contains(want, p.name)) && !slices.Contains(split(skip), p.name) {
			out = append(out, p)
		}
	}
	return out, nil
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}
