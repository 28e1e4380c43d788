package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/cmd/internal/cli"
	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/eval"
	"github.com/lensgo/lens/gym/fleet"
)

// status is what runs.
type status struct {
	Head    string           `json:"head"`
	Servers []fleet.Instance `json:"servers"`
}

func printServers(w io.Writer, head string, servers []fleet.Instance, note string) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "server\ttype\timplementation\tprocess\taddress\tstate")
	for _, s := range servers {
		state := "up"
		if s.Status != fleet.StatusUp {
			state = "down"
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%s\t%s\n", s.ProcessName, s.ServerType, s.Name, s.PID, s.URL, state)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, "\n%d servers, head server at http://%s", len(servers), head)
	if note != "" {
		note = "; " + note
	}
	fmt.Fprintln(w, note)
	return err
}

func newEnvStatus() *cobra.Command {
	var f configFlags
	var head headFlags
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status [KEY=VALUE...]",
		Short: "Say which servers run, and whether they answer",
		Long: "Asks a head server, of gym env start or of the Python system, and then every server that it names. Exit code 1\n" +
			"when no head server or not every server answers.",
		Example: "  gym env status\n  gym env status --head 127.0.0.1:11001 --json",
		Args:    overrides,
		RunE: func(cmd *cobra.Command, args []string) error {
			graph, err := f.load(cmd.Flags(), args)
			if err != nil {
				return err
			}
			address, err := head.find(graph, args)
			if err != nil {
				return err
			}
			found, err := ask(cmd.Context(), address)
			if len(found) == 0 {
				return err
			}
			if printed := found.print(asJSON); err == nil {
				return printed
			}
			return err
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	f.register(fs)
	head.register(fs, "default: all of gym env start, else 127.0.0.1:11000")
	fs.BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

type statuses []status

// ask asks one head server, or those of all fleets of this user, or that of the usual address. The error is of those that do not
// answer.
func ask(ctx context.Context, address string) (found statuses, err error) {
	addresses := []string{address}
	if address == "" {
		addresses = nil
		running, err := fleet.States()
		if err != nil {
			return nil, err
		}
		for _, s := range running {
			addresses = append(addresses, s.Head)
		}
	}
	if len(addresses) == 0 {
		addresses = []string{config.HeadServer{Host: "127.0.0.1", Port: config.DefaultHeadPort}.Address()}
	}
	var errs []error
	for _, a := range addresses {
		servers, err := fleet.HeadInstances(ctx, a)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		fleet.CheckInstances(ctx, servers)
		found = append(found, status{Head: a, Servers: servers})
	}
	return found, errors.Join(errs...)
}

func (found statuses) print(asJSON bool) error {
	down := 0
	for _, one := range found {
		for _, s := range one.Servers {
			if s.Status != fleet.StatusUp {
				down++
			}
		}
	}
	var err error
	if asJSON {
		err = printJSON(found)
	}
	for i, one := range found {
		if !asJSON {
			if i > 0 {
				fmt.Println()
			}
			err = errors.Join(err, printServers(os.Stdout, one.Head, one.Servers, ""))
		}
	}
	if err == nil && down > 0 {
		fmt.Fprintf(os.Stderr, "gym: %d servers do not answer\n", down)
		err = cli.ExitStatus(eval.ExitFailed)
	}
	return err
}
