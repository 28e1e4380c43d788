package responses

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// The members that carry the tokens of a turn to training. They come together or not at all: a trainer that gets the ids
// without the log probabilities would take them from somewhere else, and learn from the wrong numbers.
const (
	PromptTokenIDs     = "prompt_token_ids"
	GenerationTokenIDs = "generation_token_ids"
	GenerationLogProbs = "generation_log_probs"
	// RoutedExperts may come with them.
	RoutedExperts = "routed_experts"
)

var tokenBundle = [...]string{PromptTokenIDs, GenerationTokenIDs, GenerationLogProbs}

// IsTokenMember reports whether a member of an item belongs to the tokens of a turn.
func IsTokenMember(name string) bool {
	return name == RoutedExperts || slices.Contains(tokenBundle[:], name)
}

// HasTokens reports whether o carries the tokens of a turn; empty lists count.
func HasTokens(o Object) bool {
	v, ok := o.Get(PromptTokenIDs)
	return ok && v.Kind() != 'n'
}

// CheckTokens reports what is missing from the tokens that an item carries, and what is no list. null counts as absent.
func CheckTokens(o Object, loc ...any) FieldErrors {
	if wholeTokens(o) {
		return nil
	}
	var bad FieldErrors
	for _, name := range tokenBundle {
		v, _ := o.Get(name)
		switch {
		case IsNull(v):
			bad = append(bad, Missing(o.AppendTo(nil), append(slices.Clone(loc), name)...))
		case v.Kind() != '[':
			bad = append(bad, WrongType("list", v, append(slices.Clone(loc), name)...))
		}
	}
	return bad
}

// wholeTokens reports whether the lists of the bundle are all there, or none of them.
func wholeTokens(o Object) bool {
	lists, absent := 0, 0
	for _, name := range tokenBundle {
		v, _ := o.Get(name)
		switch {
		case IsNull(v):
			absent++
		case v.Kind() == '[':
			lists++
		}
	}
	return lists == len(tokenBundle) || absent == len(tokenBundle)
}

// checkTokens checks the items of a checked array. It looks at items only when a name of the bundle stands somewhere in
// the text, which costs little next to the walk.
func checkTokens(v jsontext.Value, loc ...any) FieldErrors {
	if !bytes.Contains(v, []byte(`"generation_`)) && !bytes.Contains(v, []byte(`"prompt_token_ids"`)) {
		return nil
	}
	var bad FieldErrors
	c := cursor{b: trim(v), i: 1}
	for i := 0; ; i++ {
		e, ok := c.element()
		if !ok {
			return bad
		}
		if e[0] == '{' && !wholeTokens(Object{raw: e}) {
			bad = append(bad, CheckTokens(Object{raw: e}, append(slices.Clone(loc), i)...)...)
		}
	}
}
