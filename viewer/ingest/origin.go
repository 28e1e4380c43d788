package ingest

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// guard keeps web pages out. A browser runs code of any site on this machine, and that code can reach a loopback port; it
// cannot choose the Host and Origin headers, which tell it from a program.
type guard struct {
	hosts   map[string]bool
	origins map[string]bool
}

func newGuard(hosts, origins []string) guard {
	g := guard{map[string]bool{}, map[string]bool{}}
	for _, h := range hosts {
		g.hosts[normalHost(h)] = true
	}
	for _, o := range origins {
		g.origins[strings.ToLower(strings.TrimSuffix(o, "/"))] = true
	}
	return g
}

// check lets a request through, or returns why not. With DNS rebinding a page is of the same origin as the port it talks
// to, by a name of its own that leads to this machine: that name is in the Host header.
func (g guard) check(w http.ResponseWriter, req *http.Request) *refusal {
	if !g.knowsHost(req) {
		return refuse(http.StatusForbidden, "host is %q, must be localhost, this machine's address or a configured name", req.Host)
	}
	if len(g.origins) > 0 {
		w.Header().Add("Vary", "Origin")
	}
	origin := req.Header.Get("Origin")
	if origin == "" {
		return nil // not a page, or one of the same origin that only reads
	}
	if !g.origins[strings.ToLower(origin)] {
		return refuse(http.StatusForbidden, "origin is %q: pages of other sites may not send here", origin)
	}
	w.Header().Set("Access-Control-Allow-Origin", origin)
	return nil
}

// knowsHost accepts names and addresses of the loopback, the address that the connection came in at, and what is
// configured, with any port.
func (g guard) knowsHost(req *http.Request) bool {
	host := normalHost(req.Host)
	if g.hosts[host] || host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	return ip.IsLoopback() || ip.Unmap() == localAddr(req)
}

func localAddr(req *http.Request) netip.Addr {
	addr, ok := req.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return netip.Addr{}
	}
	ap, err := netip.ParseAddrPort(addr.String())
	if err != nil {
		return netip.Addr{}
	}
	return ap.Addr().Unmap()
}

// normalHost returns a host without its port, in lower case.
func normalHost(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// preflight answers the question of a browser whether a page may send; check has let the page through already.
func preflight(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", http.MethodPost)
	h.Set("Access-Control-Allow-Headers", "Content-Type, Content-Encoding")
	h.Set("Access-Control-Max-Age", "7200")
	w.WriteHeader(http.StatusNoContent)
}

func isPreflight(req *http.Request) bool {
	return req.Method == http.MethodOptions && req.Header.Get("Origin") != "" &&
		req.Header.Get("Access-Control-Request-Method") != ""
}
