package responses

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses/internal/splice"
)

// Streamed is a request of a streaming client, cleaned up as far as Gym's servers need it. Such clients (coding agents,
// mostly) send members, tools and items beyond the dialect, and a run is worth more than each of these.
type Streamed struct {
	// Params is the request without what this dialect does not know, and without stream.
	Params CreateParams
	// Dropped names what was left out: members, tools and items, with their places and types, never with their content.
	Dropped []string

	namespaces map[string]namespaced
}

// namespaced is a tool's name as the client knows it.
type namespaced struct{ namespace, name string }

// namespaceSeparator stands between the two in the name that the model sees.
const namespaceSeparator = "__"

// WantsStream reports whether a request body asks for a stream: stream is the literal true. The body need not have been
// checked; of one that is no JSON the answer means nothing, and parsing it says so.
func WantsStream(b jsontext.Value) bool {
	o, _ := View(b)
	v, _ := o.Get("stream")
	return isTrue(v)
}

// The items and tools that are passed on; what is unknown is left out.
var (
	streamedItems = wordSet("message", "function_call", "function_call_output", "reasoning", "file_search_call", "web_search_call",
		"computer_call", "computer_call_output", "image_generation_call", "code_interpreter_call", "local_shell_call",
		"local_shell_call_output", "custom_tool_call", "custom_tool_call_output", "mcp_call", "mcp_list_tools",
		"mcp_approval_request", "mcp_approval_response", "item_reference")
	streamedTools = wordSet("function", "file_search", "web_search", "web_search_preview", "computer_use_preview", "mcp",
		"code_interpreter", "image_generation", "local_shell", "custom")
)

func wordSet(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

// ParseStreamed checks the request body of a streaming client and cleans it up:
//
//   - members, tools and items that the dialect does not know are left out and listed in Dropped;
//   - tools in a namespace become functions named <namespace>__<name>, calls of them in the input likewise, and
//     [Streamed.Restore] gives them back their names in the answer;
//   - tools that come in an item of type additional_tools join the others;
//   - system and developer messages that begin the input join the instructions, since many models take one system message.
//
// The error is a [FieldErrors].
func ParseStreamed(b jsontext.Value) (Streamed, error) {
	o, err := Body(b)
	if err != nil {
		return Streamed{}, err
	}
	s := Streamed{namespaces: map[string]namespaced{}}
	s.dropMembers(&o)
	var tools splice.Text
	tools.Open('[')
	v, had := o.Get("tools")
	if had && v.Kind() == '[' {
		s.tools(&tools, v, streamedTools, "tools")
	}
	if v, ok := o.Get("input"); ok && v.Kind() == '[' {
		s.input(&o, v, &tools)
	}
	tools.Close(']')
	if had && v.Kind() == '[' || len(tools.B) > len("[]") {
		o.Set("tools", tools.B)
	}
	s.Params, err = ParseCreateParams(o.AppendTo(nil))
	return s, err
}

func (s *Streamed) dropMembers(o *Object) {
	for _, name := range o.Names() {
		_, known := createParams[name]
		if known && name != "stream" && name != "stream_options" {
			continue
		}
		o.Delete(name)
		if !known {
			s.Dropped = append(s.Dropped, name)
		}
	}
}

// tools writes the tools of a list that are known, those of namespaces one by one.
func (s *Streamed) tools(t *splice.Text, list jsontext.Value, known map[string]bool, loc string) {
	for i, v := range elements(list) {
		tool, _ := View(v)
		kind, _ := tool.String("type")
		switch {
		case kind == "namespace":
			s.namespace(t, tool)
		case known[kind]:
			t.Raw(v)
		default:
			s.Dropped = append(s.Dropped, fmt.Sprintf("%s.%d (%s)", loc, i, shown(kind)))
		}
	}
}

// namespace writes the functions of a namespace.
func (s *Streamed) namespace(t *splice.Text, tool Object) {
	space, _ := tool.String("name")
	list, _ := tool.Array("tools")
	for _, v := range list {
		f, _ := View(v)
		name, _ := f.String("name")
		if name == "" {
			continue
		}
		joined := space + namespaceSeparator + name
		s.namespaces[joined] = namespaced{space, name}
		f.SetString("type", "function")
		f.SetString("name", joined)
		t.Raw(f.AppendTo(nil))
	}
}

// input cleans up the conversation, and moves tools and instructions out of it.
func (s *Streamed) input(o *Object, list jsontext.Value, tools *splice.Text) {
	var kept splice.Text
	kept.Open('[')
	instructions, _ := o.String("instructions")
	leading := true
	for i, v := range elements(list) {
		it := Item{}
		it.Object, _ = View(v)
		kind := it.Type()
		switch {
		case kind == "additional_tools":
			carried, _ := it.Get("tools")
			if carried.Kind() == '[' {
				s.tools(tools, carried, wordSet("function"), fmt.Sprintf("input.%d.tools", i))
			}
			continue
		case !streamedItems[kind]:
			s.Dropped = append(s.Dropped, fmt.Sprintf("input.%d (%s)", i, shown(kind)))
			continue
		case leading && kind == TypeMessage && (it.Role() == "system" || it.Role() == "developer"):
			instructions = joinLines(instructions, it.Text())
			continue
		}
		leading = false
		kept.Raw(flatCall(it).AppendTo(nil))
	}
	kept.Close(']')
	o.Set("input", kept.B)
	if instructions != "" {
		o.SetString("instructions", instructions)
	}
}

// joinLines joins two texts by a blank line, when there are two.
func joinLines(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + "\n\n" + b
}

// flatCall gives a call of a tool in a namespace the name under which the model saw it.
func flatCall(it Item) Item {
	space, _ := it.String("namespace")
	if it.Type() != TypeFunctionCall || space == "" {
		return it
	}
	it.SetString("name", space+namespaceSeparator+it.Name())
	it.Delete("namespace")
	return it
}

// shown is a type for a list of what was left out; a long one is no type.
func shown(kind string) string {
	if kind == "" {
		return "no type"
	}
	return fmt.Sprintf("%.64s", kind)
}

// Restore gives the calls in an answer the names by which the client knows their tools.
func (s Streamed) Restore(r Response) Response {
	if len(s.namespaces) == 0 {
		return r
	}
	items, bad := parseOutput(r.Object)
	if len(bad) > 0 {
		return r
	}
	changed := false
	for i, it := range items {
		tool, ok := s.namespaces[it.Name()]
		if !ok || it.Type() != TypeFunctionCall {
			continue
		}
		items[i].SetString("name", tool.name)
		items[i].SetString("namespace", tool.namespace)
		changed = true
	}
	if changed {
		r.SetOutput(items)
	}
	return r
}
