package web

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/runs"
)

// Parts is the time split: admission wait, pool wait, model, tools, verify, other.
type Parts [6]int64

// Rollout is one attempt of one task.
type Rollout struct {
	Run       string        `json:"run"`
	Env       string        `json:"env"`
	Agent     string        `json:"agent"`
	Task      *int64        `json:"task"`
	Attempt   *int64        `json:"attempt"`
	Attempts  *int64        `json:"attempts"`
	Retry     int64         `json:"retry"`
	ID        string        `json:"id"`
	Trace     *otlp.TraceID `json:"trace"`
	Span      *otlp.SpanID  `json:"span"`
	At        *int64        `json:"at"`
	State     string        `json:"state"`
	Failure   string        `json:"failure"`
	Message   string        `json:"message"`
	Reward    *float64      `json:"reward"`
	Started   *Instant      `json:"started"`
	SinceRun  *int64        `json:"since_run_ns"`
	Duration  *int64        `json:"duration_ns"`
	Guessed   bool          `json:"guessed"`
	Total     *int64        `json:"total_ns"`
	Parts     *Parts        `json:"parts_ns"`
	Turns     *int64        `json:"turns"`
	ToolCalls *int64        `json:"tool_calls"`
	TokensIn  *int64        `json:"tokens_in"`
	TokensOut *int64        `json:"tokens_out"`
	Spans     int           `json:"spans"`
	Errors    int           `json:"errors"`
	Truncated int           `json:"truncated"`
}

// OneRollout is a rollout and the other attempts of its task.
type OneRollout struct {
	Rollout Rollout   `json:"rollout"`
	Others  []Rollout `json:"others"`
}

// rolloutOf turns an analysed rollout into a row. began is the start of its run, 0 when that is not known; attempts how many
// its task has, 0 when that is not known.
func rolloutOf(r *runs.Rollout, began uint64, attempts int) Rollout {
	out := Rollout{
		Run: otlp.Text(r.Run), Env: otlp.Text(r.Environment), Agent: otlp.Text(r.Agent), ID: otlp.Text(r.ID),
		Task: atLeast(int64(r.Task), 0), Attempt: atLeast(int64(r.Attempt), 1), Attempts: atLeast(int64(attempts), 1), Retry: int64(r.Retry),
		State: string(r.Outcome), Failure: clip(otlp.Text(r.Failure), 200), Message: clip(otlp.Text(r.Message), 1000),
		Guessed: r.Guessed, Turns: atLeast(r.Turns, 0), ToolCalls: atLeast(r.Calls, 0), TokensIn: atLeast(r.TokensIn, 0), TokensOut: atLeast(r.TokensOut, 0),
		Spans: r.Spans, Errors: r.Errors, Truncated: r.Cut,
		Trace: new(r.Trace), At: new(Instant(r.Start).at()), Started: new(Instant(r.Start)),
		Duration: new(gap(r.End, r.Start)), Total: new(int64(r.Total())),
	}
	if !r.Span.IsZero() {
		out.Span = new(r.Span)
	}
	if r.HasReward {
		out.Reward = finite(r.Reward)
	}
	if began > 0 {
		out.SinceRun = new(gap(r.Start, began))
	}
	out.Parts = new(partsOf(r.Split))
	return out
}

func partsOf(s runs.Split) (p Parts) {
	for i, d := range s {
		p[i] = int64(d)
	}
	return p
}

// atLeast is nil for a number below low, which stands for one that is not known.
func atLeast(n, low int64) *int64 {
	if n < low {
		return nil
	}
	return &n
}

// rolloutsOf are the rollouts of a trace, by start, at most limit of them.
func (h *Handler) rolloutsOf(v *view, limit int) (list []Rollout, total int) {
	ofRun := map[string]*runs.Outline{}
	for i := range v.rollouts[:min(len(v.rollouts), limit)] {
		r := &v.rollouts[i].Rollout
		run, ok := ofRun[r.Run]
		if !ok {
			run = h.model.outline(r.Run)
			ofRun[r.Run] = run
		}
		list = append(list, h.model.rolloutOf(r, run))
	}
	return list, len(v.rollouts)
}

// rolloutAt is the rollout whose span is at a row; of a trace without one the only rollout there is.
func (h *Handler) rolloutAt(v *view, row int) *Rollout {
	for i := range v.rollouts {
		a := &v.rollouts[i]
		if a.Root < 0 && len(v.rollouts) == 1 || a.Root >= 0 && v.rowOf[a.Root] == int32(row) {
			return new(h.model.rolloutOf(&a.Rollout, h.model.outline(a.Run)))
		}
	}
	return nil
}

// which reads the parameters that name a rollout within a run. "-" is an environment without a name.
func which(p *params, run, env, task, attempt, retry string) (key rolloutKey) {
	if env == "-" {
		env = ""
	}
	key = rolloutKey{run: runName(run), env: env, retry: -1}
	number := func(name, v string, low int64) int {
		n, err := strconv.ParseInt(v, 10, 31)
		if err != nil || n < low {
			p.wrong(name, v, fmt.Sprintf("It must be a whole number from %d on.", low))
		}
		return int(n)
	}
	key.task, key.attempt = number("task", task, 0), number("attempt", attempt, 1)
	if retry != "" {
		key.retry = number("retry", retry, 0)
	}
	return key
}

// rolloutKey names a rollout; a retry below 0 is the last one.
type rolloutKey struct {
	run, env             string
	task, attempt, retry int
}

func (h *Handler) getRollout(r *http.Request, p *params) (any, error) {
	get := p.values.Get
	key := which(p, r.PathValue("run"), get("env"), get("task"), get("attempt"), get("retry"))
	if p.err != nil {
		return nil, p.err
	}
	found, others, err := h.model.rollout(key)
	if err != nil {
		return nil, err
	}
	return &OneRollout{Rollout: *found, Others: others}, nil
}

// rolloutLink leads a link that names a rollout to its trace.
func (h *Handler) rolloutLink(w http.ResponseWriter, r *http.Request) {
	p := paramsOf(r)
	key := which(p, r.PathValue("run"), r.PathValue("env"), r.PathValue("task"), r.PathValue("attempt"), p.values.Get("retry"))
	var found *Rollout
	if p.err == nil {
		found, _, p.err = h.model.rollout(key)
	}
	if p.err != nil || found.Trace == nil {
		w.Header().Set("Cache-Control", "no-cache")
		h.static.index.send(w, r, http.StatusNotFound)
		return
	}
	to := url.Values{"at": {strconv.FormatInt(*found.At, 10)}}
	if found.Span != nil {
		to.Set("span", found.Span.String())
	}
	w.Header().Set("Location", "/traces/"+found.Trace.String()+"?"+to.Encode())
	w.WriteHeader(http.StatusFound)
}

func (s *summary) rolloutOf(x *runs.Rollout, r *runs.Outline) Rollout {
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
	r := s.outline(k.run)
	for _, o := range all[:min(len(all), 64)] {
		others = append(others, s.rolloutOf(o, r))
	}
	return new(s.rolloutOf(x, r)), others, nil
}

// othersOf are the last tries of all attempts of a rollout's task, itself too.
func (h *Handler) othersOf(r Rollout) []Rollout {
	if r.Task == nil || r.Attempt == nil {
		return nil
	}
	_, others, err := h.model.rollout(rolloutKey{run: r.Run, env: r.Env, task: int(*r.Task), attempt: int(*r.Attempt), retry: -1})
	if err != nil {
		return nil
	}
	return others
}
