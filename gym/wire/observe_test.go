package wire

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/lensgo/lens"
)

// Who observes a call sees the whole answer and an open span, which all the same ended at the headers.
func TestObserve(t *testing.T) {
	all := record(t, "all")
	begun, release := make(chan struct{}), make(chan struct{})
	url := serveRaw(t, func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "be")
		http.NewResponseController(w).Flush()
		close(begun)
		<-release
		io.WriteString(w, "gun")
	})
	c := newClient(t, ClientOptions{})
	seen, when := 0, time.Time{}
	call := begin(context.Background(), c, Call{URL: url, Observe: func(span lens.Span, answer *Result) {
		seen, when = seen+1, time.Now()
		if answer == nil || string(answer.Body) != "begun" || answer.Status != 200 {
			t.Errorf("got %+v", answer)
		}
		span.Str("said", string(answer.Body))
	}})
	receive(t, begun, "the first half")
	close(release)
	if a := receive(t, call, "the answer"); a.err != nil || string(a.res.Body) != "begun" {
		t.Errorf("got %+v, %v", a.res, a.err)
	}
	ended := all.wait(t, 1)
	if s := ended[0]; seen != 1 || s.Attrs["said"] != "begun" || s.Attrs["http.response.status_code"] != int64(200) {
		t.Errorf("observed %d times; %v", seen, everything(s))
	} else if s.End.After(when) || s.End.Before(s.Start) {
		t.Errorf("it ended %v after it was observed", s.End.Sub(when))
	}
}

// A call without an answer is observed as such; one without a span, or whose trace is not recorded, not at all.
func TestObserveWithoutAnswer(t *testing.T) {
	seen := 0
	observe := func(span lens.Span, answer *Result) {
		seen++
		if answer != nil {
			t.Errorf("an answer: %+v", answer)
		}
		span.Str("asked", "x")
	}
	url := serveRaw(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "cut short")
	})
	c := newClient(t, ClientOptions{})
	if _, err := c.Do(context.Background(), Call{URL: url, Observe: observe}); err == nil || seen != 0 {
		t.Errorf("without telemetry: %v, observed %d times", err, seen)
	}
	all := record(t, "all")
	if _, err := c.Do(context.Background(), Call{URL: url, Observe: observe, Quiet: true}); err == nil || seen != 0 {
		t.Errorf("without a span: %v, observed %d times", err, seen)
	}
	if _, err := c.Do(context.Background(), Call{URL: url, Observe: observe}); err == nil || seen != 1 {
		t.Errorf("with a span: %v, observed %d times", err, seen)
	}
	if s := all.wait(t, 1)[0]; s.Attrs["asked"] != "x" {
		t.Error(everything(s))
	}
}
