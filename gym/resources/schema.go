package resources

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/jsonschema-go/jsonschema"
)

// compileSchema derives the tool's schema from its input's type, and returns what checks an input that was read. The type
// alone is checked by reading; so without further constraints there is nothing left to check.
func (t *tool) compileSchema(in reflect.Type) (check func(in any) error, err error) {
	t.schema = schemaOf(in)
	if t.constrain == nil {
		return func(any) error { return nil }, nil
	}
	t.constrain(t.schema)
	resolved, err := t.schema.CloneSchemas().Resolve(nil)
	if err != nil {
		return nil, fmt.Errorf("the schema that Constrain left is not valid: %w", err)
	}
	return func(in any) error { return checkSchema(resolved, in) }, nil
}

// schemaOf derives the JSON Schema of what the kit reads into a t. It takes members that the struct does not know, as
// reading does. A type that has no finite schema, because it holds itself, is any object.
func schemaOf(t reflect.Type) *jsonschema.Schema {
	own := map[reflect.Type]*jsonschema.Schema{}
	ownReaders(t, own, map[reflect.Type]bool{})
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: own})
	if err != nil {
		return &jsonschema.Schema{Type: "object"}
	}
	open(s)
	return s
}

// ownReaders collects the types in t that read themselves: what they take is theirs to know.
func ownReaders(t reflect.Type, own map[reflect.Type]*jsonschema.Schema, seen map[reflect.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	if pointer := reflect.PointerTo(t); t == rawValue || pointer.Implements(unmarshalerTo) || pointer.Implements(unmarshaler) {
		own[t] = &jsonschema.Schema{}
		return
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		ownReaders(t.Elem(), own, seen)
	case reflect.Struct:
		for _, f := range fieldsOf(t) {
			ownReaders(f.kind, own, seen)
		}
	}
}

// open lets the objects of s have members that it does not name, and a pointer to what reads itself be more than null.
func open(s *jsonschema.Schema) {
	for _, child := range children(s) {
		open(child)
	}
	if a := s.AdditionalProperties; a != nil && a.Not != nil {
		s.AdditionalProperties = nil
	}
	if slices.Equal(s.Types, []string{"null"}) {
		s.Types = nil
	}
}

// children are the schemas inside a derived one.
func children(s *jsonschema.Schema) (list []*jsonschema.Schema) {
	for _, p := range s.Properties {
		list = append(list, p)
	}
	for _, c := range []*jsonschema.Schema{s.Items, s.AdditionalProperties} {
		if c != nil {
			list = append(list, c)
		}
	}
	return list
}

// checkSchema checks an input by a schema. The error is a list of details, as that of reading is.
func checkSchema(resolved *jsonschema.Resolved, in any) error {
	text, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("cannot check the arguments by their schema: %w", err)
	}
	var instance any
	if err := json.Unmarshal(text, &instance); err != nil {
		return fmt.Errorf("cannot check the arguments by their schema: %w", err)
	}
	if resolved.Validate(instance) == nil {
		return nil
	}
	p := problems{loc: []any{"body"}}
	locate(&p, resolved.Schema(), instance)
	return p.list
}

// locate finds the places in an instance that a schema refuses: as deep as a member or an element can be blamed alone.
func locate(p *problems, s *jsonschema.Schema, instance any) {
	before := len(p.list)
	switch v := instance.(type) {
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		slices.Sort(names)
		for _, name := range names {
			child := s.Properties[name]
			if child == nil {
				child = s.AdditionalProperties
			}
			if child != nil && refuses(child, v[name]) != nil {
				p.at(name, func() { locate(p, child, v[name]) })
			}
		}
	case []any:
		for i, element := range v {
			if s.Items != nil && refuses(s.Items, element) != nil {
				p.at(i, func() { locate(p, s.Items, element) })
			}
		}
	}
	if len(p.list) == before { // none of its parts is to blame
		input, _ := json.Marshal(instance)
		p.add("json_schema", "Input should fit the tool's parameters: "+reason(refuses(s, instance)), jsontext.Value(input))
	}
}

// refuses is why a part of a schema that is valid as a whole does not take an instance; nil when it does.
func refuses(s *jsonschema.Schema, instance any) error {
	resolved, err := s.CloneSchemas().Resolve(nil)
	if err != nil {
		return err
	}
	return resolved.Validate(instance)
}

// reason is the end of a validator's message: what is wrong, without the places that lead to it.
func reason(err error) string {
	if err == nil {
		return "it does not"
	}
	text := err.Error()
	for strings.HasPrefix(text, "validating ") {
		_, rest, found := strings.Cut(text, ": ")
		if !found {
			break
		}
		text = rest
	}
	return text
}
