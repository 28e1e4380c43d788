package web

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/lensgo/lens/viewer/logs"
	"github.com/lensgo/lens/viewer/runs"
	"github.com/lensgo/lens/viewer/series"
	"github.com/lensgo/lens/viewer/store"
)

// apiBase is the path of the API; its version is in it.
const apiBase = "/api/v1/"

// Options says what is shown and to whom. Store and Runs are needed; the zero value of the rest is usable.
type Options struct {
	Store *store.Store
	Runs  *runs.Model // the summary of Store

	// Metrics and Logs are the digests of Store; without them there are no metrics, and logs are not counted.
	Metrics *series.Model
	Logs    *logs.Model

	// Results is the results file of a run, from which conversations are read; the file of its failures is found beside
	// it. It need not be there yet. ResultsRun is the run's id; "" takes every run for the file's.
	Results    string
	ResultsRun string

	// Data is the folder of Store as a terminal's --data must name it, for the commands that the page shows; "" when they find
	// it without.
	Data string

	// MaxBytes and MaxAge are the bounds of the store, 0 for none.
	MaxBytes int64
	MaxAge   time.Duration

	Token   string   // "": whoever reaches the viewer may look
	Hosts   []string // names it may be called by, besides addresses and localhost
	Version string   // of the program

	// Received tells what the receiver counted and where it listens. Nil: nothing is received here.
	Received func() Received

	Logger *slog.Logger     // nil discards
	Now    func() time.Time // nil is time.Now
	Files  fs.FS            // the page; nil is the one in the binary
}

// Received is what a receiver counted since it was started, and where it listens.
type Received struct {
	Requests, Refused int64 // of all signals
	Spans             int64
	RefusedSpans      int64
	DroppedSpans      int64 // left out by the senders, as far as they say so
	Metrics, Logs     int64 // requests
	Reasons           []Reason
	Listening         []Listener
}

// Handler serves the page and its API. It is made by [New] and safe for concurrent use.
type Handler struct {
	o       Options
	log     *slog.Logger
	now     func() time.Time
	started time.Time
	cookie  string
	static  *static
	mux     *http.ServeMux
	model   *summary
	views   *views
	results *results
	cancel  context.CancelFunc
	closing <-chan struct{}
	streams chan struct{} // one token a stream

	mu     sync.Mutex
	closed bool
	work   sync.WaitGroup // what runs in the background, and event streams; Add is called under mu
}

// New makes the handler. It starts to read the results file in the background, until [Handler.Close].
func New(o Options) (*Handler, error) {
	if o.Store == nil || o.Runs == nil {
		return nil, errors.New("cannot serve the viewer: Options must have a Store and Runs")
	}
	files := o.Files
	if files == nil {
		files, _ = fs.Sub(embedded, "static")
	}
	page, err := loadStatic(files)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	h := &Handler{o: o, log: o.Logger, now: o.Now, static: page, cookie: cookieOf(o.Token), cancel: cancel,
		closing: ctx.Done(), streams: make(chan struct{}, maxStreams)}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	if h.now == nil {
		h.now = time.Now
	}
	h.started = h.now()
	h.model = &summary{m: o.Runs, now: h.now}
	h.views = &views{store: o.Store, now: h.now, lay: layOut}
	if o.Results != "" {
		h.results = newResults(o.Results)
		h.work.Go(func() { h.results.run(ctx) })
	}
	h.routes()
	return h, nil
}

// Close ends event streams and what runs in the background, and waits for both.
func (h *Handler) Close(ctx context.Context) error {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.cancel()
	done := make(chan struct{})
	go func() {
		h.work.Wait()
		h.views.close()
		close(done)
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("cannot end the viewer's streams: %w", ctx.Err())
	}
}

// begin counts something that Close is to wait for; ok is false when it is too late.
func (h *Handler) begin() (end func(), ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, false
	}
	h.work.Add(1)
	return h.work.Done, true
}

// ServeHTTP answers a request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f := h.guard(w, r); f != nil {
		h.fail(w, r, f)
		return
	}
	if h.admit(w, r) {
		return
	}
	h.mux.ServeHTTP(w, r)
}

func (h *Handler) routes() {
	h.mux = http.NewServeMux()
	for _, path := range []string{"/{$}", "/runs", "/runs/{run}", "/traces", "/traces/{trace}", "/groups", "/metrics", "/compare"} {
		h.mux.HandleFunc("GET "+path, h.servePage)
	}
	h.mux.HandleFunc("GET /rollouts/{run}/{env}/{task}/{attempt}", h.rolloutLink)
	h.mux.HandleFunc("GET "+staticBase, h.serveStatic)
	h.mux.HandleFunc("GET "+apiBase+"events", h.serveEvents)
	for path, answer := range map[string]func(*http.Request, *params) (any, error){
		"status":                      h.getStatus,
		"runs":                        h.getRuns,
		"services":                    h.getServices,
		"runs/{run}":                  h.getRun,
		"runs/{run}/rollouts":         h.getRollouts,
		"runs/{run}/rollout":          h.getRollout,
		"runs/{run}/tasks":            h.getTasks,
		"runs/{run}/logs":             h.getRunLogs,
		"metrics":                     h.getMetrics,
		"metrics/chart":               h.getChart,
		"traces":                      h.getTraces,
		"traces/{trace}":              h.getTrace,
		"traces/{trace}/spans":        h.getSpans,
		"traces/{trace}/spans/{span}": h.getSpan,
		"traces/{trace}/conversation": h.getConversation,
		"traces/{trace}/logs":         h.getLogs,
		"groups":                      h.getGroups,
		"names":                       h.getNames,
		"compare/runs":                h.getRunComparison,
		"compare/traces":              h.getTraceComparison,
		"complete":                    h.getCompletion,
		"find":                        h.getFound,
	} {
		h.mux.HandleFunc("GET "+apiBase+path, func(w http.ResponseWriter, r *http.Request) {
			v, err := answer(r, paramsOf(r))
			h.answer(w, r, v, err)
		})
	}
	h.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		h.fail(w, r, &Fault{Status: http.StatusNotFound, Code: "no_endpoint", What: "There is nothing at this address.", Now: "Begin at /runs."})
	})
}
