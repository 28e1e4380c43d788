package main

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/cmd/internal/cli"
	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/eval"
	"github.com/lensgo/lens/gym/resources/codeexec"
	"github.com/lensgo/lens/gym/scaffold"
	"github.com/lensgo/lens/gym/wire"
)

func newEnv() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "env",
		Short: "Environments: start servers, look at a configuration, check it, write a new one",
		Args:  cli.NoArgs,
		RunE:  cli.Help,
	}
	cmd.AddCommand(newEnvStart(), newEnvStatus(), newEnvStop(), newEnvResolve(), newEnvValidate(), newEnvInit())
	return cmd
}

func newEnvResolve() *cobra.Command {
	var f configFlags
	var origins, asJSON bool
	cmd := &cobra.Command{
		Use:   "resolve [KEY=VALUE...]",
		Short: "Print the whole configuration as servers get it, without secrets",
		Long: "Merges files, env.yaml and overrides, carries directives and references out, and prints the result as\n" +
			"YAML. Secrets are " + config.Mask + ".",
		Example: "  gym env resolve --config config.yaml\n  gym env resolve --resources-server example_multi_step --model-type synthetic_model +limit=3 --origins",
		Args:    overrides,
		RunE: func(cmd *cobra.Command, args []string) error {
			if origins && asJSON {
				return cli.Usage(cmd, errors.New("--origins and --json contradict each other: JSON has no comments"))
			}
			graph, err := f.must(cmd, args)
			if err != nil {
				return err
			}
			for _, note := range graph.Notes {
				fmt.Fprintln(os.Stderr, note)
			}
			shown := graph.Redacted()
			text := shown.YAML()
			switch {
			case asJSON:
				text = shown.JSON()
			case origins:
				text = shown.AnnotatedYAML()
			}
			_, err = os.Stdout.Write(text)
			return err
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	f.register(fs)
	fs.BoolVar(&origins, "origins", false, "say behind each value which file and line, or which override, it comes from")
	fs.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func newEnvValidate() *cobra.Command {
	var f configFlags
	var o eval.ValidateOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "validate [KEY=VALUE...]",
		Short: "Check a configuration, its data sets and tasks, and start nothing",
		Long: "Reports everything that is wrong at once: the configuration, implementations that this program does not\n" +
			"have, settings that do not fit, missing data sets, and every bad row of the data sets and of --input, with\n" +
			"file and line.",
		Example: "  gym env validate --config config.yaml --input tasks.jsonl",
		Args:    overrides,
		RunE: func(cmd *cobra.Command, args []string) error {
			graph, err := f.must(cmd, args)
			if err != nil {
				return err
			}
			o.Graph, o.SearchDirs, o.Implementations = graph, f.searchDirs, slices.Sorted(maps.Keys(builders))
			o.Builders = maps.Clone(builders)
			o.Builders["code_exec"] = checkCodeExec
			found, err := eval.Validate(o)
			if err != nil {
				return err
			}
			if asJSON {
				return printJSON(found)
			}
			for _, note := range found.Notes {
				fmt.Fprintln(os.Stderr, note)
			}
			_, err = fmt.Print(found)
			return err
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	f.register(fs)
	fs.StringVarP(&o.Input, "input", "i", "", "tasks: a `file` with one JSON object a line")
	fs.StringVarP(&o.Agent, "agent", "a", "", "`name` of the agent for rows of --input that name none")
	fs.BoolVar(&asJSON, "json", false, "print what was looked at as JSON")
	return cmd
}

// checkCodeExec builds nothing: a code_exec server starts a sandbox while it is built.
func checkCodeExec(in *config.Instance, _ *wire.Client, _ *slog.Logger) (*wire.Server, error) {
	return nil, codeexec.Check(in)
}

func newEnvInit() *cobra.Command {
	var o scaffold.Options
	cmd := &cobra.Command{
		Use:   "init NAME",
		Short: "Write a new environment in Go: server, data, configuration and test",
		Long: "Writes resources_servers/NAME: a server with one tool and a verifier, a test that plays its data, a\n" +
			"configuration, and a program that runs it all. It builds and passes as it is; change it from there.",
		Example: "  gym env init letter_count\n  cd resources_servers/letter_count && go test ./...",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) != 1 {
				return cli.Usage(cmd, errors.New("give one name, for example letter_count"))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Name = args[0]
			if builders[o.Name] != nil {
				return cli.Usage(cmd, fmt.Errorf("this program has a server %q of its own, which it would run in the place of yours; choose another name", o.Name))
			}
			written, err := scaffold.Write(o)
			if errors.Is(err, scaffold.ErrName) {
				return cli.Usage(cmd, err)
			}
			if err != nil {
				return err
			}
			_, err = fmt.Print(written)
			return err
		},
	}
	cmd.Flags().StringVar(&o.Root, "dir", "", "`folder` in which resources_servers stands (default: the current one)")
	cmd.Flags().StringVar(&o.Module, "module", "", "make a module of its own, of this `path` (default: part of the module around the folder, example.com/NAME where there is none)")
	return cmd
}
