package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/cmd/internal/cli"
	"github.com/lensgo/lens/gym/config"
)

func newList() *cobra.Command {
	var searchDirs []string
	var asJSON bool
	kinds := map[string]config.AssetKind{
		"benchmarks": config.Benchmark, "environments": config.Environment,
		"resources-servers": config.ResourcesServer, "models": config.ModelType,
	}
	names := slices.Sorted(maps.Keys(kinds))
	cmd := &cobra.Command{
		Use:       "list [" + strings.Join(names, "|") + "]",
		Short:     "List the configurations that can be selected by name",
		Example:   "  gym list\n  gym list models --search-dir ~/Gym",
		ValidArgs: names,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 1 || len(args) == 1 && kinds[args[0]] == "" {
				return cli.Usage(cmd, fmt.Errorf("give nothing, or one of %s", strings.Join(names, ", ")))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			found := config.Assets(searchDirs)
			if len(args) == 1 {
				found = slices.DeleteFunc(found, func(a config.FoundAsset) bool { return a.Kind != kinds[args[0]] })
			}
			if asJSON {
				return printJSON(found)
			}
			for _, a := range found {
				fmt.Printf("--%s %s\t%s\n", a.Kind, a.Name, a.Path)
			}
			return nil
		},
	}
	cmd.Flags().StringArrayVar(&searchDirs, "search-dir", nil, "`folder` to look in before "+config.EnvExtraRoots+"; repeat it")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}
