package web

import (
	"errors"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/query"
	"github.com/lensgo/lens/viewer/runs"
)

// summary tells what the model of the runs knows, in the words of the API.
type summary struct {
	m   *runs.Model
	now func() time.Time

	mu     sync.Mutex
	all    totals // as they were at
	totals time.Time
}

const (
	// quietAfter is when a run that only its spans tell of counts as over: its rollouts may wait long for a model, but
	// nothing at all for so long means that its driver died.
	quietAfter = 30 * time.Minute

	// totalsFor is how long the totals are good: the same ones for all pages that are updated at a time.
	totalsFor = 200 * time.Millisecond
)

// fault turns an error of the model into an answer.
func fault(err error, run string) error {
	var q *query.Error
	switch {
	case errors.As(err, &q):
		f := &Fault{Status: http.StatusBadRequest, Code: "bad_query", What: q.Reason, Query: &QueryFault{Offset: q.Offset, Length: q.Length}}
		if q.Nearest != "" {
			f.Query.Nearest = &q.Nearest
		}
		return f
	case errors.Is(err, runs.ErrNoRun):
		return noRun(run)
	case errors.Is(err, runs.ErrCursor):
		return badCursor()
	}
	return err
}

func noRun(id string) error {
	return notFound("There is no run "+quote(clip(otlp.Text(id), 100))+".", "None of the spans that are stored names it.")
}

// runName is the id of a run as an address has it: "-" stands for the rollouts that name no run.
func runName(id string) string {
	if id == "-" {
		return runs.NoRun
	}
	return id
}

// parse reads a filter and, behind it, a condition of ours.
func (s *summary) parse(filter string, list query.List, ours ...string) (query.Query, error) {
	q, err := query.Parse(filter, query.Options{List: list, Now: s.now()})
	if err != nil || len(ours) == 0 {
		return q, err
	}
	return query.Parse(filter+" "+strings.Join(ours, " "), query.Options{List: list, Now: s.now()})
}

// equals is a condition on a text field.
func equals(field query.Field, values ...string) string {
	for i, v := range values {
		values[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v) + `"`
	}
	return field.String() + "=" + strings.Join(values, ",")
}

func (a ask) page() runs.Page { return runs.Page{Sort: a.sort, Size: a.limit, After: a.cursor} }

func cursorOf(next string) *string {
	if next == "" {
		return nil
	}
	return &next
}

func seriesOf(s runs.Series) Series {
	out := Series{Step: int64(s.Step)}
	for _, n := range s.Count {
		out.Counts = append(out.Counts, int64(n))
	}
	return out
}

// overSome is nil when there was nothing to take a duration of.
func overSome(n int64, d time.Duration) *int64 {
	if n == 0 {
		return nil
	}
	return new(int64(d))
}

func meanOf(m runs.Mean) *float64 {
	if m.N == 0 {
		return nil
	}
	return finite(m.Value())
}

// share is a part of a whole, nil of nothing.
func share(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	return new(float64(part) / float64(whole))
}

// roundUp is the next number with which a scale can end.
func roundUp(ns int64) int64 {
	if ns <= 0 {
		return int64(time.Second)
	}
	ten := math.Pow(10, math.Floor(math.Log10(float64(ns))))
	for _, step := range []float64{1, 1.2, 1.6, 2, 2.5, 3, 4, 5, 6, 8, 10} {
		if n := int64(math.Round(step * ten)); n >= ns {
			return n
		}
	}
	return ns
}

// scaleOf is the common scale of time bars: what is longer than nearly all ends in a mark.
func scaleOf(r *runs.Run, longest int64) int64 {
	if r != nil && r.Durations.N > 0 {
		return roundUp(int64(r.Durations.P99))
	}
	return roundUp(longest)
}

// light is a run without its charts.
func (s *summary) light(id string) *runs.Run {
	q, err := s.parse("", query.Runs, equals(query.Run, id))
	if err != nil {
		return nil
	}
	list, err := s.m.Runs(q, runs.Page{Size: 1})
	if err != nil || len(list.Rows) == 0 {
		return nil
	}
	return &list.Rows[0]
}

// run is a run as a list has it, nil when there is none.
func (s *summary) run(id string) *Run {
	r := s.light(id)
	if r == nil {
		return nil
	}
	return new(s.runOf(r))
}

func (s *summary) runs(a ask) (*Rows[Run], error) {
	q, err := s.parse(a.filter, query.Runs)
	if err != nil {
		return nil, fault(err, "")
	}
	list, err := s.m.Runs(q, a.page())
	if err != nil {
		return nil, fault(err, "")
	}
	out := &Rows[Run]{Next: cursorOf(list.Next), Matched: &list.Matched, Total: &list.Total}
	for i := range list.Rows {
		out.Rows = append(out.Rows, s.runOf(&list.Rows[i]))
	}
	return out, nil
}

// runAt is the run that went on at a time in unix seconds, nil when none did that is known.
func (s *summary) runAt(at int64) *string {
	list, _ := s.m.Runs(query.Query{}, runs.Page{Size: 1000})
	for i := range list.Rows {
		if r := &list.Rows[i]; r.ID != "" && at >= Instant(r.Started).at() && at <= Instant(r.Last).at() {
			return new(otlp.Text(r.ID))
		}
	}
	return nil
}

// goesOn tells whether a run is still running.
func (s *summary) goesOn(r *runs.Run) bool {
	if r.Progress == nil && s.now().UnixNano()-int64(r.Last) > int64(quietAfter) {
		return false
	}
	return r.Running()
}

func (s *summary) runOf(r *runs.Run) Run {
	c := &r.Counts
	out := Run{
		ID: otlp.Text(r.ID), State: "finished", Environments: r.Environments[:min(len(r.Environments), 8)], EnvironmentsTotal: len(r.Environments),
		Started: known(r.Started), Ended: known(r.Last), Last: known(r.Last),
		Rollouts: Counts{Finished: c.Finished, Scored: c.Scored, Failed: c.Failed, Running: c.Running},
		OverTime: seriesOf(r.OverTime), RewardMean: meanOf(c.Reward), RewardN: c.Reward.N, P95: overSome(int64(r.Durations.N), r.Durations.P95),
		Tasks: r.Tasks, Attempts: r.Attempts, Spans: r.Spans, Errors: r.Errors, Truncated: r.Cut, Traces: int64(r.Traces), Groups: r.Groups,
		Processes: len(r.Services), TokensIn: r.TokensIn, TokensOut: r.TokensOut, FailureRate: share(c.Failed, c.Finished),
	}
	if r.PerMinute > 0 {
		out.Rate = finite(r.PerMinute)
	}
	switch {
	case s.goesOn(r):
		out.State, out.Ended = "running", nil
	case c.Running > 0 && (r.Progress == nil || !r.Progress.Done):
		out.Note = count(int64(c.Running), "rollout never ended", "rollouts never ended")
	}
	if c.Finished > 0 && c.Failed == c.Finished && out.State != "running" {
		out.State = "failed"
		if why := s.m.Values(r.ID, query.Failure); len(why) > 0 {
			out.Note = clip(otlp.Text(why[0].Value), 80)
		}
	}
	if p := r.Progress; p != nil {
		s.progress(&out, p)
	}
	return out
}

// progress adds what only the driver of a run knows.
func (s *summary) progress(out *Run, p *runs.Progress) {
	out.Rollouts.Total, out.Rollouts.Waiting, out.Rollouts.Running = new(p.Total), new(p.Waiting), p.Running
	if p.Concurrency > 0 {
		out.Concurrency = new(p.Concurrency)
	}
	if left := p.Total - out.Rollouts.Finished; !p.Done && left > 0 && out.Rate != nil {
		out.Left = new(int64(float64(left) / *out.Rate * float64(time.Minute)))
	}
}

func (s *summary) marks() (marks map[string]runMark, complete bool) {
	list, err := s.m.Runs(query.Query{}, runs.Page{Size: 1000})
	if err != nil {
		return nil, false
	}
	marks = make(map[string]runMark, len(list.Rows))
	for i := range list.Rows {
		r := &list.Rows[i]
		m := runMark{spans: r.Spans, last: int64(r.Last), finished: r.Counts.Finished, running: s.goesOn(r)}
		if r.Progress != nil {
			m.progress = *r.Progress
		}
		marks[r.ID] = m
	}
	return marks, list.Next == ""
}

// sums counts everything together.
func (s *summary) sums() totals {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.now()
	if age := now.Sub(s.totals); age >= 0 && age < totalsFor && !s.totals.IsZero() {
		return s.all
	}
	t := s.m.Totals()
	s.all = totals{runs: t.Runs, traces: t.Traces, truncated: t.Truncated, copies: t.Copies}
	groups, _ := s.m.Groups(runs.Everything)
	for i := range groups {
		s.all.spansPerSecond += groups[i].PerSecond(now)
	}
	s.countActive(now)
	s.totals = now
	return s.all
}

// countActive counts running runs, and the processes of which something came in the last seconds.
func (s *summary) countActive(now time.Time) {
	active := map[string]bool{}
	since := now.Add(-rateWindow)
	list, _ := s.m.Runs(query.Query{}, runs.Page{Size: 1000})
	for i := range list.Rows {
		r := &list.Rows[i]
		if s.goesOn(r) {
			s.all.running++
		}
		if int64(r.Last) >= since.UnixNano() {
			for _, name := range r.Services {
				active[name] = true
			}
		}
	}
	for _, x := range s.m.Services(since) {
		active[x.Name] = true
	}
	s.all.processes = len(active)
}

func (s *summary) detail(id, filter string) (*RunDetail, error) {
	q, err := s.parse(filter, query.Rollouts)
	if err != nil {
		return nil, fault(err, "")
	}
	d, ok := s.m.RunWhere(id, q)
	if !ok {
		return nil, noRun(id)
	}
	groups, _ := s.m.Groups(id)
	out := &RunDetail{
		Run: s.runOf(&d.Run), Filtered: !q.Empty(), Matched: d.Matched, Of: d.Run.Counts.Rollouts,
		Counts: RunCounts{Rollouts: d.Run.Counts.Rollouts, Tasks: d.Run.Tasks, Groups: len(groups)},
		Time:   TimePanel{N: d.All.Durations.N},
		Reward: RewardPanel{N: d.All.Counts.Reward.N, From: d.Rewards[0], To: d.Rewards[1]},
		Duration: DurationHist{N: d.All.Durations.N, Bins: durationBins(d.Durations), P50: overSome(int64(d.All.Durations.N), d.All.Durations.P50),
			P95: overSome(int64(d.All.Durations.N), d.All.Durations.P95), P99: overSome(int64(d.All.Durations.N), d.All.Durations.P99),
			Max: overSome(int64(d.All.Durations.N), d.All.Durations.Max)},
	}
	out.Time.Rows = append(out.Time.Rows, timeRow(nil, &d.All))
	for i := range d.Environments[:min(len(d.Environments), 50)] {
		e := &d.Environments[i]
		name := otlp.Text(e.Name)
		out.Time.Rows = append(out.Time.Rows, timeRow(&name, e))
		out.Reward.Rows = append(out.Reward.Rows, rewardRow(&name, e))
	}
	out.Reward.Rows = append(out.Reward.Rows, rewardRow(nil, &d.All))
	return out, nil
}

func timeRow(name *string, e *runs.Environment) TimeRow {
	return TimeRow{Env: name, N: e.Durations.N, Total: int64(e.Split.Total()), Parts: partsOf(e.Split)}
}

func rewardRow(name *string, e *runs.Environment) RewardRow {
	row := RewardRow{Env: name, N: e.Counts.Reward.N, Counts: e.Rewards, Mean: meanOf(e.Counts.Reward)}
	if e.PassTasks > 0 {
		row.K, row.Pass = new(e.K), finite(e.PassK)
	}
	return row
}

// durationBins joins neighbours until there are few enough to be bars.
func durationBins(bins []runs.DurationBin) (out []DurationBin) {
	const most = 40
	step := max((len(bins)+most-1)/most, 1)
	for part := range slices.Chunk(bins, step) {
		b := DurationBin{From: int64(part[0].From), To: int64(part[len(part)-1].To)}
		for _, p := range part {
			b.Failed += p.Failed
			b.Scored += p.Finished - p.Failed
		}
		out = append(out, b)
	}
	return out
}

func (s *summary) services(since int64) *Services {
	now := s.now()
	from := time.Unix(0, max(now.UnixNano()-since, 0))
	list := s.m.Services(from)
	out := &Services{Since: since, Total: len(list)}
	for _, x := range list[:min(len(list), maxRows)] {
		took := max(min(now.UnixNano()-int64(x.OverTime.Start), since), int64(time.Minute)) // of a program that has just begun: since then
		row := Service{Service: otlp.Text(x.Name), Traces: int64(x.Traces), PerMin: float64(x.Traces) / (float64(took) / float64(time.Minute)),
			OverTime: seriesOf(x.OverTime), Spans: x.Spans, Errors: x.Errors, P50: overSome(int64(x.Roots.N), x.Roots.P50), P95: overSome(int64(x.Roots.N), x.Roots.P95)}
		if x.Runtime != "" {
			row.Runtime = new(clip(otlp.Text(x.Runtime), 100))
		}
		if x.Spans > 0 {
			row.ErrorRate = float64(x.Errors) / float64(x.Spans)
		}
		out.Rows = append(out.Rows, row)
	}
	return out
}

func (s *summary) rollouts(run string, a ask) (*Rollouts, error) {
	q, err := s.parse(a.filter, query.Rollouts)
	if err != nil {
		return nil, fault(err, run)
	}
	list, err := s.m.Rollouts(run, q, a.page())
	if err != nil {
		return nil, fault(err, run)
	}
	r := s.light(run)
	out := &Rollouts{Next: cursorOf(list.Next), Matched: list.Matched, Total: list.Total}
	longest := int64(0)
	for _, x := range list.Rows {
		out.Rows = append(out.Rows, s.rolloutOf(x, r))
		longest = max(longest, int64(x.Total()))
	}
	out.Scale = scaleOf(r, longest)
	return out, nil
}

func (s *summary) rolloutOf(x *runs.Rollout, r *runs.Run) Rollout {
	if r == nil {
		return rolloutOf(x, 0, 0)
	}
	return rolloutOf(x, r.Started, r.Attempts)
}

func (s *summary) rollout(k rolloutKey) (found *Rollout, others []Rollout, err error) {
	x, all := s.m.Rollout(k.run, k.env, k.task, k.attempt, k.retry)
	if x == nil {
		return nil, nil, notFound("There is no such rollout.", "The run has no attempt "+commas(int64(k.attempt))+" of task "+commas(int64(k.task))+
			" in "+quote(clip(otlp.Text(k.env), 100))+".")
	}
	r := s.light(k.run)
	for _, o := range all[:min(len(all), 64)] {
		others = append(others, s.rolloutOf(o, r))
	}
	return new(s.rolloutOf(x, r)), others, nil
}

func (s *summary) tasks(run string, a ask) (*Tasks, error) {
	q, err := s.parse(a.filter, query.Rollouts)
	if err != nil {
		return nil, fault(err, run)
	}
	list, err := s.m.Tasks(run, q, a.page())
	if err != nil {
		return nil, fault(err, run)
	}
	r := s.light(run)
	out := &Tasks{Next: cursorOf(list.Next), Matched: list.Matched, Total: list.Total, AllScored: list.AllScored}
	longest := int64(0)
	for _, t := range list.Rows {
		row := Task{Env: otlp.Text(t.Environment), Task: atLeast(int64(t.Task), 0), Verdict: string(t.Verdict), Mean: meanOf(t.Reward), AttemptsTotal: len(t.Attempts)}
		if t.HasDifference {
			row.Difference = new(int64(t.Difference))
		}
		for _, x := range t.Attempts[:min(len(t.Attempts), 16)] {
			row.Attempts = append(row.Attempts, s.rolloutOf(x, r))
			longest = max(longest, int64(x.Total()))
		}
		out.Columns = max(out.Columns, len(row.Attempts))
		out.Rows = append(out.Rows, row)
	}
	out.Scale = scaleOf(r, longest)
	return out, nil
}

func (s *summary) traces(run *string, a ask) (*Rows[Trace], error) {
	var ours []string
	if run != nil {
		ours = append(ours, equals(query.Run, *run))
	}
	q, err := s.parse(a.filter, query.Traces, ours...)
	if err != nil {
		return nil, fault(err, "")
	}
	list, err := s.m.Traces(q, a.page())
	if err != nil {
		return nil, fault(err, "")
	}
	out := &Rows[Trace]{Next: cursorOf(list.Next), Matched: &list.Matched, Total: &list.Total}
	for i := range list.Rows {
		out.Rows = append(out.Rows, traceOf(&list.Rows[i]))
	}
	return out, nil
}

func traceOf(t *runs.Trace) Trace {
	out := Trace{Trace: t.ID, At: Instant(t.Start).at(), Service: clip(otlp.Text(t.Service), 200), Start: Instant(t.Start), Duration: int64(t.Duration),
		Open: t.Rootless || t.Open > 0, Spans: t.Spans, Errors: t.Errors, Truncated: t.Cut, Services: t.Services, Rollouts: t.Rollouts}
	if !t.Rootless {
		out.Root = new(clip(otlp.Text(t.Root), 1000))
	}
	if t.Run != "" {
		out.Run = new(otlp.Text(t.Run))
	}
	if x := t.Rollout; x != nil {
		out.Rollout = &RolloutKey{Env: otlp.Text(x.Environment), Task: atLeast(int64(x.Task), 0), Attempt: atLeast(int64(x.Attempt), 1), Retry: int64(x.Retry)}
	}
	return out
}

// trace is one trace as a list has it, nil when it is not here.
func (s *summary) trace(id otlp.TraceID) *Trace {
	if t, ok := s.traceRows(id)[id]; ok {
		return &t
	}
	return nil
}

// traceRows finds traces by their ids, at most 64.
func (s *summary) traceRows(ids ...otlp.TraceID) map[otlp.TraceID]Trace {
	texts := make([]string, 0, len(ids))
	for _, id := range ids[:min(len(ids), 64)] {
		texts = append(texts, id.String())
	}
	out := map[otlp.TraceID]Trace{}
	if len(texts) == 0 {
		return out
	}
	q, err := s.parse("", query.Traces, equals(query.Trace, texts...))
	if err != nil {
		return out
	}
	list, _ := s.m.Traces(q, runs.Page{Size: len(texts)})
	for i := range list.Rows {
		out[list.Rows[i].ID] = traceOf(&list.Rows[i])
	}
	return out
}

func (s *summary) groups(run *string) (*Groups, error) {
	id := runs.Everything
	if run != nil {
		id = *run
	}
	list, ok := s.m.Groups(id)
	if !ok {
		return nil, noRun(id)
	}
	names, _ := s.m.Names(id)
	out := &Groups{Run: run, Total: GroupTotal{Names: len(names)}}
	now, open := s.now(), int64(0)
	for i := range list {
		g := &list[i]
		row := Group{Group: clip(otlp.Text(g.Group), 200), Namespace: clip(otlp.Text(g.Namespace), 200), Spans: g.Spans, SpanShare: g.SpanShare, OverTime: seriesOf(g.OverTime),
			PerSecond: g.PerSecond(now), Bytes: g.Bytes, ByteShare: g.ByteShare, P50: overSome(g.N, g.P50), P95: overSome(g.N, g.P95), P99: overSome(g.N, g.P99),
			Errors: g.Errors, Names: g.Names}
		open += g.Open
		out.Total.Spans += g.Spans
		out.Total.Bytes += g.Bytes
		out.Total.Errors += g.Errors
		out.Total.PerSecond += row.PerSecond
		if len(out.Rows) < maxRows {
			out.Rows = append(out.Rows, row)
		}
	}
	out.Spans, out.Bytes, out.Open = out.Total.Spans, out.Total.Bytes, &open
	if run == nil {
		runsList, _ := s.m.Runs(query.Query{}, runs.Page{Size: 1000})
		for i := range runsList.Rows {
			out.Rollouts += runsList.Rows[i].Counts.Rollouts
		}
	} else if r := s.light(id); r != nil {
		out.Rollouts = r.Counts.Rollouts
	}
	if out.Rollouts > 0 {
		out.BytesPerRollout = new(out.Bytes / int64(out.Rollouts))
	}
	return out, nil
}

func (s *summary) names(run, group *string, a ask) (*Rows[Name], error) {
	id := runs.Everything
	if run != nil {
		id = *run
	}
	list, ok := s.m.Names(id)
	if !ok {
		return nil, noRun(id)
	}
	if group != nil {
		list = slices.DeleteFunc(list, func(n runs.Name) bool { return n.Group != *group })
	}
	page, next, err := pageOf(list, a.cursor, a.limit)
	if err != nil {
		return nil, err
	}
	out := &Rows[Name]{Next: next, Total: new(len(list))}
	for i := range page {
		n := &page[i]
		out.Rows = append(out.Rows, Name{Group: clip(otlp.Text(n.Group), 200), Name: clip(otlp.Text(n.Name), 1000), Spans: n.Spans, SpanShare: n.SpanShare, Bytes: n.Bytes,
			ByteShare: n.ByteShare, P50: overSome(n.N, n.P50), P95: overSome(n.N, n.P95), P99: overSome(n.N, n.P99), Errors: n.Errors})
	}
	return out, nil
}

func (s *summary) compare(a, b string, page ask) (*RunComparison, error) {
	c, ok := s.m.Compare(a, b)
	if !ok {
		if s.light(a) == nil {
			return nil, noRun(a)
		}
		return nil, noRun(b)
	}
	rows, next, err := pageOf(c.Tasks, page.cursor, page.limit)
	if err != nil {
		return nil, err
	}
	out := &RunComparison{A: s.runOf(&c.A), B: s.runOf(&c.B), Next: next, Total: len(c.Tasks), OnlyA: c.OnlyA, OnlyB: c.OnlyB}
	if c.K > 0 {
		out.K = &c.K
	}
	out.Environments = append(out.Environments, comparedEnv(nil, &c.All))
	for i := range c.Environments[:min(len(c.Environments), 50)] {
		out.Environments = append(out.Environments, comparedEnv(new(otlp.Text(c.Environments[i].Environment)), &c.Environments[i]))
	}
	for i := range rows {
		t := &rows[i]
		out.Rows = append(out.Rows, ComparedTask{Env: otlp.Text(t.Environment), Task: int64(t.Task), AMean: meanOf(t.A.Reward), BMean: meanOf(t.B.Reward),
			Difference: when(t.HasMean, t.Mean), APass: when(t.A.HasPass, t.A.Pass), BPass: when(t.B.HasPass, t.B.Pass), AN: t.A.Attempts, BN: t.B.Attempts,
			ADuration: atLeast(int64(t.A.Duration), 1), BDuration: atLeast(int64(t.B.Duration), 1)})
	}
	return out, nil
}

func comparedEnv(name *string, d *runs.Difference) ComparedEnv {
	return ComparedEnv{Env: name, Tasks: d.Tasks, AMean: meanOf(d.A.Reward), BMean: meanOf(d.B.Reward), Difference: when(d.Tasks > 0, d.Mean),
		APass: when(d.A.HasPass, d.A.Pass), BPass: when(d.B.HasPass, d.B.Pass), PassDifference: when(d.HasPass, d.Pass), Worse: d.Worse, Better: d.Better}
}

func when(has bool, f float64) *float64 {
	if !has {
		return nil
	}
	return finite(f)
}
