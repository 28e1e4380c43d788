package wire

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// ClientOptions configures a [Client]. The zero value works, for calls with a URL.
type ClientOptions struct {
	Servers map[string]string // instance -> base URL: the servers of the run
	Timeout time.Duration     // for a whole call, when the call has none of its own; 0 is none
	MaxBody int64             // bound of an answer's body in bytes; 0 is 256 MiB

	// MaxConnsPerHost bounds the connections to one server. Calls above it wait, and their spans say how long. 0 is no
	// bound. MaxConns has the bounds of servers of the run that differ, by instance.
	MaxConnsPerHost int
	MaxConns        map[string]int

	// Local is servers of this process, which calls reach without a connection. They need not stand in Servers.
	Local *Local
}

// Client makes the calls of a Gym process. It is safe for concurrent use; one a process is enough, because calls share
// its connections.
type Client struct {
	servers   map[string]target
	timeout   time.Duration
	maxBody   int64
	local     *Local
	transport *http.Transport // for all that has none of its own
	resend    resend
}

// target is a server of the run.
type target struct {
	base      *url.URL
	transport *http.Transport // nil: it is in this process
	err       error           // what is wrong with its URL, told to those who call it
}

// NewClient returns a client. A base URL that is none is reported by the calls that need it.
func NewClient(o ClientOptions) *Client {
	c := &Client{
		servers: make(map[string]target, len(o.Servers)),
		timeout: o.Timeout,
		maxBody: o.MaxBody,
		local:   o.Local,
		resend:  defaultResend,
	}
	if c.maxBody <= 0 {
		c.maxBody = defaultMaxBody
	}
	hosts := make(map[string]string, len(o.Servers))
	c.transport = newTransport(hosts, o.MaxConnsPerHost, clientIdle)
	for name, base := range o.Servers {
		u, err := parseURL(base)
		if err == nil {
			hosts[hostPort(u)] = name
			u.Path = strings.TrimSuffix(u.Path, "/") // paths begin with one
		}
		t := target{base: u, transport: c.transport, err: err}
		if bound, ok := o.MaxConns[name]; ok {
			t.transport = newTransport(hosts, bound, clientIdle)
		}
		c.servers[name] = t
	}
	if o.Local != nil {
		for _, name := range o.Local.names {
			c.servers[name] = target{base: &url.URL{Scheme: "http", Host: name}}
		}
	}
	return c
}

// Close closes idle connections. Calls that run go on.
func (c *Client) Close() {
	c.transport.CloseIdleConnections()
	for _, t := range c.servers {
		if t.transport != nil {
			t.transport.CloseIdleConnections()
		}
	}
}

// address is where a call goes and how messages and errors name it.
type address struct {
	url    *url.URL
	server string // instance, or scheme and host
	path   string
	inside bool // the server is one of the run

	transport *http.Transport // nil: the server is in this process
}

// roundTrip sends a request there once.
func (c *Client) roundTrip(addr address, r *http.Request) (*http.Response, error) {
	if addr.transport == nil {
		return c.local.roundTrip(addr.server, r)
	}
	return addr.transport.RoundTrip(r)
}

// address resolves the server or the URL of a call.
func (c *Client) address(call Call) (address, error) {
	switch {
	case call.Server != "" && call.URL != "":
		return address{}, fmt.Errorf("both the server %q and the URL %q are given; one is right", call.Server, bareText(call.URL))
	case call.URL != "":
		u, err := parseURL(call.URL)
		if err != nil {
			return address{}, err
		}
		return address{url: u, server: u.Scheme + "://" + u.Host, path: u.Path, transport: c.transport}, nil
	}
	t, ok := c.servers[call.Server]
	if !ok {
		return address{}, fmt.Errorf("the run has no server %q; it has %s", call.Server, c.known())
	}
	if t.err != nil {
		return address{}, t.err
	}
	if !strings.HasPrefix(call.Path, "/") {
		return address{}, fmt.Errorf("the path %q does not begin with /", call.Path)
	}
	u := *t.base
	u.Path, u.RawPath = u.Path+call.Path, ""
	return address{url: &u, server: call.Server, path: call.Path, inside: true, transport: t.transport}, nil
}

func (c *Client) known() string {
	if len(c.servers) == 0 {
		return "none"
	}
	names := make([]string, 0, len(c.servers))
	for name := range c.servers {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// parseURL parses an absolute http or https URL.
func parseURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("%q is no URL of the form http://host:port/path", bareText(text))
	}
	return u, nil
}

// bareText is a URL for a message: what may be secret in it, user information and query, is taken off.
func bareText(text string) string {
	text, _, _ = strings.Cut(text, "?")
	scheme, rest, ok := strings.Cut(text, "://")
	if !ok {
		return text
	}
	host, path, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		host = host[at+1:]
	}
	if path != "" {
		path = "/" + path
	}
	return scheme + "://" + host + path
}
