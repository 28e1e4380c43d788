package program

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"

	"github.com/lensgo/lens/lensvet/internal/surface"
)

// What is asked of the go command: first which packages there are, then the source of those that matter. Types of all
// others come from what the compiler exported, which a build has made anyway.
const (
	askGraph  = packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedModule
	askSource = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports | packages.NeedModule |
		packages.NeedExportFile | packages.NeedTypes | packages.NeedTypesSizes | packages.NeedTypesInfo | packages.NeedSyntax
)

// unnamed is the path that the go command gives to a package which was named by its files.
const unnamed = "command-line-arguments"

// Load reads the packages that the patterns name, as the go command in dir understands them, and everything below them.
// No pattern means the package in dir. It fails when there is nothing to read: a pattern that matches nothing, no go
// command. It honours ctx and writes nothing.
func Load(ctx context.Context, dir string, patterns []string, o Options) (*Program, error) {
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("cannot load %s: %w", strings.Join(patterns, " "), err)
	}
	l := &loader{dir: dir, config: packages.Config{Context: ctx, Dir: dir, Env: o.Env, Fset: token.NewFileSet()}}
	if len(o.Tags) > 0 {
		l.config.BuildFlags = []string{"-tags=" + strings.Join(o.Tags, ",")}
	}
	if err := l.load(patterns); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err() // the go command was killed for it, and says so in its own words
		}
		return nil, fmt.Errorf("cannot load %s: %w", strings.Join(patterns, " "), err)
	}
	return newReader(l).program(patterns), nil
}

// loader collects the packages to read.
type loader struct {
	dir      string
	config   packages.Config
	roots    map[string]bool // paths of packages that the patterns name
	units    []*packages.Package
	problems []Problem
}

func (l *loader) load(patterns []string) error {
	config := l.config
	config.Mode = askGraph
	named, err := packages.Load(&config, patterns...)
	if err != nil {
		return err
	}
	if err := nothing(named); err != nil {
		return err
	}
	l.roots = map[string]bool{}
	for _, p := range named {
		l.roots[p.PkgPath] = true
	}
	packages.Visit(named, nil, func(p *packages.Package) { l.complain(p) })
	paths := reaching(named)
	if slices.Contains(paths, unnamed) { // it has no path to ask for it again
		paths = append(slices.DeleteFunc(paths, func(p string) bool { return p == unnamed }), patterns...)
	}
	if len(paths) == 0 {
		return nil
	}
	config = l.config
	config.Mode = askSource
	l.units, err = packages.Load(&config, paths...)
	for _, p := range l.units {
		l.complain(p)
	}
	slices.SortFunc(l.problems, func(a, b Problem) int {
		return cmp.Or(strings.Compare(a.Package, b.Package), compareWhere(a.Where, b.Where), strings.Compare(a.Message, b.Message))
	})
	slices.SortFunc(l.units, func(a, b *packages.Package) int { return strings.Compare(a.PkgPath, b.PkgPath) })
	return err
}

// nothing is the error for patterns that name no package with a file in it.
func nothing(named []*packages.Package) error {
	var errs []error
	for _, p := range named {
		if len(p.GoFiles) > 0 {
			return nil
		}
		for _, e := range p.Errors {
			errs = append(errs, errors.New(strings.TrimSpace(e.Msg)))
		}
		if len(p.Errors) == 0 && len(p.IgnoredFiles) > 0 {
			errs = append(errs, fmt.Errorf("build constraints exclude all Go files of %s: name the tags that it is built with", p.PkgPath))
		}
	}
	if errs == nil {
		return errors.New("no packages match")
	}
	return errors.Join(errs...)
}

// reaching gives the paths of the packages that can have a handle: those from which lens is reached. Lens itself is none.
func reaching(named []*packages.Package) (paths []string) {
	reaches := map[*packages.Package]bool{}
	packages.Visit(named, nil, func(p *packages.Package) { // after its imports
		for _, q := range p.Imports {
			reaches[p] = reaches[p] || reaches[q] || q.PkgPath == surface.Path
		}
		if reaches[p] && p.PkgPath != surface.Path {
			paths = append(paths, p.PkgPath)
		}
	})
	slices.Sort(paths)
	return slices.Compact(paths)
}

// complain notes what is wrong with a package, once: the go command says it, the compiler that it ran, and the type checker.
func (l *loader) complain(p *packages.Package) {
	for _, e := range p.Errors {
		problem := Problem{Package: p.PkgPath, Where: l.relative(e.Pos), Message: l.withoutDir(strings.TrimSpace(e.Msg))}
		if problem.Where == "-" {
			problem.Where = ""
		}
		same := func(q Problem) bool {
			return q.Where == problem.Where && (q.Message == problem.Message || strings.HasPrefix(problem.Message, "could not import "))
		}
		compiler := strings.HasPrefix(problem.Message, "# ") && len(p.TypeErrors) > 0
		if !compiler && !slices.ContainsFunc(l.problems, same) {
			l.problems = append(l.problems, problem)
		}
	}
}

// compareWhere orders file:line:column by number.
func compareWhere(a, b string) int {
	fileA, lineA := splitWhere(a)
	fileB, lineB := splitWhere(b)
	return cmp.Or(strings.Compare(fileA, fileB), slices.Compare(lineA, lineB))
}

func splitWhere(where string) (file string, numbers []int) {
	parts := strings.Split(where, ":")
	for len(parts) > 1 {
		n, err := strconv.Atoi(parts[len(parts)-1])
		if err != nil {
			break
		}
		numbers = append([]int{n}, numbers...)
		parts = parts[:len(parts)-1]
	}
	return strings.Join(parts, ":"), numbers
}

// withoutDir makes the paths in a message of the compiler relative.
func (l *loader) withoutDir(message string) string {
	return strings.ReplaceAll(message, l.dir+string(filepath.Separator), "")
}

// relative makes a path, or a path with a line behind it, relative to the folder when it is not far away.
func (l *loader) relative(path string) string {
	if !filepath.IsAbs(path) {
		return filepath.ToSlash(path)
	}
	rel, err := filepath.Rel(l.dir, path)
	if err != nil {
		return filepath.ToSlash(path)
	}
	return filepath.ToSlash(rel)
}

// position gives a place as readers see it. A file of a dependency stands under its module, since where a machine keeps
// modules says nothing.
func (l *loader) position(p *packages.Package, pos token.Pos) Position {
	at := l.config.Fset.Position(pos)
	file := l.relative(at.Filename)
	if m := p.Module; m != nil && m.Version != "" && m.Dir != "" && (m.Replace == nil || m.Replace.Version != "") {
		if in, err := filepath.Rel(m.Dir, at.Filename); err == nil && filepath.IsLocal(in) {
			file = m.Path + "@" + m.Version + "/" + filepath.ToSlash(in)
		}
	}
	return Position{File: file, Line: at.Line, Column: at.Column}
}
