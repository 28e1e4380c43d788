package messages_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/internal/golden"
	"github.com/lensgo/lens/gym/responses/messages"
	"github.com/lensgo/lens/gym/responses/sse"
)

func stream(b []byte) *sse.Reader { return sse.NewReader(bytes.NewReader(b), sse.Options{}) }

func TestCollect(t *testing.T) {
	b := golden.Read(t, "testdata/collect/deltas.txt")
	for form, r := range map[string]*sse.Reader{
		"whole":                stream(b),
		"a byte at a time":     sse.NewReader(iotest.OneByteReader(bytes.NewReader(b)), sse.Options{}),
		"CRLF":                 stream(bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))),
		"without message_stop": stream(b[:bytes.Index(b, []byte("event: message_stop"))]),
	} {
		t.Run(form, func(t *testing.T) {
			m, err := messages.Collect(r)
			if err != nil {
				t.Fatal(err)
			}
			golden.JSON(t, "testdata/collect/deltas.out.json", m.AppendTo(nil))
		})
	}
}

func TestCollect_errors(t *testing.T) {
	const begun = `data: {"type":"message_start","message":{"content":[],"stop_reason":null}}` + "\n\n"
	for _, tt := range []struct{ name, in string }{
		{"nothing", ""}, {"cut short", begun}, {"stop without a reason", begun + `data: {"type":"message_stop"}` + "\n\n"},
		{"end without a beginning", `data: {"type":"message_delta","delta":{"stop_reason":"end_turn"}}` + "\n\n"},
	} {
		if _, err := messages.Collect(stream([]byte(tt.in))); !errors.Is(err, responses.ErrTruncated) {
			t.Errorf("%s: error %v, want ErrTruncated", tt.name, err)
		}
	}
	_, err := messages.Collect(stream([]byte(begun + "event: error\ndata: " + `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}` + "\n\n")))
	if e, ok := errors.AsType[*responses.UpstreamError](err); !ok || e.Status != 529 {
		t.Errorf("error %v, want the endpoint's", err)
	}
	if _, err := messages.Collect(stream([]byte("data: {\n\n"))); err == nil || !strings.Contains(err.Error(), "cannot collect message: cannot read event of stream") {
		t.Errorf("error %v", err)
	}
}

// Input that was cut short in the middle must not lose the rest of the message.
func TestCollect_input_cut_short(t *testing.T) {
	m, err := messages.Collect(stream([]byte(`data: {"type":"message_start","message":{}}` + "\n\n" +
		`data: {"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"n","input":{}}}` + "\n\n" +
		`data: {"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}` + "\n\n" +
		`data: {"type":"message_delta","delta":{"stop_reason":"max_tokens"}}` + "\n\n")))
	const want = `{"stop_reason":"max_tokens","content":[{"type":"tool_use","id":"t","name":"n","input":{"_arguments":"{\"a\":"}}]}`
	if got := string(m.AppendTo(nil)); err != nil || got != want {
		t.Errorf("got  %s, %v\nwant %s", got, err, want)
	}
}

// What was replayed is collected as it was.
func TestReplay_Collect(t *testing.T) {
	for _, name := range golden.Inputs(t, "testdata/to_response") {
		m, err := messages.ParseMessage(golden.Read(t, "testdata/to_response", name+".in.json"))
		if err != nil {
			t.Fatal(err)
		}
		again, err := messages.Collect(stream(messages.Replay(m)))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for member, v := range m.All() {
			if got, _ := again.Get(member); string(got) != string(v) {
				t.Errorf("%s: %s was %s, is %s", name, member, v, got)
			}
		}
	}
}
