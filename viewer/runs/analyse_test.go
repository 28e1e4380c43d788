package runs

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/lensgo/lens/viewer/otlp"
)

// analyseOne expects one rollout, whatever the order of the spans.
func analyseOne(t *testing.T, spans []Span) RolloutAnalysis {
	t.Helper()
	list := Analyse(spans)
	if len(list) != 1 {
		t.Fatalf("%d rollouts, want 1", len(list))
	}
	return list[0]
}

func split(admission, pool, model, tools, verify, other float64) Split {
	return Split{ms(admission), ms(pool), ms(model), ms(tools), ms(verify), ms(other)}
}

// checkPath holds that a path covers the rollout without a gap, and that its lengths are the split.
func checkPath(t *testing.T, a RolloutAnalysis) {
	t.Helper()
	var sum Split
	sum[PartAdmission] = a.Split[PartAdmission]
	at := a.Start
	for _, s := range a.Path {
		if s.Start != at || s.End <= s.Start {
			t.Errorf("segment %+v, want it to begin at %d", s, at)
		}
		at = s.End
		sum[s.Part] += s.Duration()
	}
	if at != a.End || sum != a.Split || a.Total() != a.Duration()+a.Split[PartAdmission] {
		t.Errorf("the path sums to %v and ends at %d; the split is %v and ends at %d", sum, at, a.Split, a.End)
	}
}

// TestOurs computes by hand. Other: rollout 2+1, its call 1+1, /run 1+1+1+1+1+3, seed 2+2, model calls 1+1 and 1+1, tool call 1+1, verify call 1+1.
// Pool: 1 and 2.
func TestOurs(t *testing.T) {
	a := analyseOne(t, ours())
	checkPath(t, a)
	if want := split(10, 3, 54, 8, 10, 25); a.Split != want {
		t.Errorf("split %v, want %v", a.Split, want)
	}
	if a.Total() != ms(110) || a.Duration() != ms(100) {
		t.Errorf("total %v, duration %v", a.Total(), a.Duration())
	}
	if a.Root != 0 || a.Run != "r1" || a.Environment != "multi_step" || a.Task != 7 || a.Attempt != 2 || a.Retry != 2 || a.Outcome != Scored || !a.HasReward || a.Reward != 0.5 {
		t.Errorf("the rollout is %+v", a.Rollout)
	}
	if a.Turns != 2 || a.Calls != 1 || a.TokensIn != 30 || a.TokensOut != 12 || a.Spans != 14 || a.Errors != 0 || a.Guessed || len(a.Attributes) != 1 {
		t.Errorf("the counts are %+v", a.Rollout)
	}
	on := map[int]time.Duration{} // on the path, by span
	for _, s := range a.Path {
		on[s.Span] += s.Duration()
	}
	for span, want := range map[int]float64{0: 3, 1: 3, 2: 8, 3: 2, 4: 2, 5: 4, 6: 26, 7: 2, 8: 8, 9: 2, 10: 28, 11: 2, 12: 2, 13: 8} {
		if on[span] != ms(want) {
			t.Errorf("span %d is on the path for %v, want %v ms", span, on[span], want)
		}
	}
}

func TestPython(t *testing.T) {
	const n = 5
	list := Analyse(python(1, n, same))
	if len(list) != n {
		t.Fatalf("%d rollouts, want %d", len(list), n)
	}
	for i, a := range list {
		checkPath(t, a)
		if want := split(0, 0, 40, 10, 5, 25); a.Split != want || a.Duration() != ms(80) {
			t.Errorf("%d: split %v, want %v", i, a.Split, want)
		}
		if a.Task != i/2 || a.Attempt != i%2+1 || a.Retry != 0 || a.Environment != "env" || a.Agent != "agent" || a.Outcome != Finished || a.HasReward {
			t.Errorf("%d: %+v", i, a.Rollout)
		}
		if a.Turns != 1 || a.Calls != 1 || a.TokensIn != 20 || a.TokensOut != 5 || a.Spans != 7 {
			t.Errorf("%d: counts %+v", i, a.Rollout)
		}
	}
}

// TestOutermost: our driver with a Python agent, which opens a second gym.rollout.
func TestOutermost(t *testing.T) {
	spans := ours()
	inner := made(agent, 20, 3, "gym.rollout", 4.5, 97)
	inner.Rollout = "7-1-a2"
	for i := range spans {
		if spans[i].Parent == spanID(3) {
			spans[i].Parent = spanID(20)
		}
	}
	a := analyseOne(t, append(spans, inner))
	checkPath(t, a)
	if want := split(10, 3, 54, 8, 10, 25); a.Split != want || a.Spans != 15 || a.Span != spanID(1) {
		t.Errorf("split %v of %d spans below %v", a.Split, a.Spans, a.Span)
	}
}

// TestPath gives the critical path below a root [0, 100] by hand: "span from-to", root = 1.
func TestPath(t *testing.T) {
	type child struct {
		id, parent uint64
		from, to   float64
	}
	for name, c := range map[string]struct {
		children []child
		want     []string
	}{
		"nothing":                          {nil, []string{"1 0-100"}},
		"one child":                        {[]child{{2, 1, 10, 90}}, []string{"1 0-10", "2 10-90", "1 90-100"}},
		"one after the other":              {[]child{{2, 1, 10, 50}, {3, 1, 50, 90}}, []string{"1 0-10", "2 10-50", "3 50-90", "1 90-100"}},
		"parallel, the longer one decides": {[]child{{2, 1, 10, 50}, {3, 1, 10, 80}}, []string{"1 0-10", "3 10-80", "1 80-100"}},
		"parallel, the first covers what is before": {[]child{{2, 1, 0, 50}, {3, 1, 10, 80}}, []string{"2 0-10", "3 10-80", "1 80-100"}},
		"overlap":                                 {[]child{{2, 1, 0, 51}, {3, 1, 50, 100}}, []string{"2 0-50", "3 50-100"}},
		"background fills only gaps":              {[]child{{2, 1, 0, 99}, {3, 1, 0, 30}, {4, 1, 30, 59}, {5, 1, 60, 100}}, []string{"3 0-30", "4 30-59", "2 59-60", "5 60-100"}},
		"end later than the parent":               {[]child{{2, 1, 10, 150}}, []string{"1 0-10", "2 10-100"}},
		"begin earlier than the parent":           {[]child{{2, 1, -50, 20}}, []string{"2 0-20", "1 20-100"}},
		"cover the parent":                        {[]child{{2, 1, -50, 150}}, []string{"2 0-100"}},
		"wholly before the parent":                {[]child{{2, 1, -50, -10}}, []string{"1 0-100"}},
		"wholly after the parent":                 {[]child{{2, 1, 110, 120}}, []string{"1 0-100"}},
		"without a duration":                      {[]child{{2, 1, 50, 50}, {3, 1, 50, 50}}, []string{"1 0-100"}},
		"end before they begin":                   {[]child{{2, 1, 60, 40}}, []string{"1 0-100"}},
		"alike: the lower id":                     {[]child{{3, 1, 10, 90}, {2, 1, 10, 90}}, []string{"1 0-10", "2 10-90", "1 90-100"}},
		"same end: the longer one":                {[]child{{2, 1, 50, 90}, {3, 1, 10, 90}}, []string{"1 0-10", "3 10-90", "1 90-100"}},
		"grandchild beyond its parent":            {[]child{{2, 1, 10, 50}, {3, 2, 20, 80}}, []string{"1 0-10", "2 10-20", "3 20-50", "1 50-100"}},
		"grandchild is cut where the path leaves": {[]child{{2, 1, 0, 60}, {3, 2, 20, 55}, {4, 1, 40, 100}}, []string{"2 0-20", "3 20-40", "4 40-100"}},
		"still running":                           {[]child{{2, 1, 30, noEnd}}, []string{"1 0-30", "2 30-100"}},
	} {
		t.Run(name, func(t *testing.T) {
			spans := []Span{made(driver, 1, 0, "root", 0, 100)}
			for _, k := range c.children {
				s := made(driver, k.id, k.parent, "child", k.from, k.to)
				if k.to == noEnd {
					s.End = 0
				}
				spans = append(spans, s)
			}
			rng := rand.New(rand.NewPCG(1, 2))
			for range 5 {
				mixed := shuffled(rng, spans)
				var got []string
				for _, s := range CriticalPath(mixed, slices.IndexFunc(mixed, func(s Span) bool { return s.ID == spanID(1) })) {
					got = append(got, fmt.Sprintf("%d %v-%v", mixed[s.Span].ID[7], float64(s.Start-base)/1e6, float64(s.End-base)/1e6))
				}
				if !slices.Equal(got, c.want) {
					t.Fatalf("path %q, want %q", got, c.want)
				}
			}
		})
	}
	if CriticalPath(nil, 0) != nil || CriticalPath([]Span{made(driver, 1, 0, "x", 0, 1)}, 5) != nil {
		t.Error("a path without a root")
	}
}

const noEnd = -1

// TestRunning: gym.rollout has not ended, so its children stand for it.
func TestRunning(t *testing.T) {
	var spans []Span
	for _, s := range ours() { // only what ended by 51 ms
		if s.End <= at(51) {
			spans = append(spans, s)
		}
	}
	a := analyseOne(t, spans)
	checkPath(t, a)
	if !a.Guessed || a.Outcome != Running || a.Ended() || a.Root != -1 || a.ID != "7-1-a2" || a.Task != 7 || a.Attempt != 2 || a.Retry != 2 || a.Environment != "env" || a.Run != "r1" || a.HasReward {
		t.Errorf("the rollout is %+v", a.Rollout)
	}
	// From 5 to 51: seed 4, gap 1, model call 30 (pool 2, 26 in the model), gap 1, tool call 10 (8 in the tool).
	if want := split(0, 2, 26, 8, 0, 10); a.Split != want || a.Start != at(5) || a.End != at(51) {
		t.Errorf("split %v from %d to %d, want %v", a.Split, a.Start-base, a.End-base, want)
	}
	if a.Turns != 1 || a.Calls != 1 || a.Spans != 6 {
		t.Errorf("counts %+v", a.Rollout)
	}
	// When the root is here, but not what is between, the children are not its own, and there is no second rollout.
	list := Analyse(append(spans, ours()[0]))
	if len(list) != 1 || list[0].Guessed || list[0].Spans != 1 {
		t.Errorf("%d rollouts, %+v", len(list), list[0].Rollout)
	}
}

// TestNotRunning: traces in which a rollout id does not make a rollout.
func TestNotRunning(t *testing.T) {
	// The group rollout is off: the trace has a root, which is no gym.rollout.
	var off []Span
	for _, s := range ours()[2:] {
		if s.ID == spanID(3) {
			s.Parent = spanID(0)
		}
		off = append(off, s)
	}
	if list := Analyse(off); len(list) != 0 {
		t.Errorf("%d rollouts, want none", len(list))
	}
	// Another program's trace without a root.
	if list := Analyse([]Span{made(web, 2, 1, "GET /", 0, 5)}); len(list) != 0 {
		t.Errorf("%d rollouts, want none", len(list))
	}
	if list := Analyse(nil); list != nil {
		t.Errorf("%d rollouts of no spans", len(list))
	}
}

// TestTwoRunning: a single trace with two rollouts that run.
func TestTwoRunning(t *testing.T) {
	var spans []Span
	for _, s := range python(1, 2, same) {
		if s.End <= at(70) && s.Name != "gym.job" && s.Facts == nil {
			spans = append(spans, s)
		}
	}
	list := Analyse(spans)
	if len(list) != 2 || list[0].ID != "0-0" || list[1].ID != "0-1" || !list[0].Guessed || !list[1].Guessed {
		t.Fatalf("%+v", list)
	}
}

func TestCycle(t *testing.T) {
	spans := ours()
	// 3 -> 2 -> 3: cut at the earlier one, 2, which is then a top without rollout above it.
	for i := range spans {
		if spans[i].ID == spanID(2) {
			spans[i].Parent = spanID(3)
		}
	}
	a := analyseOne(t, spans)
	checkPath(t, a)
	if a.Spans != 1 || a.Split != split(10, 0, 0, 0, 0, 100) {
		t.Errorf("%d spans, %v", a.Spans, a.Split)
	}
	// A rollout that is its own grandparent is still one.
	spans = ours()
	spans[0].Parent = spanID(14)
	a = analyseOne(t, spans)
	checkPath(t, a)
	if a.Spans != 14 || a.Split != split(10, 3, 54, 8, 10, 25) {
		t.Errorf("%d spans, %v", a.Spans, a.Split)
	}
	spans[0].Parent = spans[0].ID
	if a = analyseOne(t, spans); a.Spans != 14 {
		t.Errorf("%d spans", a.Spans)
	}
}

func TestSkew(t *testing.T) {
	spans := ours()
	for i := range spans { // the model's clock is 5 s behind
		if spans[i].Process == model {
			spans[i].Start -= 5e9
			spans[i].End -= 5e9
		}
	}
	a := analyseOne(t, spans)
	checkPath(t, a)
	if a.Skewed != 2 || a.Split != split(10, 3, 0, 8, 10, 79) || a.Duration() != ms(100) {
		t.Errorf("%d skewed, %v", a.Skewed, a.Split)
	}
}

func TestDuplicates(t *testing.T) {
	spans := ours()
	a := analyseOne(t, append(spans, spans...))
	if a.Spans != 14 || a.Split != split(10, 3, 54, 8, 10, 25) {
		t.Errorf("equal copies: %d spans, %v", a.Spans, a.Split)
	}
	// Another span with the id of the agent's /run, and later: the children stay with the earlier one.
	other := made(agent, 3, 2, "POST /run", 5, 97)
	other.Hash = 99
	a = analyseOne(t, append([]Span{other}, spans...))
	checkPath(t, a)
	if a.Spans != 15 || a.Split != split(10, 3, 54, 8, 10, 25) {
		t.Errorf("same id: %d spans, %v", a.Spans, a.Split)
	}
	// The rollout's own span twice is one rollout.
	root := spans[0]
	root.Hash, root.End = 99, at(90)
	if a = analyseOne(t, append(spans, root)); a.Spans != 14 || a.Duration() != ms(100) {
		t.Errorf("rollout twice: %d spans, %v", a.Spans, a.Duration())
	}
}

func TestOutcome(t *testing.T) {
	for name, c := range map[string]struct {
		change func(s *Span)
		want   Outcome
	}{
		"said scored":            {func(s *Span) { s.Facts.Outcome = "scored" }, Scored},
		"said failed":            {func(s *Span) { s.Facts.Outcome = "failed" }, Failed},
		"a reward":               {func(s *Span) { s.Facts.Scored = true }, Scored},
		"an error":               {func(s *Span) { s.Error = true }, Failed},
		"a failure class":        {func(s *Span) { s.Facts.Failure = "timeout" }, Failed},
		"truncated":              {func(s *Span) { s.Truncated = true }, Truncated},
		"failed, then truncated": {func(s *Span) { s.Truncated, s.Facts.Outcome = true, "failed" }, Failed},
		"no word":                {func(*Span) {}, Finished},
		"no end":                 {func(s *Span) { s.End = 0 }, Running},
		"no facts":               {func(s *Span) { s.Facts = nil }, Finished},
	} {
		t.Run(name, func(t *testing.T) {
			s := made(driver, 1, 0, "gym.rollout", 0, 10)
			c.change(&s)
			child := made(agent, 2, 1, "POST /run", 2, 30)
			a := analyseOne(t, []Span{s, child})
			checkPath(t, a)
			if a.Outcome != c.want {
				t.Errorf("outcome %s, want %s", a.Outcome, c.want)
			}
			if want := map[bool]time.Duration{false: ms(10), true: ms(30)}[s.End == 0]; a.Duration() != want {
				t.Errorf("duration %v, want %v", a.Duration(), want)
			}
		})
	}
}

func TestRolloutID(t *testing.T) {
	for id, want := range map[string][3]int{
		"7-2": {7, 3, 0}, "7-2-a1": {7, 3, 1}, "0-0": {0, 1, 0}, "x-1": {-1, 0, 0}, "7": {-1, 0, 0}, "7-2-b": {-1, 0, 0}, "7-2-a": {-1, 0, 0}, "": {-1, 0, 0},
		"99999999999-1": {-1, 0, 0}, "-1-2": {-1, 0, 0},
	} {
		r := Rollout{ID: id, Task: -1}
		if r.byID(); r.Task != want[0] || r.Attempt != want[1] || r.Retry != want[2] {
			t.Errorf("%q: task %d, attempt %d, retry %d; want %v", id, r.Task, r.Attempt, r.Retry, want)
		}
	}
}

// TestClass says what a span's own work is, by process and route.
func TestClass(t *testing.T) {
	unknown := Process{Service: "x"}
	for name, c := range map[string]struct {
		span Span
		want class
	}{
		"model server":           {made(model, 1, 0, "POST /v1/responses", 0, 1), classOf(PartModel)},
		"model's upstream call":  {made(model, 1, 0, "HTTP POST", 0, 1), classOf(PartModel)},
		"agent's /v1/responses":  {made(agent, 1, 0, "POST /v1/responses", 0, 1), classOf(PartOther)},
		"verify":                 {made(resources, 1, 0, "POST /verify", 0, 1), classOf(PartVerify)},
		"verify below a prefix":  {made(resources, 1, 0, "POST /ng-rollout/1-2/verify", 0, 1), classOf(PartVerify)},
		"seed":                   {made(resources, 1, 0, "POST /seed_session", 0, 1), classOf(PartOther)},
		"tool":                   {made(resources, 1, 0, "POST /get_weather", 0, 1), classOf(PartTools)},
		"step":                   {made(resources, 1, 0, "POST /step", 0, 1), classOf(PartTools)},
		"inside a tool":          {made(resources, 1, 0, "SELECT", 0, 1), inherit},
		"gym.verify":             {made(resources, 1, 0, "gym.verify", 0, 1), classOf(PartVerify)},
		"unknown process":        {made(unknown, 1, 0, "SELECT", 0, 1), inherit},
		"unknown, by name":       {made(unknown, 1, 0, "gym.model.chat_completions", 0, 1), classOf(PartModel)},
		"unknown, /verify":       {made(unknown, 1, 0, "POST /verify", 0, 1), classOf(PartVerify)},
		"unknown, another route": {made(unknown, 1, 0, "POST /v1/completions", 0, 1), inherit},
		"unknown, agent loop":    {made(unknown, 1, 0, "gym.agent.responses", 0, 1), classOf(PartOther)},
		"driver":                 {made(driver, 1, 0, "gym.rollout", 0, 1), classOf(PartOther)},
	} {
		if got := c.span.class(); got != c.want {
			t.Errorf("%s: class %d, want %d", name, got, c.want)
		}
	}
}

// randomTrace makes a trace of every kind of oddity.
func randomTrace(rng *rand.Rand, n int) []Span {
	procs := []Process{driver, agent, model, resources, web}
	names := []string{"gym.rollout", "HTTP POST", "POST /run", "POST /verify", "POST /v1/responses", "POST /tool", "inner", "gym.job"}
	out := make([]Span, 0, n)
	for i := range n {
		from := float64(rng.IntN(1000))
		s := made(procs[rng.IntN(len(procs))], uint64(i+1), 0, names[rng.IntN(len(names))], from, from+float64(rng.IntN(400)-20))
		switch rng.IntN(8) {
		case 0: // a root
		case 1:
			s.Parent = spanID(uint64(1000 + rng.IntN(4))) // never comes
		case 2:
			s.Parent = spanID(uint64(rng.IntN(n) + 1)) // a circle, perhaps
		default:
			s.Parent = spanID(uint64(rng.IntN(i+1) + 1))
		}
		if rng.IntN(20) == 0 {
			s.End = 0
		}
		if rng.IntN(20) == 0 {
			s.ID = spanID(uint64(rng.IntN(n) + 1)) // twice
		}
		if rng.IntN(3) == 0 {
			s.Rollout = fmt.Sprintf("%d-0", rng.IntN(3))
		}
		if rng.IntN(5) == 0 {
			s.Pool = ms(float64(rng.IntN(50)))
		}
		out = append(out, s)
	}
	return out
}

// TestAnalyseAnything holds for any trace that the order of its spans does not matter, that the parts sum to the total, and that the
// path never belongs to a span while a child covers the moment, or while the span does not.
func TestAnalyseAnything(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	for range 400 {
		spans := randomTrace(rng, 1+rng.IntN(40))
		list := Analyse(spans)
		for _, a := range list {
			checkPath(t, a)
			if unique(spans) {
				checkOwn(t, spans, a)
			}
		}
		mixed := shuffled(rng, append(slices.Clone(spans), spans[rng.IntN(len(spans))]))
		again := Analyse(mixed)
		if len(again) != len(list) {
			t.Fatalf("%d rollouts, in another order %d", len(list), len(again))
		}
		for i := range list {
			a, b := list[i], again[i]
			a.set, b.set, a.root, b.root, a.Root, b.Root, a.Path, b.Path = 0, 0, 0, 0, 0, 0, nil, nil
			if !reflect.DeepEqual(a, b) {
				t.Fatalf("%+v\nin another order\n%+v", a, b)
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
}

func checkOwn(t *testing.T, spans []Span, a RolloutAnalysis) {
	t.Helper()
	for _, seg := range a.Path {
		if seg.Span < 0 {
			continue
		}
		s := spans[seg.Span]
		if end := s.End; seg.Start < s.Start || end != 0 && seg.End > max(end, s.Start) {
			t.Errorf("segment %+v is outside of its span %d-%d", seg, s.Start, s.End)
		}
		for i, c := range spans {
			if i != seg.Span && c.Parent == s.ID && c.Start < seg.End && c.End > seg.Start && c.End > c.Start && !inCircle(spans, i) {
				t.Errorf("segment %+v belongs to span %v, but its child %v (%d-%d) covers it", seg, s.ID, c.ID, c.Start, c.End)
			}
		}
	}
}

// unique tells whether no span id is there twice.
func unique(spans []Span) bool {
	seen := map[otlp.SpanID]bool{}
	for _, s := range spans {
		if seen[s.ID] {
			return false
		}
		seen[s.ID] = true
	}
	return true
}

// inCircle tells whether following the parents from a span leads back to it.
func inCircle(spans []Span, i int) bool {
	at := i
	for range spans {
		at = slices.IndexFunc(spans, func(s Span) bool { return s.ID == spans[at].Parent })
		if at < 0 {
			return false
		}
		if at == i {
			return true
		}
	}
	return true
}

// TestDeep: a chain as deep as a trace can be must not use the stack, nor take forever.
func TestDeep(t *testing.T) {
	const n = 100_000
	spans := []Span{made(driver, 1, 0, "gym.rollout", 0, 1000)}
	for i := uint64(2); i <= n; i++ {
		spans = append(spans, made(agent, i, i-1, "inner", float64(i)/1e6, 1000))
	}
	a := analyseOne(t, spans)
	checkPath(t, a)
	slices.Reverse(spans)
	if a = analyseOne(t, spans); a.Spans != n {
		t.Errorf("%d spans", a.Spans)
	}
	flat := []Span{made(driver, 1, 0, "gym.rollout", 0, 1000)}
	for i := uint64(2); i <= n; i++ {
		flat = append(flat, made(agent, i, 1, "inner", float64(i%1000), float64(i%1000)+0.5))
	}
	if a = analyseOne(t, flat); a.Spans != n {
		t.Errorf("%d spans", a.Spans)
	}
	checkPath(t, a)
}
