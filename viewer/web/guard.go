package web

import (
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

const (
	maxQuery = 8 << 10 // bytes of a query string
	maxPath  = 4 << 10 // bytes of an escaped path

	// connect-src is followed by where OTLP is taken: the page sends there what is dropped on it.
	policyStart = "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; " +
		"connect-src 'self'"
	policyEnd = "; worker-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

// guard is what every request passes before anything looks at it: the headers that keep other sites out of the page, the
// method, the bounds, the Host header and who asks.
func (h *Handler) guard(w http.ResponseWriter, r *http.Request) *Fault {
	head := w.Header()
	head.Set("Content-Security-Policy", h.policy())
	head.Set("X-Content-Type-Options", "nosniff")
	head.Set("X-Frame-Options", "DENY")
	head.Set("Referrer-Policy", "no-referrer")
	head.Set("Cross-Origin-Resource-Policy", "same-origin")
	head.Set("Cross-Origin-Opener-Policy", "same-origin")
	head.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), usb=(), serial=()")
	head.Set("Cache-Control", "no-store")

	switch {
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		head.Set("Allow", "GET, HEAD")
		return &Fault{Status: http.StatusMethodNotAllowed, Code: "method", What: "Only GET and HEAD are answered here.", Now: h.otlpHint(r)}
	case len(r.URL.RawQuery) > maxQuery || len(r.URL.EscapedPath()) > maxPath:
		return &Fault{Status: http.StatusRequestURITooLong, Code: "too_long", What: "The address is too long.",
			Why: "A path may have 4 KiB, a query string 8 KiB."}
	case !h.knownHost(r.Host):
		return &Fault{Status: http.StatusForbidden, Code: "host",
			What: "This viewer does not go by the name " + quote(clip(hostName(r.Host), 100)) + ".",
			Why:  "A page of another site could otherwise reach it under a name of its own.",
			Now:  "Use the address that Lens printed."}
	case foreign(r):
		return &Fault{Status: http.StatusForbidden, Code: "origin", What: "Only the viewer's own page may ask this.",
			Why: "The request came from a page of another site."}
	}
	return nil
}

// otlpHint helps a program that sends its spans to the page.
func (h *Handler) otlpHint(r *http.Request) string {
	if !strings.HasPrefix(r.URL.Path, "/v1/") || h.o.Received == nil {
		return ""
	}
	for _, l := range h.o.Received().Listening {
		if strings.Contains(l.What, "HTTP") && strings.Contains(l.What, "OTLP") {
			return "This is the page. Send OTLP over HTTP to " + l.Address + "."
		}
	}
	return ""
}

// knownHost is the check against DNS rebinding: a page of another site can make its own name lead here, but it cannot
// make the browser send an address or a name that is ours.
func (h *Handler) knownHost(hostport string) bool {
	name := hostName(hostport)
	if name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	if _, err := netip.ParseAddr(name); err == nil {
		return true
	}
	return slices.ContainsFunc(h.o.Hosts, func(own string) bool { return strings.EqualFold(own, name) })
}

func hostName(hostport string) string {
	name, _, err := net.SplitHostPort(hostport)
	if err != nil {
		name = strings.TrimSuffix(strings.TrimPrefix(hostport, "["), "]")
	}
	return strings.ToLower(strings.TrimSuffix(name, "."))
}

// foreign tells whether a page of another site asks. Following a link from another site is allowed; loading something
// into its own page is not.
func foreign(r *http.Request) bool {
	site, mode := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Sec-Fetch-Mode")
	if site == "cross-site" || site == "same-site" {
		return mode != "navigate" || strings.HasPrefix(r.URL.Path, apiBase)
	}
	origin := r.Header.Get("Origin")
	if origin == "" {
		return false
	}
	_, host, ok := strings.Cut(origin, "://")
	return !ok || !strings.EqualFold(host, r.Host)
}

// policy lets the page do what it needs and nothing else.
func (h *Handler) policy() string {
	p := policyStart
	if h.o.Received != nil {
		for _, l := range h.o.Received().Listening {
			if host, _, err := net.SplitHostPort(l.Address); err == nil && host != "" && strings.HasPrefix(l.What, "OTLP over HTTP") {
				p += " http://" + l.Address
			}
		}
	}
	return p + policyEnd
}
