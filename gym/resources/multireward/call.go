package multireward

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
)

// call is one call of a function.
type call struct {
	Name      string                    `json:"name"`
	Arguments map[string]jsontext.Value `json:"arguments"` // none where they are no object
	valid     bool                      // they are one
}

// readCall reads a call as the model wrote it.
func readCall(item responses.Item) call {
	c := call{Name: item.Name()}
	if err := json.Unmarshal([]byte(item.Arguments()), &c.Arguments, jsontext.AllowDuplicateNames(true)); err != nil || c.Arguments == nil {
		c.Arguments = map[string]jsontext.Value{}
		return c
	}
	c.valid = true
	return c
}

// complete tells whether the arguments are an object with all of the members.
func (c call) complete(members []string) bool {
	for _, name := range members {
		if _, there := c.Arguments[name]; !there {
			return false
		}
	}
	return c.valid
}

// expected is the call that a row wants; without a name no call is right.
type expected struct {
	name      jsontext.Value // as it stands in the row
	arguments responses.Object
}

// expectedCall reads a row's expected_call. The error is a [responses.FieldErrors].
func expectedCall(o responses.Object) (e expected, err error) {
	e.name, _ = o.Get("name")
	if v, there := o.Get("arguments"); there && !responses.IsNull(v) {
		var ok bool
		if e.arguments, ok = o.Sub("arguments"); !ok {
			return e, responses.FieldErrors{responses.WrongType("object", v, "body", "expected_call", "arguments")}
		}
	}
	return e, nil
}

// matchedBy tells whether a call is the right one.
func (e expected) matchedBy(c call) bool {
	name, ok := responses.Text(e.name)
	if !ok || name != c.Name {
		return false
	}
	for member, want := range e.arguments.All() {
		got, there := c.Arguments[member]
		if !there {
			got = jsontext.Value("null") // to Python what is absent is None
		}
		if !equal(got, want) {
			return false
		}
	}
	return true
}

// equal compares two checked JSON values as Python does: 1, 1.0 and true are one and the same.
func equal(a, b jsontext.Value) bool {
	a, b = bytes.TrimSpace(a), bytes.TrimSpace(b)
	if bytes.Equal(a, b) {
		return true
	}
	if x, ok := responses.NumberOf(a); ok {
		y, ok := responses.NumberOf(b)
		return ok && x == y && !(whole(a) && whole(b)) // whole numbers that differ in text may be too large for the comparison
	}
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case '"':
		x, _ := responses.Text(a)
		y, _ := responses.Text(b)
		return x == y
	case '[':
		return equalLists(a, b)
	case '{':
		return equalObjects(a, b)
	}
	return false // null, whose text is equal
}

func equalLists(a, b jsontext.Value) bool {
	x, _ := responses.Elements(a)
	y, _ := responses.Elements(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if !equal(x[i], y[i]) {
			return false
		}
	}
	return true
}

func equalObjects(a, b jsontext.Value) bool {
	x, _ := responses.View(a)
	y, _ := responses.View(b)
	if x.Len() != y.Len() {
		return false
	}
	for name, v := range x.All() {
		w, there := y.Get(name)
		if !there || !equal(v, w) {
			return false
		}
	}
	return true
}

// whole tells whether a number is written as a whole one.
func whole(v jsontext.Value) bool { return v.Kind() == '0' && !bytes.ContainsAny(v, ".eE") }
