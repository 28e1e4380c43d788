package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/cmd/internal/cli"
	"github.com/lensgo/lens/cmd/internal/emit"
)

// exitExport is the code of a verb whose spans did not leave.
const exitExport = 2

// emitter is a call of emit-spans.
type emitter struct {
	list   emit.List
	target emit.Target
	parent string
	lines  bool // more spans are on standard input
	print  bool // traceparents
}

func newEmit() *cobra.Command {
	var e emitter
	cmd := &cobra.Command{
		Use:   "emit-spans --service NAME --span NAME,START,END[,PARENT]...",
		Short: "Emit spans of what was timed by others, such as a script",
		Long: "Emits a span for each interval, in seconds since 1970, as exact as they are given. PARENT is the name of another span of the\n" +
			"call, in any order; names must differ. --attr, --kind, --status and --link are said of the --span before them, or of all\n" +
			"spans when they stand before the first. An end before the start is put at the start, and the span is marked with inverted.*.\n\n" +
			"With --stdin each line of standard input is one more span, as JSON:\n" +
			"  {\"name\": \"load\", \"start\": 1700000000.25, \"end\": 1700000001, \"parent\": \"job\", \"kind\": \"client\",\n" +
			"   \"status\": \"error:no such file\", \"attributes\": {\"shards\": 4}, \"links\": [\"00-...-01\"]}\n\n" +
			"Spans go where NEMO_LENS_EXPORTER and OTEL_* say, whether NEMO_LENS_ENABLED is set or not, with what is found out about the\n" +
			"host and the job, and are listed on standard error. Roots begin a trace of their own, unless --traceparent names a span.\n\n" +
			"It exits with 0; with 1 when a span is wrong: every problem is printed, and nothing is emitted; with 2 when they cannot be\n" +
			"sent, and for a wrong command line.",
		Example: "  lens emit-spans --service job --span setup,1700000000,1700000010.5 --span load,1700000001,1700000004,setup\n" +
			"  lens emit-spans --service job --span load,$began,$(date +%s.%N) --attr shards:=4 --status error:timeout\n" +
			"  phase=$(lens emit-spans --service job --span phase,$began,$ended --print-traceparent)\n" +
			"  lens emit-spans --service job --traceparent \"$phase\" --stdin < steps.jsonl",
		Args: cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch {
			case e.target.Service == "":
				return cli.Usage(cmd, errors.New("--service is missing: the name that the spans are seen under"))
			case !e.lines && !cmd.Flags().Changed("span"):
				return cli.Usage(cmd, errors.New("there is no --span NAME,START,END[,PARENT], and no --stdin"))
			case e.target.Timeout <= 0:
				return cli.Usage(cmd, fmt.Errorf("--timeout is %v; it must be above 0", e.target.Timeout))
			}
			return e.run(cmd)
		},
	}
	e.flags(cmd)
	return cmd
}

func (e *emitter) flags(cmd *cobra.Command) {
	f := cmd.Flags()
	f.SortFlags = false
	f.StringVar(&e.target.Service, "service", "", "service.name of the spans, a `name`")
	f.Var(inOrder(e.list.Add), "span", "a span, as `NAME,START,END[,PARENT]`; repeat it")
	f.Var(inOrder(e.list.Attribute), "attr", "an attribute: `KEY=TEXT`, or KEY:=JSON for a number, a boolean or a list of texts; repeat it")
	f.Var(inOrder(e.list.Kind), "kind", "`kind` of the span: internal (default), server, client, producer, consumer")
	f.Var(inOrder(e.list.Status), "status", "`status` of the span: unset (default), ok, error or error:WHY")
	f.Var(inOrder(e.list.Link), "link", "a related span, by its `traceparent`; repeat it")
	f.BoolVar(&e.lines, "stdin", false, "read more spans from standard input, one line of JSON each")
	f.StringVar(&e.parent, "traceparent", "", "the span above the roots, by its `traceparent`; empty for none")
	f.BoolVar(&e.print, "print-traceparent", false, "print the traceparent of each span on standard output, a line each, in the order that they were given")
	f.DurationVar(&e.target.Timeout, "timeout", 30*time.Second, "`time` that sending may take")
}

// inOrder is a flag whose place among the others matters. What it says is judged when all of them are there.
type inOrder func(string)

func (add inOrder) Set(text string) error { add(text); return nil }
func (inOrder) String() string            { return "" }
func (inOrder) Type() string              { return "string" }

func (e *emitter) run(cmd *cobra.Command) error {
	errs := cmd.ErrOrStderr()
	spans, problems, err := e.spans(cmd.InOrStdin())
	if err != nil {
		return fmt.Errorf("cannot read standard input: %w", err)
	}
	if len(problems) > 0 {
		for _, p := range problems {
			fmt.Fprintf(errs, "error: %s\n", p)
		}
		fmt.Fprintln(errs, "nothing was emitted, because of invalid span input")
		return cli.ExitStatus(cli.ExitFailed)
	}
	e.target.Logger = logger(false)
	refs, err := e.target.Send(cmd.Context(), spans)
	if err != nil {
		fmt.Fprintf(errs, "error: %v\n", err)
		return cli.ExitStatus(exitExport)
	}
	e.report(cmd, spans, refs)
	return nil
}

// spans returns what the flags and standard input say, and what is wrong with it.
func (e *emitter) spans(in io.Reader) (spans []*emit.Span, problems []string, err error) {
	if e.lines {
		if err := e.list.ReadLines(in); err != nil {
			return nil, nil, err
		}
	}
	spans, problems = e.list.Order()
	if e.parent != "" {
		if e.target.Parent, err = lens.ParseRef(e.parent, ""); err != nil {
			problems = append(problems, fmt.Sprintf("--traceparent %q: %v", e.parent, err))
		}
	}
	return spans, problems, nil
}

// report lists the spans in the order in which they were emitted, and on request what names them in the order in which they were
// given.
func (e *emitter) report(cmd *cobra.Command, spans []*emit.Span, refs []lens.Ref) {
	const sampled = 1
	refused := 0
	named := map[string]lens.Ref{}
	for i, s := range spans {
		named[s.Name] = refs[i]
		if refs[i].Flags&sampled == 0 {
			refused++
		}
		parent := ""
		if s.Parent != "" {
			parent = "  -> " + s.Parent
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "  %-34s %8ss%s\n", s.Name, s.Duration(), parent)
	}
	if refused > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "%d of %d spans were left out by the sampler: OTEL_TRACES_SAMPLER, or a --traceparent that is not sampled\n", refused, len(spans))
	}
	if e.print {
		for _, name := range e.list.Names() {
			fmt.Fprintln(cmd.OutOrStdout(), named[name])
		}
	}
}
