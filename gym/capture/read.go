package capture

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

// Rollout is what was captured of one rollout.
type Rollout struct {
	ID string
	// Calls are in the order in which they ended.
	Calls []ModelCall
	// Damaged is how many lines could not be read.
	Damaged int
	// Incomplete says that a call could not be written.
	Incomplete bool

	marked time.Time // when that was
}

// ModelCall is one captured call, with what consumers ask for taken out of request and answer. Its JSON is that of the
// Python system; a nil pointer is null: not known.
type ModelCall struct {
	ID              *string        `json:"model_call_id"`
	ResponseID      *string        `json:"response_id"`
	ClientSession   *string        `json:"client_session_id"`
	Index           int            `json:"call_index"`
	Model           jsontext.Value `json:"model_ref"`
	ModelName       *string        `json:"model"`
	Dialect         *string        `json:"dialect"`
	Status          *int64         `json:"status_code"`
	ResponseStatus  *string        `json:"response_status"`
	Finish          *string        `json:"finish_reason"`
	Started         *float64       `json:"started_at"`
	Completed       *float64       `json:"completed_at"`
	TokensIn        *int64         `json:"tokens_in"`
	TokensOut       *int64         `json:"tokens_out"`
	TokensReasoning *int64         `json:"tokens_reasoning"`
	TokensTotal     *int64         `json:"tokens_total"`
	Request         jsontext.Value `json:"request"`
	Response        jsontext.Value `json:"response"`
	RequestRaw      *string        `json:"request_raw"`
	ResponseRaw     *string        `json:"response_raw"`
	ToolCalls       []ToolCall     `json:"tool_calls"`
	Reasoning       *string        `json:"reasoning_content"`
	CacheHit        *bool          `json:"cache_hit"`
	Cached          *int64         `json:"cached_tokens"`
	CacheCreation   *int64         `json:"cache_creation_tokens"`
	Error           *string        `json:"error_category"`
	Latency         *float64       `json:"latency_total_ms"`
	FirstByte       *float64       `json:"latency_ttft_ms"`
}

// Read reads what was captured of a rollout; nothing captured is no error.
func Read(folder, rollout string) (Rollout, error) {
	r := Rollout{ID: rollout}
	if !wire.ValidRolloutID(rollout) {
		return r, fmt.Errorf("cannot read the capture of rollout %q: that is no rollout id", rollout)
	}
	if mark, err := os.Stat(filepath.Join(folder, incompleteFile(rollout))); err == nil {
		r.Incomplete, r.marked = true, mark.ModTime()
	}
	text, err := os.ReadFile(filepath.Join(folder, recordFile(rollout)))
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return r, fmt.Errorf("cannot read the capture of a rollout: %w", err)
	}
	for i, line := range bytes.FieldsFunc(text, func(c rune) bool { return c == '\n' }) {
		o, err := responses.ParseObject(line)
		if err != nil {
			r.Damaged++
			continue
		}
		r.Calls = append(r.Calls, modelCall(o, i))
	}
	return r, nil
}

// modelCall takes a record apart.
func modelCall(record responses.Object, index int) ModelCall {
	request, _ := record.Sub("request")
	response, _ := record.Sub("response")
	usage, _ := response.Sub("usage")
	c := ModelCall{
		Index: index, ID: text(record, "model_call_id"), Dialect: text(record, "dialect"), Error: text(record, "error_category"),
		ClientSession: text(record, "client_session_id"), RequestRaw: text(record, "request_raw"), ResponseRaw: text(record, "response_raw"),
		Status: count(record, "status_code"), Started: float(record, "started_at"), Completed: float(record, "completed_at"),
		Latency: float(record, "latency_ms"), FirstByte: float(record, "latency_ttft_ms"),
		ResponseID: text(response, "id"), ModelName: text(response, "model"), ResponseStatus: text(response, "status"),
		Finish: finish(response), Model: member(record, "model_ref"), Request: member(record, "request"), Response: member(record, "response"),
	}
	if c.ModelName == nil {
		c.ModelName = text(request, "model")
	}
	c.setTokens(usage)
	c.ToolCalls, c.Reasoning = said(response)
	return c
}

// setTokens reads token counts of any dialect. Those of the Messages dialect leave cached tokens out of the input, so they
// are added: the input is what the model has read.
func (c *ModelCall) setTokens(usage responses.Object) {
	c.TokensIn = first(count(usage, "input_tokens"), count(usage, "prompt_tokens"))
	c.TokensOut = first(count(usage, "output_tokens"), count(usage, "completion_tokens"))
	read, made := count(usage, "cache_read_input_tokens"), count(usage, "cache_creation_input_tokens")
	if cached := or(read, 0) + or(made, 0); (read != nil || made != nil) && (c.TokensIn != nil || cached > 0) {
		c.TokensIn = new(or(c.TokensIn, 0) + cached)
	}
	c.TokensTotal = count(usage, "total_tokens")
	if c.TokensTotal == nil && c.TokensIn != nil && c.TokensOut != nil {
		c.TokensTotal = new(*c.TokensIn + *c.TokensOut)
	}
	c.TokensReasoning = first(detail(usage, "reasoning_tokens", "output_tokens_details", "completion_tokens_details"), count(usage, "reasoning_output_tokens"))
	c.Cached = first(detail(usage, "cached_tokens", "input_tokens_details", "prompt_tokens_details"), read, count(usage, "cached_input_tokens"))
	if c.Cached != nil {
		c.CacheHit = new(*c.Cached > 0)
	}
	c.CacheCreation = made
}

// finish is why the model stopped, in the words of the dialect.
func finish(response responses.Object) *string {
	if reason := text(response, "stop_reason"); reason != nil {
		return reason
	}
	if choices, _ := response.Array("choices"); len(choices) > 0 {
		choice, _ := responses.View(choices[0])
		if reason := text(choice, "finish_reason"); reason != nil {
			return reason
		}
	}
	details, _ := response.Sub("incomplete_details")
	return text(details, "reason")
}

func text(o responses.Object, name string) *string {
	if s, ok := o.String(name); ok {
		return &s
	}
	return nil
}

func float(o responses.Object, name string) *float64 {
	if f, ok := o.Float(name); ok {
		return &f
	}
	return nil
}

// count is a number of something; what is below 0 is not known.
func count(o responses.Object, name string) *int64 {
	if n, ok := o.Int(name); ok && n >= 0 {
		return &n
	}
	return nil
}

func detail(usage responses.Object, name string, groups ...string) *int64 {
	for _, group := range groups {
		o, _ := usage.Sub(group)
		if n := count(o, name); n != nil {
			return n
		}
	}
	return nil
}

func member(o responses.Object, name string) jsontext.Value {
	v, _ := o.Get(name)
	if responses.IsNull(v) {
		return nil
	}
	return v
}

func first[T any](list ...*T) *T {
	for _, v := range list {
		if v != nil {
			return v
		}
	}
	return nil
}

func or[T any](v *T, otherwise T) T {
	if v == nil {
		return otherwise
	}
	return *v
}
