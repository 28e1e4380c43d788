package config

import (
	"errors"
	"fmt"
	"net"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The types of server instance. TypeEnvironment is read and checked like the others.
const (
	TypeAgent       = "responses_api_agents"
	TypeModel       = "responses_api_models"
	TypeResources   = "resources_servers"
	TypeEnvironment = "environment_servers"
)

var serverTypes = []string{TypeAgent, TypeModel, TypeResources, TypeEnvironment}

// Graph is a run's configuration: its server instances, in the order of the file, and everything around them.
type Graph struct {
	Instances []*Instance
	Notes     []string // what a user should know and what is no error
	Files     []string // that were read, env.yaml among them; none of those that the program carries

	tree *node
}

// Instance is one server of a run.
type Instance struct {
	Name string // unique; what other servers call it by
	Type string // one of the Type constants
	Impl string // the implementation, for example simple_agent
	Host string // never empty: the file's, else default_host, else 127.0.0.1
	Port int    // 0 until the file or the fleet gives one

	Settings jsontext.Value // the implementation's mapping as JSON
	Refs     []Ref          // the other servers that it names, in order
	Domain   string         // of a resources server

	File         string // where it was declared first
	Line, Column int

	node  *node // the implementation's mapping in the tree
	graph *Graph
	asked func(v any) // told what settings are decoded into; nil: nobody asks
}

// Ref is one server's reference to another.
type Ref struct {
	Key  string // where it stands below the implementation, dotted: model_server
	Type string
	Name string

	File         string
	Line, Column int
}

// Instance is the instance of that name, nil when there is none.
func (g *Graph) Instance(name string) *Instance {
	if g == nil {
		return nil
	}
	for _, in := range g.Instances {
		if in.Name == name {
			return in
		}
	}
	return nil
}

// Names lists the names of all instances of one type, in order.
func (g *Graph) Names(serverType string) []string {
	var names []string
	if g == nil {
		return nil
	}
	for _, in := range g.Instances {
		if in.Type == serverType {
			names = append(names, in.Name)
		}
	}
	return names
}

// Environment is the resources server that an agent names, "" when it names none.
func (g *Graph) Environment(agent string) string {
	in := g.Instance(agent)
	if in == nil {
		return ""
	}
	for _, ref := range in.Refs {
		if ref.Type == TypeResources || ref.Type == TypeEnvironment {
			return ref.Name
		}
	}
	return ""
}

// Value is a top-level value as JSON, nil when absent.
func (g *Graph) Value(name string) jsontext.Value {
	if g == nil {
		return nil
	}
	return g.tree.get(name).json()
}

// DecodeValue reads a top-level value into v, a pointer. Absent and null change nothing. The error says where the value
// stands, and not what it is.
func (g *Graph) DecodeValue(name string, v any) error {
	if g == nil {
		return nil
	}
	n := g.tree.get(name)
	if n == nil || n.kind == 'n' {
		return nil
	}
	if err := json.Unmarshal(n.json(), v); err != nil {
		return &Error{Problems: []Problem{misfit(n, "", name, err)}}
	}
	return nil
}

// Telemetry is the telemetry block as JSON, nil when absent.
func (g *Graph) Telemetry() jsontext.Value { return g.Value("telemetry") }

// Encode writes the whole merged tree as one line of JSON, which is YAML too, with every instance's host and port
// filled in. It holds keys and tokens as the files do: hand it to a process, do not print it.
func (g *Graph) Encode() ([]byte, error) {
	if g == nil || g.tree == nil {
		return nil, errors.New("cannot encode an empty graph: make one with Load or Decode")
	}
	for _, in := range g.Instances {
		if in.node == nil {
			return nil, fmt.Errorf("cannot encode instance %q: it was not made by Load or Decode", in.Name)
		}
		in.node.set("host", stringNode(in.Host, in.node.at))
		in.node.set("port", rawNode(strconv.Itoa(in.Port), in.node.at))
	}
	return g.tree.appendJSON(nil, escapeInterpolation), nil
}

// Decode reads what Encode wrote, and the YAML that a Python supervisor puts into NEMO_GYM_CONFIG_DICT. The tree was
// checked where it was made, so an entry that is no server is passed over instead of refused, and of several
// implementations the first is taken, as a Python server does.
func Decode(b []byte) (*Graph, error) {
	var ps problems
	tree := decodeTree(b, &ps)
	if tree == nil {
		return nil, ps.err()
	}
	resolve(tree, &ps)
	if err := ps.err(); err != nil {
		return nil, err
	}
	return graphOf(tree), nil
}

// graphOf makes the graph of a tree that was checked before.
func graphOf(tree *node) *Graph {
	g := &Graph{tree: tree}
	host := defaultHost(tree)
	for _, e := range tree.entries {
		kind, impl := firstImplementation(e.value)
		if impl != nil && !isReserved(e.name) {
			in := newInstance(e, kind, impl, host)
			in.graph = g
			g.Instances = append(g.Instances, in)
		}
	}
	return g
}

// firstImplementation finds a server's type and its implementation in a top-level value.
func firstImplementation(n *node) (serverType string, impl *entry) {
	for _, t := range serverTypes {
		if of := n.get(t); of.isMapping() && len(of.entries) > 0 && of.entries[0].value.isMapping() {
			return t, &of.entries[0]
		}
	}
	return "", nil
}

// newInstance makes the instance of a checked entry, and takes the domain from those that have no use for it.
func newInstance(e entry, serverType string, impl *entry, host string) *Instance {
	in := &Instance{
		Name: e.name, Type: serverType, Impl: impl.name, Host: host,
		File: e.at.file, Line: e.at.line, Column: e.at.column, node: impl.value,
	}
	if h := impl.value.get("host"); h.isString() && h.text != "" {
		in.Host = h.text
	}
	in.Port, _ = impl.value.get("port").integer()
	if d := impl.value.get("domain"); d.isString() && serverType == TypeResources {
		in.Domain = d.text
	}
	if serverType != TypeResources {
		impl.value.remove("domain")
	}
	in.Refs = references(impl.value, "", nil)
	in.Settings = impl.value.json()
	return in
}

// DecodeSettings reads the implementation's mapping into v, a pointer to a struct with json tags. Keys that v does
// not have are passed over. The error says where what does not fit stands, and not what it is.
func (i *Instance) DecodeSettings(v any) error {
	if i.asked != nil {
		i.asked(v)
	}
	settings := i.Settings
	if len(settings) == 0 {
		settings = jsontext.Value("{}")
	}
	if err := json.Unmarshal(settings, v); err != nil {
		return &Error{Problems: []Problem{misfit(i.node, i.Name, "", err)}}
	}
	return nil
}

// DecodeGlobal reads a top-level value of the configuration that the instance stands in, as [Graph.DecodeValue] does: what
// holds for the whole run, such as observability_enabled. An instance that was not made by Load or Decode has none.
func (i *Instance) DecodeGlobal(name string, v any) error { return i.graph.DecodeValue(name, v) }

// URL is the base address of the instance.
func (i *Instance) URL() string {
	return "http://" + net.JoinHostPort(i.Host, strconv.Itoa(i.Port))
}
