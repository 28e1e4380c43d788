package page

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/lensgo/lens/viewer"
)

// TestTail keeps the page open and sees spans come: the first of a store, those of a trace on the screen, a root last.
func TestTail(t *testing.T) {
	theBrowser(t)
	v := serve(t, viewer.Options{})
	p := v.open(t)
	p.visit("/traces")
	p.shows("h1", "Nothing received yet")
	origin := eval[float64](p, "performance.timeOrigin")

	tr := newTrace("tail")
	tr.span(2, 1, "first step", 0, 10)
	v.sendTraces(t, tr.take())
	p.shows(".table .row", "no root received")
	p.press(kb.Enter)
	p.until("the step below a parent that is not here yet", "span('first step')?.level === 2 && spans().length === 2")

	tr.span(3, 1, "second step", 10, 30)
	v.sendTraces(t, tr.take())
	p.until("the next step", "span('second step')?.level === 2 && spans().length === 3")

	tr.span(1, 0, "the whole", 0, 40)
	v.sendTraces(t, tr.take())
	p.until("the root", "spans().length === 3 && spans()[0].name === 'the whole' && spans()[0].level === 1")
	p.shows("h1", "the whole")
	p.shows(".meta", "duration40.0ms")
	if eval[float64](p, "performance.timeOrigin") != origin {
		t.Error("the page was loaded again meanwhile")
	}
}

// What a person reads or writes stays, whatever comes.
func TestUpdatesDisturbNothing(t *testing.T) {
	theBrowser(t)
	v := serve(t, viewer.Options{})
	send := func(n int) {
		t.Helper()
		tr := newTrace("busy")
		for i := range n {
			s := tr.span(i+1, 0, fmt.Sprintf("trace %d of %d", i, n), 0, 10)
			s.SetTraceID([16]byte{0: byte(n), 1: byte(i + 1)})
		}
		v.sendTraces(t, tr.Traces)
	}
	send(1)
	p := v.open(t)
	p.visit("/traces")
	p.until("the trace", "rows().length === 1")

	t.Run("filter", func(t *testing.T) {
		p.press("/", "nosuch:x", kb.Enter)
		p.shows(".complaint", "No field is called \"nosuch\"")
		p.press("half-a-wo")
		send(2)
		p.until("the new traces are known", "rows().length === 3 || holding('.chip', 'new')")
		if !eval[bool](p, "holding('.complaint', 'nosuch') && $('.filter input').value.endsWith('half-a-wo')") {
			t.Errorf("the box changed while data came\n%s", p.state())
		}
		p.press(kb.Escape)
		p.visit("/traces")
		p.until("the traces", "rows().length === 3")
	})
	t.Run("reading", func(t *testing.T) {
		at := eval[[]float64](p, "hit('.table .row', 'trace')")
		p.do("rest on the list", chromedp.MouseEvent(chromedp.MouseMoved, at[0], at[1]))
		first := eval[string](p, "words(rows()[0])")
		send(3)
		p.shows(".chip", "3 new")
		if got := eval[string](p, "words(rows()[0])"); got != first {
			t.Errorf("the row under the pointer was %q and is %q", first, got)
		}
		p.press(".")
		p.until("all of them", "rows().length === 6 && !holding('.chip', 'new')")
	})
	t.Run("pressing", func(t *testing.T) {
		other := p.another()
		other.visit("/traces")
		other.until("the traces", "rows().length === 6")
		at := eval[[]float64](p, "hit('.table .row', 'trace')")
		press := input.DispatchMouseEventParams{X: at[0], Y: at[1], Type: chromedp.MousePressed, Button: input.MouseButtonLeft, ClickCount: 1}
		call(p, input.DispatchMouseEvent, press)
		send(4)
		other.until("the traces that came", "rows().length === 10")
		press.Type = chromedp.MouseReleased
		call(p, input.DispatchMouseEvent, press)
		p.at("/traces/")
	})
}
