package config

import (
	"net"
	"net/netip"
)

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

// defaultHost is where instances listen that say nothing: with use_absolute_ip the machine's own address.
func defaultHost(tree *node) string {
	if use := tree.get("use_absolute_ip"); use != nil && use.kind == 't' {
		if ip := machineIP(); ip != "" {
			return ip
		}
	}
	if h := tree.get("default_host"); h.isString() && h.text != "" {
		return h.text
	}
	return "127.0.0.1"
}

// machineIP is the machine's first IPv4 address that others can reach, "" when there is none.
func machineIP() string {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		return ""
	}
	for _, a := range addrs {
		if n, ok := a.(*net.IPNet); ok && n.IP.To4() != nil && n.IP.IsGlobalUnicast() {
			return n.IP.String()
		}
	}
	return ""
}
