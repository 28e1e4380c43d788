package model

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/lensgo/lens/gym/responses"
)

// Tools of the tests. The model must not know them.
const (
	lookTool  = `{"type":"function","name":"look","parameters":{"type":"object","properties":{"word":{"type":"string"}},"required":["word"]},"strict":true}`
	addTool   = `{"type":"function","name":"add","parameters":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}}`
	sumTool   = `{"type":"function","name":"sum","parameters":{"type":"object","properties":{"list":{"type":"array","items":{"type":"integer"}}}}}`
	readTool  = `{"type":"function","name":"read","parameters":{"type":"object","properties":{}}}`
	pairTool  = `{"type":"function","name":"pair","parameters":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"]}}`
	hostedWeb = `{"type":"web_search"}`
)

// body is a create-params body with one user message.
func body(text string, more string, tools ...string) string {
	return fmt.Sprintf(`{"input":[{"role":"user","content":%s}],"tools":[%s]%s}`, quoteJSON(text), strings.Join(tools, ","), more)
}

const oneByOne = `,"parallel_tool_calls":false`

func mustParams(t testing.TB, body string) responses.CreateParams {
	t.Helper()
	p, err := responses.ParseCreateParams([]byte(body))
	if err != nil {
		t.Fatalf("ParseCreateParams(%s): %v", body, err)
	}
	return p
}

func mustSynthetic(t testing.TB, s SyntheticSettings) *Synthetic {
	t.Helper()
	m, err := NewSynthetic(s)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func mustAnswer(t testing.TB, m *Synthetic, p responses.CreateParams) Answer {
	t.Helper()
	a, err := m.Answer(p)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// play drives a conversation as an agent does and writes down what the model said: a line a turn, the calls of a turn
// separated by blanks, the text at the end. It stops after 50 turns.
func play(t testing.TB, m *Synthetic, p responses.CreateParams, tool func(name, arguments string) string) []string {
	t.Helper()
	items, err := p.Input()
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for len(said) < 50 {
		a := mustAnswer(t, m, p)
		if a.Status != http.StatusOK {
			return append(said, fmt.Sprint("status ", a.Status))
		}
		output, err := a.Response.Output()
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, output...)
		var calls []string
		for _, it := range output {
			if it.Type() == responses.TypeMessage {
				return append(said, it.Text())
			}
			calls = append(calls, it.Name()+it.Arguments())
			items = append(items, responses.FunctionCallOutput(it.CallID(), tool(it.Name(), it.Arguments())))
		}
		said = append(said, strings.Join(calls, " "))
		p.SetInput(items)
	}
	return append(said, "no end")
}

// tell answers like tools that count code points, take sums and keep a log.
func tell(name, arguments string) string {
	if _, err := responses.ParseArguments(arguments); err != nil {
		return `{"error": "Invalid tool call arguments"}`
	}
	switch name {
	case "look":
		o, _ := responses.ParseObject([]byte(arguments))
		word, _ := o.String("word")
		return fmt.Sprintf(`{"value":%d}`, len(word))
	case "add":
		return `{"success":true}`
	case "sum":
		return `{"success": true}`
	}
	return `{"count": 17}`
}

func TestPolicy(t *testing.T) {
	const done = "Done. The last tool answered: "
	tests := []struct {
		name, body string
		want       []string
	}{
		{"scalar calls, then the array, then the bare tool",
			body("Weigh 'a', 'bcd' and 'ef'.", oneByOne, readTool, sumTool, lookTool),
			[]string{`look{"word":"a"}`, `look{"word":"bcd"}`, `look{"word":"ef"}`, `sum{"list":[1,3,2]}`, `read{}`, done + `{"count": 17}`}},
		{"in parallel a turn makes all calls of a kind",
			body("Weigh 'a', 'bcd' and 'ef'.", "", readTool, sumTool, lookTool),
			[]string{`look{"word":"a"} look{"word":"bcd"} look{"word":"ef"}`, `sum{"list":[1,3,2]}`, `read{}`, done + `{"count": 17}`}},
		{"integers go to integers, words to words",
			body("Put 3 into 'box' and 4 into 'bag'.", oneByOne, addTool, lookTool),
			[]string{`add{"n":3}`, `add{"n":4}`, `look{"word":"box"}`, `look{"word":"bag"}`, done + `{"value":3}`}},
		{"a slot that fits no tool is left",
			body("Put 3 into 'box'.", oneByOne, lookTool),
			[]string{`look{"word":"box"}`, done + `{"value":3}`}},
		{"no slots, no array call",
			body("Tell me the sum.", oneByOne, lookTool, sumTool),
			[]string{"Done. No tool had to be called."}},
		{"no slots, bare tool",
			body("Read it.", "", addTool, readTool),
			[]string{`read{}`, done + `{"count": 17}`}},
		{"no tools", body("Add 1 to 'x'.", ""), []string{"Done. No tool had to be called."}},
		{"tools with two parameters and hosted tools are left alone",
			body("'a' 'b'", "", pairTool, hostedWeb, lookTool),
			[]string{`look{"word":"a"} look{"word":"b"}`, done + `{"value":1}`}},
		{"an array gets what fits only", // add answers with a boolean
			body("1 2", "", addTool, sumTool),
			[]string{`add{"n":1} add{"n":2}`, `sum{"list":[]}`, done + `{"success": true}`}},
		{"tool_choice none", body("'a'", `,"tool_choice":"none"`, lookTool), []string{"Done. No tool had to be called."}},
		{"tool_choice of one function", body("'a' 1", `,"tool_choice":{"type":"function","name":"add"}`, lookTool, addTool),
			[]string{`add{"n":1}`, done + `{"success":true}`}},
		{"a string as input", `{"input":"Weigh 'abc'","tools":[` + lookTool + `]}`,
			[]string{`look{"word":"abc"}`, done + `{"value":3}`}},
		{"only the last user message has slots",
			`{"input":[{"role":"user","content":"'no' 1"},{"role":"assistant","content":"'no' 2"},
			  {"role":"user","content":[{"type":"input_text","text":"now 'yes'"}]},{"role":"developer","content":"'no'"}],
			  "tools":[` + lookTool + `]}`,
			[]string{`look{"word":"yes"}`, done + `{"value":3}`}},
		{"calls before the last user message are history",
			`{"input":[{"role":"user","content":"'old'"},
			  {"type":"function_call","call_id":"c","name":"look","arguments":"{\"word\":\"old\"}"},
			  {"type":"function_call_output","call_id":"c","output":"{\"value\":3}"},
			  {"role":"user","content":"'newer'"}],"tools":[` + lookTool + `]}`,
			[]string{`look{"word":"newer"}`, done + `{"value":5}`}},
		{"nobody asked", `{"input":[],"tools":[` + lookTool + `]}`, []string{"Done. No tool had to be called."}},
	}
	m := mustSynthetic(t, SyntheticSettings{})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, play(t, m, mustParams(t, tt.body), tell)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// Tools that fail answer with text, and that text is no value.
func TestPolicy_failing_tool(t *testing.T) {
	m := mustSynthetic(t, SyntheticSettings{})
	answers := map[string]string{`{"word":"a"}`: "boom", `{"word":"b"}`: `{"value": 98, "unit": "pt"}`, `{"word":"c"}`: " 99\n", `{"word":"d"}`: `[100, 1e2, "x", 101]`}
	tool := func(name, arguments string) string { return answers[arguments] }
	got := play(t, m, mustParams(t, body("'a' 'b' 'c' 'd'", "", lookTool, sumTool)), tool)
	want := `sum{"list":[98,99,100,101]}`
	if len(got) != 3 || got[1] != want {
		t.Errorf("got %q, want %s in turn 2", got, want)
	}
}

func TestPolicyTool(t *testing.T) {
	tests := []struct {
		name, parameters string
		want             policyTool
	}{
		{"none", `null`, policyTool{kind: noParam}},
		{"empty schema", `{}`, policyTool{kind: noParam}},
		{"no properties", `{"type":"object","properties":{}}`, policyTool{kind: noParam}},
		{"one optional property", `{"properties":{"a":{"type":"number"}}}`, policyTool{param: "a", kind: numberParam, items: anyParam}},
		{"the required one of two", `{"properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["b"]}`, policyTool{param: "b", kind: integerParam, items: anyParam}},
		{"two optional ones", `{"properties":{"a":{"type":"string"},"b":{"type":"integer"}}}`, policyTool{kind: noParam}},
		{"two required ones", `{"properties":{"a":{"type":"string"},"b":{"type":"integer"}},"required":["b","a"]}`, policyTool{kind: otherParam}},
		{"nullable", `{"properties":{"a":{"type":["null","string"]}}}`, policyTool{param: "a", kind: stringParam, items: anyParam}},
		{"boolean", `{"properties":{"a":{"type":"boolean"}}}`, policyTool{param: "a", kind: otherParam, items: anyParam}},
		{"object", `{"properties":{"a":{"type":"object"}}}`, policyTool{param: "a", kind: otherParam, items: anyParam}},
		{"no type", `{"properties":{"a":{}}}`, policyTool{param: "a", kind: otherParam, items: anyParam}},
		{"array of strings", `{"properties":{"a":{"type":"array","items":{"type":"string"}}}}`, policyTool{param: "a", kind: arrayParam, items: stringParam}},
		{"array of anything", `{"properties":{"a":{"type":"array"}}}`, policyTool{param: "a", kind: arrayParam, items: anyParam}},
		{"not a schema", `{"properties":[1],"required":{"a":1}}`, policyTool{kind: noParam}},
		{"a property that is no schema", `{"properties":{"a":true}}`, policyTool{param: "a", kind: otherParam, items: anyParam}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			o, err := responses.ParseObject([]byte(`{"type":"function","name":"f","parameters":` + tt.parameters + `}`))
			if err != nil {
				t.Fatal(err)
			}
			tt.want.name = "f"
			if got := newPolicyTool(responses.Tool{Object: o}); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

// The answer of a turn is fixed to the byte. A change here changes what every recorded run would answer: raise the
// version in readConversation and say so in the changelog.
func TestAnswer_golden(t *testing.T) {
	m := mustSynthetic(t, DefaultSyntheticSettings())
	got := mustAnswer(t, m, mustParams(t, body("Weigh 'a' and 'bcd'.", `,"model":"m1"`, lookTool)))
	const want = `{"id":"resp_ff7bfd388947ee7181172c5d","object":"response","created_at":1767225600,"status":"completed","error":null,` +
		`"incomplete_details":null,"model":"m1","output":[` +
		`{"id":"fc_40504b16288b674af694cb66","type":"function_call","call_id":"call_40504b16288b674af694cb66","name":"look","arguments":"{\"word\":\"a\"}","status":"completed"},` +
		`{"id":"fc_d976909a454f75831b017beb","type":"function_call","call_id":"call_d976909a454f75831b017beb","name":"look","arguments":"{\"word\":\"bcd\"}","status":"completed"}],` +
		`"parallel_tool_calls":true,"tool_choice":"auto","tools":[` + lookTool + `],` +
		`"usage":{"input_tokens":5,"input_tokens_details":{"cached_tokens":0},"output_tokens":9,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":14}}`
	if diff := cmp.Diff(want, string(got.Response.AppendTo(nil))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got.Wait.String() != "59.827ms" {
		t.Errorf("waits %v, want 59.827ms", got.Wait)
	}
}

func TestAnswer_is_a_response(t *testing.T) {
	m := mustSynthetic(t, SyntheticSettings{Model: "mine"})
	for _, b := range []string{
		body("'a'", "", lookTool),
		`{"input":"hello","tools":null,"tool_choice":null,"parallel_tool_calls":null,"model":"theirs"}`,
		`{"input":"hello"}`,
	} {
		a := mustAnswer(t, m, mustParams(t, b))
		r, err := responses.ParseResponse(a.Response.AppendTo(nil))
		if err != nil {
			t.Fatalf("answer to %s: %v", b, err)
		}
		if name, _ := r.String("model"); name != "mine" {
			t.Errorf("model = %q", name)
		}
		for _, member := range []string{"tools", "tool_choice", "parallel_tool_calls"} {
			if r.Null(member) {
				t.Errorf("answer to %s: %s is null", b, member)
			}
		}
		if u, err := r.Usage(); u != nil || err != nil {
			t.Errorf("usage %v, %v; want none", u, err)
		}
	}
}

// Everything that does not belong to the conversation may differ, and the answer is the same to the byte.
func TestAnswer_without_ids(t *testing.T) {
	m := mustSynthetic(t, DefaultSyntheticSettings())
	history := func(id string) string {
		return fmt.Sprintf(`{"input":[{"role":"user","content":"'a' 'b' 'c'","id":"msg_%[1]s"},
		  {"type":"function_call","id":"fc_%[1]s","call_id":"%[1]s","name":"look","arguments":"{\"word\":\"a\"}","status":null},
		  {"type":"function_call_output","call_id":"%[1]s","output":"{\"value\":1}"}],
		  "tools":[%[2]s],"user":"u%[1]s","previous_response_id":"r%[1]s","temperature":0.%[3]d,
		  "metadata":{"request":"%[1]s"}}`, id, lookTool, len(id))
	}
	want := mustAnswer(t, m, mustParams(t, history("1")))
	other := strings.Replace(history("another"), `{"role":"user"`, `{ "type" : "message", "role":"user"`, 1)
	got := mustAnswer(t, m, mustParams(t, other))
	if diff := cmp.Diff(string(want.Response.AppendTo(nil)), string(got.Response.AppendTo(nil))); diff != "" || got.Wait != want.Wait {
		t.Errorf("wait %v, want %v; (-want +got)\n%s", got.Wait, want.Wait, diff)
	}
}

func TestAnswer_ids_are_unique_within_a_conversation(t *testing.T) {
	m := mustSynthetic(t, SyntheticSettings{})
	p := mustParams(t, body("'a' 'a' 'a' 'a'", "", lookTool, sumTool, readTool))
	items, _ := p.Input()
	seen := map[string]bool{}
	for range 4 {
		a := mustAnswer(t, m, p)
		output, _ := a.Response.Output()
		id, _ := a.Response.String("id")
		ids := []string{id}
		for _, it := range output {
			id, _ := it.String("id")
			ids = append(ids, id)
			if it.Type() == responses.TypeFunctionCall {
				ids = append(ids, it.CallID())
			}
		}
		for _, id := range ids {
			if id == "" || seen[id] {
				t.Errorf("id %q is empty or not new", id)
			}
			seen[id] = true
		}
		items = append(items, output...)
		for _, it := range output {
			items = append(items, responses.FunctionCallOutput(it.CallID(), "{}"))
		}
		p.SetInput(items)
	}
	if len(seen) != 4+2*(4+1+1)+1 {
		t.Errorf("%d ids", len(seen))
	}
}

// Many goroutines ask one model in different orders, and all hear what a fresh model says.
func TestAnswer_is_pure_under_concurrency(t *testing.T) {
	settings := DefaultSyntheticSettings()
	settings.Failures = Failures{Rate: 0.3, Kinds: allFailures}
	ask := func(m *Synthetic, i int) string {
		a, err := m.Answer(mustParams(t, body(fmt.Sprintf("Task of %d: 'a' %d 'b'", i, i), "", lookTool, addTool)))
		if err != nil {
			return err.Error()
		}
		return fmt.Sprint(a.Status, a.Wait, string(a.Response.AppendTo(nil)))
	}
	const tasks = 200
	want := make([]string, tasks)
	for i := range want {
		want[i] = ask(mustSynthetic(t, settings), i)
	}
	if distinct := slices.Compact(slices.Sorted(slices.Values(want))); len(distinct) != tasks {
		t.Fatalf("%d tasks have %d different answers", tasks, len(distinct))
	}

	m := mustSynthetic(t, settings)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			for k := range tasks {
				i := (k*7 + g*31) % tasks
				if got := ask(m, i); got != want[i] {
					t.Errorf("goroutine %d, task %d: got %s, want %s", g, i, got, want[i])
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestAnswer_seeds(t *testing.T) {
	ask := func(seed int64, metadata string) []byte {
		m := mustSynthetic(t, SyntheticSettings{Seed: seed})
		return mustAnswer(t, m, mustParams(t, body("'a' 'b'", metadata, lookTool))).Response.AppendTo(nil)
	}
	extra := func(text string) string { return `,"metadata":{"extra_body":` + quoteJSON(text) + `}` }
	base := ask(1, "")
	same := map[string][]byte{
		"again":            ask(1, ""),
		"no seed inside":   ask(1, extra(`{"top_k": 4}`)),
		"null inside":      ask(1, extra(`{"seed": null}`)),
		"metadata is null": ask(1, `,"metadata":null`),
		"extra is null":    ask(1, `,"metadata":{"extra_body":null}`),
	}
	for name, got := range same {
		if !bytes.Equal(got, base) {
			t.Errorf("%s: the answer differs", name)
		}
	}
	differ := map[string][]byte{
		"base":                base,
		"other config seed":   ask(2, ""),
		"extra seed":          ask(1, extra(`{"seed": 1}`)),
		"extra seed 2":        ask(1, extra(`{"seed":2}`)),
		"both":                ask(2, extra(`{"seed":2}`)),
		"extra seed is text":  ask(1, extra(`{"seed":"1"}`)),
		"extra seed is large": ask(1, extra(`{"seed":9007199254740993}`)),
		"its neighbour":       ask(1, extra(`{"seed":9007199254740992}`)),
	}
	seen := map[string]string{}
	for name, got := range differ {
		if other, ok := seen[string(got)]; ok {
			t.Errorf("%s and %s have the same answer", name, other)
		}
		seen[string(got)] = name
	}
	if !bytes.Equal(ask(1, extra(`{"a":0, "seed":1}`)), differ["extra seed"]) {
		t.Error("the same extra seed gives another answer")
	}
}

func TestAnswer_bad_extra_body(t *testing.T) {
	m := mustSynthetic(t, SyntheticSettings{})
	for _, extra := range []string{`"{seed: 1}"`, `"[1]"`, `{"seed":1}`, `1`} {
		_, err := m.Answer(mustParams(t, body("hi", `,"metadata":{"extra_body":`+extra+`}`)))
		bad, ok := err.(responses.FieldErrors)
		if !ok || len(bad) != 1 || fmt.Sprint(bad[0].Loc) != "[body metadata extra_body]" {
			t.Errorf("%s: error %v, want a field error for metadata.extra_body", extra, err)
		}
	}
}

func TestAnswer_quotes_long_outputs_in_part(t *testing.T) {
	m := mustSynthetic(t, SyntheticSettings{})
	long := strings.Repeat("é", 5000)
	got := play(t, m, mustParams(t, body("x", "", readTool)), func(string, string) string { return long })
	text := got[len(got)-1]
	if !strings.HasSuffix(text, "é…") || len(text) > quotedOutput+100 || strings.Contains(text, "\uFFFD") {
		t.Errorf("the text has %d bytes and ends in %q", len(text), text[len(text)-10:])
	}
}

func TestTokens(t *testing.T) {
	usage := func(tokens Tokens) string {
		m := mustSynthetic(t, SyntheticSettings{Tokens: tokens})
		u, err := mustAnswer(t, m, mustParams(t, body("12345678 'a'", `,"instructions":"abcde"`, lookTool))).Response.Usage()
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(u.InputTokens(), u.OutputTokens(), u.TotalTokens(), u == nil)
	}
	for want, tokens := range map[string]Tokens{
		"0 0 0 true":        {},
		"7 9 16 false":      {Report: TokensFixed, Input: 7, Output: 9},
		"5 4 9 false":       {Report: TokensEstimated}, // 12 + 5 bytes in; look{"word":"a"} is 16 bytes out
		"0 0 0 true ":       {Report: TokensNone, Input: 7},
		"0 0 0 false":       {Report: TokensFixed},
		"1000 0 1000 false": {Report: TokensFixed, Input: 1000},
	} {
		if got := usage(tokens); got != strings.TrimSpace(want) {
			t.Errorf("%+v: got %s, want %s", tokens, got, want)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add(body("Add 1 to 'x'", "", addTool, lookTool, sumTool, readTool))
	f.Add(`{"input":"x","metadata":{"extra_body":"{\"seed\":1}"},"tools":[{"name":1,"parameters":{"properties":{"a":{"items":3,"type":[]}}}}]}`)
	f.Add(`{"input":[{"type":"function_call","arguments":"{"},{"type":"function_call_output","output":[{"type":"input_text","text":"1"}]}]}`)
	settings := DefaultSyntheticSettings()
	settings.Failures = Failures{Rate: 0.5, Kinds: allFailures}
	m := mustSynthetic(f, settings)
	f.Fuzz(func(t *testing.T, text string) {
		p, err := responses.ParseCreateParams([]byte(text))
		if err != nil {
			return
		}
		a, err := m.Answer(p)
		if err != nil {
			if _, ok := err.(responses.FieldErrors); !ok {
				t.Fatalf("error %v is no field error", err)
			}
			return
		}
		if a.Wait < 0 || a.Wait > longestWait {
			t.Fatalf("waits %v", a.Wait)
		}
		if a.Status != http.StatusOK {
			return
		}
		if _, err := responses.ParseResponse(a.Response.AppendTo(nil)); err != nil {
			t.Fatalf("answer to %s: %v", text, err)
		}
		if _, err := json.Marshal(a.Response); err != nil {
			t.Fatalf("answer to %s: %v", text, err)
		}
	})
}
