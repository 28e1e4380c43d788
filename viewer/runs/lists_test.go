package runs

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lensgo/lens/viewer/query"
)

func parse(t testing.TB, text string, l query.List) query.Query {
	t.Helper()
	q, err := query.Parse(text, query.Options{List: l, Now: time.Unix(0, int64(at(5000)))})
	must(t, err)
	return q
}

// TestPaging: whatever the order, the pages together are all rows, each once, in that order.
func TestPaging(t *testing.T) {
	m := many(537)
	sorts := []string{""}
	for _, o := range rolloutOrders {
		sorts = append(sorts, o.name, "-"+o.name)
	}
	for _, sort := range sorts {
		whole, err := m.Rollouts("r1", query.Query{}, Page{Sort: sort, Size: 1000})
		must(t, err)
		if len(whole.Rows) != 537 || whole.Next != "" || whole.Matched != 537 || whole.Total != 537 {
			t.Fatalf("%s: %d rows, next %q", sort, len(whole.Rows), whole.Next)
		}
		var got []*Rollout
		for p := (Page{Sort: sort, Size: 50}); ; {
			list, err := m.Rollouts("r1", query.Query{}, p)
			must(t, err)
			got = append(got, list.Rows...)
			if p.After = list.Next; p.After == "" {
				break
			}
			m.take(renumber(ours()[:1], uint64(90_000+len(got)), uint64(90_000+100*len(got)), -4e6)...) // rows that come meanwhile do not hurt
		}
		got = slices.DeleteFunc(got, func(r *Rollout) bool { return r.Trace[13] > 0 || r.Trace[14] > 0x50 })
		if !slices.Equal(got, whole.Rows) {
			t.Errorf("%s: %d rows by pages, in another order", sort, len(got))
		}
		m = many(537)
	}
}

func TestSorting(t *testing.T) {
	m := many(100)
	first := func(sort string) *Rollout {
		list, err := m.Rollouts("r1", query.Query{}, Page{Sort: sort, Size: 1})
		must(t, err)
		return list.Rows[0]
	}
	if r := first(""); r.Outcome != Failed || r.Duration() != ms(1000+float64(50*7919%5000)) {
		t.Errorf("the first is %+v, want the longest failed one", r)
	}
	if r := first("reward"); !r.HasReward || r.Reward != 0 {
		t.Errorf("the least reward is %+v", r)
	}
	if r := first("-reward"); r.Reward != 1 {
		t.Errorf("the best reward is %+v", r)
	}
	last, _ := m.Rollouts("r1", query.Query{}, Page{Sort: "-reward"})
	if r := last.Rows[99]; r.HasReward {
		t.Errorf("without a reward must be last, it is %+v", r)
	}
	if r := first("-tok.in"); r.TokensIn != 99 {
		t.Errorf("most tokens: %+v", r)
	}
	for sort, want := range map[string]error{"colour": ErrSort, "-colour": ErrSort} {
		if _, err := m.Rollouts("r1", query.Query{}, Page{Sort: sort}); !errors.Is(err, want) || !strings.Contains(err.Error(), "tok.out") {
			t.Errorf("%s: %v", sort, err)
		}
	}
	next, _ := m.Rollouts("r1", query.Query{}, Page{Size: 2})
	for _, after := range []string{"x", "!!", next.Next[:len(next.Next)/2], base64.RawURLEncoding.EncodeToString(make([]byte, 60))} {
		if _, err := m.Rollouts("r1", query.Query{}, Page{After: after}); !errors.Is(err, ErrCursor) {
			t.Errorf("cursor %q: %v", after, err)
		}
	}
	if _, err := m.Rollouts("r1", query.Query{}, Page{Sort: "dur", After: next.Next}); !errors.Is(err, ErrCursor) {
		t.Errorf("the cursor of another order: %v", err)
	}
	if _, err := m.Rollouts("r2", query.Query{}, Page{}); !errors.Is(err, ErrNoRun) {
		t.Errorf("another run: %v", err)
	}
}

// oursAs is a rollout of ours with other names.
func oursAs(n int, change func(f *Facts)) []Span {
	list := renumber(ours(), uint64(1000+n), uint64(100*n), float64(10*n))
	f := *list[0].Facts
	change(&f)
	list[0].Facts = &f
	return list
}

func TestRolloutFields(t *testing.T) {
	m := NewModel(Options{})
	m.take(ours()...)
	failed := oursAs(1, func(f *Facts) {
		f.Outcome, f.Failure, f.Message, f.Scored, f.Task, f.Index = "failed", "timeout", "no answer within 30 s", false, 8, 0
	})
	failed[6].Error = true
	m.take(failed...)
	for text, want := range map[string]string{ // tasks that match
		"": "7 8", "env:multi": "7 8", "task:7": "7", "attempt:2": "7", "outcome:failed": "8", "outcome=scored": "7", "failure:timeout": "8", "-failure:timeout": "7",
		"reward:0.5": "7", "reward<1": "7", "dur:100ms": "7 8", "dur>0.1s": "", "total:110ms": "7 8", "admission:10ms": "7 8", "pool:3ms": "7 8", "model:54ms": "7 8",
		"tools:8ms": "7 8", "verify:10ms": "7 8", "other:25ms": "7 8", "turns:2": "7 8", "calls:1": "7 8", "tok.in:30": "7 8", "tok.out>12": "", "spans:14": "7 8",
		"error:true": "8", "error:0": "7", "started<5ms": "7", "started:10ms": "8", "since:5s": "7 8", "since:4.995s": "8", "trace:0a00": "7 8", "run:r1": "7 8", "run:r2": "",
		"service:policy": "7 8", "service:nginx": "", "name:/verify": "7 8", `name="POST /get_weather"`: "7 8", "group:http_client": "7 8", "group=http": "", "kind:server": "7 8", "kind:producer": "",
		"status:error": "8", "custom.key:v1": "7 8", "custom.key!=v1": "", "custom.other:1": "", `"no answer"`: "8", "timeout": "8", "get_weather": "7 8", "policy_model": "7 8", "7-1-a2": "7 8",
		"custom.key": "7 8", "nowhere": "",
	} {
		list, err := m.Rollouts("r1", parse(t, text, query.Rollouts), Page{Sort: "task"})
		must(t, err)
		var got []string
		for _, r := range list.Rows {
			got = append(got, fmt.Sprint(r.Task))
		}
		if s := strings.Join(got, " "); s != want || list.Matched != len(got) || list.Total != 2 {
			t.Errorf("%s: tasks %q, want %q", text, s, want)
		}
	}
}

func TestTraceList(t *testing.T) {
	m := NewModel(Options{})
	m.take(ours()...)
	shop := []Span{made(web, 1, 0, "GET /cart", 10, 30), made(web, 2, 1, "SELECT", 11, 20)}
	orphan := []Span{made(web, 5, 4, "late", 50, 60)}
	for i := range shop {
		shop[i].Trace, shop[i].Group = traceID(2), ""
	}
	shop[0].Error = true
	orphan[0].Trace, orphan[0].End = traceID(3), 0
	m.take(append(shop, orphan...)...)
	list, err := m.Traces(query.Query{}, Page{})
	must(t, err)
	if len(list.Rows) != 3 || list.Total != 3 || list.Rows[0].ID != traceID(3) || list.Rows[2].ID != traceID(1) {
		t.Fatalf("%+v", list)
	}
	a, b, c := list.Rows[2], list.Rows[1], list.Rows[0]
	if a.Root != "gym.rollout" || a.Rootless || a.Duration != ms(100) || a.Spans != 14 || a.Services != 4 || a.Rollouts != 1 || a.Rollout == nil || a.Rollout.Task != 7 || a.Run != "r1" {
		t.Errorf("rollout's trace %+v", a)
	}
	if b.Root != "GET /cart" || b.Service != "checkout-api" || b.Errors != 1 || b.Duration != ms(20) || b.Rollout != nil || b.Run != "" {
		t.Errorf("shop's trace %+v", b)
	}
	if !c.Rootless || c.Root != "late" || c.Open != 1 {
		t.Errorf("trace without a root %+v", c)
	}
	for text, want := range map[string]int{
		"": 3, "dur>50ms": 1, "spans>1": 2, "error:true": 1, "since:4.985s": 1, "service:checkout": 2, "run:r1": 1, "status:error": 1, "name:SELECT": 0, `name:"GET /cart"`: 1,
		"kind:internal": 3, "group:rollout": 1, "env:multi": 1, "task:7": 1, "turns:2": 1, "custom.key:v1": 1, "cart": 1, "policy_model": 1, "0a0000000000000000000000000000": 3, "trace:0002": 1,
		"started<1s": 0, "outcome:scored": 1, "-outcome:scored": 2,
	} {
		list, err := m.Traces(parse(t, text, query.Traces), Page{})
		must(t, err)
		if list.Matched != want || len(list.Rows) != want {
			t.Errorf("%s: %d traces, want %d", text, list.Matched, want)
		}
	}
	for _, sort := range []string{"started", "-dur", "spans", "-errors", "root", "-service"} {
		if _, err := m.Traces(query.Query{}, Page{Sort: sort}); err != nil {
			t.Error(err)
		}
	}
	services := m.Services(time.Unix(0, int64(at(0))))
	if len(services) != 1 || services[0].Name != "checkout-api" || services[0].Traces != 2 || services[0].Spans != 3 || services[0].Errors != 1 || services[0].Runtime != "python 3.12" || services[0].Roots.N != 1 || services[0].Roots.P50 != ms(20) {
		t.Errorf("services %+v", services)
	}
	if services = m.Services(time.Unix(0, int64(at(40)))); len(services) != 1 || services[0].Traces != 1 {
		t.Errorf("later services %+v", services)
	}
	if x, ok := m.Trace(traceID(1)); !ok || x.Rollout == nil || x.Rollout.Task != 7 {
		t.Errorf("the trace %+v", x)
	}
}

// scored makes rollouts of one environment: rewards by task and attempt; NaN-like -1 means failed, -2 running.
func scored(m *Model, run, env string, rewards map[int][]float64) {
	n := uint64(m.live)
	for _, task := range slices.Sorted(keys(rewards)) {
		for i, x := range rewards[task] {
			n++
			p := driver
			p.Run = run
			s := made(p, n, 0, "gym.rollout", 0, float64(100+10*i))
			s.Trace = traceID(n)
			s.Facts = noFacts()
			s.Facts.Task, s.Facts.Index, s.Facts.Environment, s.Facts.Outcome = task, i, env, "scored"
			s.Facts.Reward, s.Facts.Scored = x, true
			switch x {
			case -1:
				s.Facts.Outcome, s.Facts.Failure, s.Facts.Scored = "failed", "timeout", false
			case -2:
				s.End, s.Facts.Scored = 0, false
			}
			m.take(s)
		}
	}
}

func keys(m map[int][]float64) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func TestTasks(t *testing.T) {
	m := NewModel(Options{})
	scored(m, "r1", "e", map[int][]float64{0: {1, 1}, 1: {0, 1}, 2: {0, 0}, 3: {-1, 1}, 4: {1, -2}, 5: {0.5, 0.5}, 6: {1, 0}})
	list, err := m.Tasks("r1", query.Query{}, Page{})
	must(t, err)
	var got []string
	for _, x := range list.Rows {
		got = append(got, fmt.Sprintf("%d:%s", x.Task, x.Verdict))
	}
	want := []string{"3:failed", "1:disagree", "6:disagree", "0:pass", "2:zero", "4:open", "5:equal"}
	if !slices.Equal(got, want) {
		t.Errorf("tasks %q, want %q", got, want)
	}
	if list.AllScored != 5 || list.Columns != 2 || list.Total != 7 || list.Matched != 7 {
		t.Errorf("%+v", list)
	}
	if x := list.Rows[1]; !x.HasDifference || x.Difference != ms(10) || x.Reward.Value() != 0.5 || x.Attempts[0].Attempt != 1 {
		t.Errorf("%+v", x)
	}
	if x := list.Rows[5]; x.HasDifference {
		t.Errorf("%+v has a difference, though one attempt runs", x)
	}
	some, err := m.Tasks("r1", parse(t, "outcome:failed", query.Rollouts), Page{Sort: "-mean"})
	must(t, err)
	if len(some.Rows) != 1 || some.Rows[0].Task != 3 || len(some.Rows[0].Attempts) != 2 || some.Total != 7 {
		t.Errorf("with a failed attempt: %+v", some)
	}
	// A second try takes the place of the first.
	s := made(driver, 900, 0, "gym.rollout", 500, 600)
	s.Trace, s.Facts = traceID(900), noFacts()
	s.Facts.Task, s.Facts.Index, s.Facts.Attempt, s.Facts.Environment, s.Facts.Outcome, s.Facts.Reward, s.Facts.Scored = 3, 0, 1, "e", "scored", 1, true
	m.take(s)
	found, others := m.Rollout("r1", "e", 3, 1, -1)
	if found == nil || found.Retry != 1 || len(others) != 2 || others[0] != found || others[1].Attempt != 2 {
		t.Errorf("%+v of %d", found, len(others))
	}
	if found, _ = m.Rollout("r1", "e", 3, 1, 0); found == nil || found.Outcome != Failed {
		t.Errorf("the first try is %+v", found)
	}
	if found, _ = m.Rollout("r1", "e", 99, 1, -1); found != nil {
		t.Errorf("found %+v", found)
	}
	list, _ = m.Tasks("r1", query.Query{}, Page{Sort: "task"})
	if x := list.Rows[3]; x.Verdict != AllPass || len(x.Attempts) != 2 {
		t.Errorf("%+v", x)
	}
}

func TestRunDetail(t *testing.T) {
	m := NewModel(Options{})
	scored(m, "r1", "a", map[int][]float64{0: {1, 0}, 1: {0, 0}, 2: {1, 1}, 3: {-1, 1}})
	scored(m, "r1", "b", map[int][]float64{10: {0.25, 0.5}, 11: {-2}})
	d, ok := m.Run("r1")
	if !ok || d.Matched != 11 || d.Run.Counts.Rollouts != 11 || d.Run.Counts.Finished != 10 || d.Run.Counts.Failed != 1 || d.Run.Counts.Running != 1 || d.Run.Tasks != 6 || d.Run.Attempts != 2 {
		t.Fatalf("%+v", d)
	}
	a, b := d.Environments[0], d.Environments[1]
	// pass@2 of a: tasks 0, 1, 2 have two scores: 1, 0, 1. Task 3 has one and is left out.
	if a.Name != "a" || a.K != 2 || a.PassTasks != 3 || a.PassK != 2.0/3 || a.Counts.Reward.Value() != 4.0/7 || a.Tasks != 4 || a.Rewards != [RewardBins]int{0: 3, 10: 4} {
		t.Errorf("a: %+v", a)
	}
	if b.Name != "b" || b.PassK != 0.5 || b.PassTasks != 1 || b.Rewards != [RewardBins]int{3: 1, 5: 1} || b.Counts.Running != 1 {
		t.Errorf("b: %+v", b)
	}
	// Durations: five of 100 ms, five of 110 ms; the running one is not among them.
	if p := d.All.Durations; p.N != 10 || p.P50 != ms(100) || p.P95 != ms(110) || p.P99 != ms(110) || p.Max != ms(110) {
		t.Errorf("percentiles %+v", p)
	}
	if d.All.Split != split(0, 0, 0, 0, 0, 105) {
		t.Errorf("mean split %v", d.All.Split)
	}
	bins, failed := 0, 0
	for i, x := range d.Durations {
		bins, failed = bins+x.Finished, failed+x.Failed
		if i > 0 && x.From != d.Durations[i-1].To {
			t.Errorf("bin %d begins at %v, the one before ends at %v", i, x.From, d.Durations[i-1].To)
		}
	}
	if bins != 10 || failed != 1 || d.Rewards != [2]float64{0, 1} {
		t.Errorf("%d in bins, %d failed, rewards %v", bins, failed, d.Rewards)
	}
	some, _ := m.RunWhere("r1", parse(t, "reward>0.5", query.Rollouts))
	if some.Matched != 4 || some.All.Counts.Scored != 4 || some.Run.Counts.Rollouts != 11 || len(some.Environments) != 1 {
		t.Errorf("filtered %+v", some)
	}
	if _, ok := m.Run("r2"); ok {
		t.Error("a run that never was")
	}
	scored(m, "r1", "c", map[int][]float64{20: {-1.5, 3}})
	if d, _ = m.Run("r1"); d.Rewards != [2]float64{-1.5, 3} {
		t.Errorf("rewards from %v", d.Rewards)
	}
}

func TestCompare(t *testing.T) {
	m := NewModel(Options{})
	scored(m, "a", "e", map[int][]float64{0: {1, 1}, 1: {1, 1}, 2: {0, 0}, 3: {1, 0}, 4: {1}, 6: {-1}})
	scored(m, "b", "e", map[int][]float64{0: {1, 0}, 1: {0, 0}, 2: {1, 1}, 3: {0, 1}, 5: {1}, 6: {1}})
	c, ok := m.Compare("a", "b")
	if !ok || c.K != 2 || c.OnlyA != 1 || c.OnlyB != 1 {
		t.Fatalf("%+v", c)
	}
	var got []string
	for _, d := range c.Tasks {
		got = append(got, fmt.Sprintf("%d:%v/%v,%v", d.Task, d.Mean, d.Pass, d.HasMean))
	}
	want := []string{"1:-1/-1,true", "0:-0.5/0,true", "3:0/0,true", "2:1/1,true", "6:0/0,false", "4:0/0,false", "5:0/0,false"}
	if !slices.Equal(got, want) {
		t.Errorf("tasks %q, want %q", got, want)
	}
	// Over tasks 0 to 3: means 1, 1, 0, 0.5 against 0.5, 0, 1, 0.5; pass@2 1, 1, 0, 1 against 1, 0, 1, 1.
	if x := c.All; x.Tasks != 4 || x.A.Reward.Value() != 0.625 || x.B.Reward.Value() != 0.5 || x.Mean != -0.125 || x.Worse != 2 || x.Better != 1 || !x.HasPass || x.A.Pass != 0.75 || x.B.Pass != 0.75 || x.Pass != 0 {
		t.Errorf("all: %+v", x)
	}
	if len(c.Environments) != 1 || c.Environments[0].Environment != "e" {
		t.Errorf("%+v", c.Environments)
	}
	if c.Tasks[1].A.Duration != ms(105) || c.Tasks[1].A.Attempts != 2 {
		t.Errorf("%+v", c.Tasks[1].A)
	}
	if _, ok := m.Compare("a", "zzz"); ok {
		t.Error("compared with a run that never was")
	}
	same, _ := m.Compare("a", "a")
	if same.All.Mean != 0 || same.All.Worse+same.All.Better != 0 {
		t.Errorf("with itself: %+v", same.All)
	}
}

func TestGroups(t *testing.T) {
	m := NewModel(Options{})
	spans := ours()
	spans[6].Error = true
	spans[7].Truncated = true
	m.take(spans...)
	m.take(spans[3]) // once more
	groups, ok := m.Groups("r1")
	if !ok || len(groups) != 3 {
		t.Fatalf("%+v", groups)
	}
	g := groups[0]
	// server: 7 SERVER spans, and gym.verify; http_client: 6 calls; rollout: 1.
	if g.Group != "server" || g.Namespace != "nemo_gym" || g.Spans != 7 || g.Names != 6 || g.Errors != 1 || g.ByteShare != 0.5 || g.SpanShare != 0.5 || g.Bytes != 2100 {
		t.Errorf("%+v", g)
	}
	if g = groups[1]; g.Group != "http_client" || g.Spans != 6 || g.Cut != 1 || g.N != 5 || g.Copies != 1 || g.Names != 1 {
		t.Errorf("%+v", g)
	}
	// Calls that ended: 97, 4, 30, 30, 12 ms; the middle one within 6 %.
	if d := g.P50 - ms(30); d < -ms(1.9) || d > ms(1.9) {
		t.Errorf("p50 %v, want about 30 ms", g.P50)
	}
	if now := time.Unix(int64(base/1e9)+5, 0); g.PerSecond(now) != 0.6 || g.PerSecond(now.Add(time.Minute)) != 0 {
		t.Errorf("%v/s", g.PerSecond(now))
	}
	sum := 0.0
	for _, g := range groups {
		sum += g.ByteShare
	}
	if sum < 0.999999 || sum > 1.000001 {
		t.Errorf("shares sum to %v", sum)
	}
	names, _ := m.Names("r1")
	if len(names) != 8 || names[0].Name != "HTTP POST" || names[0].Spans != 6 {
		t.Errorf("%+v", names)
	}
	if _, ok := m.Groups("zzz"); ok {
		t.Error("groups of a run that never was")
	}
	if all, ok := m.Groups(Everything); !ok || len(all) != 3 {
		t.Errorf("%+v", all)
	}
}

func TestRunList(t *testing.T) {
	m := NewModel(Options{})
	scored(m, "good", "a", map[int][]float64{0: {1, 1}})
	scored(m, "bad", "b", map[int][]float64{0: {-1, 0}})
	scored(m, "", "c", map[int][]float64{0: {1}})
	m.take(python(4000, 1, func(p Process) Process { p.Run = "python"; return p })[0]) // a job that has no rollouts yet
	s := made(web, 1, 0, "GET /", 0, 1)
	s.Trace = traceID(5000)
	m.take(s)
	list, err := m.Runs(query.Query{}, Page{Sort: "name"})
	must(t, err)
	var got []string
	for _, r := range list.Rows {
		got = append(got, r.ID)
	}
	if want := []string{"", "bad", "good", "python"}; !slices.Equal(got, want) {
		t.Errorf("runs %q, want %q", got, want)
	}
	for text, want := range map[string]int{
		"failed>0": 1, "reward:1": 2, "reward<0.5": 1, "env:a": 1, "run:oo": 1, "processes:1": 4, "rate>0": 3, "outcome:failed": 1, "service:supervisor": 4, "group:job": 1, "spans:2": 2, "spans:1": 2, "tok.in:0": 4,
		"tok.out:0": 4, "error:true": 0, "since:1h": 4, "dur:110ms": 2, "good": 1, "supervisor": 4,
	} {
		list, err := m.Runs(parse(t, text, query.Runs), Page{})
		must(t, err)
		if list.Matched != want {
			t.Errorf("%s: %d runs, want %d", text, list.Matched, want)
		}
	}
	for _, o := range runOrders {
		if _, err := m.Runs(query.Query{}, Page{Sort: "-" + o.name}); err != nil {
			t.Error(err)
		}
	}
	if _, err := m.Runs(query.Query{}, Page{Sort: "x"}); !errors.Is(err, ErrSort) {
		t.Error(err)
	}
	m.SetProgress("good", &Progress{Total: 10, Running: 3, Waiting: 5})
	m.SetProgress("soon", &Progress{Total: 4, Waiting: 4})
	list, _ = m.Runs(query.Query{}, Page{Sort: "name"})
	if r := list.Rows[2]; r.Progress == nil || r.Progress.Total != 12 || !r.Running() { // with two that had ended before
		t.Errorf("%+v", r)
	}
	if r := list.Rows[4]; r.ID != "soon" || r.Spans != 0 || !r.Running() {
		t.Errorf("%+v", r)
	}
	m.SetProgress("good", &Progress{Total: 10, Done: true})
	m.SetProgress("soon", nil)
	list, _ = m.Runs(query.Query{}, Page{Sort: "name"})
	if r := list.Rows[2]; len(list.Rows) != 4 || r.Running() {
		t.Errorf("%+v", list.Rows)
	}
	m.SetProgress("soon", &Progress{Total: 4, Done: true}) // and nothing came of it
	if list, _ = m.Runs(query.Query{}, Page{}); len(list.Rows) != 4 {
		t.Errorf("%+v", list.Rows)
	}
	if v := m.Values("bad", query.Failure); len(v) != 1 || v[0] != (ValueCount{"timeout", 1}) {
		t.Errorf("values %+v", v)
	}
	if v := m.Values("bad", query.Outcome); len(v) != 2 || m.Values("zzz", query.Env) != nil {
		t.Errorf("values %+v", v)
	}
}
