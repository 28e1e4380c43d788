package model

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
)

// The policy of the synthetic model: what it does in a turn, given the conversation so far. Everything in this file
// is a pure function, and nothing in it knows an environment.

// conversation is what the policy looks at.
type conversation struct {
	task     digest // of seeds and conversation up to the last user message: the same in every turn of a rollout
	turn     digest // of seeds and the whole conversation: different in every turn
	user     string // the text of the last user message
	read     int    // bytes of text in the whole conversation
	made     []madeCall
	tools    []policyTool // in the order of the request
	parallel bool         // more than one call may go into one turn
}

// justMalformed reports whether the call before this turn was malformed. The next one then is not, so that every call is
// made in the end and no rollout goes on for ever.
func (c conversation) justMalformed() bool {
	return len(c.made) > 0 && c.made[len(c.made)-1].malformed
}

// madeCall is a tool call that was made since the last user message.
type madeCall struct {
	malformed bool // its arguments are not JSON, so no tool has seen it
	output    string
	answered  bool
}

// toolCall is a call to make: the tool's name and its arguments as JSON text.
type toolCall struct {
	name, arguments string
}

// nextCalls are the calls of this turn; none means that the tools have done their part and a text answer is due.
//
// The order is: tools with one scalar parameter, once per slot that fits; tools with one array parameter, once, with
// what the first kind returned; tools without parameters. With parallel calls a turn makes all calls of one kind,
// because only calls of the same kind never need each other's results.
func nextCalls(c conversation, mistakeRate float64) []toolCall {
	made := answeredCalls(c.made)
	slots := misread(fittingSlots(c.tools, parseSlots(c.user)), c.task, mistakeRate)
	first := scalarCalls(c.tools, slots)
	answers := made[:min(len(made), len(first))]

	phases := [][]toolCall{first, arrayCalls(c.tools, answers), bareCalls(c.tools)}
	for _, calls := range phases {
		if len(made) < len(calls) {
			return turnOf(calls[len(made):], c.parallel)
		}
		made = made[len(calls):]
	}
	return nil
}

// turnOf takes as many of the calls as one turn may make.
func turnOf(calls []toolCall, parallel bool) []toolCall {
	if parallel {
		return calls
	}
	return calls[:1]
}

// answeredCalls leaves out the calls that no tool has seen: they are made again.
func answeredCalls(made []madeCall) []madeCall {
	var seen []madeCall
	for _, m := range made {
		if !m.malformed {
			seen = append(seen, m)
		}
	}
	return seen
}

// fittingSlots keeps the slots that some tool takes, so that a mistake is always one that shows.
func fittingSlots(tools []policyTool, slots []slot) []slot {
	var fitting []slot
	for _, s := range slots {
		for _, t := range tools {
			if t.kind.takes(s) {
				fitting = append(fitting, s)
				break
			}
		}
	}
	return fitting
}

// misread makes one mistake in a share of all tasks: it drops a slot, or swaps it with the next one of its kind. Where a
// swap would change nothing the slot is dropped.
func misread(slots []slot, task digest, rate float64) []slot {
	if len(slots) == 0 || task.unit("mistake") >= rate {
		return slots
	}
	i := task.index("mistake.slot", len(slots))
	if task.unit("mistake.kind") < 0.5 {
		if j := partner(slots, i); j >= 0 {
			slots[i], slots[j] = slots[j], slots[i]
			return slots
		}
	}
	return append(slots[:i], slots[i+1:]...)
}

// partner finds the slot that slot i can be swapped with: the next of its kind, else the one before; -1 when there is
// none with another value.
func partner(slots []slot, i int) int {
	for j := i + 1; j < len(slots); j++ {
		if slots[j].kind == slots[i].kind && slots[j] != slots[i] {
			return j
		}
	}
	for j := i - 1; j >= 0; j-- {
		if slots[j].kind == slots[i].kind && slots[j] != slots[i] {
			return j
		}
	}
	return -1
}

func scalarCalls(tools []policyTool, slots []slot) []toolCall {
	var calls []toolCall
	for _, t := range tools {
		for _, s := range slots {
			if t.kind.takes(s) {
				calls = append(calls, toolCall{t.name, arguments(t.param, s.json)})
			}
		}
	}
	return calls
}

// arrayCalls are none when no scalar call was made: there is nothing to hand on.
func arrayCalls(tools []policyTool, answers []madeCall) []toolCall {
	if len(answers) == 0 {
		return nil
	}
	var calls []toolCall
	for _, t := range tools {
		if t.kind == arrayParam {
			list := "[" + strings.Join(values(t.items, answers), ",") + "]"
			calls = append(calls, toolCall{t.name, arguments(t.param, list)})
		}
	}
	return calls
}

func bareCalls(tools []policyTool) []toolCall {
	var calls []toolCall
	for _, t := range tools {
		if t.kind == noParam {
			calls = append(calls, toolCall{t.name, "{}"})
		}
	}
	return calls
}

// values collects, as JSON text, the scalars of the tools' answers that fit an array's items: the answer itself, the
// elements of a list, or the members of an object, in their order. A text that is not JSON has no value: it is what a
// tool says when it failed.
func values(items paramKind, answers []madeCall) []string {
	var out []string
	for _, a := range answers {
		for _, v := range scalars(jsontext.Value(a.output)) {
			if items.holds(v) {
				out = append(out, v.String())
			}
		}
	}
	return out
}

func scalars(answer jsontext.Value) []jsontext.Value {
	switch answer.Kind() {
	case '{':
		var list []jsontext.Value
		object, _ := responses.ParseObject(answer) // {} when it is no JSON after all
		for _, v := range object.All() {
			list = append(list, v)
		}
		return list
	case '[':
		var list []jsontext.Value
		if json.Unmarshal(answer, &list) != nil {
			return nil
		}
		return list
	}
	if !answer.IsValid() {
		return nil
	}
	return []jsontext.Value{bytes.TrimSpace(answer)}
}

func arguments(param, value string) string {
	return "{" + quoteJSON(param) + ":" + value + "}"
}

// quotedOutput is how many bytes of a tool's output the text answer repeats.
const quotedOutput = 2000

// answerText is the text answer of a turn without calls: it quotes the last output of a tool.
func answerText(made []madeCall) string {
	for _, m := range slices.Backward(made) {
		if m.answered && !m.malformed {
			return "Done. The last tool answered: " + cut(m.output, quotedOutput)
		}
	}
	return "Done. No tool had to be called."
}

// cut shortens s to at most n bytes of whole characters and says so with an ellipsis.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[:n], "") + "…"
}
