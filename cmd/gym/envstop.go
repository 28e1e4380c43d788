package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/lensgo/lens/cmd/internal/cli"
	"github.com/lensgo/lens/gym/fleet"
)

// stopTime is how long `gym env stop` waits: servers get five seconds, and their supervisor as many for its last traces.
const stopTime = 30 * time.Second

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
