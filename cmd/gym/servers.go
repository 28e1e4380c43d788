package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"github.com/lensgo/lens/cmd/internal/cli"
	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/eval"
)

// serversOptions are those of verbs that start servers for something else than a run.
func serversOptions(graph *config.Graph, searchDirs []string) eval.ServersOptions {
	return eval.ServersOptions{
		Graph: graph, SearchDirs: searchDirs, Implementations: slices.Sorted(maps.Keys(builders)), Interrupts: interrupts, Stdout: os.Stderr, Stderr: os.Stderr,
	}
}

// interrupted gives the user's interrupt its exit code.
func interrupted(err error) error {
	if errors.Is(err, eval.ErrInterrupted) {
		fmt.Fprintln(os.Stderr, "gym:", err)
		return cli.ExitStatus(eval.ExitInterrupted)
	}
	return err
}

// restartFlag adds --max-restarts.
func restartFlag(fs *pflag.FlagSet, n *int) {
	fs.IntVar(n, "max-restarts", 0, "start a server that dies again, up to `n` times each (0: its end is the end of all)")
}
