package messages_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/messages"
)

// seed adds the inputs of golden files.
func seed(f *testing.F, patterns ...string) {
	f.Helper()
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds in %s: %v", pattern, err)
		}
		for _, name := range files {
			b, err := os.ReadFile(name)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
}

// FuzzFromParams checks that a request that is converted is one, and can be converted back.
func FuzzFromParams(f *testing.F) {
	seed(f, "testdata/from_params/*.in.json", "testdata/*.request.json", "testdata/to_params/*.out.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := responses.ParseCreateParams(b)
		if err != nil {
			return
		}
		r, err := messages.FromParams(p, messages.Options{Model: "m"})
		if err != nil {
			return
		}
		if _, err := messages.ParseRequest(r.AppendTo(nil)); err != nil {
			t.Fatalf("%v in %s", err, r.AppendTo(nil))
		}
	})
}

// FuzzToParams checks that a request that is converted is one, and that what comes back is one.
func FuzzToParams(f *testing.F) {
	seed(f, "testdata/to_params/*.in.json", "testdata/from_params/*.out.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := messages.ParseRequest(b)
		if err != nil {
			return
		}
		p, err := messages.ToParams(r)
		if err != nil {
			return
		}
		again, err := messages.FromParams(p, messages.Options{})
		if err != nil {
			return
		}
		if _, err := messages.ParseRequest(again.AppendTo(nil)); err != nil {
			t.Fatalf("%v in %s", err, again.AppendTo(nil))
		}
	})
}

// FuzzToResponse checks that an answer that is converted is one, and comes back with its texts and inputs.
func FuzzToResponse(f *testing.F) {
	seed(f, "testdata/to_response/*.in.json", "testdata/from_response/*.out.json")
	p, err := responses.ParseCreateParams([]byte(`{"input":"q"}`))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := messages.ParseMessage(b)
		if err != nil {
			return
		}
		r, err := messages.ToResponse(m, p, messages.Options{})
		if err != nil {
			return
		}
		if _, err := responses.ParseResponse(r.AppendTo(nil)); err != nil {
			t.Fatalf("%v in %s", err, r.AppendTo(nil))
		}
		again, err := messages.FromResponse(r)
		if err != nil {
			return // arguments without a name, for one
		}
		if was, is := spoken(m), spoken(again); was != is {
			t.Fatalf("the model said %q, is said to have said %q", was, is)
		}
	})
}

// spoken is the text of the blocks and the inputs of the calls that are objects; a call without an input has an empty one.
func spoken(m messages.Message) string {
	var s string
	blocks, _ := m.Array("content")
	for _, v := range blocks {
		block, _ := responses.View(v)
		switch kind, _ := block.String("type"); kind {
		case "text":
			text, _ := block.String("text")
			s += text
		case "tool_use":
			input, _ := block.Get("input")
			if responses.IsNull(input) {
				input = jsontext.Value("{}")
			}
			if o, ok := responses.View(input); ok && !o.Has("_arguments") {
				s += "|" + string(o.AppendTo(nil))
			}
		}
	}
	return s
}

// FuzzFromResponse checks that a response that is converted gives a message, and its stream the same one.
func FuzzFromResponse(f *testing.F) {
	seed(f, "testdata/from_response/*.in.json", "testdata/to_response/*.out.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := responses.ParseResponse(b)
		if err != nil {
			return
		}
		m, err := messages.FromResponse(r)
		if err != nil {
			return
		}
		if _, err := messages.ParseMessage(m.AppendTo(nil)); err != nil {
			t.Fatalf("%v in %s", err, m.AppendTo(nil))
		}
		again, err := messages.Collect(stream(messages.Replay(m)))
		if err != nil {
			t.Fatalf("%v in %s", err, messages.Replay(m))
		}
		if was, is := spoken(m), spoken(again); was != is {
			t.Fatalf("the model said %q, its stream says %q", was, is)
		}
	})
}

// FuzzCollect checks that a stream that is taken gives a message.
func FuzzCollect(f *testing.F) {
	seed(f, "testdata/collect/*.txt", "testdata/from_response/*.sse")
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := messages.Collect(stream(b))
		if err != nil {
			return
		}
		if _, err := messages.ParseMessage(m.AppendTo(nil)); err != nil {
			t.Fatalf("%v in %s", err, m.AppendTo(nil))
		}
	})
}
