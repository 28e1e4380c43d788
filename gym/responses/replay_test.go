package responses_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/internal/golden"
	"github.com/lensgo/lens/gym/responses/sse"
)

func stream(b []byte) *sse.Reader { return sse.NewReader(bytes.NewReader(b), sse.Options{}) }

func TestReplay(t *testing.T) {
	r, err := responses.ParseResponse(golden.Read(t, "testdata/replay.in.json"))
	if err != nil {
		t.Fatal(err)
	}
	before := string(r.AppendTo(nil))
	body := responses.Replay(r)
	pretty := r
	pretty.Set("pretty", []byte("{\n\"x\":\n1.0}")) // some endpoints do, and some clients read line by line
	if got := responses.Replay(pretty); bytes.Count(got, []byte("\n")) != bytes.Count(body, []byte("\n")) {
		t.Errorf("what is pretty-printed takes several lines:\n%s", got)
	}
	golden.Text(t, "testdata/replay.sse", body)
	if after := string(r.AppendTo(nil)); after != before {
		t.Errorf("the response has changed to %s", after)
	}
	again, err := responses.Collect(stream(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range r.All() {
		if got, _ := again.Get(name); name != "usage" && compact(t, got) != compact(t, v) {
			t.Errorf("%s was %s, is %s", name, v, got)
		}
	}
}

func TestReplayFailure(t *testing.T) {
	p, err := responses.ParseCreateParams([]byte(`{"input":"q","model":"m"}`))
	if err != nil {
		t.Fatal(err)
	}
	body := responses.ReplayFailure(p, "no \"answer\"\nat all")
	var names []string
	for s := stream(body); ; {
		o, name, err := responses.NextObject(s)
		if err != nil {
			break
		}
		names = append(names, name)
		r, _ := o.Sub("response")
		if _, err := responses.ParseResponse(r.AppendTo(nil)); err != nil {
			t.Error(err)
		}
	}
	if got := strings.Join(names, " "); got != "response.created response.failed" {
		t.Errorf("events are %s", got)
	}
	_, err = responses.Collect(stream(body))
	if e, ok := errors.AsType[*responses.UpstreamError](err); !ok || e.Code != "server_error" || e.Message != "no \"answer\"\nat all" || e.Status != 500 {
		t.Errorf("error %v, want the one replayed", err)
	}
}

func TestCollect(t *testing.T) {
	const head = `"id":"resp_1","created_at":1,"model":"m","object":"response","parallel_tool_calls":true,"tool_choice":"auto","tools":[]`
	item := func(i, id string) string {
		return `data: {"type":"response.output_item.done","output_index":` + i + `,"item":{"type":"message","id":"` + id + `","n":1.0}}` + "\n\n"
	}
	for _, tt := range []struct{ name, in, want string }{
		{"the answer's own items", item("0", "a") + `data: {"type":"response.completed","response":{` + head + `,"output":[{"type":"x"}]}}` + "\n\n", `[{"type":"x"}]`},
		{"items of the events", item("10", "b") + item("2", "a") + `data: {"type":"response.completed","response":{` + head + `,"output":[]}}` + "\n\n",
			`[{"type":"message","id":"a","n":1.0},{"type":"message","id":"b","n":1.0}]`},
		{"incomplete, named by the event", "data:\n\nevent: response.incomplete\ndata: " + `{"response":{` + head + `,"output":[]}}` + "\n\n", `[]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := responses.Collect(stream([]byte(tt.in)))
			if err != nil {
				t.Fatal(err)
			}
			if got, _ := r.Get("output"); string(got) != tt.want {
				t.Errorf("output is %s, want %s", got, tt.want)
			}
		})
	}
	for _, tt := range []struct {
		name, in, want string
		truncated      bool
	}{
		{"nothing", "", "", true},
		{"cut short", item("0", "a"), "", true},
		{"done without an answer", item("0", "a") + "data: [DONE]\n\n", "", true},
		{"no response", `data: {"type":"response.completed","response":null}` + "\n\n", "holds null", false},
		{"not a response", `data: {"type":"response.completed","response":{}}` + "\n\n", "Field required", false},
		{"error", `data: {"type":"error","code":"rate_limit_exceeded","message":"slow down"}` + "\n\n", "(429, rate_limit_exceeded): slow down", false},
		{"error inside", `data: {"error":{"message":"x","code":503}}` + "\n\n", "(503, 503): x", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := responses.Collect(stream([]byte(tt.in)))
			if err == nil || errors.Is(err, responses.ErrTruncated) != tt.truncated || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// FuzzCollect checks that a stream that is taken gives a response, and that its own stream gives it again.
func FuzzCollect(f *testing.F) {
	f.Add(golden.Read(f, "testdata/replay.sse"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := responses.Collect(stream(b))
		if err != nil {
			return
		}
		again, err := responses.Collect(stream(responses.Replay(r)))
		if err != nil {
			t.Fatalf("%v in %s", err, responses.Replay(r))
		}
		was, _ := r.Get("output")
		is, _ := again.Get("output")
		if compact(t, was) != compact(t, is) {
			t.Fatalf("output was %s, is %s", was, is)
		}
	})
}

func TestParseUpstreamError(t *testing.T) {
	for _, tt := range []struct {
		in     string
		status int
		text   string
	}{
		{`{"message":"m","type":"server_error","code":503}`, 503, "m"},
		{`{"message":"m","type":"server_error","code":"429"}`, 429, "m"},
		{`{"message":"m","code":1}`, 502, "m"},
		{`{"type":"overloaded_error"}`, 529, "no text"},
		{`"plain"`, 502, "plain"},
		{`{"message":"` + strings.Repeat("é", 1000) + `"}`, 502, "é ..."},
		{`7`, 502, "no text"},
	} {
		e := responses.ParseUpstreamError([]byte(tt.in))
		if e.Status != tt.status || !strings.Contains(e.Error(), tt.text) || len(e.Message) > 1100 {
			t.Errorf("%s: %d %s", tt.in, e.Status, e)
		}
	}
}

func TestAnswer(t *testing.T) {
	p, err := responses.ParseCreateParams([]byte(`{"input":"q","tools":null,"tool_choice":"none","temperature":0.70,"metadata":{"a":"1"},"stream":null}`))
	if err != nil {
		t.Fatal(err)
	}
	r := responses.Answer{ID: "resp_1", CreatedAt: []byte("17.5"), Output: []byte(`[]`), Incomplete: "content_filter"}.Response(p)
	const want = `{"id":"resp_1","object":"response","created_at":17.5,"status":"incomplete","error":null,"incomplete_details":{"reason":"content_filter"},` +
		`"model":"","output":[],"usage":null,"metadata":{"a":"1"},"parallel_tool_calls":true,"temperature":0.70,"tool_choice":"none","tools":[]}`
	if got := string(r.AppendTo(nil)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if a, b := responses.NewID("x_"), responses.NewID("x_"); a == b || len(a) != 34 {
		t.Errorf("ids are %s and %s", a, b)
	}
}
