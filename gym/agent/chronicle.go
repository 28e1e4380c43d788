package agent

import (
	"bytes"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/responses"
)

// chronicle is the ng_trajectory of a rollout, with the members of the Python agent's: what was asked, answered and called,
// and when. Members that an agent cannot know are null. The methods that tell it something may be called on nil, which
// keeps nothing.
type chronicle struct {
	Schema      string           `json:"schema_version"`
	Task        string           `json:"task_id"`
	Rollout     string           `json:"rollout_id"`
	Invocations []invocation     `json:"invocations"` // one: this agent has no others below it
	Turns       []turnRecord     `json:"turns"`
	ModelCalls  []jsontext.Value `json:"model_calls"` // what was captured; whoever collects adds it
	ToolCalls   []toolRecord     `json:"tool_calls"`
	Gaps        []gap            `json:"gaps"`

	model Ref
}

// The ways in which an invocation or a call ends.
const (
	statusCompleted  = "completed"
	statusIncomplete = "incomplete"
	statusFailed     = "failed"
)

// root names the one invocation.
const root = "root"

type invocation struct {
	Kind         string         `json:"kind"`
	ID           string         `json:"invocation_id"`
	Parent       *string        `json:"parent_invocation_id"`
	SpawnedBy    *string        `json:"spawned_by_tool_call_id"`
	Status       string         `json:"status"`
	Duration     *float64       `json:"duration_ms"`
	ErrorType    *string        `json:"error_type"`
	ModelCalls   []modelCallRef `json:"model_calls"`
	Conversation jsontext.Value `json:"conversation"`
}

// modelCallRef names a model call by what an agent sees of it.
type modelCallRef struct {
	ID       *string   `json:"model_call_id"`
	Model    serverRef `json:"model_ref"`
	Response string    `json:"response_id"`
}

type serverRef struct {
	Type string `json:"type"`
	Name string `json:"name"`
}

// gap is something that could not be seen.
type gap struct {
	Code       string  `json:"code"`
	Invocation string  `json:"invocation_id"`
	Detail     *string `json:"detail"`
}

type turnRecord struct {
	Invocation string            `json:"invocation_id"`
	Task       string            `json:"task_id"`
	Rollout    string            `json:"rollout_id"`
	Number     int               `json:"turn_no"` // from 1
	Time       float64           `json:"timestamp"`
	Question   jsontext.Value    `json:"question"`
	Answer     []responses.Item  `json:"answer"`
	Reasoning  *[]responses.Item `json:"reasoning_content"` // nil: there is none
	Resolved   *bool             `json:"resolved"`
	Steps      int               `json:"step_count"` // tool calls so far
	ModelCalls []modelCallRef    `json:"model_calls"`
}

type toolRecord struct {
	Kind       string  `json:"kind"`
	Invocation string  `json:"invocation_id"`
	Call       string  `json:"tool_call_id"`
	Sandbox    *string `json:"sandbox_id"`
	Name       string  `json:"tool_name"`
	Started    float64 `json:"started_at"`
	Completed  float64 `json:"completed_at"`
	Duration   float64 `json:"duration_ms"`
	Source     string  `json:"timing_source"`
	Status     string  `json:"status"`
	ErrorType  *string `json:"error_type"`
	Output     string  `json:"output"`

	began time.Time
}

// newChronicle begins the chronicle of the rollout called id.
func newChronicle(id string, model Ref) *chronicle {
	return &chronicle{Schema: "1.0", Task: "unscoped", Rollout: id, model: model}
}

// asks notes that the model is asked.
func (ch *chronicle) asks(c *conversation) {
	if ch == nil {
		return
	}
	ch.Turns = append(ch.Turns, turnRecord{Invocation: root, Number: len(ch.Turns) + 1, Time: unix(time.Now()), Question: bytes.Clone(c.items()),
		Steps: len(ch.ToolCalls)})
}

// answered notes what came back.
func (ch *chronicle) answered(answer responses.Response, output []responses.Item) {
	if ch == nil {
		return
	}
	turn := &ch.Turns[len(ch.Turns)-1]
	var reasoning []responses.Item
	for _, item := range output {
		if item.Type() == responses.TypeReasoning {
			reasoning = append(reasoning, item)
		} else {
			turn.Answer = append(turn.Answer, item)
		}
	}
	if reasoning != nil {
		turn.Reasoning = &reasoning
	}
	if id, _ := answer.String("id"); id != "" {
		turn.ModelCalls = []modelCallRef{{Model: serverRef{config.TypeModel, ch.model.Name}, Response: id}}
	} else {
		ch.misses("model_call_reference_unavailable")
	}
}

// calls notes that a tool is called.
func (ch *chronicle) calls(call responses.Item) {
	if ch == nil {
		return
	}
	now := time.Now()
	ch.ToolCalls = append(ch.ToolCalls, toolRecord{Kind: "tool_call", Invocation: root, Call: call.CallID(), Name: call.Name(),
		Started: unix(now), Source: "executor", began: now})
}

// returned notes what the model reads of the call, and why it is no result, "" where it is one.
func (ch *chronicle) returned(output []byte, failure string) {
	if ch == nil {
		return
	}
	call := &ch.ToolCalls[len(ch.ToolCalls)-1]
	took := time.Since(call.began)
	call.Completed, call.Duration = unix(call.began.Add(took)), float64(took)/float64(time.Millisecond)
	call.Output, call.Status = strings.ToValidUTF8(string(output), "\uFFFD"), statusCompleted
	if failure != "" {
		call.Status, call.ErrorType = statusFailed, new(failure)
	}
	ch.Turns[len(ch.Turns)-1].Steps = len(ch.ToolCalls)
}

// ended notes how the conversation came to its end.
func (ch *chronicle) ended(status string, c *conversation) {
	if ch == nil {
		return
	}
	in := invocation{Kind: "agent_invocation", ID: root, Status: status, Conversation: bytes.Clone(c.items())}
	for i := range ch.Turns {
		in.ModelCalls = append(in.ModelCalls, ch.Turns[i].ModelCalls...)
		ch.Turns[i].Task, ch.Turns[i].Rollout = ch.Task, ch.Rollout
	}
	ch.Invocations = []invocation{in}
}

// identify says which task it was, and whether the verdict calls it solved.
func (ch *chronicle) identify(task row, verdict responses.Object) {
	ch.Task = "unknown"
	for _, name := range []string{"task_id", "problem_id", "instance_id", "_ng_task_index"} {
		if v, _ := task.object.Get(name); !responses.IsNull(v) {
			if text, ok := responses.Text(v); ok {
				ch.Task = text
			} else {
				ch.Task = string(v)
			}
			break
		}
	}
	for i := range ch.Turns {
		ch.Turns[i].Task = ch.Task
	}
	if resolved, ok := verdict.Bool("resolved"); ok && len(ch.Turns) > 0 {
		ch.Turns[len(ch.Turns)-1].Resolved = &resolved
		return
	}
	ch.misses("resolution_unavailable")
}

// misses notes what could not be seen.
func (ch *chronicle) misses(code string) {
	ch.Gaps = append(ch.Gaps, gap{Code: code, Invocation: root})
}

// unix is a time in seconds.
func unix(t time.Time) float64 { return float64(t.UnixMicro()) / 1e6 }
