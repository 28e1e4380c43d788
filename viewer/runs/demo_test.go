package runs

import (
	"context"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/query"
	"github.com/lensgo/lens/viewer/store"
)

// TestDemo checks what a real run comes to.
func TestDemo(t *testing.T) {
	pieces := demo(t)
	m := NewModel(Options{})
	feed(m, pieces)
	list, err := m.Runs(query.Query{}, Page{})
	must(t, err)
	if len(list.Rows) != 1 {
		t.Fatalf("%d runs, want 1", len(list.Rows))
	}
	run := list.Rows[0]
	if c := run.Counts; c.Rollouts != 8 || c.Scored != 8 || c.Running != 0 || c.Reward.Value() != 0.5 || run.Tasks != 4 || run.Attempts != 2 || !run.JobEnded || run.Running() {
		t.Errorf("the run is %+v", run)
	}
	if run.Spans != int64(len(pieces)) || run.Traces != 10 || len(run.Services) != 8 || len(run.Groups) != 5 || run.TokensIn != 1822 || run.TokensOut != 304 || run.Errors != 0 {
		t.Errorf("the run is %+v", run)
	}
	rows, err := m.Rollouts(run.ID, query.Query{}, Page{Sort: "task"})
	must(t, err)
	byTrace := map[otlp.TraceID][]Span{}
	for _, p := range pieces {
		byTrace[p.s.TraceID] = append(byTrace[p.s.TraceID], Read(p.r, p.sc, p.s))
	}
	for _, r := range rows.Rows {
		checkDemoRollout(t, r, byTrace[r.Trace])
	}
	traces, err := m.Traces(query.Query{}, Page{})
	must(t, err)
	sum := int64(0)
	for _, x := range traces.Rows {
		sum += int64(x.Spans)
		if own := x.Rollout != nil; own != (x.Root == "gym.rollout") || own && x.Duration != x.Rollout.Duration() || x.Rootless {
			t.Errorf("trace %+v", x)
		}
	}
	if len(traces.Rows) != 10 || sum != run.Spans { // eight rollouts, the job, the start
		t.Errorf("%d traces of %d spans", len(traces.Rows), sum)
	}
}

// checkDemoRollout compares a row with the pure analysis, and with what one knows of the demo.
func checkDemoRollout(t *testing.T, r *Rollout, spans []Span) {
	t.Helper()
	a := Analyse(spans)
	if len(a) != 1 {
		t.Fatalf("%s: %d rollouts in its trace", r.ID, len(a))
	}
	checkPath(t, a[0])
	pure, row := a[0].Rollout, *r
	pure.set, pure.root, row.set, row.root = 0, 0, 0, 0
	if !reflect.DeepEqual(pure, row) {
		t.Errorf("%+v\nby the pure analysis\n%+v", row, pure)
	}
	s := r.Split
	if r.Total() != r.Duration()+s[PartAdmission] || s[PartModel] < r.Duration()/2 || s[PartTools] <= 0 || s[PartVerify] <= 0 || s[PartOther] <= 0 || s[PartAdmission] <= 0 {
		t.Errorf("%s: the split is %v of %v", r.ID, s, r.Total())
	}
	// A trace of our own has the gym.rollout, its call of /run, and two spans for each call of the agent: seed, turns, tools, verify.
	if want := 3 + 2*int(2+r.Turns+r.Calls); r.Spans != want || r.Skewed != 0 {
		t.Errorf("%s: %d spans, want %d; %d skewed", r.ID, r.Spans, want, r.Skewed)
	}
}

// TestDemoRestart: a real run in a real store, closed and opened again without reading a span.
func TestDemoRestart(t *testing.T) {
	pieces := demo(t)
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(8, 8))
	live := NewModel(Options{})
	s, err := store.Open(dir, store.Options{Summary: live})
	must(t, err)
	for list := shuffled(rng, pieces); len(list) > 0; {
		n := min(1+rng.IntN(30), len(list))
		var b otlp.Builder
		for _, p := range list[:n] {
			b.Add(p.r, p.sc, p.s)
		}
		list = list[n:]
		_, err := s.AddTraces(t.Context(), b.AppendTo(nil))
		must(t, err)
	}
	want := dump(t, live)
	must(t, s.Close(context.Background()))

	again := NewModel(Options{})
	s, err = store.Open(dir, store.Options{Summary: again})
	must(t, err)
	equal(t, "opened again", dump(t, again), want)
	if n := again.Partial(); n != 0 {
		t.Errorf("%d traces wait to be healed", n)
	}
	must(t, s.Close(context.Background()))
	if len(again.now().runs) == 0 || again.nodes != 0 {
		t.Errorf("%d spans were read", again.nodes)
	}
}
