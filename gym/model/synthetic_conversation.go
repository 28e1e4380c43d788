package model

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
)

// readConversation takes from a request what the policy looks at. Ids are not among it: outputs belong to calls by their
// order, so the same conversation under other ids is the same conversation.
func readConversation(seed int64, p responses.CreateParams) (conversation, error) {
	c := conversation{parallel: true}
	extra, err := extraSeed(p)
	if err != nil {
		return c, err
	}
	items, err := p.Input()
	if err != nil {
		return c, err
	}
	if c.tools, err = callableTools(p); err != nil {
		return c, err
	}
	if parallel, ok := p.Bool("parallel_tool_calls"); ok {
		c.parallel = parallel
	}

	instructions, _ := p.String("instructions")
	d := newDigester()
	d.add("lens synthetic_model 1", strconv.FormatInt(seed, 10), extra, instructions)
	last := lastUserMessage(items)
	for i, it := range items {
		d.add(it.Type(), it.Role(), it.Name(), it.Arguments(), it.Text())
		c.read += len(it.Arguments()) + len(it.Text())
		if i == last {
			c.task, c.user = d.sum(), it.Text()
		}
	}
	c.turn = d.sum()
	if last < 0 {
		c.task = c.turn
	}
	c.read += len(instructions)
	c.made = madeCalls(items[last+1:])
	return c, nil
}

// lastUserMessage is the index of the message, -1 when there is none.
func lastUserMessage(items []responses.Item) int {
	for i, item := range slices.Backward(items) {
		if item.Type() == responses.TypeMessage && item.Role() == "user" {
			return i
		}
	}
	return -1
}

// madeCalls lists the calls among the items and gives the n-th output to the n-th call.
func madeCalls(items []responses.Item) []madeCall {
	var made []madeCall
	for _, it := range items {
		if it.Type() == responses.TypeFunctionCall {
			_, err := responses.ParseArguments(it.Arguments())
			made = append(made, madeCall{malformed: err != nil})
		}
	}
	n := 0
	for _, it := range items {
		if it.Type() == responses.TypeFunctionCallOutput && n < len(made) {
			made[n].answered, made[n].output = true, it.Text()
			n++
		}
	}
	return made
}

// callableTools lists the functions that the request allows to be called. Of tool_choice, "none" is obeyed, and so is
// the name of a function; "required" is not more than "auto", because an agent would never see the end.
func callableTools(p responses.CreateParams) ([]policyTool, error) {
	tools, err := p.Tools()
	if err != nil {
		return nil, err
	}
	choice, _ := p.String("tool_choice")
	if choice == "none" {
		return nil, nil
	}
	named, _ := p.Sub("tool_choice")
	only, _ := named.String("name")
	var callable []policyTool
	for _, t := range tools {
		if t.Type() == "function" && (only == "" || t.Name() == only) {
			callable = append(callable, newPolicyTool(t))
		}
	}
	return callable, nil
}

// extraSeed is the JSON text of the seed inside metadata.extra_body, "" when there is none.
func extraSeed(p responses.CreateParams) (string, error) {
	metadata, _ := p.Sub("metadata")
	value, there := metadata.Get("extra_body")
	if !there || value.Kind() == 'n' {
		return "", nil
	}
	text, ok := metadata.String("extra_body")
	if !ok { // a seed that is passed over in silence would make repeats equal
		return "", responses.FieldErrors{responses.WrongType("string", value, "body", "metadata", "extra_body")}
	}
	body, err := responses.ParseObject([]byte(text))
	if err != nil {
		return "", responses.FieldErrors{{
			Type: "json_invalid", Loc: []any{"body", "metadata", "extra_body"},
			Msg: "Input should be a JSON object as text", Input: value,
			Ctx: map[string]string{"error": err.Error()},
		}}
	}
	seed, ok := body.Get("seed")
	if !ok || seed.Kind() == 'n' {
		return "", nil
	}
	return string(compact(seed)), nil
}

// compact takes the blanks out of checked JSON.
func compact(v jsontext.Value) jsontext.Value {
	v = bytes.Clone(v)
	_ = v.Compact() // cannot fail: the value was parsed
	return v
}
