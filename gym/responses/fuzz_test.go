package responses_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/responses/internal/golden"
)

var seeds = []string{
	`{}`, messy, `{ "a" : [ ] , "b" : { } }`, "{\"a\":\"\\\\\\\"\"}", `{"\u0061":"x","b":{"c":[1,{"d":"}]"}]}}`,
	`{"a":1,"a":2}`, `[1,2]`, `{"a":`, "{\"a\":\"\xff\"}", `{"":"","\"":1}`,
}

// FuzzParseObject checks that text that is taken is kept byte for byte, that members are the ones that a real parser
// finds, and that an object that was changed is valid JSON again with the rest untouched.
func FuzzParseObject(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s), "a")
	}
	f.Fuzz(func(t *testing.T, b []byte, name string) {
		poke(t, b)
		o, err := responses.ParseObject(b)
		if err != nil {
			if v := jsontext.Value(b); v.IsValid() && v.Kind() == '{' {
				t.Fatalf("valid object is refused: %v", err)
			}
			return
		}
		if got := o.AppendTo(nil); !bytes.Equal(got, bytes.Trim(b, " \t\r\n")) {
			t.Fatalf("got %q, want %q", got, b)
		}
		var wrap responses.Object
		wrap.Set("o", o.AppendTo(nil))
		lazy, ok := wrap.Sub("o")
		if !ok {
			t.Fatal("an object is no object")
		}
		names, values := members(t, b)
		checkMembers(t, o, names, values)
		checkMembers(t, lazy, names, values)
		for _, o := range []responses.Object{o, lazy} {
			checkSet(t, o, name, names, values)
		}
	})
}

// members reads the members with the decoder of jsontext.
func members(t *testing.T, b []byte) (names, values []string) {
	t.Helper()
	dec := jsontext.NewDecoder(bytes.NewReader(b))
	if _, err := dec.ReadToken(); err != nil {
		t.Fatal(err)
	}
	for dec.PeekKind() != '}' {
		tok, err := dec.ReadToken()
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, tok.String())
		v, err := dec.ReadValue()
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, string(v))
	}
	if _, err := dec.ReadToken(); err != nil && err != io.EOF {
		t.Fatal(err)
	}
	return names, values
}

func checkMembers(t *testing.T, o responses.Object, names, values []string) {
	t.Helper()
	i := 0
	for name, v := range o.All() {
		if i >= len(names) || name != names[i] || string(v) != values[i] {
			t.Fatalf("member %d is %q: %s; want %q", i, name, v, names)
		}
		if got, ok := o.Get(name); !ok || string(got) != values[i] {
			t.Fatalf("Get(%q) = %s, %v; want %s", name, got, ok, values[i])
		}
		i++
	}
	if i != len(names) || o.Len() != len(names) {
		t.Fatalf("%d members, want %d", i, len(names))
	}
}

func checkSet(t *testing.T, o responses.Object, name string, names, values []string) {
	t.Helper()
	had := o.Has(name)
	o.SetInt(name, 7)
	again, err := responses.ParseObject(o.AppendTo(nil))
	if err != nil {
		t.Fatalf("after Set(%q): %v in %s", name, err, o.AppendTo(nil))
	}
	want := len(names)
	if !had {
		want++
	}
	if again.Len() != want {
		t.Fatalf("after Set(%q) there are %d members, want %d", name, again.Len(), want)
	}
	for i, n := range names {
		if v, ok := again.Get(n); !ok || n != name && string(v) != values[i] {
			t.Fatalf("after Set(%q) member %q is %s, %v; want %s", name, n, v, ok, values[i])
		}
	}
	if !again.Delete(name) && !bytes.Contains([]byte(name), []byte("\xef\xbf\xbd")) && isUTF8(name) {
		t.Fatalf("member %q is not there after it was set", name)
	}
}

func isUTF8(s string) bool { return string([]rune(s)) == s }

// poke walks text that nobody has checked, which a caller can bring in with Set: it may find nonsense, not panic or hang.
func poke(t *testing.T, b []byte) {
	t.Helper()
	var o responses.Object
	o.Set("x", append([]byte("{"), b...))
	if sub, ok := o.Sub("x"); ok {
		sub.Len()
		sub.Get("y")
		sub.SetInt("y", 1)
		sub.AppendLine(nil)
	}
	o.Set("x", append([]byte("["), b...))
	o.Array("x")
	r := responses.Response{Object: o}
	r.Set("output", append([]byte("["), b...))
	if items, err := r.Output(); err == nil {
		for _, it := range items {
			it.Type()
			it.Text()
		}
	}
}

// FuzzParseResponse checks that a response that is taken keeps its bytes when its output is read and put back.
func FuzzParseResponse(f *testing.F) {
	for _, more := range []string{
		`"output":[]`, `"output":[{"type":"message","content":[{"type":"output_text","text":"x"}]}],"usage":{"total_tokens":1}`,
		`"output":[{"type":"function_call","arguments":"{\"a\":1e3}"} , {"type":null}]`, `"output":{}`,
	} {
		f.Add([]byte(reply(more)))
	}
	f.Add(golden.Read(f, "testdata", "llm-bigint-args.response.json"))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := responses.ParseResponse(b)
		if err != nil {
			return
		}
		items, err := r.Output()
		if err != nil {
			t.Fatalf("output of a response that was taken: %v", err)
		}
		for _, it := range items {
			it.Text()
			_, _ = responses.ParseArguments(it.Arguments())
		}
		if u, err := r.Usage(); err == nil {
			responses.AddUsage(u, u)
		}
		before, _ := r.Get("output")
		r.SetOutput(items)
		after, _ := r.Get("output")
		if compact(t, before) != compact(t, after) {
			t.Fatalf("output was %s, is %s", before, after)
		}
		if _, err := responses.ParseResponse(r.AppendTo(nil)); err != nil {
			t.Fatalf("%v in %s", err, r.AppendTo(nil))
		}
	})
}
