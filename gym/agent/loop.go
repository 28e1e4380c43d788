package agent

import (
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/semconv"
)

// trajectory is what the loop makes of one task.
type trajectory struct {
	response  responses.Response // the last answer, with the output of all turns and the sum of their usage
	usage     *responses.Usage   // that sum; nil when no turn had one
	turns     int                // model calls
	toolCalls int                // function calls that the model made, sent or not
	resources wire.Cookies       // of the resources server, after the last tool
	model     wire.Cookies       // of the model server, after the last turn

	prefixes
	chronicle *chronicle // nil: nobody wants it
}

// begin returns the trajectory of the rollout called id before its first turn; "" is a rollout without a name.
func (a *Agent) begin(ctx context.Context, id string, cookies wire.Cookies) *trajectory {
	t := &trajectory{resources: cookies, prefixes: a.prefixes(ctx, id)}
	if a.Observability && id != "" {
		t.chronicle = newChronicle(id, a.Model)
	}
	return t
}

// respond is the agent's /v1/responses: the loop, inside its span. It is called for the route and, without HTTP, by /run.
func (a *Agent) respond(ctx context.Context, params responses.CreateParams, t *trajectory) error {
	ctx, span := wire.StartEndpoint(ctx, telemetry.Agent, semconv.SpanGymAgentResponses)
	defer span.End()
	err := a.loop(ctx, params, t)
	if err != nil {
		span.Err(wire.SpanError(err))
	}
	return err
}

// loop asks the model and calls its tools until there is an answer.
func (a *Agent) loop(ctx context.Context, params responses.CreateParams, t *trajectory) error {
	c, err := newConversation(params)
	if err != nil {
		return err
	}
	status := statusCompleted
	for silent := 0; ; {
		turn, err := a.ask(ctx, c, t)
		if err != nil {
			return err
		}
		if turn.done {
			if t.response.Incomplete() {
				status = statusIncomplete
			}
			break
		}
		if silent++; len(turn.calls) > 0 {
			silent = 0
		}
		if silent == a.maxSilent {
			return fmt.Errorf("cannot finish the loop: model server %q answered %d times in a row with neither a tool call nor a message; "+
				"set max_steps to end such a rollout with what there is, or max_silent_steps to wait longer", a.Model.Name, silent)
		}
		for _, call := range turn.calls {
			if err := a.callTool(ctx, c, t, call); err != nil {
				return err
			}
		}
		if a.maxSteps > 0 && t.turns >= a.maxSteps {
			status = statusIncomplete
			break
		}
	}
	t.finish(c)
	t.chronicle.ended(status, c)
	return nil
}

// finish makes the last answer that of the whole trajectory.
func (t *trajectory) finish(c *conversation) {
	t.response.SetOutput(c.output)
	if t.usage != nil {
		t.response.SetUsage(t.usage)
	}
}

// turn is what one answer of the model asks for.
type turn struct {
	calls []responses.Item
	done  bool // the loop ends here
}

// ask makes one model call, adds its output to c and its counts to t.
func (a *peers) ask(ctx context.Context, c *conversation, t *trajectory) (turn, error) {
	call := wire.Call{Server: a.Model.Name, Path: t.prefixes.model + "/v1/responses", Body: c.body(), Cookies: t.model}
	t.chronicle.asks(c)
	if bound := telemetry.Content(); bound > 0 {
		call.Observe = c.recordTurn(bound)
	}
	res, err := a.call(ctx, call)
	if err != nil {
		return turn{}, fmt.Errorf("cannot ask the model: %w", err)
	}
	answer, err := responses.ParseResponse(res.Body)
	if err != nil {
		return turn{}, fmt.Errorf("cannot read the answer of model server %q: %w", a.Model.Name, err)
	}
	if err := failed(answer); err != nil {
		return turn{}, fmt.Errorf("cannot go on: model server %q gave up: %w", a.Model.Name, err)
	}
	output, err := answer.Output()
	if err != nil {
		return turn{}, fmt.Errorf("cannot read the answer of model server %q: %w", a.Model.Name, err)
	}
	usage, err := answer.Usage()
	if err != nil {
		return turn{}, fmt.Errorf("cannot read the answer of model server %q: %w", a.Model.Name, err)
	}
	t.turns++
	t.usage = responses.AddUsage(t.usage, usage)
	t.model = replaced(t.model, res.Cookies)
	t.response = answer
	t.chronicle.answered(answer, output)
	c.add(output...)
	c.answered = len(c.output)
	return next(answer, output), nil
}

// failed is the error of an answer that came with status 200 and says that there is none. Asking again would only count as
// silence.
func failed(answer responses.Response) error {
	if status, _ := answer.String("status"); status != "failed" {
		return nil
	}
	detail, _ := answer.Sub("error")
	code, _ := detail.String("code")
	message, _ := detail.String("message")
	return fmt.Errorf("status failed, code %q, message %q", code, message)
}

// next decides how to go on after an answer.
func next(answer responses.Response, output []responses.Item) turn {
	if answer.Incomplete() {
		return turn{done: true}
	}
	var t turn
	spoke := false
	for _, item := range output {
		switch item.Type() {
		case responses.TypeFunctionCall:
			t.calls = append(t.calls, item)
		case responses.TypeMessage:
			spoke = spoke || item.Role() == "assistant"
		}
	}
	t.done = len(t.calls) == 0 && spoke
	return t
}

// notTools are routes of every resources server that a model has no business with: it could ask for its own reward. The
// last is the prefix behind which a server finds all its routes again.
var notTools = map[string]bool{
	"seed_session": true, "verify": true, "close_session": true, "aggregate_metrics": true, "reverify_mode": true, "mcp": true,
	"ng-rollout": true,
}

// isTool reports whether a function of that name may be called. A name is whatever the model wrote, so it is looked at as
// the most lenient server would read it as a path.
func isTool(name string) bool {
	first, _, _ := strings.Cut(path.Clean("/" + name)[1:], "/")
	return !notTools[first]
}

// callTool makes one function call and adds its output to c.
func (a *Agent) callTool(ctx context.Context, c *conversation, t *trajectory, call responses.Item) error {
	t.toolCalls++
	t.chronicle.calls(call)
	output, failure, err := a.toolOutput(ctx, t, call)
	if err != nil {
		return fmt.Errorf("cannot call tool %q: %w", call.Name(), err)
	}
	t.chronicle.returned(output, failure)
	c.add(responses.FunctionCallOutput(call.CallID(), string(output)))
	return nil
}

// toolOutput is what the model reads of a call, and why it is no result where it is none.
func (a *Agent) toolOutput(ctx context.Context, t *trajectory, call responses.Item) (output []byte, failure string, err error) {
	arguments := call.Arguments()
	if _, err := responses.ParseArguments(arguments); err != nil {
		return []byte(invalidArguments(arguments)), "invalid_arguments", nil
	}
	if !isTool(call.Name()) {
		return []byte(`{"detail":"Not Found"}`), "http_404", nil
	}
	request := wire.Call{Server: a.Resources.Name, Path: t.prefixes.resources + "/" + call.Name(), Body: []byte(arguments), Cookies: t.resources}
	if bound := telemetry.Content(); bound > 0 {
		request.Observe = recordTool(call, bound)
	}
	res, err := a.do(ctx, request)
	if err != nil {
		return nil, "", err
	}
	t.resources = replaced(t.resources, res.Cookies)
	if res.Status < 200 || res.Status >= 400 {
		failure = "http_" + strconv.Itoa(res.Status)
	}
	return res.Body, failure, nil
}

// invalidArguments is the output of a call whose arguments are not JSON. The text quotes them as Python would.
func invalidArguments(arguments string) string {
	b, _ := json.Marshal(struct { // a string always has a JSON form
		Error string `json:"error"`
	}{"Invalid tool call arguments: " + quoted(arguments)})
	return string(b)
}

// quoted puts s between single quotes and escapes what would break them or the line.
func quoted(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`, "\n", `\n`, "\r", `\r`, "\t", `\t`).Replace(strings.ToValidUTF8(s, "\uFFFD")) + "'"
}

// conversation is the input of the next turn. The items so far are kept as one text that only grows, so that a turn
// costs one copy of it and no encoding.
type conversation struct {
	params responses.CreateParams
	input  []byte           // the JSON array of all items, without its closing bracket
	output []responses.Item // the new ones

	answered int // how many of output the model knew after its last answer
	recorded int // messages on spans so far
}

func newConversation(params responses.CreateParams) (*conversation, error) {
	items, err := params.Input()
	if err != nil {
		return nil, err
	}
	c := &conversation{params: params, input: []byte{'['}}
	for _, item := range items {
		c.append(item)
	}
	return c, nil
}

// add appends new items to the input and to the output.
func (c *conversation) add(items ...responses.Item) {
	for _, item := range items {
		c.append(item)
		c.output = append(c.output, item)
	}
}

func (c *conversation) append(item responses.Item) {
	if len(c.input) > 1 {
		c.input = append(c.input, ',')
	}
	c.input = item.AppendTo(c.input)
}

// items is the text of all items so far. It is good until the next one is added.
func (c *conversation) items() jsontext.Value {
	c.input = append(c.input, ']')
	items := c.input
	c.input = c.input[:len(c.input)-1]
	return items
}

// body is the request of the next turn: the params as they came, absent members absent, with the items so far.
func (c *conversation) body() []byte {
	params := c.params
	params.Set("input", c.items())
	return params.AppendTo(nil)
}
