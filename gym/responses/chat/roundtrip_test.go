package chat_test

import (
	"testing"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/chat"
	"github.com/lensgo/lens/gym/responses/internal/golden"
)

// A conversation with members of tomorrow, numbers that no float holds, and lists of token ids comes back as it went, byte by
// byte.
func TestRoundTrip_request(t *testing.T) {
	const dir = "testdata/to_params"
	r, err := chat.ParseRequest(golden.Read(t, dir, "unknown.in.json"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := chat.ToParams(r)
	if err != nil {
		t.Fatal(err)
	}
	again, err := chat.FromParams(p, chat.Options{TokenIDs: true, ReasoningParser: true, InterleavedReasoning: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"messages", "tools", "x_top", "seed"} {
		was, _ := r.Get(name)
		is, _ := again.Get(name)
		if string(was) != string(is) {
			t.Errorf("%s was\n%s\nis\n%s", name, was, is)
		}
	}
}

func TestRoundTrip_completion(t *testing.T) {
	const in = `{"id":"chatcmpl-1","object":"chat.completion","created":1700000000,"model":"m","choices":[{"index":0,"message":{"role":"assistant",` +
		`"content":"héllo","reasoning_content":"why","tool_calls":[{"id":"call_1","type":"function","function":{"name":"t","arguments":"{\"n\":9223372036854775807}","x_function":1.0},"x_call":{"b":1,"a":2}}],` +
		`"x_message":12345678901234567890,"prompt_token_ids":[1,18446744073709551615],"generation_token_ids":[2],"generation_log_probs":[-1.50e-3]},` +
		`"logprobs":{"content":[{"token":"a","logprob":-0.10}]},"finish_reason":"tool_calls","x_choice":[1e3]}],` +
		`"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":9,"prompt_tokens_details":{"cached_tokens":1,"audio_tokens":0},"x_usage":0.10},"x_top":1.0}`
	c, err := chat.ParseCompletion([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	p, err := responses.ParseCreateParams([]byte(`{"input":"q","temperature":1}`))
	if err != nil {
		t.Fatal(err)
	}
	o := chat.Options{TokenIDs: true, NewID: func(prefix string) string { return prefix + "1" }}
	r, err := chat.ToResponse(c, p, o)
	if err != nil {
		t.Fatal(err)
	}
	again, err := chat.FromResponse(r)
	if got := string(again.AppendTo(nil)); err != nil || got != in {
		t.Errorf("%v\n is %s\nwas %s", err, got, in)
	}
}
