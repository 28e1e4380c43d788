package chat_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/chat"
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

func valid(t *testing.T, o responses.Object) {
	t.Helper()
	if _, err := responses.ParseObject(o.AppendTo(nil)); err != nil {
		t.Fatalf("%v in %s", err, o.AppendTo(nil))
	}
}

// FuzzFromParams checks that a request that is converted is one, under each setting.
func FuzzFromParams(f *testing.F) {
	seed(f, "testdata/from_params/*.in.json", "testdata/*.request.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := responses.ParseCreateParams(b)
		if err != nil {
			return
		}
		for _, o := range []chat.Options{
			{}, {ReasoningParser: true, InterleavedReasoning: true, TokenIDs: true, ReplaceDeveloperRole: true, Model: "m"},
		} {
			r, err := chat.FromParams(p, o)
			if err != nil {
				continue
			}
			valid(t, r.Object)
			if _, err := o.Prepare(r); err != nil {
				t.Fatalf("the request cannot be prepared: %v in %s", err, r.AppendTo(nil))
			}
		}
	})
}

// FuzzToParams checks that a request of this dialect keeps the members that nobody knows, byte by byte, on its way through
// the other.
func FuzzToParams(f *testing.F) {
	seed(f, "testdata/to_params/*.in.json", "testdata/from_params/*.out.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := chat.ParseRequest(b)
		if err != nil {
			return
		}
		if prepared, err := (chat.Options{ReasoningParser: true, InterleavedReasoning: true}).Prepare(r); err == nil {
			valid(t, prepared.Object)
		}
		p, err := chat.ToParams(r)
		if err != nil {
			return
		}
		valid(t, p.Object)
		again, err := chat.FromParams(p, chat.Options{TokenIDs: true})
		if err != nil {
			return // a choice of tools without tools, for one
		}
		valid(t, again.Object)
		for name, v := range r.All() {
			if !strings.HasPrefix(name, "x_") {
				continue
			}
			if got, ok := again.Get(name); !ok || string(got) != string(v) {
				t.Fatalf("%s was %s, is %s", name, v, got)
			}
		}
	})
}

// FuzzToResponse checks that an answer that is converted is one, keeps what nobody knows, and comes back with its text and
// calls.
func FuzzToResponse(f *testing.F) {
	seed(f, "testdata/to_response/*.in.json", "testdata/from_response/*.out.json")
	p, err := responses.ParseCreateParams([]byte(`{"input":"q"}`))
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := chat.ParseCompletion(b)
		if err != nil {
			return
		}
		r, err := chat.ToResponse(c, p, chat.Options{TokenIDs: true})
		if err != nil {
			return
		}
		if _, err := responses.ParseResponse(r.AppendTo(nil)); err != nil {
			t.Fatalf("%v in %s", err, r.AppendTo(nil))
		}
		again, err := chat.FromResponse(r)
		if err != nil {
			t.Fatalf("%v for %s", err, r.AppendTo(nil))
		}
		valid(t, again.Object)
		for name, v := range c.All() {
			if got, ok := again.Get(name); strings.HasPrefix(name, "x_") && v.Kind() != 'n' && (!ok || string(got) != string(v)) {
				t.Fatalf("%s was %s, is %s", name, v, got)
			}
		}
		if was, is := spoken(c), spoken(again); was != is {
			t.Fatalf("the model said %q, is said to have said %q", was, is)
		}
	})
}

// spoken is the text of the first choice and the arguments of its calls, as they are written.
func spoken(c chat.Completion) string {
	choices, _ := c.Array("choices")
	choice, _ := responses.View(choices[0])
	message, _ := choice.Sub("message")
	content, _ := message.String("content")
	parts, _ := message.Array("content")
	for _, v := range parts {
		part, _ := responses.View(v)
		text, _ := part.String("text")
		content += text
	}
	calls, _ := message.Array("tool_calls")
	for _, v := range calls {
		call, _ := responses.View(v)
		f, _ := call.Sub("function")
		if s, ok := f.String("arguments"); ok {
			content += "|" + s
		} else if v, _ := f.Get("arguments"); responses.IsNull(v) {
			content += "|{}"
		} else {
			content += "|" + string(v)
		}
	}
	return content
}

// FuzzFromResponse checks that a response that is converted gives a completion, and its stream the same one.
func FuzzFromResponse(f *testing.F) {
	seed(f, "testdata/from_response/*.in.json", "testdata/to_response/*.out.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := responses.ParseResponse(b)
		if err != nil {
			return
		}
		c, err := chat.FromResponse(r)
		if err != nil {
			return
		}
		if _, err := chat.ParseCompletion(c.AppendTo(nil)); err != nil {
			t.Fatalf("%v in %s", err, c.AppendTo(nil))
		}
		again, err := chat.Collect(stream(chat.Replay(c, true)))
		if err != nil {
			t.Fatalf("%v in %s", err, chat.Replay(c, true))
		}
		if was, is := spoken(c), spoken(again); was != is {
			t.Fatalf("the model said %q, its stream says %q", was, is)
		}
	})
}

// FuzzCollect checks that a stream that is taken gives a completion.
func FuzzCollect(f *testing.F) {
	seed(f, "testdata/sse-*.txt", "testdata/collect/*.txt", "testdata/from_response/*.sse")
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := chat.Collect(stream(b))
		if err != nil {
			return
		}
		if v := jsontext.Value(c.AppendTo(nil)); !v.IsValid() {
			t.Fatalf("no JSON: %s", v)
		}
	})
}
