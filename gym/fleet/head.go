package fleet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/lensgo/lens/gym/config"
)

// Routes of the head server.
const (
	RouteConfig    = "/global_config_dict_yaml" // a JSON string, whose content is YAML
	RouteInstances = "/server_instances"        // a JSON list of [Instance]
)

// headTimeout bounds a question to a head server.
const headTimeout = 10 * time.Second

// Head is the head server: it tells drivers, of this program and of the Python system, what runs and where.
//
// Until [Head.Ready] it answers 503 to all but / and /livez. It answers requests that are addressed to its own host only, so
// that no page in a browser can ask it by another name. Keys and tokens are masked unless head_server.expose_secrets is set.
// The configuration that it gives out is [config.Graph.Fronted], for Python drivers that reach agents in no other way.
type Head struct {
	at   config.HeadServer
	srv  *http.Server
	done chan struct{}

	mu     sync.Mutex
	config []byte // nil: not ready
	fleet  *Fleet
}

// StartHead binds the address of head_server and writes it into the graph, where servers may look for it.
func StartHead(g *config.Graph, logger *slog.Logger) (*Head, error) {
	at, err := g.HeadServer()
	if err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", at.Address())
	if err != nil {
		if errors.Is(err, syscall.EADDRINUSE) {
			err = fmt.Errorf("%w; gym env status shows what runs there, ++head_server.port=N takes another port", err)
		}
		return nil, fmt.Errorf("cannot start the head server: %w", err)
	}
	at.Port = l.Addr().(*net.TCPAddr).Port
	g.SetHeadServer(at)
	if !config.IsLoopback(at.Host) {
		shown := "the configuration without keys and tokens"
		if at.ExposeSecrets {
			shown = "the configuration with its keys and tokens"
		}
		logger.Warn("the head server has no authentication: whoever reaches its address reads "+shown, "address", at.Address())
	}
	h := &Head{at: at, done: make(chan struct{})}
	h.srv = &http.Server{
		Handler: h.routes(), ReadHeaderTimeout: headTimeout, IdleTimeout: headTimeout,
		ErrorLog: slog.NewLogLogger(logger.Handler(), slog.LevelWarn),
	}
	go func() {
		defer close(h.done)
		h.srv.Serve(l) //nolint:errcheck // it ends by Stop
	}()
	return h, nil
}

// Address is host and port.
func (h *Head) Address() string { return h.at.Address() }

// Ready says that every server of the fleet has answered.
func (h *Head) Ready(g *config.Graph, f *Fleet) error {
	shown := g.Fronted() // for newer Python drivers
	if !h.at.ExposeSecrets {
		shown = shown.Redacted()
	}
	encoded, err := json.Marshal(string(shown.Fronted().YAML()))
	if err != nil {
		return fmt.Errorf("cannot write the configuration for the head server: %w", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.config, h.fleet = encoded, f
	return nil
}

// Stop ends the head server.
func (h *Head) Stop() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if h.srv.Shutdown(ctx) != nil {
		h.srv.Close()
	}
	<-h.done
}

func (h *Head) routes() http.Handler {
	mux := http.NewServeMux()
	ok := func() (any, bool) { return map[string]string{"status": "ok"}, true }
	for _, path := range []string{"/{$}", "/livez"} {
		mux.HandleFunc("GET "+path, answer(ok))
	}
	ready := func() (any, bool) {
		h.mu.Lock()
		defer h.mu.Unlock()
		return map[string]string{"status": "ok"}, h.fleet != nil
	}
	for _, path := range []string{"/readyz", "/healthz", "/health"} {
		mux.HandleFunc("GET "+path, answer(ready))
	}
	mux.HandleFunc("GET "+RouteInstances, answer(func() (any, bool) {
		h.mu.Lock()
		f := h.fleet
		h.mu.Unlock()
		if f == nil {
			return nil, false
		}
		return f.Instances(), true
	}))
	mux.HandleFunc("GET "+RouteConfig, answer(func() (any, bool) {
		h.mu.Lock()
		defer h.mu.Unlock()
		return rawJSON(h.config), h.config != nil
	}))
	return h.own(mux)
}

// own refuses requests for another host: a head server that listens on this machine alone is asked by an address, or as
// localhost, by everybody but a page that was led here by a name of its own.
func (h *Head) own(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = strings.Trim(r.Host, "[]")
		}
		if config.IsLoopback(h.at.Host) && !config.IsLoopback(host) && host != h.at.Host {
			http.Error(w, "this head server answers for "+h.at.Address()+" only", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// rawJSON is JSON already.
type rawJSON []byte

// answer writes what get gives as JSON, or that the servers are not there yet.
func answer(get func() (v any, ready bool)) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		v, ready := get()
		status := http.StatusOK
		if !ready {
			v, status = map[string]string{"status": "starting"}, http.StatusServiceUnavailable
		}
		body, isRaw := v.(rawJSON)
		if !isRaw {
			encoded, err := json.Marshal(v, json.Deterministic(true))
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			body = encoded
		}
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		w.Write(body) //nolint:errcheck // whoever asked has left
	}
}

// ErrNoHead says that nothing answers where a head server should be.
var ErrNoHead = errors.New("no head server answers; gym env start starts one")

// HeadConfig asks a head server, ours or that of the Python system, for the configuration of what runs.
func HeadConfig(ctx context.Context, address string) (*config.Graph, error) {
	var text string
	if err := askHead(ctx, address, RouteConfig, &text); err != nil {
		return nil, err
	}
	g, err := config.Decode([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("cannot read the configuration of the head server at %s: %w", address, err)
	}
	return g, nil
}

// HeadInstances asks a head server what runs.
func HeadInstances(ctx context.Context, address string) ([]Instance, error) {
	var list []Instance
	err := askHead(ctx, address, RouteInstances, &list)
	return list, err
}

// CheckInstances asks each server whether it answers, and writes that into its status: what a head server of the Python
// system says of it is as old as the start.
func CheckInstances(ctx context.Context, list []Instance) {
	client := &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	var wg sync.WaitGroup
	for i := range list {
		wg.Go(func() {
			list[i].Status = StatusUp
			if err := probe(ctx, client, list[i].URL+"/"); err != nil {
				list[i].Status = StatusDown
			}
		})
	}
	wg.Wait()
}

func askHead(ctx context.Context, address, route string, to any) error {
	ctx, cancel := context.WithTimeout(ctx, headTimeout)
	defer cancel()
	url := address
	if !strings.Contains(url, "://") {
		url = "http://" + url
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(url, "/")+route, nil)
	if err != nil {
		return fmt.Errorf("cannot ask the head server at %q: give host:port: %w", address, err)
	}
	transport := &http.Transport{DisableKeepAlives: true}
	resp, err := transport.RoundTrip(req)
	if err != nil {
		return fmt.Errorf("cannot ask the head server at %s: %w: %w", address, ErrNoHead, err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 64<<20))
	if err != nil {
		return fmt.Errorf("cannot ask the head server at %s: %w", address, err)
	}
	switch resp.StatusCode {
	case http.StatusOK:
	case http.StatusServiceUnavailable:
		return fmt.Errorf("the head server at %s waits for its servers to start; try again", address)
	default:
		return fmt.Errorf("the head server at %s answered %d to GET %s", address, resp.StatusCode, route)
	}
	if err := json.Unmarshal(body, to); err != nil {
		return fmt.Errorf("what answers at %s is no head server: cannot read its answer to GET %s: %w", address, route, err)
	}
	return nil
}
