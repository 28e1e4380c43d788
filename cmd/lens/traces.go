package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/cmd/internal/cli"
	"github.com/lensgo/lens/internal/version"
	"github.com/lensgo/lens/viewer"
	"github.com/lensgo/lens/viewer/terminal"
)

// source is where a traces verb looks: files, or a data folder with or without a viewer that runs over it.
type source struct {
	data  string
	files []string
}

func (s *source) flags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.data, "data", "", "data `folder` (default $XDG_DATA_HOME/lens, else ~/.local/share/lens)")
	cmd.Flags().StringArrayVar(&s.files, "file", nil, "look into a `file` (OTLP JSON, also gzip or zstd) instead; repeat it")
}

// ask opens the source for the time of fn.
func (s *source) ask(cmd *cobra.Command, fn func(context.Context, *terminal.API) error) error {
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	data := s.data
	if len(s.files) == 0 {
		var err error
		if data, err = storedFolder(s.data); err != nil {
			return err
		}
	}
	open, err := viewer.View(ctx, viewer.ViewOptions{Data: data, Files: s.files, Version: version.Short(), Logger: logger(false)})
	if err != nil {
		return err
	}
	err = errors.Join(fn(ctx, open.API()), open.Close())
	if fault := (*terminal.Fault)(nil); errors.As(err, &fault) && fault.Status == http.StatusBadRequest {
		return cli.Usage(cmd, err) // a filter, a column or an id that is none
	}
	return err
}

func newTraces() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "traces",
		Short: "Ask for traces in a terminal: ls, show, tail",
		Args:  cli.NoArgs,
		RunE:  cli.Help,
	}
	cmd.AddCommand(newTracesLs(), newTracesShow(), newTracesTail())
	return cmd
}

// listFlags are those of verbs that choose traces.
func listFlags(cmd *cobra.Command, o *terminal.ListOptions) {
	cmd.Flags().StringVarP(&o.Query, "query", "q", "", "`filter`, as on the page: 'dur>2s error:true', 'reward<0.5 env:mcqa'")
	cmd.Flags().StringVar(&o.Run, "run", "", "only traces of this `run`")
}

func newTracesLs() *cobra.Command {
	var s source
	var o terminal.ListOptions
	cmd := &cobra.Command{
		Use:     "ls",
		Short:   "List traces, newest first",
		Example: "  lens traces ls --query 'dur>2s'\n  lens traces ls --file traces.jsonl --sort -dur --limit 10",
		Args:    cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.Limit < 0 {
				return cli.Usage(cmd, errors.New("--limit is below 0; it must be 0 (50) or more"))
			}
			return s.ask(cmd, func(ctx context.Context, api *terminal.API) error {
				return api.List(ctx, cmd.OutOrStdout(), o)
			})
		},
	}
	listFlags(cmd, &o)
	cmd.Flags().StringVar(&o.Sort, "sort", "", "`column`: started, dur, spans, errors, root, service; a leading - reverses")
	cmd.Flags().IntVar(&o.Limit, "limit", 50, "at most so many")
	s.flags(cmd)
	return cmd
}

func newTracesShow() *cobra.Command {
	var s source
	cmd := &cobra.Command{
		Use:     "show TRACE",
		Short:   "Draw a trace as a tree",
		Example: "  lens traces show 4b5d887ccefb4bd1b24d43e2cbf483bf --file traces.jsonl",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cli.Usage(cmd, errors.New("name one trace: 32 hexadecimal digits, as 'lens traces ls' prints them"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return s.ask(cmd, func(ctx context.Context, api *terminal.API) error {
				return api.Show(ctx, cmd.OutOrStdout(), args[0])
			})
		},
	}
	s.flags(cmd)
	return cmd
}

func newTracesTail() *cobra.Command {
	var s source
	var o terminal.ListOptions
	cmd := &cobra.Command{
		Use:   "tail",
		Short: "Print traces as a running viewer receives them",
		Args:  cli.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return s.ask(cmd, func(ctx context.Context, api *terminal.API) error {
				if data, err := dataFolder(s.data); err == nil && !served(data) {
					fmt.Fprintf(cmd.ErrOrStderr(), "No viewer runs over %s at the moment. What is written there is shown.\n", data)
				}
				return api.Tail(ctx, cmd.OutOrStdout(), o)
			})
		},
	}
	listFlags(cmd, &o)
	cmd.Flags().StringVar(&s.data, "data", "", "data `folder` of the viewer")
	return cmd
}
