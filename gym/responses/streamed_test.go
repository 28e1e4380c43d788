package responses_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/internal/golden"
)

func TestParseStreamed(t *testing.T) {
	b := golden.Read(t, "testdata/streamed.in.json")
	s, err := responses.ParseStreamed(b)
	if err != nil {
		t.Fatal(err)
	}
	golden.JSON(t, "testdata/streamed.out.json", s.Params.AppendTo(nil))
	want := []string{"client_metadata", "tools.2 (freeform)", "input.3 (compaction)", "input.4.tools.1 (custom)", "input.5 (no type)"}
	if diff := cmp.Diff(want, s.Dropped); diff != "" {
		t.Errorf("dropped (-want +got):\n%s", diff)
	}
	r, err := responses.ParseResponse([]byte(reply(`"output":[{"type":"function_call","name":"web__open","n":1.0},{"type":"function_call","name":"t"},{"type":"message","name":"web__open"}]`)))
	if err != nil {
		t.Fatal(err)
	}
	out, _ := s.Restore(r).Get("output")
	const restored = `[{"type":"function_call","name":"open","n":1.0,"namespace":"web"},{"type":"function_call","name":"t"},{"type":"message","name":"web__open"}]`
	if string(out) != restored {
		t.Errorf("got  %s\nwant %s", out, restored)
	}
}

func TestParseStreamed_plain(t *testing.T) {
	s, err := responses.ParseStreamed([]byte(`{"stream":true,"input":"q","temperature":1.0}`))
	if err != nil || string(s.Params.AppendTo(nil)) != `{"input":"q","temperature":1.0}` || s.Dropped != nil {
		t.Errorf("got %s, %v, %v", s.Params.AppendTo(nil), s.Dropped, err)
	}
	r, err := responses.ParseResponse([]byte(reply(`"output":[]`)))
	if err != nil {
		t.Fatal(err)
	}
	if got := s.Restore(r); string(got.AppendTo(nil)) != string(r.AppendTo(nil)) {
		t.Errorf("the response has changed to %s", got.AppendTo(nil))
	}
	for _, tt := range []struct{ in, want string }{
		{`{"stream":true}`, "body.input: Field required"}, {`{`, "JSON decode error"}, {`{"input":"q","temperature":[]}`, "body.temperature"},
	} {
		_, err := responses.ParseStreamed([]byte(tt.in))
		if _, ok := errors.AsType[responses.FieldErrors](err); !ok || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: error %v, want FieldErrors with %s", tt.in, err, tt.want)
		}
	}
}

func TestWantsStream(t *testing.T) {
	for in, want := range map[string]bool{
		`{"stream": true }`: true, `{"stream":false}`: false, `{"stream":"true"}`: false, `{"stream":1}`: false, `{}`: false, `{"stream"`: false, ``: false, `[true]`: false,
	} {
		if got := responses.WantsStream([]byte(in)); got != want {
			t.Errorf("%s: %v", in, got)
		}
	}
}

// FuzzParseStreamed checks that a request that is cleaned up is one of the dialect.
func FuzzParseStreamed(f *testing.F) {
	f.Add(golden.Read(f, "testdata/streamed.in.json"))
	f.Add([]byte(`{"input":[{"type":"additional_tools","tools":{}}],"tools":7}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := responses.ParseStreamed(b)
		if err != nil {
			return
		}
		if _, err := responses.ParseCreateParams(s.Params.AppendTo(nil)); err != nil {
			t.Fatalf("%v in %s", err, s.Params.AppendTo(nil))
		}
	})
}
