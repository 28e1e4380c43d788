package config

import (
	"path"
	"slices"
	"strings"
)

var domains = []string{"math", "coding", "agent", "knowledge", "instruction_following", "long_context", "safety",
	"games", "translation", "e2e", "rlhf", "other"}

var datasetTypes = []string{"train", "validation", "example", "benchmark"}

// check makes the graph of a resolved tree and adds every problem.
func check(tree *node, ps *problems) *Graph {
	c := checker{ps: ps, declared: map[string]string{}}
	g := &Graph{tree: tree}
	strict := tree.get("error_on_almost_servers")
	c.lenient = strict != nil && strict.kind == 'f'
	host := defaultHost(tree)
	var read []*Instance
	for _, e := range tree.entries {
		if isReserved(e.name) {
			c.reserved(e)
			continue
		}
		in, good := c.instance(e, host)
		if good {
			in.graph = g
			g.Instances = append(g.Instances, in)
		}
		if good || in != nil && !c.lenient {
			read = append(read, in)
		}
	}
	for _, in := range read { // only now is every name known
		c.references(in)
	}
	g.Notes = c.notes
	return g
}

type checker struct {
	ps       *problems
	lenient  bool              // error_on_almost_servers: false
	declared map[string]string // instance -> type, of every entry that looks like a server
	notes    []string
}

// reserved looks at a name that never belongs to a server.
func (c *checker) reserved(e entry) {
	if types := typeKeys(e.value); len(types) > 0 {
		c.ps.add(e.at, "the name %s is reserved, so no instance can have it: choose another", e.name)
		return
	}
	v := e.value
	if v.kind == 'n' {
		return
	}
	switch e.name {
	case "head_server", "telemetry":
		if !v.isMapping() {
			c.ps.add(v.at, "%s must be a mapping", e.name)
		}
	case "default_host":
		if !v.isString() {
			c.ps.add(v.at, "%s must be a text", e.name)
		}
	case "port_range_low", "port_range_high":
		if n, ok := v.integer(); !ok || n < 1 || n > 65535 {
			c.ps.add(v.at, "%s must be a whole number from 1 to 65535", e.name)
		}
	case "use_absolute_ip", "observability_enabled", "skip_verification", "dry_run", "verbose":
		if v.kind != 't' && v.kind != 'f' {
			c.ps.add(v.at, "%s must be true or false", e.name)
		}
	}
}

// instance is the server that a top-level entry declares, nil for an entry that is something else or has no
// implementation to look at; good means that nothing was wrong with it.
func (c *checker) instance(e entry, host string) (in *Instance, good bool) {
	types := typeKeys(e.value)
	if len(types) == 0 {
		c.misspelt(e)
		return nil, false
	}
	c.declared[e.name] = types[0].name
	var own problems
	impl := server(e, types, &own)
	if !c.lenient {
		c.ps.list = append(c.ps.list, own.list...)
	}
	for _, p := range own.list {
		if c.lenient {
			c.notes = append(c.notes, "not started: "+p.String())
		}
	}
	if impl == nil {
		return nil, false
	}
	return newInstance(e, types[0].name, impl, host), len(own.list) == 0
}

func typeKeys(n *node) []entry {
	var types []entry
	if !n.isMapping() {
		return nil
	}
	for _, e := range n.entries {
		if slices.Contains(serverTypes, e.name) {
			types = append(types, e)
		}
	}
	return types
}

// misspelt reports an entry that would be a server if its type were spelt right; any other is none of our business.
func (c *checker) misspelt(e entry) {
	if !e.value.isMapping() || c.lenient {
		return
	}
	for _, t := range e.value.entries {
		near := Near(t.name, serverTypes)
		if len(near) == 0 || !t.value.isMapping() {
			continue
		}
		for _, impl := range t.value.entries {
			if impl.value.get("entrypoint") != nil {
				c.ps.add(t.at, "%s: %q is no server type; did you mean %s?", e.name, t.name, quoteList(near, " or "))
				return
			}
		}
	}
}

// server checks one entry and finds its implementation.
func server(e entry, types []entry, ps *problems) *entry {
	if bad, ok := notCookieToken(e.name); ok {
		ps.add(e.at, "the name %q holds %q: a session cookie is named after the instance, so it may hold letters, digits and !#$%%&'*+-.^_`|~ only", e.name, bad)
	}
	for _, t := range types[1:] {
		ps.add(t.at, "%s has both %s and %s: an instance has exactly one type", e.name, types[0].name, t.name)
	}
	kind, of := types[0].name, types[0].value
	if !of.isMapping() || len(of.entries) == 0 {
		ps.add(types[0].at, "%s: %s names no implementation: exactly one is needed, for example %s", e.name, kind, exampleImpl(kind))
		return nil
	}
	for _, extra := range of.entries[1:] {
		ps.add(extra.at, "%s: %s has a second implementation %q beside %q: an instance has exactly one",
			e.name, kind, extra.name, of.entries[0].name)
	}
	impl := &of.entries[0]
	if !impl.value.isMapping() {
		ps.add(impl.at, "%s: the implementation %q must be a mapping with its settings", e.name, impl.name)
		return nil
	}
	checkSettings(e.name, kind, impl, ps)
	return impl
}

func exampleImpl(kind string) string {
	switch kind {
	case TypeAgent:
		return "simple_agent"
	case TypeModel:
		return "openai_model"
	}
	return "example_single_tool_call"
}

// notCookieToken finds the first character that the name of a cookie cannot hold.
func notCookieToken(name string) (string, bool) {
	for _, r := range name {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		if !letter && !strings.ContainsRune("!#$%&'*+-.^_`|~", r) {
			return string(r), true
		}
	}
	return "", name == ""
}

// checkSettings looks at the keys that every implementation has.
func checkSettings(name, kind string, impl *entry, ps *problems) {
	s := impl.value
	entrypoint := s.get("entrypoint")
	switch {
	case entrypoint == nil:
		ps.add(impl.at, "%s: %s has no entrypoint; add entrypoint: app.py", name, impl.name)
	case !entrypoint.isString() || entrypoint.text == "" || path.IsAbs(entrypoint.text):
		ps.add(entrypoint.at, "%s: entrypoint must be a relative path, for example app.py", name)
	}
	if h := s.get("host"); h != nil && h.kind != 'n' && !h.isString() {
		ps.add(h.at, "%s: host must be a text", name)
	}
	if p := s.get("port"); p != nil && p.kind != 'n' {
		if n, ok := p.integer(); !ok || n < 0 || n > 65535 {
			ps.add(p.at, "%s: port must be a whole number from 0 to 65535", name)
		}
	}
	if w := s.get("num_workers"); w != nil && w.kind != 'n' {
		if n, ok := w.integer(); !ok || n < 1 {
			ps.add(w.at, "%s: num_workers must be a whole number from 1", name)
		}
	}
	if kind == TypeResources {
		checkDomain(name, impl, ps)
	}
	checkDatasets(name, s.get("datasets"), ps)
}

func checkDomain(name string, impl *entry, ps *problems) {
	d := impl.value.get("domain")
	switch {
	case d == nil:
		ps.add(impl.at, "%s: a resources server needs a domain, one of %s", name, strings.Join(domains, ", "))
	case !d.isString() || !slices.Contains(domains, d.text):
		hint := ""
		if d.isString() {
			if near := Near(d.text, domains); len(near) > 0 {
				hint = "; did you mean " + quoteList(near, " or ") + "?"
			}
		}
		ps.add(d.at, "%s: domain must be one of %s%s", name, strings.Join(domains, ", "), hint)
	}
}

func checkDatasets(name string, list *node, ps *problems) {
	if list == nil || list.kind == 'n' {
		return
	}
	if list.kind != '[' {
		ps.add(list.at, "%s: datasets must be a list", name)
		return
	}
	for _, d := range list.items {
		if !d.isMapping() {
			ps.add(d.at, "%s: a data set must be a mapping with name, type and jsonl_fpath", name)
			continue
		}
		checkDataset(name, d, ps)
	}
}

func checkDataset(name string, d *node, ps *problems) {
	need := func(key, why string) {
		if v := d.get(key); !v.isString() || v.text == "" {
			ps.add(d.at, "%s: a data set needs %s%s", name, key, why)
		}
	}
	need("name", "")
	need("jsonl_fpath", "")
	t := d.get("type")
	switch {
	case !t.isString() || !slices.Contains(datasetTypes, t.text):
		ps.add(d.at, "%s: the type of a data set must be one of %s", name, strings.Join(datasetTypes, ", "))
	case t.text == "train" || t.text == "validation":
		need("license", " when its type is "+t.text)
	case t.text == "benchmark":
		need("prepare_script", " when its type is benchmark")
	}
	if r := d.get("num_repeats"); r != nil && r.kind != 'n' {
		if n, ok := r.integer(); !ok || n < 1 {
			ps.add(r.at, "%s: num_repeats must be a whole number from 1", name)
		}
	}
}

// references finds every mapping below n that holds exactly a server type and a name.
func references(n *node, key string, refs []Ref) []Ref {
	join := func(name string) string {
		if key == "" {
			return name
		}
		return key + "." + name
	}
	if t, name, ok := asReference(n); ok && slices.Contains(serverTypes, t.text) {
		return append(refs, Ref{Key: key, Type: t.text, Name: name.text, File: n.at.file, Line: name.at.line, Column: name.at.column})
	}
	for _, e := range n.entries {
		refs = references(e.value, join(e.name), refs)
	}
	for _, item := range n.items {
		refs = references(item, key, refs)
	}
	return refs
}

func asReference(n *node) (serverType, name *node, ok bool) {
	if !n.isMapping() || len(n.entries) != 2 {
		return nil, nil, false
	}
	serverType, name = n.get("type"), n.get("name")
	return serverType, name, serverType.isString() && name.isString()
}

// references checks that what an instance names is there.
func (c *checker) references(in *Instance) {
	c.misspeltReferences(in.Name, in.node)
	for _, ref := range in.Refs {
		at := position{file: ref.File, line: ref.Line, column: ref.Column}
		t, ok := c.declared[ref.Name]
		switch {
		case !ok:
			names := c.names(ref.Type)
			hint := suggest(ref.Name, names)
			if ref.Type == TypeModel && len(names) == 0 {
				hint = "; a model is chosen by --model-type NAME (gym list models), or stands in another file"
			}
			c.ps.add(at, "%s: %s names %q, and there is no such instance of %s%s", in.Name, ref.Key, ref.Name, ref.Type, hint)
		case t != ref.Type:
			c.ps.add(at, "%s: %s names %q as one of %s, but it is one of %s", in.Name, ref.Key, ref.Name, ref.Type, t)
		}
	}
}

// misspeltReferences reports a mapping that would be a reference if its type were spelt right.
func (c *checker) misspeltReferences(instance string, n *node) {
	if t, _, ok := asReference(n); ok && !slices.Contains(serverTypes, t.text) {
		if near := Near(t.text, serverTypes); len(near) > 0 {
			c.ps.add(t.at, "%s: %q is no server type; did you mean %s?", instance, t.text, quoteList(near, " or "))
		}
	}
	for _, e := range n.entries {
		c.misspeltReferences(instance, e.value)
	}
	for _, item := range n.items {
		c.misspeltReferences(instance, item)
	}
}

func (c *checker) names(serverType string) []string {
	var names []string
	for name, t := range c.declared {
		if t == serverType {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
