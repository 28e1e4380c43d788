package rollout

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

// Members of rows that the collector writes and reads.
const (
	keyParams       = "responses_create_params"
	keyAgent        = "agent_ref"
	keyTask         = "_ng_task_index"
	keyRollout      = "_ng_rollout_index"
	keyAttempt      = "_ng_attempt_index"
	keyID           = "_ng_rollout_id"
	keySkills       = "skills_ref"
	keyNoPersist    = "_ng_no_persist"
	keyFailureClass = "_ng_failure_class"
	keyTerminal     = "_ng_failure_terminal"
	keyFailureError = "_ng_failure_error"
	keyReward       = "reward"
	keyResponse     = "response"
)

// key is what a rollout is known by over all runs on one output.
type key struct{ task, rollout int }

// compare orders keys by task, then rollout.
func (k key) compare(with key) int {
	return cmp.Or(cmp.Compare(k.task, with.task), cmp.Compare(k.rollout, with.rollout))
}

// checker looks at input rows.
type checker struct {
	graph *config.Graph
	agent string           // for rows that name none
	over  responses.Object // laid over the rows' parameters

	prompt *Prompt // makes the rows' input; nil: they have one
	seed   bool    // rows must be such that they can take one
}

// facts are what a row says that the plan must know.
type facts struct {
	agent string
	task  int // -1: the row has no index of its own
}

// row checks one input row. The text says what is wrong, all of it; "" when nothing is.
func (c *checker) row(row responses.Object) (facts, string) {
	f := facts{task: -1}
	var wrong []string
	add := func(text string) {
		if text != "" {
			wrong = append(wrong, text)
		}
	}
	if c.prompt != nil {
		row = row.Clone()
		add(c.prompt.fill(&row))
	}
	if len(wrong) == 0 {
		add(c.params(row))
	}
	agent, text := c.agentOf(row)
	f.agent = agent
	add(text)
	if row.Has(keyTask) {
		n, ok := index(row, keyTask)
		if !ok {
			add(keyTask + " must be a whole number from 0")
		}
		f.task = n
	}
	if v, ok := row.Get(keyID); ok {
		if id, isText := row.String(keyID); !isText || !wire.ValidRolloutID(id) {
			add(fmt.Sprintf("%s is %s; it must be letters, digits, dots, underscores and dashes, and begin with a letter or a digit", keyID, short(v)))
		}
	}
	return f, strings.Join(wrong, "; ")
}

// params checks responses_create_params with the overrides laid over it.
func (c *checker) params(row responses.Object) string {
	v, ok := row.Get(keyParams)
	if !ok {
		return "it has no " + keyParams
	}
	params, ok := row.Sub(keyParams)
	if !ok {
		return fmt.Sprintf("%s must be an object, not %s", keyParams, kindName(v.Kind()))
	}
	params.Merge(c.over)
	if c.seed {
		if _, _, err := extraBody(params); err != nil {
			return err.Error()
		}
	}
	input, ok := params.Get("input")
	if !ok {
		return keyParams + " has no input"
	}
	switch input.Kind() {
	case '"':
		return ""
	case '[':
		items, _ := params.Array("input")
		for i, item := range items {
			if item.Kind() != '{' {
				return fmt.Sprintf("%s.input[%d] must be an object, not %s", keyParams, i, kindName(item.Kind()))
			}
		}
		return ""
	}
	return fmt.Sprintf("%s.input must be a text or a list, not %s", keyParams, kindName(input.Kind()))
}

// agentOf is the agent that a row is for.
func (c *checker) agentOf(row responses.Object) (agent, problem string) {
	v, ok := row.Get(keyAgent)
	if !ok || v.Kind() == 'n' {
		if c.agent == "" {
			return "", "it has no " + keyAgent + ", and no agent was given for such rows (--agent)" + agentsOf(c.graph)
		}
		return c.agent, "" // checked with the options
	}
	ref, ok := row.Sub(keyAgent)
	if !ok {
		return "", fmt.Sprintf("%s must be an object, not %s", keyAgent, kindName(v.Kind()))
	}
	name, ok := ref.String("name")
	if !ok || name == "" {
		return "", keyAgent + " has no name"
	}
	if c.graph == nil {
		return name, ""
	}
	return name, agentProblem(c.graph, name)
}

// agentProblem says why a name is no agent of the graph, "" when it is one.
func agentProblem(g *config.Graph, name string) string {
	if in := g.Instance(name); in != nil && in.Type == config.TypeAgent {
		return ""
	} else if in != nil {
		return fmt.Sprintf("%q is no agent but one of %s", name, in.Type)
	}
	agents := g.Names(config.TypeAgent)
	text := fmt.Sprintf("the configuration has no agent %q", name)
	if near := config.Near(name, agents); len(near) > 0 {
		return text + "; did you mean " + strings.Join(quoted(near), " or ") + "?"
	}
	return text + "; it has " + few(agents)
}

// agentsOf names the agents that there are.
func agentsOf(g *config.Graph) string {
	if g == nil {
		return ""
	}
	return "; the configuration has " + few(g.Names(config.TypeAgent))
}

// few lists names, unless they are many.
func few(names []string) string {
	const enough = 5
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > enough:
		return fmt.Sprintf("%d of them", len(names))
	}
	return strings.Join(quoted(names), ", ")
}

func quoted(names []string) []string {
	out := slices.Clone(names)
	for i := range out {
		out[i] = strconv.Quote(out[i])
	}
	return out
}

// index reads a member that must be a whole number from 0.
func index(row responses.Object, name string) (int, bool) {
	n, ok := row.Int(name)
	if !ok || n < 0 || n > 1<<31-1 { // the bound is that of int on every system
		return 0, false
	}
	return int(n), true
}

func keyOf(row responses.Object) (key, bool) {
	task, ok1 := index(row, keyTask)
	rollout, ok2 := index(row, keyRollout)
	return key{task, rollout}, ok1 && ok2
}

func kindName(k jsontext.Kind) string {
	switch k {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a text"
	case '0':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "a list"
	}
	return "nothing"
}

// short is a value for a message.
func short(v jsontext.Value) string {
	const most = 40
	if len(v) > most {
		return strings.ToValidUTF8(string(v[:most]), "") + "..."
	}
	return string(v)
}

// rolloutID names one attempt: in spans, in the mark, in paths.
func rolloutID(explicit string, k key, attempt int) string {
	id := explicit
	if id == "" {
		id = strconv.Itoa(k.task) + "-" + strconv.Itoa(k.rollout)
	}
	if attempt > 0 {
		id += "-a" + strconv.Itoa(attempt)
	}
	return id
}
