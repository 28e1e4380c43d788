package responses_test

import (
	"testing"

	"github.com/lensgo/lens/gym/responses"
)

func item(t testing.TB, s string) responses.Item {
	t.Helper()
	it, err := responses.ParseItem([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return it
}

func TestItem_Type(t *testing.T) {
	for in, want := range map[string]string{
		`{"type":"function_call"}`:         "function_call",
		`{"role":"user","content":"x"}`:    "message",
		`{"type":"message","role":"user"}`: "message",
		`{"content":"x"}`:                  "",
		`{"type":null,"role":"user"}`:      "",
		`{"type":"compaction","role":"x"}`: "compaction",
	} {
		if got := item(t, in).Type(); got != want {
			t.Errorf("type of %s is %q, want %q", in, got, want)
		}
	}
}

func TestItem_Text(t *testing.T) {
	for in, want := range map[string]string{
		`{"role":"user","content":"hi\n"}`: "hi\n",
		`{"role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"u"},{"type":"input_text","text":"b"}]}`:   "ab",
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"x","annotations":[]},{"type":"refusal","refusal":"no"}]}`: "x",
		`{"type":"function_call_output","call_id":"c","output":"sunny","content":"not this"}`:                                                    "sunny",
		`{"type":"function_call_output","call_id":"c","output":[{"type":"input_text","text":"s"},3,null]}`:                                       "s",
		`{"type":"reasoning","summary":[{"type":"summary_text","text":"t"}]}`:                                                                    "",
		`{"role":"user"}`: "",
	} {
		if got := item(t, in).Text(); got != want {
			t.Errorf("text of %s is %q, want %q", in, got, want)
		}
	}
}

func TestItem_constructors(t *testing.T) {
	tests := []struct {
		it   responses.Item
		want string
	}{
		{responses.UserMessage("a\"b\xff"), `{"role":"user","content":"a\"b` + "\uFFFD" + `"}`},
		{responses.Message("system", "s"), `{"role":"system","content":"s"}`},
		{responses.AssistantMessage("hi"), `{"type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"hi","annotations":[]}]}`},
		{responses.OutputMessage("msg_1", "hi"), `{"id":"msg_1","type":"message","role":"assistant","status":"completed","content":[{"type":"output_text","text":"hi","annotations":[]}]}`},
		{responses.FunctionCall("", "c1", "t", `{"x":1}`), `{"type":"function_call","call_id":"c1","name":"t","arguments":"{\"x\":1}","status":"completed"}`},
		{responses.FunctionCall("fc_1", "c1", "t", ``), `{"id":"fc_1","type":"function_call","call_id":"c1","name":"t","arguments":"","status":"completed"}`},
		{responses.FunctionCallOutput("c1", "boom\n"), `{"type":"function_call_output","call_id":"c1","output":"boom\n"}`},
	}
	for _, tt := range tests {
		if got := string(tt.it.AppendTo(nil)); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
		if _, err := responses.ParseItem(tt.it.AppendTo(nil)); err != nil {
			t.Error(err)
		}
	}
	call := responses.FunctionCall("f", "c1", "tool", `{"x":1}`)
	if call.CallID() != "c1" || call.Name() != "tool" || call.Arguments() != `{"x":1}` || call.Role() != "" {
		t.Errorf("call is read back wrong: %s", call.AppendTo(nil))
	}
}

// LL-01, the part that is ours: arguments that are not JSON are told from those that are.
func TestParseArguments_malformed(t *testing.T) {
	calls := output(t, response(t, "llm-malformed-tool-args.response.json"))
	if _, err := responses.ParseArguments(calls[0].Arguments()); err == nil {
		t.Error("no error")
	}
	if calls[0].CallID() != "call_1" {
		t.Errorf("call id is %q", calls[0].CallID())
	}
}

func TestParseArguments(t *testing.T) {
	for _, ok := range []string{`{}`, `{"a":1.0}`, `[1]`, `"x"`, `null`, ` {"a":1} `} {
		if _, err := responses.ParseArguments(ok); err != nil {
			t.Errorf("%s: %v", ok, err)
		}
	}
	for _, bad := range []string{``, `{`, `{'a':1}`, `{"a":NaN}`, `{"a":1}{"a":2}`, `{"a":1,"a":2}`, "{\"a\":\"\xff\"}"} {
		if v, err := responses.ParseArguments(bad); err == nil {
			t.Errorf("%s is taken for %s", bad, v)
		}
	}
}

// LL-21: the tool server gets the digits that the model wrote, and the stored string is the same, byte for byte.
func TestParseArguments_big_numbers(t *testing.T) {
	r := response(t, "llm-bigint-args.response.json")
	calls := output(t, r)
	const want = `{"id":9223372036854775807,"x":1.0,"y":1e3}`
	v, err := responses.ParseArguments(calls[0].Arguments())
	if err != nil || string(v) != want {
		t.Errorf("arguments are %s, %v; want %s", v, err, want)
	}
	stored, _ := calls[0].Get("arguments")
	r.SetOutput(append(calls, responses.FunctionCallOutput("c1", "ok")))
	after, _ := output(t, r)[0].Get("arguments")
	if string(after) != string(stored) || string(after) != `"{\"id\":9223372036854775807,\"x\":1.0,\"y\":1e3}"` {
		t.Errorf("stored arguments are %s, were %s", after, stored)
	}
}
