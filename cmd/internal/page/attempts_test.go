package page

import (
	"fmt"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/lensgo/lens/viewer"
)

// attempt makes a rollout of task 5, with a trace of its own.
func attempt(run string, n int, reward float64) *sent {
	tr := newTrace("driver")
	tr.ResourceSpans().At(0).Resource().Attributes().PutStr("nemo.run.id", run)
	s := tr.span(n, 0, "gym.rollout", 0, 1000*n)
	s.SetTraceID(pcommon.TraceID{0: 0x0b, 15: byte(n)})
	a := s.Attributes()
	a.PutStr("nemo.gym.rollout.id", fmt.Sprintf("5-%d", n-1))
	a.PutStr("nemo.gym.environment.name", "riddles")
	a.PutInt("nemo.gym.task.index", 5)
	a.PutInt("nemo.gym.rollout.index", int64(n-1))
	a.PutStr("nemo.gym.rollout.outcome", "scored")
	a.PutDouble("nemo.gym.rollout.reward", reward)
	return tr
}

// From two attempts that are compared one gets to any other of their task.
func TestChooseAnother(t *testing.T) {
	theBrowser(t)
	v := serve(t, viewer.Options{})
	var ids []string
	for n, reward := range []float64{1, 0.25, 0.5} {
		tr := attempt("three", n+1, reward)
		ids = append(ids, tr.spans.At(0).TraceID().String())
		v.sendTraces(t, tr.Traces)
	}
	p := v.open(t)
	p.visit("/compare?a=" + ids[0] + "&b=" + ids[1])
	p.shows("h1", "attempt 1 and 2")
	p.until("the third attempt on offer", "$('.acts select')?.options.length === 2")
	if offered := eval[string](p, "$('.acts select').options[1].textContent"); !strings.HasPrefix(offered, "Attempt 3, reward 0.50, 3.00") {
		t.Errorf("on offer is %q", offered)
	}
	p.click(".acts select", "")
	p.press("A") // the letter that the option begins with
	p.press("\r")
	p.shows("h1", "attempt 1 and 3")
	p.at("/compare?a=" + ids[0] + "&b=" + ids[2])
	p.until("the second attempt on offer", "$('.acts select')?.options[1]?.textContent.startsWith('Attempt 2')")
}

// What only the driver of a run knows is on the page as it changes, and how the run ended in words.
func TestProgress(t *testing.T) {
	theBrowser(t)
	v := serve(t, viewer.Options{})
	v.Progress("watched", viewer.Progress{Total: 120, Running: 2, Waiting: 118, Concurrency: 2, Spec: "default"})
	p := v.open(t)
	p.visit("/runs")
	p.shows(".table .row", "watched")
	p.shows(".table .row", "0 / 120") // before any span
	v.sendTraces(t, attempt("watched", 1, 1).Traces)
	p.shows(".table .row", "1 / 120")
	p.visit("/runs/watched")
	p.shows(".legend", "1 of 120 finished")
	p.shows(".legend", "118 waiting")
	p.shows(".meta", "concurrency2")
	p.shows(".meta", "groupsdefault")
	v.Progress("watched", viewer.Progress{Total: 120, Running: 1, Waiting: 90, Concurrency: 2, Spec: "default"})
	p.shows(".legend", "90 waiting")
	v.Progress("watched", viewer.Progress{Total: 120, Waiting: 91, Concurrency: 2, Spec: "default", Done: true})
	p.shows(".titleline", "cut short: 91 rollouts have no result")
	p.until("nothing waits", "!holding('.legend', 'waiting')")
}
