package main

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/lensgo/lens/gym/config"
)

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
