package responses_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/internal/golden"
)

func response(t testing.TB, name string) responses.Response {
	t.Helper()
	r, err := responses.ParseResponse(golden.Read(t, "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func output(t testing.TB, r responses.Response) []responses.Item {
	t.Helper()
	items, err := r.Output()
	if err != nil {
		t.Fatal(err)
	}
	return items
}

func compact(t testing.TB, v jsontext.Value) string {
	t.Helper()
	v = v.Clone()
	if err := v.Compact(); err != nil {
		t.Fatal(err)
	}
	return string(v)
}

// reply is a response with the members that every one has, and more.
func reply(more string) string {
	return `{"id":"r","created_at":1,"model":"m","object":"response","parallel_tool_calls":true,"tool_choice":"auto","tools":[],` + more + `}`
}

func TestParseResponse_errors(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"missing members, all of them", `{"id":"r","output":[]}`, "body.tools: Field required"},
		{"no output", reply(`"x":1`), "body.output: Field required"},
		{"output is no list", reply(`"output":{}`), "body.output: Input should be a valid list"},
		{"an item is no object", reply(`"output":[1]`), "body.output.0"},
		{"an item has no type", reply(`"output":[{"type":"message"},{"role":"assistant"}]`), "body.output.1.type: Field required"},
		{"no object", `[]`, "is an array"},
		{"no JSON", `oops`, "cannot parse response"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := responses.ParseResponse([]byte(tt.in))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			var fields responses.FieldErrors
			if errors.As(err, &fields) {
				t.Error("another server's answer would be reported as the caller's fault")
			}
		})
	}
}

func TestCheckResponse(t *testing.T) {
	if _, bad := responses.CheckResponse(jsontext.Value(reply(`"output":[]`))); len(bad) != 0 {
		t.Errorf("got %v", bad)
	}
	_, bad := responses.CheckResponse(jsontext.Value(`{"id":"r"}`))
	if len(bad) != 7 || bad.Under("response")[0].Loc[1] != "response" {
		t.Errorf("got %v, want 7 details", bad)
	}
	if _, bad := responses.CheckResponse(jsontext.Value(`null`)); len(bad) != 1 {
		t.Errorf("null: got %v", bad)
	}
}

func TestResponse(t *testing.T) {
	in := reply(`"output":[{"type":"reasoning","id":"rs","summary":[]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"}],` +
		`"prompt_token_ids":[1,2,3],"generation_log_probs":[-0.10,-1e-3]},{"type":"message","role":"assistant","content":"b"}],` +
		`"incomplete_details":{"reason":"max_output_tokens"},"usage":{"total_tokens":3,"cost":1.0},"_ng_trajectory":{"x":1}`)
	r, err := responses.ParseResponse([]byte(in))
	if err != nil {
		t.Fatal(err)
	}
	if r.Text() != "ab" || !r.Incomplete() || r.IncompleteReason() != "max_output_tokens" {
		t.Errorf("text %q, incomplete %v %q", r.Text(), r.Incomplete(), r.IncompleteReason())
	}
	u, err := r.Usage()
	if err != nil || u.TotalTokens() != 3 {
		t.Errorf("usage %v, %v", u, err)
	}
	if got := string(r.AppendTo(nil)); got != in {
		t.Errorf("reading has changed the response to %s", got)
	}
	r.SetOutput(output(t, r))
	r.Delete("_ng_trajectory")
	if got, want := string(r.AppendTo(nil)), strings.Replace(in, `,"_ng_trajectory":{"x":1}`, "", 1); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	r.SetUsage(nil)
	if u, err := r.Usage(); u != nil || err != nil || !r.Null("usage") {
		t.Errorf("usage %v, %v; want null", u, err)
	}
}

func TestResponse_complete(t *testing.T) {
	for _, more := range []string{`"output":[]`, `"output":[],"incomplete_details":null,"usage":null`} {
		r, err := responses.ParseResponse([]byte(reply(more)))
		if err != nil {
			t.Fatal(err)
		}
		u, err := r.Usage()
		if r.Incomplete() || r.IncompleteReason() != "" || u != nil || err != nil {
			t.Errorf("%s: incomplete %v %q, usage %v, %v", more, r.Incomplete(), r.IncompleteReason(), u, err)
		}
	}
}
