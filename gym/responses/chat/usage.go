package chat

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
)

// counts are the counts of tokens: their names here and in the Responses dialect.
var counts = [...]struct{ here, there string }{
	{"prompt_tokens", "input_tokens"}, {"completion_tokens", "output_tokens"}, {"total_tokens", "total_tokens"},
}

// details are the counts that stand in objects of their own, with the names that providers give them elsewhere.
var details = [...]struct {
	here, there, name string
	aliases           []string
}{
	{"prompt_tokens_details", "input_tokens_details", "cached_tokens", []string{"cached_input_tokens", "cache_read_input_tokens", "prompt_cache_hit_tokens"}},
	{"completion_tokens_details", "output_tokens_details", "reasoning_tokens", []string{"reasoning_output_tokens"}},
}

// responsesUsage converts token counts; nil for none. Counts are copied, the total with them; a detail that is not known is
// null, which is not 0. Members that nobody here knows stay.
func responsesUsage(v jsontext.Value) jsontext.Value {
	u, ok := responses.View(v)
	if !ok {
		return nil
	}
	var out responses.Object
	for _, c := range counts {
		if n, ok := u.Get(c.here); ok {
			out.Set(c.there, n)
		}
		for _, d := range details {
			if d.there[:2] == c.there[:2] { // input after input, output after output
				inner, _ := u.Sub(d.here)
				inner.Set(d.name, detail(u, inner, d.name, d.aliases))
				out.Set(d.there, inner.AppendTo(nil))
			}
		}
	}
	if !out.Has("total_tokens") {
		in, okIn := out.Int("input_tokens")
		written, okOut := out.Int("output_tokens")
		if okIn && okOut {
			out.Set("total_tokens", strconv.AppendInt(nil, in+written, 10))
		}
	}
	for name, v := range u.All() {
		if !isUsageMember(name) {
			out.Set(name, v)
		}
	}
	return out.AppendTo(nil)
}

// detail finds a count in its object, or under another name there or beside it; null when there is none.
func detail(u, inner responses.Object, name string, aliases []string) jsontext.Value {
	for _, o := range []responses.Object{inner, u} {
		for _, n := range append([]string{name}, aliases...) {
			if v, _ := o.Get(n); v.Kind() == '0' {
				return v
			}
		}
	}
	return nil
}

// isUsageMember reports whether a member of a usage has a counterpart in the other dialect, in either direction.
func isUsageMember(name string) bool {
	for _, c := range counts {
		if name == c.here || name == c.there {
			return true
		}
	}
	for _, d := range details {
		if name == d.here || name == d.there {
			return true
		}
	}
	return false
}

// chatUsage is the reverse of responsesUsage. A detail that is not known is left out.
func chatUsage(u responses.Object) jsontext.Value {
	var out responses.Object
	for _, c := range counts {
		if n, ok := u.Get(c.there); ok {
			out.Set(c.here, n)
		}
	}
	for _, d := range details {
		inner, ok := u.Sub(d.there)
		if !ok {
			continue
		}
		if inner.Null(d.name) {
			inner.Delete(d.name)
		}
		if inner.Len() > 0 {
			out.Set(d.here, inner.AppendTo(nil))
		}
	}
	for name, v := range u.All() {
		if !isUsageMember(name) {
			out.Set(name, v)
		}
	}
	return out.AppendTo(nil)
}
