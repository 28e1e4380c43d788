package config

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
)

// Source says where a configuration comes from. Later ones win: the files that another file names in config_paths, that
// file, the selected assets in order, Paths in order, env.yaml, the overrides.
type Source struct {
	// Assets are configurations by name, see [Asset].
	Assets []Asset
	// Paths are files. A relative one is looked for in SearchDirs, in the folders of NEMO_GYM_EXTRA_ROOTS, in the current
	// folder, and among the configurations that this program carries (see [Builtin]). Without Assets and Paths,
	// config_paths of the overrides or of env.yaml is the list.
	Paths []string
	// SearchDirs are folders that hold resources_servers, responses_api_models and so on, as a clone of NeMo Gym does.
	SearchDirs []string
	Overrides  Overrides
	// NoEnvFile leaves env.yaml unread.
	NoEnvFile bool
}

// Overrides are values that win over every file. The zero value changes nothing.
type Overrides struct {
	Values map[string]string // top-level texts, for example policy_base_url
	// Args are overrides in the grammar of Hydra, applied in order and after Values: key=value changes what is there,
	// +key=value and ++key=value also add it, ~key deletes it. See [ParseOverride].
	Args []string
}

// Load reads the files, lays later ones over earlier ones, and checks the whole; env.yaml is not read. The error, when not
// nil, is an [*Error] with every problem found.
func Load(paths []string, over Overrides) (*Graph, error) {
	return Source{Paths: paths, Overrides: over, NoEnvFile: true}.Load()
}

// Load reads, merges, resolves and checks. The error, when not nil, is an [*Error] with every problem found.
func (s Source) Load() (*Graph, error) {
	var ps problems
	l := loader{roots: roots(s.SearchDirs), ps: &ps}
	overrides := parseOverrides(s.Overrides.Args, &ps)
	env := s.envFile(&l)
	l.queue(s.names(overrides, env, &ps))
	if len(l.files) == 0 && len(ps.list) == 0 {
		ps.add(position{}, "no configuration file was given")
	}
	l.read()
	if err := ps.err(); err != nil { // a tree with holes would be blamed for what the broken file holds
		return nil, err
	}

	tree := &node{kind: '{', at: position{file: l.files[0].path, line: 1, column: 1}}
	for _, file := range l.ordered() {
		tree.merge(file.tree)
	}
	if env != nil {
		tree.merge(env)
	}
	l.recordPaths(tree)
	for _, name := range slices.Sorted(maps.Keys(s.Overrides.Values)) {
		tree.set(name, stringNode(s.Overrides.Values[name], position{file: "override " + name}))
	}
	for _, o := range overrides {
		o.apply(tree, &ps)
	}
	g, err := build(tree, l.paths(), &ps)
	if g != nil {
		g.Notes = append(l.notes, g.Notes...)
		g.Files = l.onDisk(env)
	}
	return g, err
}

// Named tells whether there is anything to load: assets, paths, or config_paths in an override or in env.yaml.
func (s Source) Named() bool {
	var ps problems
	l := loader{roots: roots(s.SearchDirs), ps: &ps}
	overrides := parseOverrides(s.Overrides.Args, &ps)
	return len(s.names(overrides, s.envFile(&l), &ps)) > 0 || len(ps.list) > 0
}

// envFile reads env.yaml, nil when there is none.
func (s Source) envFile(l *loader) *node {
	if s.NoEnvFile {
		return nil
	}
	for _, root := range l.roots {
		if path := root.join("env.yaml"); root.fsys == nil && isFile(path) {
			data, err := os.ReadFile(path)
			if err != nil {
				l.ps.list = append(l.ps.list, Problem{File: path, Text: readProblem(err), Err: err})
				return nil
			}
			return parse(path, data, l.ps)
		}
	}
	return nil
}

// names lists the files to begin with.
func (s Source) names(overrides []override, env *node, ps *problems) []name {
	var list []name
	for _, a := range s.Assets {
		list = append(list, name{text: a.path(), asset: &a})
	}
	for _, p := range s.Paths {
		list = append(list, name{text: p})
	}
	for _, o := range overrides {
		if o.isConfigPaths() && o.op != opDelete {
			list = append(list, pathNames(o.value, ps)...)
		}
	}
	if len(list) == 0 {
		list = pathNames(env.get("config_paths"), ps)
	}
	return list
}

// name is a file as somebody named it.
type name struct {
	text  string
	at    position // in the file or override that names it; the zero value for Paths and Assets
	asset *Asset
}

// pathNames reads a config_paths value.
func pathNames(n *node, ps *problems) []name {
	if n == nil || n.kind == 'n' {
		return nil
	}
	if n.kind != '[' {
		ps.add(n.at, "config_paths must be a list of files")
		return nil
	}
	var list []name
	for _, item := range n.items {
		if !item.isString() || item.text == "" {
			ps.add(item.at, "config_paths must be a list of files, and this is no text")
			continue
		}
		list = append(list, name{text: item.text, at: item.at})
	}
	return list
}

// loader reads files and what they include.
type loader struct {
	roots []root
	ps    *problems
	files []*loaded // in the order in which they were named, breadth first
	first int       // so many of them were named by the caller
	seen  map[string]bool
	notes []string
}

type loaded struct {
	name     name
	path     string // as it was found
	tree     *node
	children []*loaded
}

// queue takes the caller's files. The same one may be there twice: then it is also merged twice.
func (l *loader) queue(names []name) {
	l.seen = map[string]bool{}
	for _, n := range names {
		path, _ := find(l.roots, n.text)
		l.seen[path] = true
		l.files = append(l.files, &loaded{name: n, path: path})
	}
	l.first = len(l.files)
}

// read reads every file, and every file that one of them names, once.
func (l *loader) read() {
	for i := 0; i < len(l.files); i++ { // grows
		f := l.files[i]
		if f.tree = l.readFile(f); f.tree == nil {
			continue
		}
		for _, n := range pathNames(f.tree.get("config_paths"), l.ps) {
			path, _ := find(l.roots, n.text)
			if l.seen[path] {
				l.notes = append(l.notes, fmt.Sprintf("%s:%d: %s is named a second time in config_paths and was merged once",
					n.at.file, n.at.line, n.text))
				continue
			}
			l.seen[path] = true
			child := &loaded{name: n, path: path}
			f.children = append(f.children, child)
			l.files = append(l.files, child)
		}
	}
}

// readFile gives a file's mapping, or nil and a problem.
func (l *loader) readFile(f *loaded) *node {
	path, root := find(l.roots, f.name.text)
	data, err := root.read(path)
	if err == nil {
		return parse(path, data, l.ps)
	}
	p := Problem{File: f.name.text, Text: readProblem(err) + lookedIn(l.roots, f.name.text), Err: err}
	at := f.name.at
	switch {
	case f.name.asset != nil:
		p.File, p.Text = "", f.name.asset.missing(l.roots)
	case at.file != "":
		p.File, p.Line, p.Column = at.file, at.line, at.column
		p.Text = fmt.Sprintf("config_paths names %s: %s", f.name.text, p.Text)
	}
	l.ps.list = append(l.ps.list, p)
	return nil
}

// ordered lists the files in the order of merging: what a file includes comes before it.
func (l *loader) ordered() []*loaded {
	var list []*loaded
	var visit func(files []*loaded)
	visit = func(files []*loaded) {
		for _, f := range files {
			visit(f.children)
			list = append(list, f)
		}
	}
	visit(l.files[:l.first])
	return list
}

// paths are all files, in the order in which they were named.
func (l *loader) paths() []string {
	var paths []string
	for _, f := range l.files {
		paths = append(paths, f.path)
	}
	return paths
}

// onDisk are the files that were read from a disk.
func (l *loader) onDisk(env *node) []string {
	var paths []string
	for _, f := range l.files {
		if !strings.HasPrefix(f.path, builtinPrefix) {
			paths = append(paths, f.path)
		}
	}
	if env != nil {
		paths = append(paths, env.at.file)
	}
	return paths
}

// recordPaths makes config_paths say what was read.
func (l *loader) recordPaths(tree *node) {
	list := &node{kind: '[', at: tree.at}
	for _, f := range l.files {
		list.items = append(list.items, stringNode(f.name.text, tree.at))
	}
	if tree.get("config_paths") != nil {
		tree.set("config_paths", list)
	}
}

// build checks a merged tree and makes the graph.
func build(tree *node, paths []string, ps *problems) (*Graph, error) {
	notes := direct(tree, ps)
	resolve(tree, ps)
	g := check(tree, ps)
	g.Notes = append(notes, g.Notes...)
	if len(g.Instances) == 0 && len(ps.list) == 0 {
		ps.add(position{}, "no server instance in %s: at least one entry with %s is needed",
			strings.Join(paths, ", "), strings.Join(serverTypes[:3], ", "))
	}
	if err := ps.err(); err != nil {
		return nil, err
	}
	return g, nil
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

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().Type()&fs.ModeDir == 0
}
