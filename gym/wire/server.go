package wire

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"
)

const (
	defaultMaxBody = 256 << 20
	defaultGrace   = 500 * time.Millisecond
	// defaultBodyIdle is how long a client may be silent in the middle of a long body.
	defaultBodyIdle = time.Minute
)

// ServerOptions configures a [Server]. Name is needed, the rest may be zero.
type ServerOptions struct {
	Name    string        // the instance
	Type    string        // its type, for instance resources_servers; for messages
	MaxBody int64         // bound of a request's body in bytes; 0 is 256 MiB
	Grace   time.Duration // how long running requests may go on once the server stops; 0 is 0.5 s, below 0 is none
	Logger  *slog.Logger  // nil is slog.Default() at the time of the message
}

// Server is the base of every Gym server. Register routes first, then serve; after that it is safe for concurrent use.
// [Server.Serve] listens; as an [http.Handler] it can stand in any other server.
type Server struct {
	name    string
	kind    string // ServerOptions.Type
	cookie  string // name of the session cookie
	maxBody int64
	grace   time.Duration
	log     *slog.Logger

	bodyIdle time.Duration

	routes map[string]*route // by path
}

// route is a path with a handler for each of its methods.
type route struct {
	handlers map[string]endpoint
	allow    string // the methods, for the Allow header
}

// endpoint is one method of a route.
type endpoint struct {
	serve  HandlerFunc
	span   string // "POST /verify"
	health bool   // answered without a span
}

// NewServer returns a server without routes but those of its health: GET /, /health, /healthz, /livez and /readyz. It
// refuses a name that cannot stand in a cookie's name.
func NewServer(o ServerOptions) (*Server, error) {
	if err := checkName(o.Name); err != nil {
		return nil, err
	}
	s := &Server{
		name:    o.Name,
		kind:    o.Type,
		cookie:  sessionPrefix + o.Name,
		maxBody: o.MaxBody,
		grace:   o.Grace,
		log:     o.Logger,

		bodyIdle: defaultBodyIdle,

		routes: map[string]*route{},
	}
	if s.maxBody <= 0 {
		s.maxBody = defaultMaxBody
	}
	if s.grace == 0 {
		s.grace = defaultGrace
	}
	for _, path := range []string{"/", "/health", "/healthz", "/livez", "/readyz"} {
		s.set(http.MethodGet, path, endpoint{serve: healthy, health: true})
	}
	return s, nil
}

// Name returns the instance name.
func (s *Server) Name() string { return s.name }

// Handle registers a handler for a route, a method and a path: "POST /verify". Paths are fixed texts; what a prefix
// brings is stripped before. A route of the server's own health may be replaced. Handle panics, as net/http's does, on
// a route that has no such form and on one that is registered twice; it is not safe while the server serves.
func (s *Server) Handle(pattern string, h HandlerFunc) {
	method, path, ok := strings.Cut(pattern, " ")
	if !ok || method == "" || method != strings.ToUpper(method) || !strings.HasPrefix(path, "/") {
		panic(fmt.Sprintf("wire: cannot handle %q: a route is a method and a path, as in \"POST /verify\"", pattern))
	}
	if h == nil {
		panic(fmt.Sprintf("wire: cannot handle %q with a nil handler", pattern))
	}
	if r := s.routes[path]; r != nil {
		if e, taken := r.handlers[method]; taken && !e.health {
			panic(fmt.Sprintf("wire: cannot handle %q: the route is registered already", pattern))
		}
	}
	s.set(method, path, endpoint{serve: h, span: pattern})
}

func (s *Server) set(method, path string, e endpoint) {
	r := s.routes[path]
	if r == nil {
		r = &route{handlers: map[string]endpoint{}}
		s.routes[path] = r
	}
	r.handlers[method] = e
	methods := make([]string, 0, len(r.handlers))
	for m := range r.handlers {
		methods = append(methods, m)
	}
	slices.Sort(methods)
	r.allow = strings.Join(methods, ", ")
}

// find returns what answers a request for path: an endpoint, or the reply that says why there is none.
func (s *Server) find(method, path string) (e endpoint, refusal *Reply, allow string) {
	r := s.routes[path]
	if r == nil {
		return endpoint{}, detailReply(http.StatusNotFound, "Not Found"), ""
	}
	if e, ok := r.handlers[method]; ok {
		return e, nil, ""
	}
	if method == http.MethodHead {
		if e, ok := r.handlers[http.MethodGet]; ok {
			if e.span != "" {
				e.span = http.MethodHead + " " + path
			}
			return e, nil, ""
		}
	}
	return endpoint{}, detailReply(http.StatusMethodNotAllowed, "Method Not Allowed"), r.allow
}

func healthy(context.Context, *Request) (*Reply, error) {
	return &Reply{Body: []byte(`{"status":"ok"}`)}, nil
}

func (s *Server) logger() *slog.Logger {
	if s.log != nil {
		return s.log
	}
	return slog.Default()
}
