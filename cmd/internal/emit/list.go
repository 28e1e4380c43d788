package emit

import (
	"fmt"
	"maps"
	"slices"

	"github.com/lensgo/lens"
)

// List is what one call is to emit. It collects every problem instead of stopping at the first.
type List struct {
	spans    []*Span
	all      details // of every span
	problems []string
}

func (l *List) problem(err error) { l.problems = append(l.problems, err.Error()) }

// Add reads a span as NAME,START,END[,PARENT]. What is described after it is said of this span.
func (l *List) Add(interval string) {
	s, err := parseInterval(interval)
	if err != nil {
		l.problem(err)
	}
	l.spans = append(l.spans, s) // a bad one too: what is said of it has problems of its own, and others may be below it
}

// Attribute reads an attribute as KEY=TEXT or KEY:=JSON. As Kind, Status and Link, it is said of the span that was added last, or of
// all when there is none yet.
func (l *List) Attribute(text string) {
	describe(l, text, parseAttribute, func(d *details, a lens.Attr) { d.attrs = append(d.attrs, a) })
}

// Kind reads on which side of an operation the span stands.
func (l *List) Kind(text string) {
	describe(l, text, parseKind, func(d *details, k lens.Kind) { d.kind = &k })
}

// Status reads how the operation ended.
func (l *List) Status(text string) {
	describe(l, text, parseStatus, func(d *details, s status) { d.status = &s })
}

// Link reads the traceparent of a related span.
func (l *List) Link(text string) {
	describe(l, text, parseLink, func(d *details, r lens.Ref) { d.links = append(d.links, r) })
}

// describe reads one thing that is said of spans.
func describe[T any](l *List, text string, parse func(string) (T, error), put func(*details, T)) {
	d, about := &l.all, ""
	if n := len(l.spans); n > 0 {
		d, about = &l.spans[n-1].details, fmt.Sprintf("span %q: ", l.spans[n-1].Name)
	}
	v, err := parse(text)
	if err != nil {
		l.problem(fmt.Errorf("%s%w", about, err))
		return
	}
	put(d, v)
}

// Order returns the spans, each behind its parent, and everything that is wrong with the list. A parent is always one of the list.
func (l *List) Order() (spans []*Span, problems []string) {
	if len(l.problems) == 0 && len(l.spans) == 0 {
		l.problems = append(l.problems, "there are no spans")
	}
	known := slices.DeleteFunc(slices.Clone(l.spans), func(s *Span) bool { return s.Name == "" }) // a problem already
	l.checkNames(known)
	if len(l.problems) > 0 {
		return nil, l.problems
	}
	for _, s := range known {
		s.details = l.all.with(s.details)
	}
	return l.sorted(known)
}

// Names returns the names of the spans in the order in which they were added.
func (l *List) Names() (names []string) {
	for _, s := range l.spans {
		names = append(names, s.Name)
	}
	return names
}

// checkNames finds names that come twice and parents that are not there.
func (l *List) checkNames(spans []*Span) {
	count := map[string]int{}
	for _, s := range spans {
		count[s.Name]++
	}
	for _, name := range slices.Sorted(maps.Keys(count)) {
		if count[name] > 1 {
			l.problem(fmt.Errorf("span %q: %d spans have this name; names must differ", name, count[name]))
		}
	}
	for _, s := range spans {
		switch {
		case s.Parent == "":
		case count[s.Parent] > 1:
			l.problem(fmt.Errorf("span %q: its parent %q is ambiguous: %d spans have this name", s.Name, s.Parent, count[s.Parent]))
		case count[s.Parent] == 0:
			l.problem(fmt.Errorf("span %q: its parent %q is not among the spans", s.Name, s.Parent))
		}
	}
}

// sorted returns roots first, then what is below them, and so on; within that in the order of the list.
func (l *List) sorted(spans []*Span) (order []*Span, problems []string) {
	children := map[string][]*Span{}
	for _, s := range spans {
		children[s.Parent] = append(children[s.Parent], s)
	}
	position := map[*Span]int{}
	for i, s := range spans {
		position[s] = i
	}
	for layer := children[""]; len(layer) > 0; {
		order = append(order, layer...)
		var next []*Span
		for _, s := range layer {
			next = append(next, children[s.Name]...)
		}
		slices.SortFunc(next, func(a, b *Span) int { return position[a] - position[b] })
		layer = next
	}
	if len(order) == len(spans) {
		return order, nil
	}
	reached := map[*Span]bool{}
	for _, s := range order {
		reached[s] = true
	}
	for _, s := range spans {
		if !reached[s] {
			l.problem(fmt.Errorf("span %q: it is below itself, or below one that is; parents must not go in a circle", s.Name))
		}
	}
	return nil, l.problems
}
