package conventions

import (
	"errors"
	"fmt"
	"go/token"
	"iter"
	"regexp"
	"slices"
)

var (
	stabilities = []Stability{"development", "alpha", "beta", "release_candidate", "stable"}
	types       = []string{"string", "int", "double", "boolean", "string[]"}
	instruments = []string{"counter", "updowncounter", "gauge", "histogram"}
	kinds       = []string{"internal", "server", "client", "producer", "consumer"}
	groupTypes  = []string{"attribute_group", "entity", "span", "event", "metric", "scope"}

	nameForm = regexp.MustCompile(`^[a-z][a-z0-9_]*(\.[a-z0-9_]+)*$`)
)

// anySpan is the id of the group of attributes that any span may have.
const anySpan = "any_span"

// names are what all entries of a group have in common.
func (g *Group) names() iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		for _, list := range []iter.Seq[*Entry]{
			each(g.Attributes, func(a *Attribute) *Entry { return &a.Entry }), each(g.Spans, func(s *Span) *Entry { return &s.Entry }),
			each(g.Events, func(e *Event) *Entry { return &e.Entry }), each(g.Metrics, func(m *Metric) *Entry { return &m.Entry }),
			each(g.Scopes, func(s *Scope) *Entry { return &s.Entry }),
		} {
			for n := range list {
				if !yield(n) {
					return
				}
			}
		}
	}
}

func each[E any](list []E, name func(*E) *Entry) iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		for i := range list {
			if !yield(name(&list[i])) {
				return
			}
		}
	}
}

// checker collects what is wrong with a table.
type checker struct {
	*Table
	constants map[string]string // values by identifier
	errs      []error
}

func (c *checker) say(format string, args ...any) {
	c.errs = append(c.errs, fmt.Errorf(format, args...))
}

// check indexes the table and says what is wrong with it.
func (t *Table) check() error {
	t.attributes, t.groups, t.resource = map[string]*Attribute{}, map[string]*Group{}, map[string]bool{}
	t.events, t.metrics, t.scopes = map[string]*Event{}, map[string]*Metric{}, map[string]*Scope{}
	c := &checker{Table: t, constants: map[string]string{}}
	for g := range t.all() { // all definitions before what refers to them
		c.define(g)
	}
	if c.errs != nil {
		return errors.Join(c.errs...)
	}
	for g := range t.all() {
		c.refer(g)
	}
	if t.groups[anySpan] == nil {
		c.say("there is no group %s", anySpan)
	}
	return errors.Join(c.errs...)
}

// all are the groups of all files.
func (t *Table) all() iter.Seq[*Group] {
	return func(yield func(*Group) bool) {
		for i := range t.Files {
			for j := range t.Files[i].Groups {
				if !yield(&t.Files[i].Groups[j]) {
					return
				}
			}
		}
	}
}

func (c *checker) define(g *Group) {
	c.group(g)
	for i := range g.Attributes {
		if a := &g.Attributes[i]; a.Ref == "" {
			c.attribute(g, a)
		}
	}
	for i := range g.Events {
		e := &g.Events[i]
		c.name("event", e.Event, &e.Entry, nameForm)
		once(c, c.events, "event", e.Event, e)
	}
	for i := range g.Metrics {
		m := &g.Metrics[i]
		c.name("metric", m.Metric, &m.Entry, nameForm)
		word(c, "metric "+m.Metric+": instrument", m.Instrument, instruments)
		once(c, c.metrics, "metric", m.Metric, m)
	}
	for i := range g.Scopes {
		s := &g.Scopes[i]
		c.name("scope", s.Scope, &s.Entry, nil)
		once(c, c.scopes, "scope", s.Scope, s)
	}
	for i := range g.Spans {
		s := &g.Spans[i]
		c.name("span", s.Span, &s.Entry, nil)
		word(c, "span "+s.Span+": span_kind", s.Kind, kinds)
	}
}

func (c *checker) group(g *Group) {
	switch {
	case g.ID == "":
		c.say("a group without an id: %q", g.Brief)
	case g.Brief == "":
		c.say("group %s has no brief", g.ID)
	}
	once(c, c.groups, "group", g.ID, g)
	word(c, "group "+g.ID+": type", g.Type, groupTypes)
	fill := map[string]int{"attribute_group": len(g.Attributes), "entity": len(g.Attributes), "span": len(g.Spans), "event": len(g.Events),
		"metric": len(g.Metrics), "scope": len(g.Scopes)}
	if all := len(g.Attributes) + len(g.Spans) + len(g.Events) + len(g.Metrics) + len(g.Scopes); fill[g.Type] == 0 || fill[g.Type] != all {
		c.say("group %s has the type %s: it has names of that kind, and no others", g.ID, g.Type)
	}
}

func (c *checker) attribute(g *Group, a *Attribute) {
	c.name("attribute", a.ID, &a.Entry, nameForm)
	word(c, "attribute "+a.ID+": type", a.Type.Name, types)
	once(c, c.attributes, "attribute", a.ID, a)
	c.members(a.ID, a)
	if g.Type == "entity" {
		c.resource[a.ID] = true
	}
	if _, err := regexp.Compile(a.Pattern); err != nil {
		c.say("attribute %s: pattern: %w", a.ID, err)
	}
}

func (c *checker) members(id string, a *Attribute) {
	for _, m := range a.Type.Members {
		c.constant("value "+m.Value+" of "+id, m.Go, m.Value)
		if m.Value == "" || m.Brief == "" {
			c.say("attribute %s: a member has a value and a brief", id)
		}
	}
}

// name checks what every entry has.
func (c *checker) name(kind, name string, n *Entry, form *regexp.Regexp) {
	what := kind + " " + name
	if name == "" || form != nil && !form.MatchString(name) {
		c.say("%s: a name is words of a-z, 0-9 and _ with dots between them", what)
	}
	if n.Brief == "" {
		c.say("%s has no brief", what)
	}
	word(c, what+": stability", n.Stability, stabilities)
	if n.Go != "" {
		c.constant(what, n.Go, name)
	} else if kind != "span" && kind != "scope" {
		c.say("%s has no go: every name is a constant of package semconv", what)
	}
}

// constant checks an identifier, which may stand for one text only.
func (c *checker) constant(what, identifier, value string) {
	if !token.IsExported(identifier) || !token.IsIdentifier(identifier) {
		c.say("%s: go %q is no exported identifier", what, identifier)
		return
	}
	if before, known := c.constants[identifier]; known && before != value {
		c.say("%s: %s is %q already", what, identifier, before)
	}
	c.constants[identifier] = value
}

// refer checks what a group says about names of other groups.
func (c *checker) refer(g *Group) {
	for i := range g.Attributes {
		a := &g.Attributes[i]
		switch {
		case a.Ref == "":
		case c.attributes[a.Ref] == nil:
			c.say("group %s: ref: there is no attribute %s", g.ID, a.Ref)
		case a.Go != "" || a.Brief != "" || a.Type.Members == nil && a.Type.Name != "":
			c.say("group %s: ref %s: it can only add members", g.ID, a.Ref)
		default:
			c.members(a.Ref, a)
		}
	}
	for i := range g.Spans {
		s := &g.Spans[i]
		c.known("span "+s.Span, s.Attributes)
		for _, id := range s.Extends {
			if c.groups[id] == nil || c.groups[id].Attributes == nil {
				c.say("span %s: extends: there is no group of attributes %s", s.Span, id)
			}
		}
		c.template(s)
	}
	for i := range g.Events {
		c.known("event "+g.Events[i].Event, g.Events[i].Attributes)
	}
	for i := range g.Metrics {
		c.known("metric "+g.Metrics[i].Metric, g.Metrics[i].Attributes)
	}
	for i := range g.Scopes {
		c.known("scope "+g.Scopes[i].Scope, g.Scopes[i].Attributes)
	}
	if g.ID == anySpan {
		c.anywhere = ids(g)
	}
}

func (c *checker) template(s *Span) {
	tmpl := newTemplate(s)
	for _, id := range tmpl.holes {
		if c.attributes[id] == nil || !slices.Contains(c.of(s), id) {
			c.say("span %s: {%s} is no attribute of it", s.Span, id)
			return
		}
	}
	tmpl.compile(c.attributes)
	c.templates = append(c.templates, tmpl)
}

func (c *checker) known(what string, attributes []string) {
	for _, id := range attributes {
		if c.attributes[id] == nil {
			c.say("%s: there is no attribute %s", what, id)
		}
	}
}

// word checks that a value is one of those that there are.
func word[E ~string](c *checker, what string, value E, words []E) {
	if !slices.Contains(words, value) {
		c.say("%s %q is none; there are %v", what, value, words)
	}
}

// once puts a name into an index.
func once[E any](c *checker, index map[string]*E, kind, name string, e *E) {
	if index[name] != nil {
		c.say("%s %s is there twice", kind, name)
	}
	index[name] = e
}

// ids are the attributes of a group.
func ids(g *Group) (out []string) {
	for _, a := range g.Attributes {
		out = append(out, a.ID+a.Ref)
	}
	return out
}

// of are the attributes that a span may have, but those of any span.
func (t *Table) of(s *Span) []string {
	all := slices.Clone(s.Attributes)
	for _, id := range s.Extends {
		if g := t.groups[id]; g != nil {
			all = append(all, ids(g)...)
		}
	}
	return all
}
