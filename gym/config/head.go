package config

import (
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
)

// DefaultHeadPort is where the head server listens unless head_server says otherwise.
const DefaultHeadPort = 11000

// HeadServer is the head_server block: where the configuration of running servers can be asked for.
type HeadServer struct {
	Host string `json:"host"` // where it listens (default default_host, else 127.0.0.1)
	Port int    `json:"port"` // 0 lets the system choose (default DefaultHeadPort)
	// ExposeSecrets gives out keys and tokens as the files hold them, to a driver that needs them.
	ExposeSecrets bool `json:"expose_secrets"`
}

// Address is host and port.
func (h HeadServer) Address() string { return net.JoinHostPort(h.Host, strconv.Itoa(h.Port)) }

// HeadServer reads the head_server block, with its defaults.
func (g *Graph) HeadServer() (HeadServer, error) {
	h := HeadServer{Host: "127.0.0.1", Port: DefaultHeadPort}
	if g != nil && g.tree != nil {
		h.Host = defaultHost(g.tree)
	}
	if err := g.DecodeValue("head_server", &h); err != nil {
		return h, err
	}
	if h.Host == "" || h.Port < 0 || h.Port > 65535 {
		return h, fmt.Errorf("head_server is %s: a host and a port from 0 to 65535 are needed, for example 127.0.0.1 and %d", h.Address(), DefaultHeadPort)
	}
	return h, nil
}

// SetHeadServer says in the configuration where the head server listens, for servers that look for it there.
func (g *Graph) SetHeadServer(h HeadServer) {
	if g == nil || g.tree == nil {
		return
	}
	block := g.tree.get("head_server")
	if !block.isMapping() {
		block = &node{kind: '{', at: g.tree.at}
		g.tree.set("head_server", block)
	}
	block.setValue("host", stringNode(h.Host, block.at))
	block.setValue("port", rawNode(strconv.Itoa(h.Port), block.at))
}

// Override applies overrides to a configuration that is loaded already, for instance one that was asked from a head server.
func (g *Graph) Override(over Overrides) error {
	var ps problems
	for _, name := range slices.Sorted(maps.Keys(over.Values)) {
		g.tree.set(name, stringNode(over.Values[name], position{file: "override " + name}))
	}
	for _, o := range parseOverrides(over.Args, &ps) {
		o.apply(g.tree, &ps)
	}
	if err := ps.err(); err != nil {
		return err
	}
	g.Instances = graphOf(g.tree).Instances
	for _, in := range g.Instances {
		in.graph = g
	}
	return nil
}

// Loopback tells whether the instance listens for this machine alone.
func (i *Instance) Loopback() bool { return IsLoopback(i.Host) }

// IsLoopback tells whether a host is this machine alone. A name other than localhost is taken for one that others reach.
func IsLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.IsLoopback()
}
