package web

import (
	"bytes"
	"fmt"
	"net/http"
	"reflect"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/lensgo/lens/viewer/otlp"
)

const (
	maxStreams  = 64
	updateEvery = 250 * time.Millisecond // at most four a second
	idleEvery   = time.Second            // rates fall also when nothing comes
	beatEvery   = 15 * time.Second
	writeWithin = 10 * time.Second // a client that does not read for so long is given up
)

// stream is one page that listens.
type stream struct {
	h     *Handler
	w     http.ResponseWriter
	ctl   *http.ResponseController
	run   *string
	trace otlp.TraceID

	id     int
	status Status
	shown  *Run
	sent   *TraceUpdate
	runs   map[string]runMark
	beat   time.Time // when something was last written
}

func (h *Handler) serveEvents(w http.ResponseWriter, r *http.Request) {
	p := paramsOf(r)
	s := &stream{h: h, w: w, ctl: http.NewResponseController(w), run: p.maybe("run")}
	if id := p.values.Get("trace"); id != "" {
		s.trace = p.trace("trace", id)
	}
	if p.err != nil {
		h.fail(w, r, p.err)
		return
	}
	end, ok := h.begin()
	if !ok {
		h.fail(w, r, &Fault{Status: http.StatusServiceUnavailable, Code: "closing", What: "Lens is closing."})
		return
	}
	defer end()
	select {
	case h.streams <- struct{}{}:
		defer func() { <-h.streams }()
	default:
		w.Header().Set("Retry-After", "10")
		h.fail(w, r, &Fault{Status: http.StatusServiceUnavailable, Code: "busy", What: "Too many pages listen for updates.",
			Why: fmt.Sprintf("At most %d can.", maxStreams), Now: "Close one."})
		return
	}
	head := w.Header()
	head.Set("Content-Type", "text/event-stream")
	head.Set("Cache-Control", "no-store")
	head.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return
	}
	s.follow(r)
}

// follow sends updates until the page goes away or the viewer closes.
func (s *stream) follow(r *http.Request) {
	changes, end := s.h.o.Store.Subscribe()
	defer end()
	if s.write("retry: 1000\n\n") != nil || s.update() != nil {
		return
	}
	pace := time.NewTimer(updateEvery) // fires when the next update may be sent
	defer pace.Stop()
	idle := time.NewTicker(idleEvery)
	defer idle.Stop()
	free, due := false, false
	for {
		select {
		case <-r.Context().Done():
			return
		case <-s.h.closing:
			s.event("bye", map[string]string{"why": "Lens is closing."})
			return
		case _, ok := <-changes:
			if due = true; !ok {
				changes = nil // the store is closed
			}
		case <-idle.C:
			due = true
		case <-pace.C:
			free = true
		}
		if !free || !due {
			continue
		}
		if s.update() != nil {
			return
		}
		free, due = false, false
		pace.Reset(updateEvery)
	}
}

// update sends what has changed since the last one, and a comment when nothing has for long.
func (s *stream) update() error {
	u := Update{Now: Instant(s.h.now().UnixNano())}
	changed := s.id == 0
	if status := s.h.status(); s.id == 0 || !sameStatus(status, s.status) {
		s.status, u.Status, changed = status, &status, true
	}
	runs, some := s.changedRuns()
	u.Runs = runs
	changed = changed || some
	if run := s.h.runRow(s.run); run != nil && !reflect.DeepEqual(run, s.shown) {
		s.shown, u.Run, changed = run, run, true
	}
	if !s.trace.IsZero() {
		if t := s.h.traceUpdate(s.trace); t != nil && (s.sent == nil || *t != *s.sent) {
			s.sent, u.Trace, changed = t, t, true
		}
	}
	if changed {
		s.id++
		return s.event("update", u)
	}
	if time.Since(s.beat) >= beatEvery {
		return s.write(": still here\n\n")
	}
	return nil
}

// sameStatus compares what a person sees of a status: not the time of day.
func sameStatus(a, b Status) bool {
	a.Now = b.Now
	return reflect.DeepEqual(a, b)
}

// changedRuns returns the ids of the runs that have changed, nil when they are too many.
func (s *stream) changedRuns() (ids *[]string, some bool) {
	marks, complete := s.h.model.marks()
	list := []string{}
	for id, m := range marks {
		if s.runs[id] != m {
			list = append(list, id)
		}
	}
	some = len(list) > 0 || len(marks) != len(s.runs)
	s.runs = marks
	if !complete || len(list) > 50 {
		return nil, some
	}
	return &list, some
}

func (s *stream) event(name string, v any) error {
	body, err := json.Marshal(v, jsonOptions)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "id: %d\nevent: %s\ndata: %s\n\n", s.id, name, body) // JSON has no line breaks outside of texts
	return s.write(b.String())
}

func (s *stream) write(text string) error {
	s.ctl.SetWriteDeadline(time.Now().Add(writeWithin)) // a recorder in a test has none
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	s.beat = time.Now()
	return s.ctl.Flush()
}
