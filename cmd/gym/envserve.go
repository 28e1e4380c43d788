package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/lensgo/lens/cmd/internal/cli"
	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/eval"
	"github.com/lensgo/lens/gym/fleet"
)

// stopTime is how long `gym env stop` waits: servers get five seconds, and their supervisor as many for its last traces.
const stopTime = 30 * time.Second

func newEnvStart() *cobra.Command {
	var f configFlags
	var o eval.ServeOptions
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "start [KEY=VALUE...]",
		Short: "Start the servers of a configuration and keep them until Ctrl-C",
		Long: "Starts one process for each instance, and a head server that tells drivers of them: gym eval run --no-serve,\n" +
			"or one of the Python system. The head server listens on head_server.host and .port (127.0.0.1:11000).",
		Example: "  gym env start --config config.yaml\n  gym env start --resources-server example_multi_step --model-type synthetic_model ++head_server.port=11001",
		Args:    overrides,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Stages.Begin(fleet.StageLoadConfig)
			graph, err := f.must(cmd, args)
			if err != nil {
				return err
			}
			if o.MaxRestarts < 0 {
				return cli.Usage(cmd, fmt.Errorf("--max-restarts is %d; it must be 0 (any end of a server ends all) or more", o.MaxRestarts))
			}
			for _, note := range graph.Notes {
				fmt.Fprintln(os.Stderr, note)
			}
			out := standardOutput(asJSON)
			o.Graph, o.SearchDirs, o.Implementations = graph, f.searchDirs, slices.Sorted(maps.Keys(builders))
			o.Interrupts, o.Stdout, o.Stderr = interrupts, os.Stdout, os.Stderr
			o.Started = func(head string, servers []fleet.Instance) error {
				if asJSON {
					return printJSONTo(out, status{Head: head, Servers: servers})
				}
				return printServers(out, head, servers, "Ctrl-C or gym env stop ends them")
			}
			return eval.Serve(cmd.Context(), o)
		},
	}
	fs := cmd.Flags()
	fs.SortFlags = false
	f.register(fs)
	restartFlag(fs, &o.MaxRestarts)
	fs.StringVar(&o.LogDir, "log-dir", "", "`folder` for one log file a server")
	fs.BoolVar(&asJSON, "json", false, "print what runs as JSON, once it does")
	fs.BoolVarP(&o.Verbose, "verbose", "v", false, "show the servers' logs")
	return cmd
}

// restartFlag adds --max-restarts.
func restartFlag(fs *pflag.FlagSet, n *int) {
	fs.IntVar(n, "max-restarts", 0, "start a server that dies again, up to `n` times each (0: its end is the end of all)")
}

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

// headFlags say which running servers are meant.
type headFlags struct{ address string }

func (h *headFlags) register(fs *pflag.FlagSet, where string) {
	fs.StringVar(&h.address, "head", "", "`host:port` of the head server of running servers ("+where+")")
}

// find is the address that flags, a configuration and overrides name, "" when they name none.
func (h *headFlags) find(graph *config.Graph, args []string) (string, error) {
	if h.address != "" {
		return h.address, nil
	}
	if graph != nil {
		at, err := graph.HeadServer()
		return at.Address(), err
	}
	own := slices.DeleteFunc(slices.Clone(args), func(arg string) bool { return !strings.HasPrefix(strings.TrimLeft(arg, "+"), "head_server") })
	if len(own) == 0 {
		return "", nil
	}
	scratch, err := config.Decode([]byte("head_server: {host: 127.0.0.1, port: 11000}"))
	if err == nil {
		err = scratch.Override(config.Overrides{Args: own})
	}
	if err != nil {
		return "", err
	}
	at, err := scratch.HeadServer()
	return at.Address(), err
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

func newEnvStop() *cobra.Command {
	var head headFlags
	var all bool
	cmd := &cobra.Command{
		Use:     "stop",
		Short:   "Stop servers that gym env start keeps, and wait until they are gone",
		Example: "  gym env stop\n  gym env stop --head 127.0.0.1:11001",
		Args:    cli.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			running, err := fleet.States()
			if err != nil {
				return err
			}
			if head.address != "" {
				running = slices.DeleteFunc(running, func(s fleet.State) bool { return !sameHead(s.Head, head.address) })
			}
			switch {
			case len(running) == 0 && head.address != "":
				return fmt.Errorf("no gym env start of this user has its head server at %s", head.address)
			case len(running) == 0:
				return errors.New("no gym env start of this user runs on this machine")
			case len(running) > 1 && !all:
				var list []string
				for _, s := range running {
					list = append(list, fmt.Sprintf("  --head %s (process %d, started in %s)", s.Head, s.PID, s.Folder))
				}
				return fmt.Errorf("%d of them run; say which, or --all:\n%s", len(running), strings.Join(list, "\n"))
			}
			return stopAll(running)
		},
	}
	head.register(cmd.Flags(), "default: the only one that runs")
	cmd.Flags().BoolVar(&all, "all", false, "stop all of them")
	return cmd
}

// sameHead tells whether an address, as people write or copy it, is that of a head server.
func sameHead(head, address string) bool {
	address = strings.TrimSuffix(strings.TrimPrefix(address, "http://"), "/")
	if port, ok := strings.CutPrefix(address, "localhost:"); ok {
		address = "127.0.0.1:" + port
	}
	return address == head || strings.HasPrefix(address, "127.0.0.1:") && "0.0.0.0:"+strings.TrimPrefix(address, "127.0.0.1:") == head
}

func stopAll(running []fleet.State) error {
	var errs []error
	for _, s := range running {
		errs = append(errs, s.Interrupt())
	}
	for i, s := range running {
		if errs[i] != nil {
			continue
		}
		if !s.Gone(stopTime) {
			errs[i] = fmt.Errorf("the fleet at %s (process %d) has not stopped within %v", s.Head, s.PID, stopTime)
			continue
		}
		fmt.Printf("stopped the servers of %s\n", s.Head)
	}
	return errors.Join(errs...)
}
