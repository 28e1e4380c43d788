// Package repair replaces what is not UTF-8 in telemetry by U+FFFD. Protobuf refuses a message with one bad string in it, and
// with that one value all that leave beside it.
package repair

import (
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	"go.opentelemetry.io/otel/sdk/resource"
)

// fixer replaces what is not UTF-8 and remembers whether it had to.
type fixer struct{ changed bool }

func (f *fixer) text(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	f.changed = true
	return strings.ToValidUTF8(s, "\ufffd")
}

// attributes returns a copy.
func (f *fixer) attributes(attrs []attribute.KeyValue) []attribute.KeyValue {
	out := make([]attribute.KeyValue, len(attrs))
	for i, kv := range attrs {
		out[i] = attribute.KeyValue{Key: attribute.Key(f.text(string(kv.Key))), Value: f.value(kv.Value)}
	}
	return out
}

func (f *fixer) value(v attribute.Value) attribute.Value {
	switch v.Type() {
	case attribute.STRING:
		return attribute.StringValue(f.text(v.AsString()))
	case attribute.STRINGSLICE:
		list := v.AsStringSlice()
		for i, s := range list {
			list[i] = f.text(s)
		}
		return attribute.StringSliceValue(list)
	case attribute.SLICE:
		list := v.AsSlice()
		for i, e := range list {
			list[i] = f.value(e)
		}
		return attribute.SliceValue(list...)
	case attribute.MAP:
		return attribute.MapValue(f.attributes(v.AsMap())...)
	}
	return v
}

// set returns s itself when nothing is wrong with it, at no cost for the usual types.
func (f *fixer) set(s attribute.Set) attribute.Set {
	var here fixer
	for it := s.Iter(); it.Next(); {
		kv := it.Attribute()
		here.text(string(kv.Key))
		here.value(kv.Value)
	}
	if !here.changed {
		return s
	}
	f.changed = true
	return attribute.NewSet(here.attributes(s.ToSlice())...)
}

func (f *fixer) scope(s instrumentation.Scope) instrumentation.Scope {
	s.Name, s.Version, s.SchemaURL = f.text(s.Name), f.text(s.Version), f.text(s.SchemaURL)
	s.Attributes = f.set(s.Attributes)
	return s
}

// Attributes returns a copy of attrs.
func Attributes(attrs []attribute.KeyValue) []attribute.KeyValue {
	var f fixer
	return f.attributes(attrs)
}

// Resource returns r itself when nothing is wrong with it.
func Resource(r *resource.Resource) *resource.Resource {
	var f fixer
	set, url := f.set(*r.Set()), f.text(r.SchemaURL())
	if !f.changed {
		return r
	}
	return resource.NewWithAttributes(url, set.ToSlice()...)
}
