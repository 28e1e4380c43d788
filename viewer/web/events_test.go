package web_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lensgo/lens/viewer/web"
)

// listener reads a stream of events.
type listener struct {
	t    *testing.T
	resp *http.Response
	in   *bufio.Scanner
}

type update struct {
	Now    string
	Status *struct{ Spans struct{ Stored int } }
	Runs   *[]string
	Run    *struct {
		ID       string
		Spans    int
		Rollouts struct{ Running int }
	}
	Trace *struct {
		Trace string
		Spans int
	}
}

func listen(t *testing.T, url string) *listener {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	in := bufio.NewScanner(resp.Body)
	in.Buffer(nil, 1<<20)
	return &listener{t: t, resp: resp, in: in}
}

// next returns the next event.
func (l *listener) next() (name, data string) {
	l.t.Helper()
	for l.in.Scan() {
		field, value, _ := strings.Cut(l.in.Text(), ": ")
		switch field {
		case "event":
			name = value
		case "data":
			data = value
		case "":
			if name != "" {
				return name, data
			}
		}
	}
	l.t.Fatalf("the stream has ended: %v", l.in.Err())
	return "", ""
}

// until returns the first update that fits.
func (l *listener) until(fits func(update) bool) update {
	l.t.Helper()
	for {
		name, data := l.next()
		var u update
		if err := json.Unmarshal([]byte(data), &u); name != "update" || err != nil {
			l.t.Fatalf("got %s %s, %v", name, data, err)
		}
		if fits(u) {
			return u
		}
	}
}

func serve(t *testing.T, b *bench) string {
	s := httptest.NewServer(b.web)
	t.Cleanup(func() {
		http.DefaultClient.CloseIdleConnections()
		s.Close()
	})
	return s.URL
}

// TestEvents: everything at once, then what changes, then good-bye.
func TestEvents(t *testing.T) {
	b := newBench(t, web.Options{})
	b.fill()
	tr := newTrace(0)
	url := serve(t, b)
	l := listen(t, url+"/api/v1/events?run="+runID+"&trace="+tr.id.String())
	if got := l.resp.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("Content-Type: %s", got)
	}
	first := l.until(func(update) bool { return true })
	if first.Status == nil || first.Run == nil || first.Run.ID != runID || first.Trace == nil || first.Runs == nil || len(*first.Runs) != 1 {
		t.Fatalf("first: %+v", first)
	}
	spans := first.Trace.Spans
	late := newTrace(0)
	late.next += 1000
	late.span(agent, "agent", "late", 1, [8]byte{}, 1, 2, nil)
	b.add(late.td)
	seen := l.until(func(u update) bool { return u.Trace != nil })
	if seen.Trace.Spans != spans+1 || seen.Trace.Trace != tr.id.String() {
		t.Errorf("then: %+v, want %d spans", seen.Trace, spans+1)
	}
	done := make(chan error)
	go func() { done <- b.web.Close(context.Background()) }()
	for {
		if name, data := l.next(); name == "bye" {
			if !strings.Contains(data, "closing") {
				t.Errorf("bye: %s", data)
			}
			break
		}
	}
	if err := <-done; err != nil {
		t.Error(err)
	}
	if w := b.get("/api/v1/events"); w.Code != 503 {
		t.Errorf("after the end: got %d", w.Code)
	}
}

// TestEventsPace: however much comes in, updates are a quarter of a second apart.
func TestEventsPace(t *testing.T) {
	b := newBench(t, web.Options{Now: time.Now})
	l := listen(t, serve(t, b)+"/api/v1/events")
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				b.add(rollout(i%1000, i%7, 0, 1, "").td)
			}
		}
	}()
	var last int64
	for range 4 {
		u := l.until(func(update) bool { return true })
		now, err := strconv.ParseInt(u.Now, 10, 64)
		if err != nil || now-last < int64(250*time.Millisecond) {
			t.Errorf("an update at %s, %v after the last, %v", u.Now, time.Duration(now-last), err)
		}
		last = now
	}
	close(stop)
	<-stopped
}

// TestEventsBound: more streams than a person can look at are refused, and a place becomes free again.
func TestEventsBound(t *testing.T) {
	b := newBench(t, web.Options{})
	url := serve(t, b)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var ended []chan struct{}
	for range 64 {
		req, _ := http.NewRequestWithContext(ctx, http.MethodGet, url+"/api/v1/events", nil)
		resp, err := http.DefaultClient.Do(req)
		if err != nil || resp.StatusCode != 200 {
			t.Fatalf("got %v, %v", resp, err)
		}
		done := make(chan struct{})
		ended = append(ended, done)
		go func() {
			defer close(done)
			defer resp.Body.Close()
			for buf := make([]byte, 1024); ; {
				if _, err := resp.Body.Read(buf); err != nil {
					return
				}
			}
		}()
	}
	w := b.get("/api/v1/events")
	if w.Code != 503 || !strings.Contains(w.Body.String(), `"code":"busy"`) {
		t.Errorf("the 65th: got %d %s", w.Code, w.Body)
	}
	cancel()
	for _, done := range ended {
		<-done
	}
}
