package resources

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
)

// decoder reads one JSON value into v. What is wrong is added to p; v is then of no use.
type decoder func(p *problems, raw jsontext.Value, v reflect.Value)

// problems collects what is wrong with a body, and where.
type problems struct {
	loc  []any
	list responses.FieldErrors
}

// at runs fn with step added to the place.
func (p *problems) at(step any, fn func()) {
	p.loc = append(p.loc, step)
	fn()
	p.loc = p.loc[:len(p.loc)-1]
}

// add notes a problem at the present place.
func (p *problems) add(kind, msg string, input jsontext.Value) {
	p.list = append(p.list, responses.Detail{Type: kind, Loc: slices.Clone(p.loc), Msg: msg, Input: input})
}

// wrongType notes that another kind of value is wanted at the present place.
func (p *problems) wrongType(want string, input jsontext.Value) {
	p.list = append(p.list, responses.WrongType(want, input, slices.Clone(p.loc)...))
}

// decodeBody reads a request body by d into the value that into points to. The error is a [responses.FieldErrors]
// whose places begin with "body".
func decodeBody(d decoder, body []byte, into any) error {
	if bad := responses.CheckBody(body); bad != nil {
		return bad
	}
	p := problems{loc: []any{"body"}}
	d(&p, bytes.TrimSpace(body), reflect.ValueOf(into).Elem())
	if len(p.list) > 0 {
		return p.list
	}
	return nil
}

var (
	unmarshalerTo = reflect.TypeFor[json.UnmarshalerFrom]()
	unmarshaler   = reflect.TypeFor[json.Unmarshaler]()
	rawValue      = reflect.TypeFor[jsontext.Value]()
)

// compile returns the decoder of t. It fails on a type that JSON has no form for.
func compile(t reflect.Type) (decoder, error) { return compiler{}.of(t) }

// compiler makes decoders. It remembers those of structs, so that a struct may hold itself behind a pointer or in a list.
type compiler map[reflect.Type]*decoder

func (c compiler) of(t reflect.Type) (decoder, error) {
	if pointer := reflect.PointerTo(t); t == rawValue || pointer.Implements(unmarshalerTo) || pointer.Implements(unmarshaler) {
		return decodeOwn, nil
	}
	switch t.Kind() {
	case reflect.Pointer:
		return c.pointer(t)
	case reflect.Struct:
		return c.structure(t)
	case reflect.Slice:
		return c.slice(t)
	case reflect.Map:
		return c.mapping(t)
	case reflect.String:
		return decodeString, nil
	case reflect.Bool:
		return decodeBool, nil
	case reflect.Float32, reflect.Float64:
		return decodeFloat, nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return decodeInt, nil
	case reflect.Interface:
		if t.NumMethod() == 0 {
			return decodeOwn, nil
		}
	}
	return nil, fmt.Errorf("cannot read JSON into a %v: use a struct, string, bool, number, slice, map with string keys, pointer, any or jsontext.Value", t)
}

// decodeOwn leaves the value to its own reader.
func decodeOwn(p *problems, raw jsontext.Value, v reflect.Value) {
	if err := json.Unmarshal(raw, v.Addr().Interface()); err != nil {
		p.add("value_error", err.Error(), raw)
	}
}

// pointer makes null a value of its own.
func (c compiler) pointer(t reflect.Type) (decoder, error) {
	inner, err := c.of(t.Elem())
	if err != nil {
		return nil, err
	}
	return func(p *problems, raw jsontext.Value, v reflect.Value) {
		if raw.Kind() == 'n' {
			v.SetZero()
			return
		}
		v.Set(reflect.New(t.Elem()))
		inner(p, raw, v.Elem())
	}, nil
}

func (c compiler) slice(t reflect.Type) (decoder, error) {
	inner, err := c.of(t.Elem())
	if err != nil {
		return nil, err
	}
	return func(p *problems, raw jsontext.Value, v reflect.Value) {
		if raw.Kind() != '[' {
			p.wrongType("list", raw)
			return
		}
		out := reflect.MakeSlice(t, 0, 4)
		dec := jsontext.NewDecoder(bytes.NewReader(raw))
		_, _ = dec.ReadToken() // the syntax was checked when the body was read
		for i := 0; dec.PeekKind() != ']'; i++ {
			item, err := dec.ReadValue()
			if err != nil {
				break
			}
			element := reflect.New(t.Elem()).Elem()
			item = item.Clone() // what ReadValue returns is good until the next read only
			p.at(i, func() { inner(p, item, element) })
			out = reflect.Append(out, element)
		}
		v.Set(out)
	}, nil
}

func (c compiler) mapping(t reflect.Type) (decoder, error) {
	if t.Key().Kind() != reflect.String {
		return nil, fmt.Errorf("cannot read JSON into a %v: the keys must be strings", t)
	}
	inner, err := c.of(t.Elem())
	if err != nil {
		return nil, err
	}
	return func(p *problems, raw jsontext.Value, v reflect.Value) {
		if raw.Kind() != '{' {
			p.wrongType("object", raw)
			return
		}
		out := reflect.MakeMap(t)
		eachMember(raw, func(name string, value jsontext.Value) {
			element := reflect.New(t.Elem()).Elem()
			p.at(name, func() { inner(p, value, element) })
			out.SetMapIndex(reflect.ValueOf(name).Convert(t.Key()), element)
		})
		v.Set(out)
	}, nil
}

func (c compiler) structure(t reflect.Type) (decoder, error) {
	if begun := c[t]; begun != nil {
		return func(p *problems, raw jsontext.Value, v reflect.Value) { (*begun)(p, raw, v) }, nil
	}
	c[t] = new(decoder)
	fields := fieldsOf(t)
	decoders := make([]decoder, len(fields))
	for i, f := range fields {
		var err error
		if decoders[i], err = c.of(f.kind); err != nil {
			return nil, fmt.Errorf("member %q of %v: %w", f.name, t, err)
		}
	}
	*c[t] = func(p *problems, raw jsontext.Value, v reflect.Value) {
		if raw.Kind() != '{' {
			p.wrongType("model", raw)
			return
		}
		members := make(map[string]jsontext.Value, len(fields))
		eachMember(raw, func(name string, value jsontext.Value) { members[name] = value })
		for i, f := range fields {
			value, there := members[f.name]
			p.at(f.name, func() {
				switch {
				case there:
					decoders[i](p, value, v.FieldByIndex(f.index))
				case f.required:
					p.list = append(p.list, responses.Missing(raw, slices.Clone(p.loc)...))
				}
			})
		}
	}
	return *c[t], nil
}

// structField is one member that a struct has in JSON.
type structField struct {
	name     string
	index    []int
	kind     reflect.Type
	required bool
}

// fieldsOf lists the members of t. A member is required unless its json tag says omitzero or omitempty; embedded
// structs without a name of their own lend their members, as encoding does.
func fieldsOf(t reflect.Type) []structField {
	var fields []structField
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" && options == "" {
			continue
		}
		if f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct {
			for _, inner := range fieldsOf(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				fields = append(fields, inner)
			}
			continue
		}
		if !f.IsExported() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		optional := strings.Contains(options, "omitzero") || strings.Contains(options, "omitempty")
		fields = append(fields, structField{name: name, index: f.Index, kind: f.Type, required: !optional})
	}
	return fields
}

// eachMember calls fn for each member of the object raw, whose syntax was checked.
func eachMember(raw jsontext.Value, fn func(name string, value jsontext.Value)) {
	dec := jsontext.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.ReadToken(); err != nil {
		return
	}
	for dec.PeekKind() == '"' {
		token, err := dec.ReadToken()
		if err != nil {
			return
		}
		name := token.String()
		value, err := dec.ReadValue()
		if err != nil {
			return
		}
		fn(name, value.Clone())
	}
}
