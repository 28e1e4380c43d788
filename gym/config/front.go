package config

import (
	"strconv"
	"strings"
)

// Fronted is a copy in which every agent has an environment server, as newer Python drivers need one to reach it: where none
// names the agent, an entry legacy_agent by the name that the Python system gives it, at the address of the agent itself, which
// answers what such a server would hand on to it. The addresses must be known.
func (g *Graph) Fronted() *Graph {
	if g == nil || g.tree == nil {
		return g
	}
	g.fill()
	tree := *g.tree
	tree.entries = append([]entry(nil), g.tree.entries...)
	fronted := map[string]bool{}
	for _, in := range g.Instances {
		for _, ref := range in.Refs {
			if in.Type == TypeEnvironment && ref.Type == TypeAgent {
				fronted[ref.Name] = true
			}
		}
	}
	for _, in := range g.Instances {
		if in.Type != TypeAgent || in.Port == 0 || fronted[in.Name] {
			continue
		}
		tree.set(tree.free(frontName(in), in.Name+frontSuffix), front(in))
	}
	copied := graphOf(&tree)
	copied.Notes = g.Notes
	return copied
}

const frontSuffix = "_environment_server"

// frontName is what the Python system calls the environment server of an agent: the agent's name without its kind.
func frontName(in *Instance) string {
	stem := strings.TrimRight(strings.TrimSuffix(strings.TrimSuffix(in.Name, "_"+in.Impl), in.Impl), "_")
	if stem == in.Name {
		stem = strings.TrimRight(strings.TrimSuffix(in.Name, "_agent"), "_")
	}
	if stem == "" {
		stem = in.Impl
	}
	return stem + frontSuffix
}

// free is the first name that no entry has: name, else other, with as many suffixes as it takes.
func (n *node) free(name, other string) string {
	if n.get(name) == nil {
		return name
	}
	for n.get(other) != nil {
		other += frontSuffix
	}
	return other
}

func front(in *Instance) *node {
	at := position{file: in.File, line: in.Line, column: in.Column}
	mapping := func(names []string, values ...*node) *node {
		m := &node{kind: '{', at: at}
		for i, name := range names {
			m.set(name, values[i])
		}
		return m
	}
	text := func(s string) *node { return stringNode(s, at) }
	ref := mapping([]string{"type", "name"}, text(TypeAgent), text(in.Name))
	server := mapping([]string{"entrypoint", "agent_server", "host", "port"},
		text("app.py"), ref, text(in.Host), rawNode(strconv.Itoa(in.Port), at))
	return mapping([]string{TypeEnvironment}, mapping([]string{"legacy_agent"}, server))
}
