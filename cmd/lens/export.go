package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/lensgo/lens/cmd/internal/cli"
	"github.com/lensgo/lens/viewer"
	"github.com/lensgo/lens/viewer/export"
	"github.com/lensgo/lens/viewer/otlp"
)

// exitInterrupted is the code of an export that the user stopped.
const exitInterrupted = 130

// exportFlags are the flags of `lens export` that need a second look before they become options.
type exportFlags struct {
	format, signal, table string
	traces                []string
}

func newExport() *cobra.Command {
	var o viewer.ExportOptions
	var f exportFlags
	cmd := &cobra.Command{
		Use:   "export [QUERY | FILES]",
		Short: "Write traces for other tools: OTLP, Perfetto, CSV",
		Long: "Writes what a data folder holds, or FILES (names that end in .json or .jsonl, also with .gz or .zst behind):\n" +
			"  otlp-json   one OTLP request a line, which collectors and 'lens view' read\n" +
			"  otlp-proto  one OTLP message in protobuf\n" +
			"  chrome      a picture over time, for ui.perfetto.dev and chrome://tracing (also called perfetto)\n" +
			"  csv         a table of spans, rollouts or traces\n\n" +
			"QUERY is a filter as on the page, and chooses traces; with --table rollouts it chooses rollouts. A viewer that runs\n" +
			"over the folder goes on: the export is what it holds at this moment. Exit codes: 0 also when nothing matches,\n" +
			"1 could not, 2 usage, 130 interrupted.",
		Example: "  lens export --format csv --output spans.csv\n" +
			"  lens export 'reward<0.5 env:mcqa' --format csv --table rollouts > failed.csv\n" +
			"  lens export --trace 4b5d887ccefb4bd1b24d43e2cbf483bf --format chrome -o trace.json\n" +
			"  lens export traces.jsonl --format chrome -o trace.json.gz\n" +
			"  lens export --run demo-1130-1402 --data gym-demo/20261130T014710.482Z/viewer -o run.jsonl.zst\n" +
			"  lens export --signal logs 'outcome:failed'",
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.apply(&o, args); err != nil {
				return cli.Usage(cmd, err)
			}
			return runExport(cmd.Context(), o)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVarP(&f.format, "format", "f", "", "otlp-json, otlp-proto, chrome or csv (default: what the name of --output says, else otlp-json)")
	fs.StringVar(&f.signal, "signal", string(export.Traces), "traces, metrics or logs")
	fs.StringVar(&f.table, "table", "", "of csv: spans, rollouts or traces (default spans)")
	fs.StringVarP(&o.Output, "output", "o", "", "`file` to write, not there yet; .gz and .zst compress (default standard output)")
	fs.BoolVar(&o.Force, "force", false, "replace the file of --output")
	fs.StringArrayVar(&f.traces, "trace", nil, "only the trace with this `id`; repeat it")
	fs.StringVar(&o.Run, "run", "", "only this `run`, by its nemo.run.id; - is what names none")
	fs.IntVar(&o.Limit, "limit", 0, "the newest traces, or rollouts, up to so many (0: all)")
	fs.StringVar(&o.Data, "data", "", "data `folder` (default $XDG_DATA_HOME/lens, else ~/.local/share/lens)")
	return cmd
}

// fileName tells a file from words of a query: a query that means such a text puts it in quotes of its own.
var fileName = regexp.MustCompile(`\.jsonl?(\.gz|\.zst)?$`)

// apply checks the flags together and writes them into the options.
func (f *exportFlags) apply(o *viewer.ExportOptions, args []string) (err error) {
	var words []string
	for _, arg := range args {
		if fileName.MatchString(arg) {
			o.Files = append(o.Files, arg)
		} else {
			words = append(words, arg)
		}
	}
	o.Query = strings.Join(words, " ")
	var errs []error
	if len(o.Files) > 0 && o.Data != "" {
		errs = append(errs, errors.New("--data and files contradict each other: give one of them"))
	}
	if o.Output == "-" {
		o.Output = ""
	}
	if o.Format = export.FormatOf(o.Output); f.format != "" {
		o.Format, err = export.ParseFormat(f.format)
		errs = append(errs, err)
	}
	if f.table != "" {
		o.Table, err = export.ParseTable(f.table)
		errs = append(errs, err)
	}
	o.Signal, err = export.ParseSignal(f.signal)
	errs = append(errs, err)
	for _, text := range f.traces {
		id, err := otlp.ParseTraceID(text)
		o.Traces, errs = append(o.Traces, id), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if o.Output == "" && o.Format == export.OTLPProto && term.IsTerminal(int(os.Stdout.Fd())) {
		return errors.New("protobuf is nothing for a terminal: name a file with --output, or redirect standard output")
	}
	return o.Check()
}

// runExport exports, and says on standard error what a reader of the output would not see.
func runExport(ctx context.Context, o viewer.ExportOptions) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	defer context.AfterFunc(ctx, stop)() // a second Ctrl-C ends the program at once
	if len(o.Files) == 0 {
		var err error
		if o.Data, err = storedFolder(o.Data); err != nil {
			return err
		}
	}
	o.Stdout, o.Logger = os.Stdout, logger(false)
	done, err := viewer.Export(ctx, o)
	if err != nil && ctx.Err() != nil {
		fmt.Fprintln(os.Stderr, "lens:", interrupted(o.Output))
		return cli.ExitStatus(exitInterrupted)
	}
	if err != nil {
		return err
	}
	report(os.Stderr, done, o)
	return nil
}

func interrupted(output string) string {
	if output == "" {
		return "interrupted; the output is not whole"
	}
	return "interrupted; " + output + " was not written"
}

// report says what was written to a file, and what is odd about it.
func report(w io.Writer, d export.Done, o viewer.ExportOptions) {
	what := "trace"
	switch {
	case o.Signal == export.Metrics:
		what = "data point"
	case o.Signal == export.Logs:
		what = "log record"
	case o.Table == export.Rollouts:
		what = "rollout"
	}
	if d.Empty() {
		fmt.Fprintln(w, nothing(what, o))
	} else if o.Output != "" {
		text := count(max(d.Traces, d.Rows, d.Items), what)
		if d.Spans > 0 {
			text += ", " + count(d.Spans, "span")
		}
		fmt.Fprintf(w, "%s: %s\n", o.Output, text)
	}
	if d.Unread > 0 {
		fmt.Fprintf(w, "%s of the store could not be read: damaged, or removed meanwhile to keep within --retain. Their data is missing.\n", count(d.Unread, "chunk"))
	}
	if d.Undrawn > 0 {
		fmt.Fprintf(w, "%s not drawn: the called span ended before its caller began, because clocks differ.\n", count(d.Undrawn, "arrow"))
	}
}

// nothing says that nothing was written. Of a folder it says so by name: gym's keep theirs in a folder inside.
func nothing(what string, o viewer.ExportOptions) string {
	if o.Query != "" || o.Run != "" || len(o.Traces) > 0 || len(o.Files) > 0 {
		return "No " + what + " matches."
	}
	text := "There is no " + what + " in " + o.Data + "."
	inside := filepath.Join(o.Data, "viewer")
	if info, err := os.Stat(inside); err == nil && info.IsDir() {
		text += " Perhaps you mean --data " + inside + "."
	}
	return text
}

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}
