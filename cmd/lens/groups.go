package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/cmd/internal/cli"
	"github.com/lensgo/lens/lensvet/program"
)

// exitUnknown is the code of a check that found names which mean nothing.
const exitUnknown = 3

// sourceCode is how a program is built and shown, for the verbs that read its source.
type sourceCode struct {
	tags   []string
	format string
}

func (s *sourceCode) flags(cmd *cobra.Command, formats string) {
	cmd.Flags().StringSliceVar(&s.tags, "tags", nil, "build `tags`, separated by commas")
	cmd.Flags().StringVar(&s.format, "format", "text", "`format`: "+formats)
}

// load reads the program, and says what could not be read. It reports whether that was everything.
func (s *sourceCode) load(cmd *cobra.Command, patterns []string) (p *program.Program, whole bool, err error) {
	p, err = program.Load(cmd.Context(), ".", patterns, program.Options{Tags: s.tags})
	if err != nil {
		return nil, false, err
	}
	for i, problem := range p.Problems {
		if i == 0 {
			fmt.Fprintln(cmd.ErrOrStderr(), "lens: the program does not compile; what is said of it may be short of what these places hold:")
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "  %s\n", strings.ReplaceAll(problem.String(), "\n", "\n  "))
	}
	return p, len(p.Problems) == 0, nil
}

func newGroups() *cobra.Command {
	var s sourceCode
	cmd := &cobra.Command{
		Use:   "groups [PACKAGE...]",
		Short: "List what a program can turn on, from its source",
		Long: "Groups reads a Go program without running it, and prints its span groups: who registers them, what each shows, every\n" +
			"place that uses it, and the presets. It needs the go command, and the program's dependencies on disk. A package is named\n" +
			"as for the go command; without one it is the package in this folder.\n\n" +
			"It exits with 0; with 1 when a package does not compile, and lists what it could read; with 2 for a wrong command line.",
		Example: "  lens groups ./cmd/server\n  lens groups ./... --format markdown > docs/groups.md",
		RunE: func(cmd *cobra.Command, patterns []string) error {
			write, ok := map[string]func(*program.Program, io.Writer) error{
				"text":     (*program.Program).WriteText,
				"json":     (*program.Program).WriteJSON,
				"markdown": (*program.Program).WriteMarkdown,
			}[s.format]
			if !ok {
				return cli.Usage(cmd, fmt.Errorf("--format is %q; it must be text, json or markdown", s.format))
			}
			p, whole, err := s.load(cmd, patterns)
			if err != nil {
				return err
			}
			if err := write(p, cmd.OutOrStdout()); err != nil {
				return err
			}
			if !whole {
				return cli.ExitStatus(cli.ExitFailed)
			}
			return nil
		},
	}
	s.flags(cmd, "text, json, markdown")
	return cmd
}

func newCheck() *cobra.Command {
	var s sourceCode
	cmd := &cobra.Command{
		Use:   "check SPEC [PACKAGE...]",
		Short: "Say what a spec would turn on in a program",
		Long: "Check reads a Go program without running it, and says what a spec comes to: what each entry selects, which entries mean\n" +
			"nothing, and the names that may have been meant.\n\n" +
			"It exits with 0 when every entry means something, or may mean a group that the running program names; with 3 when one\n" +
			"means nothing; with 1 when the program cannot be read or does not compile, since then nothing is certain; with 2 for a\n" +
			"wrong command line.",
		Example: "  lens check default,sandbox ./cmd/server\n  lens check -- -layer,all ./cmd/server",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cli.Usage(cmd, errors.New("name a spec, such as default,sandbox or all,-layer, and a package, such as ./cmd/server"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if s.format != "text" && s.format != "json" {
				return cli.Usage(cmd, fmt.Errorf("--format is %q; it must be text or json", s.format))
			}
			p, whole, err := s.load(cmd, args[1:])
			if err != nil {
				return err
			}
			resolution := p.Resolve(args[0])
			write := resolution.WriteText
			if s.format == "json" {
				write = resolution.WriteJSON
			}
			if err := write(cmd.OutOrStdout()); err != nil {
				return err
			}
			switch {
			case !whole:
				return cli.ExitStatus(cli.ExitFailed)
			case len(resolution.Unknown) > 0:
				return cli.ExitStatus(exitUnknown)
			}
			return nil
		},
	}
	s.flags(cmd, "text, json")
	return cmd
}
