package runs

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/query"
	"github.com/lensgo/lens/viewer/store"
)

// take adds spans as Add does.
func (m *Model) take(spans ...Span) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for i := range spans {
		m.put(&spans[i], m.t.shapeOf(&spans[i]))
	}
}

// dump writes everything that readers can see, so that two models can be compared.
func dump(t testing.TB, m *Model) string {
	t.Helper()
	var b strings.Builder
	s := m.now()
	row := func(r *Rollout) {
		x := *r
		set := x.set
		x.set, x.root = 0, 0
		var names []string
		for _, k := range s.names.sets[set] {
			sh := s.names.shapes[k]
			names = append(names, fmt.Sprintf("%s %s", s.names.processes[sh.process].Service, sh.name))
		}
		slices.Sort(names)
		fmt.Fprintf(&b, "    %+v %q\n", x, names)
	}
	emitted := func(e Emitted) string { e.recent = recent{}; return fmt.Sprintf("%+v", e) }
	totals := m.Totals()
	fmt.Fprintf(&b, "%+v\n", totals)
	list, err := m.Runs(query.Query{}, Page{Sort: "name"})
	must(t, err)
	for _, r := range list.Rows {
		fmt.Fprintf(&b, "run %+v\n", r)
		d, _ := m.Run(r.ID)
		fmt.Fprintf(&b, "  detail %+v\n", d)
		rows, err := m.Rollouts(r.ID, query.Query{}, Page{Size: 1000})
		must(t, err)
		for _, x := range rows.Rows {
			row(x)
		}
		tasks, err := m.Tasks(r.ID, query.Query{}, Page{Size: 1000})
		must(t, err)
		for _, x := range tasks.Rows {
			fmt.Fprintf(&b, "  task %s %d %s %+v %v %v\n", x.Environment, x.Task, x.Verdict, x.Reward, x.Difference, len(x.Attempts))
		}
		groups, _ := m.Groups(r.ID)
		for _, g := range groups {
			fmt.Fprintf(&b, "  group %s %s %d %s\n", g.Group, g.Namespace, g.Names, emitted(g.Emitted))
		}
		names, _ := m.Names(r.ID)
		for _, g := range names {
			fmt.Fprintf(&b, "  name %s %s %s %s\n", g.Group, g.Namespace, g.Name, emitted(g.Emitted))
		}
	}
	traces, err := m.Traces(query.Query{}, Page{Size: 1000})
	must(t, err)
	for _, x := range traces.Rows {
		x.Rollout = nil
		fmt.Fprintf(&b, "trace %+v\n", x)
	}
	fmt.Fprintf(&b, "%+v\n", m.Services(time.Unix(0, 0)))
	return b.String()
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal(t testing.TB, what, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("%s: line %d is\n%s\nwant\n%s", what, i, a[i], b[i])
		}
	}
	t.Fatalf("%s: %d lines, want %d", what, len(a), len(b))
}

// mix is what several runs and programs send: rollouts of ours, Python's, unfinished ones, nested ones, odd ones, copies.
func mix(rng *rand.Rand) (out []Span) {
	for i := range 6 {
		list := renumber(ours(), uint64(10+i), uint64(1000*i), float64(rng.IntN(500)))
		f := *list[0].Facts
		f.Task, f.Index, f.Attempt, f.Reward = i/2, i%2, 0, float64(rng.IntN(2))
		list[0].Facts = &f
		list[0].Rollout = fmt.Sprintf("%d-%d", i/2, i%2)
		for k := range list[1:] {
			if list[k+1].Rollout != "" {
				list[k+1].Rollout = list[0].Rollout
			}
		}
		if i == 4 { // has not ended
			list = list[1+rng.IntN(3):]
		}
		if i == 5 {
			list[0].Facts.Outcome, list[0].Facts.Failure, list[0].Facts.Scored = "failed", "timeout", false
			list[0].Error, list[8].Error, list[9].Truncated = true, true, true
		}
		out = append(out, list...)
	}
	out = append(out, python(30, 3, func(p Process) Process { p.Run = "python"; return p })...)
	out = append(out, python(31, 2, func(p Process) Process { p.Run = ""; return p })...)
	for i := range 4 {
		from := float64(rng.IntN(3000))
		id := uint64(50_000 + 10*i)
		list := []Span{made(web, id, 0, "GET /cart", from, from+20), made(web, id+1, id, "SELECT", from+1, from+10)}
		for k := range list {
			list[k].Trace, list[k].Scope, list[k].Group = traceID(uint64(40+i)), "flask", ""
		}
		out = append(out, list...)
	}
	odd := randomTrace(rng, 30)
	for i := range odd {
		odd[i].Trace = traceID(60)
		odd[i].Hash = uint64(i)<<1 | 1
	}
	out = append(out, odd...)
	return append(out, out[rng.IntN(len(out))], out[rng.IntN(len(out))])
}

// TestAnyOrderAnyChunking is the property that a restart rests on: the same spans give the same model, in whichever order they
// came, however they were cut into chunks, and whether they were added or merged.
func TestAnyOrderAnyChunking(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		spans := mix(rng)
		live := NewModel(Options{})
		live.take(spans...)
		want := dump(t, live)

		other := NewModel(Options{})
		footers := fill(other, rng, shuffled(rng, spans))
		equal(t, "another order", dump(t, other), want)

		merged := NewModel(Options{})
		for _, f := range footers {
			must(t, merged.Merge(f))
		}
		equal(t, "merged", dump(t, merged), want)

		mixed := NewModel(Options{})
		for _, f := range shuffled(rng, footers) {
			must(t, mixed.Merge(f))
		}
		equal(t, "merged in another order", dump(t, mixed), want)
		if n := merged.Partial(); n != 0 {
			t.Fatalf("%d traces wait to be healed", n)
		}
	}
}

// fill adds spans and seals at random; readers look at random.
func fill(m *Model, rng *rand.Rand, spans []Span) (footers [][]byte) {
	for len(spans) > 0 {
		n := min(1+rng.IntN(25), len(spans))
		m.take(spans[:n]...)
		spans = spans[n:]
		if rng.IntN(3) == 0 {
			m.now()
		}
		if rng.IntN(3) > 0 {
			footers = append(footers, m.Seal())
		}
	}
	return append(footers, m.Seal())
}

// TestHeal: after a restart in the middle, and with next to nothing remembered, the model is the same again once it was healed.
func TestHeal(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 40 {
		spans := shuffled(rng, mix(rng))
		load := func(_ context.Context, id otlp.TraceID) (out []Span, err error) {
			for _, s := range spans {
				if s.Trace == id {
					out = append(out, s)
				}
			}
			return out, nil
		}
		live := NewModel(Options{})
		live.take(spans...)
		want := dumpCopies(t, live)

		cut := rng.IntN(len(spans))
		first := NewModel(Options{MaxSpans: 40})
		footers := fill(first, rng, spans[:cut])
		second := NewModel(Options{MaxSpans: 40})
		for _, f := range footers {
			must(t, second.Merge(f))
		}
		footers = append(footers, fill(second, rng, spans[cut:])...)
		for second.Partial() > 0 {
			_, err := second.Heal(t.Context(), load)
			must(t, err)
		}
		equal(t, "healed", dumpCopies(t, second), want)

		footers = append(footers, second.Seal())
		third := NewModel(Options{})
		for _, f := range footers {
			must(t, third.Merge(f))
		}
		equal(t, "healed and merged", dumpCopies(t, third), want)
	}
}

// dumpCopies is dump without what copies count for when they are not told apart: spans that are not remembered.
func dumpCopies(t testing.TB, m *Model) string {
	var out []string
	for line := range strings.Lines(dump(t, m)) {
		if strings.HasPrefix(line, "    {Trace:") || strings.HasPrefix(line, "  task") {
			out = append(out, line)
		}
	}
	return strings.Join(out, "")
}

func TestHealFails(t *testing.T) {
	m := NewModel(Options{})
	m.take(ours()[1:]...)
	footer := m.Seal()
	m = NewModel(Options{})
	must(t, m.Merge(footer))
	before := dumpCopies(t, m)
	m.take(ours()[0])
	if m.Partial() != 1 {
		t.Fatalf("%d traces wait", m.Partial())
	}
	gone := errors.New("gone")
	n, err := m.Heal(t.Context(), func(context.Context, otlp.TraceID) ([]Span, error) { return nil, gone })
	if n != 0 || !errors.Is(err, gone) || m.Partial() != 1 {
		t.Errorf("healed %d: %v; %d wait", n, err, m.Partial())
	}
	equal(t, "a trace that cannot be loaded", dumpCopies(t, m), before)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Heal(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, err := m.Heal(t.Context(), func(context.Context, otlp.TraceID) ([]Span, error) { return ours(), nil }); err != nil || m.Partial() != 0 {
		t.Errorf("%v; %d wait", err, m.Partial())
	}
	rows, _ := m.Rollouts("r1", query.Query{}, Page{})
	if len(rows.Rows) != 1 || rows.Rows[0].Spans != 14 || rows.Rows[0].Outcome != Scored {
		t.Errorf("rows %+v", rows.Rows)
	}
	// The correction is in the footer of the chunk in which it was made.
	footers := [][]byte{footer, m.Seal()}
	again := NewModel(Options{})
	for _, f := range footers {
		must(t, again.Merge(f))
	}
	equal(t, "merged", dump(t, again), dump(t, m))
}

// TestForget: what retention removes is gone as if it had never been there.
func TestForget(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	spans := mix(rng)
	var old, young []Span
	for _, s := range spans {
		if s.Trace[15]%2 == 0 {
			old = append(old, s)
		} else {
			young = append(young, s)
		}
	}
	only := NewModel(Options{})
	only.take(young...)
	want := without(dump(t, only))
	for _, name := range []string{"live", "merged"} {
		t.Run(name, func(t *testing.T) {
			m := NewModel(Options{})
			footers := fill(m, rng, old)
			n := len(footers)
			footers = append(footers, fill(m, rng, young)...)
			if name == "merged" {
				m = NewModel(Options{})
				for _, f := range footers {
					must(t, m.Merge(f))
				}
			}
			for _, f := range footers[:n] {
				m.Forget(store.Removed{}, f)
			}
			equal(t, name, without(dump(t, m)), want)
			m.Forget(store.Removed{}, nil)
			m.Forget(store.Removed{}, []byte("rubbish"))
			equal(t, "nothing forgotten", without(dump(t, m)), want)
			for _, f := range footers[n:] {
				m.Forget(store.Removed{}, f)
			}
			if x := m.Totals(); x != (Totals{}) {
				t.Errorf("left: %+v", x)
			}
			m.take(spans...) // in the places that became free
			live := NewModel(Options{})
			live.take(spans...)
			equal(t, "filled again", without(dump(t, m)), without(dump(t, live)))
		})
	}
}

// without drops what Forget leaves: the steps of series, and the earliest start and latest end of a run.
func without(dump string) string {
	var out []string
	for line := range strings.Lines(dump) {
		if !strings.HasPrefix(line, "run ") && !strings.HasPrefix(line, "  detail") {
			line, _, _ = strings.Cut(line, "OverTime:")
			out = append(out, strings.TrimRight(line, "\n")+"\n")
		}
	}
	return strings.Join(out, "")
}

// TestNested: a rollout that turns out to lie in another one is none, also when the row was sealed before.
func TestNested(t *testing.T) {
	inner := made(agent, 20, 3, "gym.rollout", 4.5, 97)
	inner.Rollout = "7-1-a2"
	m := NewModel(Options{})
	m.take(inner)
	footers := [][]byte{m.Seal()}
	if rows, _ := m.Rollouts("r1", query.Query{}, Page{}); len(rows.Rows) != 1 {
		t.Fatalf("%d rows", len(rows.Rows))
	}
	m.take(ours()...)
	footers = append(footers, m.Seal())
	rows, _ := m.Rollouts("r1", query.Query{}, Page{})
	if len(rows.Rows) != 1 || rows.Rows[0].Span != spanID(1) || rows.Rows[0].Spans != 15 {
		t.Fatalf("rows %+v", rows.Rows)
	}
	slices.Reverse(footers)
	again := NewModel(Options{})
	for _, f := range footers {
		must(t, again.Merge(f))
	}
	equal(t, "merged backwards", dump(t, again), dump(t, m))
}

// TestReadersDoNotWait: readers get an answer while the writer holds the model.
func TestReadersDoNotWait(t *testing.T) {
	m := NewModel(Options{})
	m.take(ours()...)
	m.Version()
	m.mu.Lock()
	defer m.mu.Unlock()
	done := make(chan int)
	go func() {
		list, _ := m.Rollouts("r1", query.Query{}, Page{})
		done <- len(list.Rows)
	}()
	if n := <-done; n != 1 {
		t.Errorf("%d rows, want 1", n)
	}
	if !m.wanted.Load() {
		t.Error("the reader did not ask for a newer one")
	}
}

// TestConcurrently runs one writer and many readers; the race detector is the judge, and every answer must be right in itself.
func TestConcurrently(t *testing.T) {
	m := NewModel(Options{MaxSpans: 2000})
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				list, err := m.Rollouts("r1", query.Query{}, Page{Size: 50})
				if err != nil && !errors.Is(err, ErrNoRun) {
					t.Error(err)
				}
				for _, r := range list.Rows {
					if r.Total() != r.Duration()+r.Split[PartAdmission] {
						t.Errorf("%s: parts sum to %v", r.ID, r.Total())
					}
				}
				_, _ = m.Traces(query.Query{}, Page{Size: 10})
				m.Groups("r1")
				m.Run("r1")
				_, _ = m.Tasks("r1", query.Query{}, Page{})
				m.Totals()
				runtime.Gosched()
			}
		})
	}
	load := func(context.Context, otlp.TraceID) ([]Span, error) { return nil, nil }
	for i := range 400 {
		list := renumber(ours(), uint64(i+1), uint64(100*i), float64(i))
		slices.Reverse(list)
		m.take(list[:7]...)
		m.take(list[7:]...)
		if i%10 == 0 {
			m.Seal()
		}
		if i%100 == 0 {
			_, _ = m.Heal(t.Context(), load)
		}
	}
	close(stop)
	wg.Wait()
	if x := m.Totals(); x.Traces != 400 || x.Spans != 400*14 {
		t.Errorf("%+v", x)
	}
}

// TestBounds: the number of remembered spans stays near the bound.
func TestBounds(t *testing.T) {
	m := NewModel(Options{MaxSpans: 1000, MaxNames: 50})
	for i := range 1000 {
		m.take(renumber(ours(), uint64(i+1), uint64(100*i), float64(i))...)
		if m.nodes > 1000+14 {
			t.Fatalf("%d spans remembered", m.nodes)
		}
	}
	rows, _ := m.Rollouts("r1", query.Query{}, Page{})
	if rows.Total != 1000 || m.Partial() != 0 {
		t.Errorf("%d rollouts, %d traces wait", rows.Total, m.Partial())
	}
	for i := range uint64(200) {
		s := made(web, 1, 0, fmt.Sprintf("GET /item/%d", i), 0, 1)
		s.Trace = traceID(5000 + i)
		m.take(s)
	}
	if n := len(m.t.shapes); n > 60 {
		t.Errorf("%d kinds of spans, want about 50", n)
	}
	names, _ := m.Names(Everything)
	if !slices.ContainsFunc(names, func(n Name) bool { return n.Name == otherNames && n.Spans > 100 }) {
		t.Error("the other names are not counted")
	}
}

// TestAddAllocations: a span of a known kind in a known trace costs no allocation of its own.
func TestAddAllocations(t *testing.T) {
	pieces := demo(t)
	pieces = slices.DeleteFunc(pieces, func(p piece) bool { return p.s.Name == semconv.SpanGymRollout })
	m := NewModel(Options{})
	i := 0
	feed(m, pieces)
	n := testing.AllocsPerRun(1000, func() {
		p := pieces[i%len(pieces)]
		s := *p.s
		s.SpanID = spanID(uint64(1_000_000 + i)) // another span
		m.Add(p.r, p.sc, &s, store.Ref{})
		i++
	})
	if n > 0 { // the mean, cut: growing memory is shared by many spans
		t.Errorf("%v allocations a span", n)
	}
}

func BenchmarkAdd(b *testing.B) {
	pieces := demo(b)
	m := NewModel(Options{})
	b.ReportAllocs()
	i := uint64(0)
	for b.Loop() {
		p := pieces[i%uint64(len(pieces))]
		s := *p.s
		round := i / uint64(len(pieces))
		for k := range 8 { // other traces and spans each round
			s.TraceID[k] ^= byte(round >> (8 * k))
		}
		m.Add(p.r, p.sc, &s, store.Ref{})
		if i++; i%2000 == 0 {
			b.SetBytes(int64(len(m.Seal())) / 2000)
		}
	}
}

// many is a model of n rollouts.
func many(n int) *Model {
	m := NewModel(Options{})
	for i := range n {
		s := made(driver, uint64(i+1), 0, "gym.rollout", float64(i), float64(i)+float64(1000+(i*7919)%5000))
		s.Trace = traceID(uint64(i + 1))
		s.Facts = &Facts{
			Task: i / 4, Index: i % 4, Environment: []string{"multi_step", "session_state", "single_tool_call"}[i%3], Agent: "agent", Outcome: "scored", Scored: i%50 > 0,
			Reward: float64(i%11) / 10, Turns: int64(i % 7), Calls: int64(i % 5), TokensIn: int64(i), TokensOut: int64(i % 100),
		}
		if i%50 == 0 {
			s.Facts.Outcome, s.Facts.Failure = "failed", "timeout"
		}
		m.take(s)
	}
	return m
}

func BenchmarkList100k(b *testing.B) {
	m := many(100_000)
	m.Version()
	for name, c := range map[string]struct{ q, sort string }{
		"default":       {"", ""},
		"sorted":        {"", "-dur"},
		"sorted_by_env": {"", "env"},
		"filtered":      {"reward<0.5 env:multi_step dur>2s", "-reward"},
		"text":          {"timeout", ""},
	} {
		b.Run(name, func(b *testing.B) {
			q, err := query.Parse(c.q, query.Options{})
			must(b, err)
			for b.Loop() {
				if _, err := m.Rollouts("r1", q, Page{Sort: c.sort}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("run", func(b *testing.B) {
		for b.Loop() {
			m.Run("r1")
		}
	})
	b.Run("after_a_change", func(b *testing.B) {
		i := uint64(1_000_000)
		for b.Loop() {
			s := made(driver, i, 0, "gym.rollout", 0, 1)
			s.Trace = traceID(i)
			m.take(s)
			i++
			if _, err := m.Rollouts("r1", query.Query{}, Page{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("tasks", func(b *testing.B) {
		for b.Loop() {
			if _, err := m.Tasks("r1", query.Query{}, Page{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("traces", func(b *testing.B) {
		for b.Loop() {
			if _, err := m.Traces(query.Query{}, Page{}); err != nil {
				b.Fatal(err)
			}
		}
	})
}
