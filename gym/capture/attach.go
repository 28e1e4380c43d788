package capture

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/responses"
)

// The members of a rollout's row that hold what was captured.
const (
	MemberCapture    = "ng_model_call_capture"
	MemberTrajectory = "ng_trajectory"
)

// Metrics are the sums over a rollout's calls; what no call knows is null.
type Metrics struct {
	TokensIn        *int64   `json:"tokens_in"`
	TokensOut       *int64   `json:"tokens_out"`
	TokensReasoning *int64   `json:"tokens_reasoning"`
	TokensTotal     *int64   `json:"tokens_total"`
	Cached          *int64   `json:"cached_tokens"`
	Latency         *float64 `json:"latency_total_ms"`
	Calls           int      `json:"num_calls"`
}

// Metrics sums up the calls.
func (r Rollout) Metrics() Metrics {
	m := Metrics{Calls: len(r.Calls)}
	for _, c := range r.Calls {
		m.TokensIn = sum(m.TokensIn, c.TokensIn)
		m.TokensOut = sum(m.TokensOut, c.TokensOut)
		m.TokensReasoning = sum(m.TokensReasoning, c.TokensReasoning)
		m.TokensTotal = sum(m.TokensTotal, c.TokensTotal)
		m.Cached = sum(m.Cached, c.Cached)
		m.Latency = sum(m.Latency, c.Latency)
	}
	return m
}

func sum[T int64 | float64](a, b *T) *T {
	if a == nil || b == nil {
		return first(a, b)
	}
	return new(*a + *b)
}

// Gap is something that could not be seen.
type Gap struct {
	Code   string `json:"code"`
	Detail string `json:"detail,omitzero"`
}

// Gaps is what is missing from the capture.
func (r Rollout) Gaps() []Gap {
	var gaps []Gap
	if r.Incomplete {
		gaps = append(gaps, Gap{Code: "model_call_capture_incomplete"})
	}
	if r.Damaged > 0 {
		gaps = append(gaps, Gap{Code: "model_call_capture_damaged", Detail: fmt.Sprintf("%d records", r.Damaged)})
	}
	return gaps
}

// Folder is where the captures of a run are; it attaches them to the rows of its rollouts. It is safe for concurrent use.
type Folder struct {
	Path string
	// Since is when the run has begun. Calls from before are those of another run, whose rollouts have the same ids, or of a
	// rollout that was cut short and is repeated: they are passed over. The zero value passes over none.
	Since time.Time
}

// ForGraph is the folder that a configuration says, for a run that begins now; nil when it does not ask for captures.
func ForGraph(g *config.Graph) (*Folder, error) {
	path, err := configured(g.DecodeValue)
	if err != nil || path == "" {
		return nil, err
	}
	return &Folder{Path: path, Since: time.Now()}, nil
}

// Attach reads what was captured of the rollout and puts it into its row; see [Rollout.Attach]. Where something is missing, the row says
// so, and so does the error.
func (f *Folder) Attach(_ context.Context, rollout string, row *responses.Object) error {
	r, err := Read(f.Path, rollout)
	if err != nil {
		return err
	}
	if !f.Since.IsZero() {
		since := float64(f.Since.UnixMicro()) / 1e6
		r.Calls = slices.DeleteFunc(r.Calls, func(c ModelCall) bool { return c.Started != nil && *c.Started < since })
		r.Incomplete = r.Incomplete && !r.marked.Before(f.Since)
	}
	if err := r.Attach(row); err != nil || len(r.Gaps()) == 0 {
		return err
	}
	return fmt.Errorf("a model server could not write all of it to %s, and its log says why; the gaps of the rows say which are concerned", f.Path)
}

// Attach puts what was captured into the row of the rollout: ng_model_call_capture, and the calls into the ng_trajectory that
// the agent has written, where they are tied to its turns. Without a trajectory one is made that has the calls and says what
// is missing.
func (r Rollout) Attach(row *responses.Object) error {
	captured, err := json.Marshal(struct {
		ID      string      `json:"rollout_id"`
		Metrics Metrics     `json:"metrics"`
		Calls   []ModelCall `json:"calls"`
		Gaps    []Gap       `json:"gaps,omitzero"`
	}{r.ID, r.Metrics(), r.calls(), r.Gaps()})
	if err != nil {
		return fmt.Errorf("cannot attach the captured model calls of rollout %s: %w", r.ID, err)
	}
	trajectory, err := r.trajectory(*row)
	if err != nil {
		return fmt.Errorf("cannot attach the trajectory of rollout %s: %w", r.ID, err)
	}
	row.Set(MemberCapture, captured)
	row.Set(MemberTrajectory, trajectory.AppendTo(nil))
	return nil
}

func (r Rollout) calls() []ModelCall {
	if r.Calls == nil {
		return []ModelCall{}
	}
	return r.Calls
}

// trajectory is the agent's, with the calls, or one that only has these.
func (r Rollout) trajectory(row responses.Object) (responses.Object, error) {
	t, known := row.Sub(MemberTrajectory)
	gaps := r.Gaps()
	if !known {
		t = r.emptyTrajectory(row)
		gaps = append(gaps, Gap{Code: "agent_observations_unavailable"})
	}
	calls := make([]trajectoryCall, len(r.Calls))
	for i, c := range r.Calls {
		calls[i] = c.trajectory()
	}
	if err := t.SetAny("model_calls", calls); err != nil {
		return t, err
	}
	list, _ := t.Array("gaps")
	for _, g := range gaps {
		v, err := json.Marshal(g)
		if err != nil {
			return t, err
		}
		list = append(list, v)
	}
	if err := t.SetAny("gaps", append([]jsontext.Value{}, list...)); err != nil {
		return t, err
	}
	for _, name := range []string{"invocations", "turns"} {
		r.tie(&t, name)
	}
	return t, nil
}

func (r Rollout) emptyTrajectory(row responses.Object) responses.Object {
	var t responses.Object
	t.SetString("schema_version", "1.0")
	task := "unknown"
	if v, _ := row.Get("_ng_task_index"); !responses.IsNull(v) {
		task = string(v)
	}
	t.SetString("task_id", task)
	t.SetString("rollout_id", r.ID)
	for _, name := range []string{"invocations", "turns", "model_calls", "tool_calls", "gaps"} {
		t.Set(name, jsontext.Value("[]"))
	}
	return t
}

// tie gives the references to model calls below a member their ids: an agent knows a call by its server and the answer's id.
func (r Rollout) tie(t *responses.Object, name string) {
	list, _ := t.Array(name)
	changed := false
	for i, v := range list {
		o, _ := responses.View(v)
		refs, _ := o.Array("model_calls")
		tied := false
		for j, ref := range refs {
			if id := r.find(ref); id != "" {
				known, _ := responses.View(ref)
				known.SetString("model_call_id", id)
				refs[j] = known.AppendTo(nil)
				tied = true
			}
		}
		if tied {
			o.Set("model_calls", array(refs))
			list[i] = o.AppendTo(nil)
			changed = true
		}
	}
	if changed {
		t.Set(name, array(list))
	}
}

// find is the id of the one call that a reference means; "" when it has its id, or none or several fit.
func (r Rollout) find(ref jsontext.Value) string {
	o, _ := responses.View(ref)
	if text(o, "model_call_id") != nil {
		return ""
	}
	response := or(text(o, "response_id"), "")
	model, _ := o.Sub("model_ref")
	id, found := "", 0
	for _, c := range r.Calls {
		server, _ := responses.View(c.Model)
		if response == "" || or(c.ResponseID, "") != response || or(text(server, "name"), "") != or(text(model, "name"), "") {
			continue
		}
		id = or(c.ID, "")
		found++
	}
	if found != 1 {
		return ""
	}
	return id
}

// array writes checked values as an array.
func array(list []jsontext.Value) jsontext.Value {
	b := []byte{'['}
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	return append(b, ']')
}

// trajectoryCall is a call as it stands in a trajectory.
type trajectoryCall struct {
	ID        *string        `json:"model_call_id"`
	Started   *float64       `json:"started_at"`
	Completed *float64       `json:"completed_at"`
	Duration  *float64       `json:"duration_ms"`
	Request   jsontext.Value `json:"request"`
	Response  jsontext.Value `json:"response"`
	About     struct {
		ResponseID *string        `json:"response_id"`
		ModelRef   jsontext.Value `json:"model_ref"`
		Model      *string        `json:"model"`
		Dialect    *string        `json:"dialect"`
		Status     *int64         `json:"status_code"`
		Response   *string        `json:"response_status"`
		Finish     *string        `json:"finish_reason"`
		Error      *string        `json:"error_category"`
		FirstByte  *float64       `json:"latency_ttft_ms"`
	} `json:"response_metadata"`
	Tokens struct {
		Prompt     *int64 `json:"prompt_tokens"`
		Completion *int64 `json:"completion_tokens"`
		Reasoning  *int64 `json:"reasoning_tokens"`
		Total      *int64 `json:"total_tokens"`
		Cached     *int64 `json:"cached_tokens"`
	} `json:"token_stats"`
}

func (c ModelCall) trajectory() trajectoryCall {
	t := trajectoryCall{ID: c.ID, Started: c.Started, Completed: c.Completed, Duration: c.Latency, Request: c.Request, Response: c.Response}
	a := &t.About
	a.ResponseID, a.ModelRef, a.Model, a.Dialect, a.Status = c.ResponseID, c.Model, c.ModelName, c.Dialect, c.Status
	a.Response, a.Finish, a.Error, a.FirstByte = c.ResponseStatus, c.Finish, c.Error, c.FirstByte
	k := &t.Tokens
	k.Prompt, k.Completion, k.Reasoning, k.Total, k.Cached = c.TokensIn, c.TokensOut, c.TokensReasoning, c.TokensTotal, c.Cached
	return t
}
