package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// Overrides are values that win over every file. The zero value changes nothing.
type Overrides struct {
	Values map[string]string // top-level texts, for example policy_base_url
}

// Load reads the files, lays later ones over earlier ones, and checks the whole. The error, when not nil, is an
// [*Error] with every problem found.
func Load(paths []string, over Overrides) (*Graph, error) {
	var ps problems
	if len(paths) == 0 {
		ps.add(position{}, "no configuration file was given")
		return nil, ps.err()
	}
	tree := &node{kind: '{', at: position{file: paths[0], line: 1, column: 1}}
	for _, path := range paths {
		if file := readFile(path, &ps); file != nil {
			tree.merge(file)
		}
	}
	if err := ps.err(); err != nil { // a tree with holes would be blamed for what the broken file holds
		return nil, err
	}
	for _, name := range sortedKeys(over.Values) {
		tree.set(name, stringNode(over.Values[name], position{file: "override " + name}))
	}
	return build(tree, paths, &ps)
}

// build checks a merged tree and makes the graph.
func build(tree *node, paths []string, ps *problems) (*Graph, error) {
	resolve(tree, false, ps)
	g := check(tree, ps)
	if len(g.Instances) == 0 && len(ps.list) == 0 {
		ps.add(position{}, "no server instance in %s: at least one entry with %s is needed",
			strings.Join(paths, ", "), strings.Join(serverTypes[:3], ", "))
	}
	if err := ps.err(); err != nil {
		return nil, err
	}
	return g, nil
}

// readFile gives a file's mapping, or nil and a problem.
func readFile(path string, ps *problems) *node {
	data, err := os.ReadFile(path)
	if err != nil {
		ps.list = append(ps.list, Problem{File: path, Text: readProblem(err), Err: err})
		return nil
	}
	return parse(path, data, ps)
}

func readProblem(err error) string {
	if errors.Is(err, fs.ErrNotExist) {
		return "there is no such file"
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Sprintf("cannot read the file: %v", err)
}

// decodeTree reads JSON or YAML from memory.
func decodeTree(b []byte, ps *problems) *node {
	if trimmed := bytes.TrimLeft(b, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '{' {
		if tree, err := parseJSON(trimmed); err == nil {
			return tree
		}
	}
	return parse("", b, ps)
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
