package chat_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/chat"
	"github.com/lensgo/lens/gym/responses/internal/golden"
	"github.com/lensgo/lens/gym/responses/sse"
)

func stream(b []byte) *sse.Reader { return sse.NewReader(bytes.NewReader(b), sse.Options{}) }

// The files say the same in each way in which a stream may be written and torn.
func TestCollect_forms(t *testing.T) {
	for _, name := range []string{"sse-lf.txt", "sse-crlf.txt", "sse-comments-keepalive.txt", "sse-missing-done.txt"} {
		b := golden.Read(t, "testdata", name)
		for form, r := range map[string]*sse.Reader{
			"whole":              stream(b),
			"a byte at a time":   sse.NewReader(iotest.OneByteReader(bytes.NewReader(b)), sse.Options{}),
			"with CR":            stream(bytes.ReplaceAll(bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")), []byte("\n"), []byte("\r"))),
			"without last lines": stream(bytes.TrimRight(b, "\r\n")),
			"end with data":      sse.NewReader(iotest.DataErrReader(bytes.NewReader(b)), sse.Options{}),
		} {
			t.Run(name+"/"+form, func(t *testing.T) {
				c, err := chat.Collect(r)
				if err != nil {
					t.Fatal(err)
				}
				const want = `{"object":"chat.completion","id":"c1","created":1,"model":"m","usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5},` +
					`"choices":[{"index":0,"message":{"role":"assistant","content":"héllo 😀"},"finish_reason":"stop"}]}`
				if got := string(c.AppendTo(nil)); got != want {
					t.Errorf("got  %s\nwant %s", got, want)
				}
			})
		}
	}
}

func TestCollect_deltas(t *testing.T) {
	c, err := chat.Collect(stream(golden.Read(t, "testdata/collect/deltas.txt")))
	if err != nil {
		t.Fatal(err)
	}
	golden.JSON(t, filepath.Join("testdata/collect/deltas.out.json"), c.AppendTo(nil))
}

func TestCollect_errors(t *testing.T) {
	_, err := chat.Collect(stream(golden.Read(t, "testdata/sse-error-event.txt")))
	if e, ok := errors.AsType[*responses.UpstreamError](err); !ok || e.Status != 503 || e.Message != "upstream overloaded" {
		t.Errorf("error %v, want 503 upstream overloaded", err)
	}
	const begun = `data: {"choices":[{"index":0,"delta":{"content":"a"}}]}` + "\n\n"
	for _, tt := range []struct {
		name, in string
		want     error
		text     string
	}{
		{"nothing", "", responses.ErrTruncated, ""},
		{"cut short", begun, responses.ErrTruncated, ""},
		{"one of two choices", begun + `data: {"choices":[{"index":1,"delta":{},"finish_reason":"stop"}]}` + "\n\n", responses.ErrTruncated, ""},
		{"no JSON", begun + "data: <html>\n\n", nil, "cannot read event of stream"},
		{"not finite", `data: {"choices":[{"index":0,"logprobs":{"content":[{"logprob":-Infinity}]}}]}` + "\n\n", nil, "bare -Infinity"},
		{"done without a choice", "data: [DONE]\n\n", nil, "list of choices is empty"},
		{"error with a name", "event: error\ndata: busy\n\n", nil, "busy"},
		{"calls of a wrong kind", `data: {"choices":[{"index":0,"delta":{"tool_calls":[1]}}]}` + "\n\n", nil, "no object"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := chat.Collect(stream([]byte(tt.in)))
			if err == nil || tt.want != nil && !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("error %v, want %v %s", err, tt.want, tt.text)
			}
		})
	}
	broken := sse.NewReader(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(begun))), sse.Options{})
	if _, err := chat.Collect(broken); !errors.Is(err, iotest.ErrTimeout) {
		t.Errorf("error %v, want that of the reader", err)
	}
}

// Calls of endpoints that leave the index out, and an answer that says it is done without a reason.
func TestCollect_without_index(t *testing.T) {
	c, err := chat.Collect(stream([]byte(`data: {"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"t","arguments":"{"}}]}}]}` + "\n\n" +
		`data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"}"}}]}}]}` + "\n\n" +
		`data: {"choices":[{"delta":{"tool_calls":[{"id":"b","function":{"name":"u","arguments":"{}"}}]}}]}` + "\n\ndata: [DONE]\n\n")))
	const want = `{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[` +
		`{"id":"a","type":"function","function":{"name":"t","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"u","arguments":"{}"}}]},"finish_reason":null}]}`
	if got := string(c.AppendTo(nil)); err != nil || got != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

// What was replayed is collected as it was, but for the tokens and the usage that nobody asked for.
func TestReplay_Collect(t *testing.T) {
	for _, name := range golden.Inputs(t, "testdata/to_response") {
		t.Run(name, func(t *testing.T) {
			c, err := chat.ParseCompletion(golden.Read(t, "testdata/to_response", name+".in.json"))
			if err != nil {
				t.Fatal(err)
			}
			again, err := chat.Collect(stream(chat.Replay(c, true)))
			if err != nil {
				t.Fatal(err)
			}
			golden.JSON(t, filepath.Join("testdata/collect", name+".out.json"), again.AppendTo(nil))
			usage, _ := c.Get("usage")
			if body := chat.Replay(c, false); !responses.IsNull(usage) && bytes.Contains(body, []byte(`"usage"`)) {
				t.Error("usage is in a stream that nobody asked it for")
			}
		})
	}
}

func TestRequest_stream(t *testing.T) {
	for _, tt := range []struct {
		in            string
		stream, usage bool
	}{
		{`{"messages":[]}`, false, false},
		{`{"messages":[],"stream":true,"stream_options":{"include_usage":true}}`, true, true},
		{`{"messages":[],"stream":true,"stream_options":null}`, true, false},
		{`{"messages":[],"stream":null}`, false, false},
	} {
		r, err := chat.ParseRequest([]byte(tt.in))
		if err != nil || r.Stream() != tt.stream || r.IncludeUsage() != tt.usage {
			t.Errorf("%s: %v, %v, %v", tt.in, r.Stream(), r.IncludeUsage(), err)
		}
	}
}
