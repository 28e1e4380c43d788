//go:build !lens_off

package lens

import (
	"context"
	"slices"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens/internal/seam"
)

// withUsed says whether anybody has called With: until then no start of a span looks for attributes in its context.
var withUsed atomic.Bool

type withKey struct{}

// withNode is a context with attributes. It is a context of its own, and has its attributes in the same allocation,
// because With is called before any gate.
type withNode struct {
	context.Context
	outer *withNode // the next one above
	attrs []Attr    // of this call
	start atomic.Pointer[startAttributes]
}

// startAttributes is what a span below a node starts with, outer nodes included, in the forms that are asked for. It is
// made once, at the first such span, and never changed.
type startAttributes struct {
	list   []attribute.KeyValue // one of a key
	option trace.SpanStartOption
}

func (w *withNode) Value(key any) any {
	if _, ok := key.(withKey); ok {
		return w
	}
	return w.Context.Value(key)
}

func with(ctx context.Context, attrs []Attr) context.Context {
	if !withUsed.Load() {
		withUsed.Store(true)
	}
	w := newWithNode(len(attrs))
	w.Context = ctx
	w.outer, _ = ctx.Value(withKey{}).(*withNode)
	w.attrs = append(w.attrs, attrs...)
	for i := range w.attrs {
		w.attrs[i].strs = slices.Clone(w.attrs[i].strs) // the caller may go on with it
	}
	return w
}

// newWithNode makes a node with room for n attributes behind it. What is allocated stays whole while a part is in use.
func newWithNode(n int) *withNode {
	switch {
	case n <= 1:
		return withRoom(func(r *[1]Attr) []Attr { return r[:0] })
	case n <= 2:
		return withRoom(func(r *[2]Attr) []Attr { return r[:0] })
	case n <= 4:
		return withRoom(func(r *[4]Attr) []Attr { return r[:0] })
	case n <= 8:
		return withRoom(func(r *[8]Attr) []Attr { return r[:0] })
	}
	return new(withNode)
}

// withRoom makes a node and its room in one allocation. Go slices no array whose length is a type's parameter: the caller
// says how.
func withRoom[R any](slice func(*R) []Attr) *withNode {
	w := new(struct {
		withNode
		room R
	})
	w.attrs = slice(&w.room)
	return &w.withNode
}

// withOf gives what spans that are started in ctx start with; nil for nothing.
func withOf(ctx context.Context) *startAttributes {
	if !withUsed.Load() {
		return nil
	}
	w, _ := ctx.Value(withKey{}).(*withNode)
	if w == nil {
		return nil
	}
	return w.attributes()
}

func (w *withNode) attributes() *startAttributes {
	if s := w.start.Load(); s != nil {
		return s
	}
	// From the nearest node that knows its own down to this one. The walk is no recursion: programs nest as deep as they
	// like.
	var todo []*withNode
	var list []attribute.KeyValue
	for n := w; n != nil; n = n.outer {
		if s := n.start.Load(); s != nil {
			list = slices.Clone(s.list)
			break
		}
		todo = append(todo, n)
	}
	for _, n := range slices.Backward(todo) {
		list = override(list, n.attrs)
	}
	s := &startAttributes{list: slices.Clip(list), option: trace.WithAttributes(list...)}
	w.start.Store(s)
	return s
}

// override sets attributes in a list that has each key once.
func override(list []attribute.KeyValue, attrs []Attr) []attribute.KeyValue {
	for _, a := range attrs {
		if a.kind == attrNone {
			continue
		}
		kv := attribute.KeyValue{Key: attribute.Key(a.key), Value: a.value()}
		if i := slices.IndexFunc(list, func(old attribute.KeyValue) bool { return old.Key == kv.Key }); i >= 0 {
			list[i] = kv
		} else {
			list = append(list, kv)
		}
	}
	return list
}

// without gives the attributes less those whose key the other list has, and itself when that is none.
func (s *startAttributes) without(others []attribute.KeyValue) []attribute.KeyValue {
	taken := func(kv attribute.KeyValue) bool {
		return slices.ContainsFunc(others, func(o attribute.KeyValue) bool { return o.Key == kv.Key })
	}
	if !slices.ContainsFunc(s.list, taken) {
		return s.list
	}
	return slices.DeleteFunc(slices.Clone(s.list), taken)
}

// withAttributes is the door for spans that lens does not start; see package seam.
func withAttributes(ctx context.Context, span seam.Attributed) []attribute.KeyValue {
	w := withOf(ctx)
	if w == nil {
		return nil
	}
	return w.without(span.Attributes())
}
