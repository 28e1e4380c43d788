package web_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/lensgo/lens/viewer/web"
)

// python is a process that knows nothing of Gym.
var python = who{service: "shop-agent"}

// talk is what the conversation of a trace says, a line a row.
func talk(t *testing.T, b *bench, tr *trace) (source, words string, lines []string) {
	t.Helper()
	c := decode[struct {
		Source, Words string
		Rows          []struct {
			Role, Type, Text, Name, Call string
			Turn                         *int
			Tokens                       *int64
			Span                         *string
			Duration                     *int64 `json:"duration_ns"`
		}
	}](t, b, "/api/v1/traces/"+tr.id.String()+"/conversation")
	for _, r := range c.Rows {
		line := r.Role + " " + r.Type
		if r.Turn != nil {
			line += fmt.Sprintf(" turn %d", *r.Turn)
		}
		if r.Name != "" {
			line += " " + r.Name
		}
		if r.Span != nil {
			line += " " + strings.TrimLeft(strings.TrimPrefix(*r.Span, "19"), "0")
		}
		if r.Tokens != nil {
			line += fmt.Sprintf(" %d tok", *r.Tokens)
		}
		if r.Duration != nil {
			line += fmt.Sprintf(" %d ms", *r.Duration/1e6)
		}
		lines = append(lines, line+": "+r.Text)
	}
	return c.Source, c.Words, lines
}

// say adds a call of a model as an instrumented program records it.
func (tr *trace) say(parent pcommon.SpanID, at float64, attrs map[string]any) ptrace.Span {
	all := map[string]any{"gen_ai.operation.name": "chat", "gen_ai.usage.output_tokens": 7}
	for k, v := range attrs {
		all[k] = v
	}
	return tr.span(python, "", "chat gpt", ptrace.SpanKindClient, parent, at, at+10, all)
}

const (
	userHi    = `{"role":"user","parts":[{"type":"text","content":"Hi"}]}`
	callF     = `{"role":"assistant","parts":[{"type":"reasoning","content":"hm"},{"type":"tool_call","id":"c1","name":"f","arguments":{"a":1}}]}`
	resultF   = `{"role":"tool","parts":[{"type":"tool_call_response","id":"c1","response":{"ok":true}}]}`
	lastWords = `{"role":"assistant","parts":[{"type":"text","content":"Done."}],"finish_reason":"stop"}`
)

// TestGymContent: what Gym records is one conversation, on the rows that a results file would be joined with.
func TestGymContent(t *testing.T) {
	b := newBench(t, web.Options{})
	tr := newTrace(1)
	root := tr.span(driver, "rollout", "gym.rollout", ptrace.SpanKindInternal, pcommon.SpanID{}, 0, 100, map[string]any{
		"nemo.gym.rollout.reward": 0.5, "nemo.gym.task.index": 0, "nemo.gym.rollout.index": 0})
	call := func(route string, to who, at float64, attrs map[string]any) {
		c := tr.span(agent, "http_client", "HTTP POST", ptrace.SpanKindClient, root.SpanID(), at, at+10, attrs)
		tr.span(to, "server", "POST "+route, ptrace.SpanKindServer, c.SpanID(), at+1, at+8, nil)
	}
	call("/v1/responses", policy, 10, map[string]any{"gen_ai.operation.name": "chat", "gen_ai.system_instructions": `[{"type":"text","content":"Be brief."}]`,
		"gen_ai.input.messages": "[" + userHi + "]", "gen_ai.output.messages": "[" + callF + "]", "nemo.gym.content.redacted": 1})
	call("/f", resources, 30, map[string]any{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "f", "gen_ai.tool.call.id": "c1",
		"gen_ai.tool.call.arguments": `{"a":1}`, "gen_ai.tool.call.result": `{"ok":true}`, "nemo.gym.content.cut_bytes": 1234, "nemo.gym.content.redacted": 1})
	call("/v1/responses", policy, 50, map[string]any{"gen_ai.operation.name": "chat", "nemo.gym.content.earlier_messages": 2,
		"gen_ai.input.messages": "[" + resultF + "]", "gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"tool_call","id":"c2","name":"f","arguments":"{oops"}]}]`})
	call("/f", resources, 70, map[string]any{"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "f", "gen_ai.tool.call.id": "c2",
		"gen_ai.tool.call.arguments": `{oops`, "gen_ai.tool.call.result": "plain words"})
	b.add(tr.td)
	source, words, lines := talk(t, b, tr)
	want := []string{"system text: Be brief.", "user text: Hi", "assistant reasoning turn 1 10003 7 ms: hm", `assistant call turn 1 f 10003: {"a":1}`,
		`tool output turn 1 f 10005 7 ms: {"ok":true}`, "assistant call turn 2 f 10007 7 ms: {oops", "tool output turn 2 f 10009 7 ms: plain words", "verify verify: "}
	if source != "genai" || !slices.Equal(lines, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", source, strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
	if words != "Left out before this was recorded: 1,234 bytes cut, 2 values redacted." {
		t.Errorf("words %q", words)
	}
}

// TestGenAIPrograms: every way in which programs record, or have recorded, what was said.
func TestGenAIPrograms(t *testing.T) {
	plain := []string{"system text: Be brief.", "user text: Hi", "assistant reasoning turn 1 10002 7 tok 10 ms: hm", `assistant call turn 1 f 10002: {"a":1}`,
		`tool output turn 1 f: {"ok":true}`, "assistant text turn 2 10003 7 tok 10 ms: Done."}
	chatty := []string{"system text: Be brief.", "user text: Hi", `assistant call turn 1 f 10002 7 tok 10 ms: {"a":1}`, `tool output turn 1 f: {"ok":true}`,
		"assistant text turn 2 10003 7 tok 10 ms: Done."}
	event := func(s ptrace.Span, name string, attrs map[string]any) {
		e := s.Events().AppendEmpty()
		e.SetName(name)
		if err := e.Attributes().FromRaw(attrs); err != nil {
			t.Fatal(err)
		}
	}
	record := func(b *bench, tr *trace, s ptrace.Span, name string, attrs, body map[string]any) {
		ld := plog.NewLogs()
		l := ld.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
		l.SetTraceID(tr.id)
		l.SetSpanID(s.SpanID())
		l.SetEventName(name)
		if err := l.Attributes().FromRaw(attrs); err != nil {
			t.Fatal(err)
		}
		if body != nil {
			if err := l.Body().SetEmptyMap().FromRaw(body); err != nil {
				t.Fatal(err)
			}
		}
		b.addLogs(ld)
	}
	chatCall := map[string]any{"content": "", "tool_calls": []any{map[string]any{"id": "c1", "type": "function", "function": map[string]any{"name": "f", "arguments": `{"a":1}`}}}}
	tests := map[string]struct {
		build func(b *bench, tr *trace, root pcommon.SpanID)
		want  []string
	}{
		"attributes": {func(b *bench, tr *trace, root pcommon.SpanID) {
			tr.say(root, 10, map[string]any{"gen_ai.system_instructions": `[{"type":"text","content":"Be brief."}]`, "gen_ai.input.messages": "[" + userHi + "]", "gen_ai.output.messages": "[" + callF + "]"})
			tr.say(root, 30, map[string]any{"gen_ai.system_instructions": `[{"type":"text","content":"Be brief."}]`, "gen_ai.input.messages": "[" + userHi + "," + callF + "," + resultF + "]", "gen_ai.output.messages": "[" + lastWords + "]"})
		}, plain},
		"attributes, structured": {func(b *bench, tr *trace, root pcommon.SpanID) {
			part := func(m map[string]any) []any { return []any{m} }
			user := map[string]any{"role": "user", "parts": part(map[string]any{"type": "text", "content": "Hi"})}
			tr.say(root, 10, map[string]any{"gen_ai.input.messages": []any{user}, "gen_ai.output.messages": []any{
				map[string]any{"role": "assistant", "parts": part(map[string]any{"type": "text", "content": "Done."})}}})
		}, []string{"user text: Hi", "assistant text turn 1 10002 7 tok 10 ms: Done."}},
		"a tool that the model was not told of": {func(b *bench, tr *trace, root pcommon.SpanID) {
			tr.say(root, 10, map[string]any{"gen_ai.input.messages": "[" + userHi + "]", "gen_ai.output.messages": "[" + callF + "]"})
			tr.span(python, "", "execute_tool f", ptrace.SpanKindInternal, root, 30, 35, map[string]any{"gen_ai.tool.call.id": "c1", "gen_ai.tool.name": "f", "gen_ai.tool.call.result": `{"ok":true}`})
		}, []string{"user text: Hi", "assistant reasoning turn 1 10002 7 tok 10 ms: hm", `assistant call turn 1 f 10002: {"a":1}`, `tool output turn 1 f 10003 5 ms: {"ok":true}`}},
		"tools alone": {func(b *bench, tr *trace, root pcommon.SpanID) {
			tr.span(python, "", "execute_tool f", ptrace.SpanKindInternal, root, 30, 35, map[string]any{"gen_ai.tool.name": "f", "gen_ai.tool.call.arguments": `{"a":1}`, "gen_ai.tool.call.result": "x"})
			tr.span(python, "", "execute_tool f", ptrace.SpanKindInternal, root, 40, 45, map[string]any{"gen_ai.tool.name": "f", "gen_ai.tool.call.arguments": `{"a":2}`})
		}, []string{`assistant call f 10002: {"a":1}`, "tool output f 10002 5 ms: x", `assistant call f 10003: {"a":2}`}},
		"two conversations": {func(b *bench, tr *trace, root pcommon.SpanID) {
			tr.say(root, 10, map[string]any{"gen_ai.input.messages": "[" + userHi + "]", "gen_ai.output.messages": "[" + lastWords + "]"})
			tr.say(root, 30, map[string]any{"gen_ai.input.messages": `[{"role":"user","parts":[{"type":"text","content":"Other"}]}]`, "gen_ai.output.messages": "[" + lastWords + "]"})
		}, []string{"user text: Hi", "assistant text turn 1 10002 7 tok 10 ms: Done.", "user text: Other", "assistant text turn 2 10003 7 tok 10 ms: Done."}},
		"unknown parts": {func(b *bench, tr *trace, root pcommon.SpanID) {
			tr.say(root, 10, map[string]any{"gen_ai.input.messages": `[{"role":"user","parts":[{"type":"hologram","content":{"x":1}},{"type":"blob","mime_type":"image/png"},7,{"type":7}]}]`})
		}, []string{`user other hologram: {"x":1}`, `user other blob: {"type":"blob","mime_type":"image/png"}`, "user other: 7", `user other: {"type":7}`}},
		"events of the span": {func(b *bench, tr *trace, root pcommon.SpanID) {
			s := tr.say(root, 10, nil)
			event(s, "gen_ai.content.prompt", map[string]any{"gen_ai.prompt": `[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}]`})
			event(s, "gen_ai.content.completion", map[string]any{"gen_ai.completion": `[{"role":"assistant","content":"Done."}]`})
		}, []string{"system text: Be brief.", "user text: Hi", "assistant text turn 1 10002 7 tok 10 ms: Done."}},
		"events with content": {func(b *bench, tr *trace, root pcommon.SpanID) {
			s := tr.say(root, 10, nil)
			event(s, "gen_ai.user.message", map[string]any{"gen_ai.event.content": `{"content":"Hi"}`})
			event(s, "gen_ai.choice", map[string]any{"gen_ai.event.content": `{"index":0,"message":{"content":"Done."}}`})
		}, []string{"user text: Hi", "assistant text turn 1 10002 7 tok 10 ms: Done."}},
		"log records of messages": {func(b *bench, tr *trace, root pcommon.SpanID) {
			first := tr.say(root, 10, nil)
			record(b, tr, first, "gen_ai.system.message", nil, map[string]any{"content": "Be brief."})
			record(b, tr, first, "gen_ai.user.message", nil, map[string]any{"content": "Hi"})
			record(b, tr, first, "gen_ai.choice", nil, map[string]any{"index": 0, "finish_reason": "tool_calls", "message": chatCall})
			second := tr.say(root, 30, nil)
			record(b, tr, second, "gen_ai.system.message", nil, map[string]any{"content": "Be brief."})
			record(b, tr, second, "", map[string]any{"event.name": "gen_ai.user.message"}, map[string]any{"content": "Hi"})
			record(b, tr, second, "gen_ai.assistant.message", nil, chatCall)
			record(b, tr, second, "gen_ai.tool.message", nil, map[string]any{"content": `{"ok":true}`, "id": "c1"})
			record(b, tr, second, "gen_ai.choice", nil, map[string]any{"index": 0, "message": map[string]any{"content": "Done."}})
		}, chatty},
		"one log record a call": {func(b *bench, tr *trace, root pcommon.SpanID) {
			s := tr.say(root, 10, nil)
			record(b, tr, s, "gen_ai.client.inference.operation.details", map[string]any{
				"gen_ai.system_instructions": []any{map[string]any{"type": "text", "content": "Be brief."}},
				"gen_ai.input.messages":      []any{map[string]any{"role": "user", "parts": []any{map[string]any{"type": "text", "content": "Hi"}}}},
				"gen_ai.output.messages":     "[" + lastWords + "]"}, nil)
		}, []string{"system text: Be brief.", "user text: Hi", "assistant text turn 1 10002 7 tok 10 ms: Done."}},
		"flattened": {func(b *bench, tr *trace, root pcommon.SpanID) {
			tr.say(root, 10, map[string]any{"gen_ai.prompt.0.role": "system", "gen_ai.prompt.0.content": "Be brief.", "gen_ai.prompt.1.role": "user", "gen_ai.prompt.1.content": "Hi",
				"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.tool_calls.0.id": "c1", "gen_ai.completion.0.tool_calls.0.name": "f", "gen_ai.completion.0.tool_calls.0.arguments": `{"a":1}`})
			tr.say(root, 30, map[string]any{"gen_ai.prompt.0.role": "system", "gen_ai.prompt.0.content": "Be brief.", "gen_ai.prompt.1.role": "user", "gen_ai.prompt.1.content": "Hi",
				"gen_ai.prompt.2.role": "assistant", "gen_ai.prompt.2.tool_calls.0.id": "c1", "gen_ai.prompt.2.tool_calls.0.name": "f", "gen_ai.prompt.2.tool_calls.0.arguments": `{"a":1}`,
				"gen_ai.prompt.3.role": "tool", "gen_ai.prompt.3.tool_call_id": "c1", "gen_ai.prompt.3.content": `{"ok":true}`,
				"gen_ai.completion.0.role": "assistant", "gen_ai.completion.0.content": "Done."})
		}, chatty},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, web.Options{})
			tr := newTrace(1)
			root := tr.span(python, "", "invoke_agent shop", ptrace.SpanKindInternal, pcommon.SpanID{}, 0, 100, nil)
			test.build(b, tr, root.SpanID())
			b.add(tr.td)
			if source, words, lines := talk(t, b, tr); source != "genai" || words != "" || !slices.Equal(lines, test.want) {
				t.Errorf("%s %q: got\n%s\nwant\n%s", source, words, strings.Join(lines, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

// TestNothingSaid: what to do to see something is said where it would be.
func TestNothingSaid(t *testing.T) {
	b := newBench(t, web.Options{})
	b.fill()
	source, words, lines := talk(t, b, newTrace(0))
	if source != "none" || words != "Messages are not recorded. Turn on telemetry.content to see them here." || len(lines) != 0 {
		t.Errorf("%s: %q, %q", source, words, lines)
	}
}

// FuzzGenAI: nothing that a program may record breaks the page's answer.
func FuzzGenAI(f *testing.F) {
	for _, seed := range []string{"[" + userHi + "," + callF + "," + resultF + "]", `[{"parts":[{"type":"tool_call","id":"c1"}]},"x",7,null,[[]]]`, `{"role":`, `{"message":{"role":"tool"}}`, "\xff", "[]", "null"} {
		f.Add(seed, seed, seed)
	}
	b := newBench(f, web.Options{})
	n := 0
	f.Fuzz(func(t *testing.T, in, out, result string) {
		b.t = t
		n++
		tr := newTrace(n)
		root := tr.span(python, "", "agent", ptrace.SpanKindInternal, pcommon.SpanID{}, 0, 100, nil)
		tr.say(root.SpanID(), 1, map[string]any{"gen_ai.input.messages": in, "gen_ai.output.messages": out, "gen_ai.system_instructions": result})
		tr.span(python, "", "tool", ptrace.SpanKindInternal, root.SpanID(), 2, 3, map[string]any{"gen_ai.tool.call.id": "c1", "gen_ai.tool.call.result": result})
		s := tr.say(root.SpanID(), 5, map[string]any{"gen_ai.prompt.0.role": in, "gen_ai.completion.0.content": out, "gen_ai.completion.0.tool_calls.0.name": result})
		e := s.Events().AppendEmpty()
		e.SetName("gen_ai.choice")
		e.Attributes().PutStr("gen_ai.event.content", in)
		b.add(tr.td)
		if w := b.get("/api/v1/traces/" + tr.id.String() + "/conversation"); w.Code != 200 {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
}
