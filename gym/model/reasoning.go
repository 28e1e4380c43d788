package model

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
)

// cleanReasoning mends the reasoning items of the input, which come from earlier answers: a status of null, which programs
// write that know the member and not its value, is refused by endpoints. With drop the items are taken out, for endpoints
// that refuse those of another model.
func cleanReasoning(p *responses.CreateParams, drop bool) {
	elements, isList := p.Array("input")
	if !isList {
		return
	}
	kept, changed := make([]jsontext.Value, 0, len(elements)), false
	for _, element := range elements {
		item, ok := reasoningItem(element)
		switch {
		case ok && drop:
			changed = true
			continue
		case ok && item.Null("status"):
			item.Delete("status")
			element, changed = item.AppendTo(nil), true
		}
		kept = append(kept, element)
	}
	if changed {
		p.Set("input", joinValues(kept))
	}
}

// reasoningItem views an element of the input, when it is a reasoning item. Most are not, and are not taken apart.
func reasoningItem(element jsontext.Value) (responses.Item, bool) {
	if !bytes.Contains(element, []byte(`"`+responses.TypeReasoning+`"`)) {
		return responses.Item{}, false
	}
	o, _ := responses.View(element)
	item := responses.Item{Object: o}
	return item, item.Type() == responses.TypeReasoning
}

// joinValues writes checked values as an array.
func joinValues(list []jsontext.Value) jsontext.Value {
	n := 2
	for _, v := range list {
		n += len(v) + 1
	}
	b := append(make([]byte, 0, n), '[')
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, v...)
	}
	return append(b, ']')
}
