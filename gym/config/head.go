package config

import (
	"fmt"
	"net"
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
