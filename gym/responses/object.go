package responses

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses/internal/splice"
)

// Object is a JSON object that keeps what it does not understand: the order of its members, members of any name, and the
// bytes of every value. The zero value is {}. See the package documentation for what is shared and what is safe.
type Object struct {
	// raw is the whole text while nothing was changed. Without members it is walked on each access, which is what
	// makes a list of items one allocation.
	raw []byte
	// members is the split form; it is the truth when raw is nil. It is never written to after it was made, so that
	// copies of an Object may share it.
	members []member
}

type member struct {
	key   []byte // with its quotes and escapes
	value jsontext.Value
}

// ParseObject checks b, which must be one JSON object, and returns a view of it. It does not copy b; see the package
// documentation for what is refused. The error names the offset and, inside nested values, the path.
func ParseObject(b []byte) (Object, error) {
	if err := validate(b); err != nil {
		return Object{}, fmt.Errorf("cannot parse JSON object: %w", err)
	}
	b = bytes.Trim(b, " \t\r\n")
	if b[0] != '{' {
		return Object{}, fmt.Errorf("cannot parse JSON object: it is %s", describe(b))
	}
	return Object{raw: b, members: split(b)}, nil
}

var errEmpty = errors.New("the text is empty")

// validate reports what is wrong with b as one JSON value. The pooled validator of IsValid only says yes or no, so the
// error is found by a second reading, off the fast path.
func validate(b []byte) error {
	if jsontext.Value(b).IsValid() {
		return nil
	}
	if len(bytes.Trim(b, " \t\r\n")) == 0 {
		return errEmpty
	}
	var v jsontext.Value
	if err := json.Unmarshal(b, &v); err != nil {
		return err
	}
	return errors.New("the text is not valid JSON")
}

// describe names the type of a JSON value for an error, with the article.
func describe(v jsontext.Value) string {
	switch v.Kind() {
	case 'n':
		return "null"
	case 't', 'f':
		return "a boolean"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "an array"
	}
	return "no JSON value"
}

// split lists the members of a valid object.
func split(raw []byte) []member {
	var room [24]member
	members := room[:0]
	c := cursor{b: raw, i: 1}
	for {
		key, value, ok := c.member()
		if !ok {
			return append(make([]member, 0, len(members)), members...) // not slices.Clone: room must not escape
		}
		members = append(members, member{key, value})
	}
}

// is reports whether the member has the name. A key with escapes is always longer than the name that it stands for.
func (m member) is(name string) bool { return keyIs(m.key, name) }

func keyIs(key []byte, name string) bool {
	k := key[1 : len(key)-1]
	if len(k) < len(name) {
		return false
	}
	escaped := bytes.IndexByte(k, '\\') >= 0
	if len(k) == len(name) {
		return !escaped && string(k) == name
	}
	return escaped && unquote(key) == name
}

// unquote returns the text of a valid JSON string.
func unquote(v []byte) string {
	if bytes.IndexByte(v, '\\') < 0 {
		return string(v[1 : len(v)-1])
	}
	b, _ := jsontext.AppendUnquote(nil, v)
	return string(b)
}

// quote appends s as a JSON string; invalid UTF-8 in it becomes U+FFFD.
func quote(dst []byte, s string) []byte { return splice.AppendString(dst, s) }

// All yields the members in order.
func (o Object) All() iter.Seq2[string, jsontext.Value] {
	return func(yield func(string, jsontext.Value) bool) {
		for key, value := range o.pairs() {
			if !yield(nameOf(key), value) {
				return
			}
		}
	}
}

// names are the names of members that every conversation is full of: a walk must not allocate for each of them.
var names = map[string]string{}

func init() {
	for _, name := range []string{
		"id", "type", "role", "content", "status", "name", "call_id", "arguments", "output", "summary", "encrypted_content",
		"text", "annotations", "tool_calls", "tool_call_id", "function", "parameters", "description", "strict", "index",
		"input", "tool_use_id", "input_schema", "thinking", "signature", "source", "image_url", "detail", "reasoning_content", "reasoning",
		PromptTokenIDs, GenerationTokenIDs, GenerationLogProbs,
	} {
		names[`"`+name+`"`] = name
	}
}

// nameOf is the name that a key stands for.
func nameOf(key []byte) string {
	if name, ok := names[string(key)]; ok {
		return name
	}
	return unquote(key)
}

// pairs yields the members with their keys as they stand.
func (o Object) pairs() iter.Seq2[[]byte, jsontext.Value] {
	return func(yield func([]byte, jsontext.Value) bool) {
		if o.members != nil || o.raw == nil {
			for _, m := range o.members {
				if !yield(m.key, m.value) {
					return
				}
			}
			return
		}
		c := cursor{b: o.raw, i: 1}
		for {
			key, value, ok := c.member()
			if !ok || !yield(key, value) {
				return
			}
		}
	}
}

// Get returns the raw text of a member. It allocates nothing. The value is shared with o: do not write to it.
func (o Object) Get(name string) (jsontext.Value, bool) {
	if o.members != nil {
		for i := range o.members {
			if o.members[i].is(name) {
				return o.members[i].value, true
			}
		}
		return nil, false
	}
	c := cursor{b: o.raw, i: 1}
	for {
		key, value, ok := c.member()
		if !ok {
			return nil, false
		}
		if keyIs(key, name) {
			return value, true
		}
	}
}

// Has reports whether the member exists, null or not.
func (o Object) Has(name string) bool {
	_, ok := o.Get(name)
	return ok
}

// Null reports whether the member exists and is null.
func (o Object) Null(name string) bool {
	v, ok := o.Get(name)
	return ok && v.Kind() == 'n'
}

// Set gives the member a new value: in its place when the name exists, else at the end. The value must be valid JSON and
// is neither checked nor copied; nil stands for null. Use [Object.SetAny] for Go values.
func (o *Object) Set(name string, v jsontext.Value) {
	if v == nil {
		v = jsontext.Value("null")
	}
	members := o.own(1)
	for i := range members {
		if members[i].is(name) {
			members[i].value = v
			*o = Object{members: members}
			return
		}
	}
	*o = Object{members: append(members, member{quote(nil, name), v})}
}

// own returns a copy of the members that may be written to, with room for extra more.
func (o Object) own(extra int) []member {
	members := o.members
	if members == nil && o.raw != nil {
		members = split(o.raw)
	}
	return append(make([]member, 0, len(members)+extra), members...)
}

// SetAny is [Object.Set] of v marshalled by package json. On an error the object is unchanged; a float that is NaN or
// infinite is an error.
func (o *Object) SetAny(name string, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("cannot set member %q: %w", name, err)
	}
	o.Set(name, b)
	return nil
}

// SetString is [Object.Set] of a string; invalid UTF-8 in it becomes U+FFFD.
func (o *Object) SetString(name, s string) { o.Set(name, quote(nil, s)) }

// SetInt is [Object.Set] of an integer.
func (o *Object) SetInt(name string, n int64) { o.Set(name, strconv.AppendInt(nil, n, 10)) }

// SetBool is [Object.Set] of a boolean.
func (o *Object) SetBool(name string, v bool) { o.Set(name, strconv.AppendBool(nil, v)) }

// Delete removes the member and reports whether it was there.
func (o *Object) Delete(name string) bool {
	if !o.Has(name) {
		return false
	}
	members := slices.DeleteFunc(o.own(0), func(m member) bool { return m.is(name) })
	*o = Object{members: members}
	return true
}

// Merge sets every member of over in o, as Python's dict union does: shallow, names that o has keep their place.
func (o *Object) Merge(over Object) { o.union(over, true) }

// Fill gives o the members of more that it does not have.
func (o *Object) Fill(more Object) { o.union(more, false) }

// fewMembers is how many names are compared one by one; above it, a map finds them.
const fewMembers = 32

// union adds the members of more to those of o. It takes linear time: objects with any number of members come from outside.
func (o *Object) union(more Object, win bool) {
	n := more.Len()
	if n == 0 {
		return
	}
	members := o.own(n)
	had := len(members)
	var places map[string]int
	if had+n > fewMembers {
		places = make(map[string]int, had)
		for i, m := range members {
			places[nameOf(m.key)] = i
		}
	}
	for key, value := range more.pairs() {
		i := place(members[:had], places, nameOf(key))
		switch {
		case i < 0:
			members = append(members, member{key, value})
		case win:
			members[i].value = value
		}
	}
	*o = Object{members: members}
}

// place is the index of the member with the name, -1 for none. places may be nil.
func place(members []member, places map[string]int, name string) int {
	if places == nil {
		return slices.IndexFunc(members, func(m member) bool { return m.is(name) })
	}
	if i, ok := places[name]; ok {
		return i
	}
	return -1
}

// Where returns an object with the members that keep takes, in order.
func (o Object) Where(keep func(name string, v jsontext.Value) bool) Object {
	var members []member
	for key, value := range o.pairs() {
		if keep(nameOf(key), value) {
			members = append(members, member{key, value})
		}
	}
	return Object{members: members}
}

// Names returns the names in order.
func (o Object) Names() []string {
	names := make([]string, 0, len(o.members))
	for key := range o.pairs() {
		names = append(names, unquote(key))
	}
	return names
}

// Len returns the number of members.
func (o Object) Len() int {
	n := 0
	for range o.pairs() {
		n++
	}
	return n
}

// Clone returns an Object that shares no memory with o nor with the text that o was parsed from.
func (o Object) Clone() Object {
	if o.raw != nil {
		raw := bytes.Clone(o.raw)
		c := Object{raw: raw}
		if o.members != nil {
			c.members = split(raw)
		}
		return c
	}
	if o.members == nil {
		return Object{}
	}
	members := make([]member, len(o.members))
	for i, m := range o.members {
		members[i] = member{bytes.Clone(m.key), m.value.Clone()}
	}
	return Object{members: members}
}

// String returns a member that is a string.
func (o Object) String(name string) (string, bool) {
	v, ok := o.Get(name)
	if !ok || v.Kind() != '"' {
		return "", false
	}
	return unquote(v), true
}

// Int returns a member that is a number with the value of an integer: 3, and also 3.0 and 3e2 below 2^53.
func (o Object) Int(name string) (int64, bool) {
	v, ok := o.Get(name)
	if !ok {
		return 0, false
	}
	return intOf(v)
}

func intOf(v jsontext.Value) (int64, bool) {
	if v.Kind() != '0' {
		return 0, false
	}
	if !bytes.ContainsAny(v, ".eE") {
		n, err := strconv.ParseInt(string(v), 10, 64)
		return n, err == nil
	}
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return 0, false
	}
	return int64(f), true
}

// Float returns a member that is a number. One that float64 cannot hold, such as 1e999, is not ok.
func (o Object) Float(name string) (float64, bool) {
	v, ok := o.Get(name)
	if !ok {
		return 0, false
	}
	return floatOf(v)
}

func floatOf(v jsontext.Value) (float64, bool) {
	if v.Kind() != '0' {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(v), 64)
	return f, err == nil
}

// Number is [NumberOf] of a member.
func (o Object) Number(name string) (float64, bool) {
	v, _ := o.Get(name)
	return NumberOf(v)
}

// NumberOf returns the value of a number, or of a boolean, which counts as 0 or 1: Python's booleans are numbers. A number that float64
// cannot hold, such as 1e999, is not ok.
func NumberOf(v jsontext.Value) (float64, bool) {
	switch v.Kind() {
	case 't':
		return 1, true
	case 'f':
		return 0, true
	}
	return floatOf(v)
}

// Bool returns a member that is a boolean.
func (o Object) Bool(name string) (value, ok bool) {
	v, ok := o.Get(name)
	if !ok {
		return false, false
	}
	k := v.Kind()
	return k == 't', k == 't' || k == 'f'
}

// Sub returns a member that is an object.
func (o Object) Sub(name string) (Object, bool) {
	v, ok := o.Get(name)
	if !ok || v.Kind() != '{' {
		return Object{}, false
	}
	return Object{raw: trim(v)}, true
}

// Array returns the elements of a member that is an array. The elements are shared with o.
func (o Object) Array(name string) ([]jsontext.Value, bool) {
	v, ok := o.Get(name)
	if !ok || v.Kind() != '[' {
		return nil, false
	}
	return elements(v), true
}

func elements(v jsontext.Value) []jsontext.Value {
	list := []jsontext.Value{}
	c := cursor{b: trim(v), i: 1}
	for {
		e, ok := c.element()
		if !ok {
			return list
		}
		list = append(list, e)
	}
}

// trim takes the blanks off a value that a caller may have set with them.
func trim(v jsontext.Value) jsontext.Value { return bytes.Trim(v, " \t\r\n") }

// AppendTo appends the text of o: the bytes it was parsed from while nothing was changed, else its members with every
// value as it came. The text may hold line breaks when the input did; see [Object.AppendLine].
func (o Object) AppendTo(dst []byte) []byte {
	if o.raw != nil {
		return append(dst, o.raw...)
	}
	dst = slices.Grow(dst, o.size())
	dst = append(dst, '{')
	for i, m := range o.members {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, m.key...)
		dst = append(dst, ':')
		dst = append(dst, m.value...)
	}
	return append(dst, '}')
}

// size is the length of the text that AppendTo appends.
func (o Object) size() int {
	if o.raw != nil {
		return len(o.raw)
	}
	n := 2
	for _, m := range o.members {
		n += len(m.key) + len(m.value) + 2
	}
	return n
}

// AppendLine appends the text of o as one line of a JSONL file, with the line break. Text that came pretty-printed is
// put on one line; numbers and strings keep their bytes.
func (o Object) AppendLine(dst []byte) []byte {
	start := len(dst)
	dst = o.AppendTo(dst)
	if bytes.ContainsAny(dst[start:], "\r\n") { // never inside a JSON string
		v := jsontext.Value(bytes.Clone(dst[start:]))
		if err := v.Compact(); err == nil {
			dst = append(dst[:start], v...)
		}
	}
	return append(dst, '\n')
}

// MarshalJSONTo writes o through a json encoder, which checks every value.
func (o Object) MarshalJSONTo(enc *jsontext.Encoder) error {
	if o.raw != nil {
		return enc.WriteValue(o.raw)
	}
	if err := enc.WriteToken(jsontext.BeginObject); err != nil {
		return err
	}
	for _, m := range o.members {
		if err := enc.WriteValue(m.key); err != nil {
			return err
		}
		if err := enc.WriteValue(m.value); err != nil {
			return err
		}
	}
	return enc.WriteToken(jsontext.EndObject)
}

// UnmarshalJSONFrom reads o through a json decoder and copies its text. JSON null gives {}.
func (o *Object) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	v, err := dec.ReadValue()
	if err != nil {
		return err
	}
	switch v.Kind() {
	case 'n':
		*o = Object{}
		return nil
	case '{':
	default:
		return fmt.Errorf("cannot read %s as a JSON object", describe(v))
	}
	v = bytes.Clone(trim(v))
	if lax(dec.Options()) { // the decoder let through what we refuse
		*o, err = ParseObject(v)
		return err
	}
	*o = Object{raw: v, members: split(v)}
	return nil
}

func lax(opts json.Options) bool {
	dup, _ := json.GetOption(opts, jsontext.AllowDuplicateNames)
	utf, _ := json.GetOption(opts, jsontext.AllowInvalidUTF8)
	return dup || utf
}
