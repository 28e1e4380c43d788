package conventions

// What source code gives names to.
const (
	SpanName     = "span"
	EventName    = "event"
	AttributeKey = "attribute"
	MetricName   = "metric"
	ScopeName    = "scope"
)

// Has reports whether the table has a name of a kind: [SpanName] and its like. In the name of a span [Hole] stands for what only
// the running program knows.
func (t *Table) Has(kind, name string) bool {
	switch kind {
	case SpanName:
		for _, tmpl := range t.templates {
			if tmpl.form != nil && tmpl.form.MatchString(name) {
				return true
			}
		}
		return false
	case EventName:
		return t.events[name] != nil
	case AttributeKey:
		return t.attributes[name] != nil
	case MetricName:
		return t.metrics[name] != nil
	case ScopeName:
		return t.scopes[name] != nil
	}
	return false
}

// TypeOf is the type of an attribute, "" for one that is not in the table.
func (t *Table) TypeOf(id string) string {
	if a := t.attributes[id]; a != nil {
		return a.Type.Name
	}
	return ""
}

// Names are all names of a kind, in the order of the table; spans as they stand in it.
func (t *Table) Names(kind string) (out []string) {
	for g := range t.all() {
		for _, a := range g.Attributes {
			if kind == AttributeKey && a.Ref == "" {
				out = append(out, a.ID)
			}
		}
		for _, s := range g.Spans {
			if kind == SpanName {
				out = append(out, s.Span)
			}
		}
		for _, e := range g.Events {
			if kind == EventName {
				out = append(out, e.Event)
			}
		}
		for _, m := range g.Metrics {
			if kind == MetricName {
				out = append(out, m.Metric)
			}
		}
		for _, s := range g.Scopes {
			if kind == ScopeName {
				out = append(out, s.Scope)
			}
		}
	}
	return out
}
