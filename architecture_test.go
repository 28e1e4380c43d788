//go:build !lens_off

package lens_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	house = "github.com/lensgo/lens"
	otel  = "go.opentelemetry.io/otel"
)

// pkg is what `go list -json` says about a package of the house.
type pkg struct {
	ImportPath string
	Name       string
	Imports    []string // direct, not of tests
	Deps       []string // transitive, not of tests
}

func (p pkg) room() string { return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, house), "/") }

// in tells whether the package is in one of the rooms; "telemetry/..." names a room with what is below it, "" the root.
func (p pkg) in(rooms ...string) bool { return inRooms(p.room(), rooms) }

func inRooms(room string, rooms []string) bool {
	return slices.ContainsFunc(rooms, func(r string) bool {
		base, deep := strings.CutSuffix(r, "/...")
		return room == base || deep && strings.HasPrefix(room, base+"/")
	})
}

// rule says which rooms of the house a room may know, directly or not.
type rule struct {
	room string
	may  []string
}

// rules is section 3 of the architecture page. Rooms are matched in this order; cmd and examples may know everything.
var rules = []rule{
	{"semconv", nil},
	{"internal/w3c", nil},
	{"internal/...", []string{"internal/...", "semconv"}},
	{"", []string{"internal/...", "semconv"}},
	{"resource", []string{"internal/envlist", "semconv"}},
	{"carrier", []string{"", "internal/...", "semconv"}},
	{"lenshttp", []string{"", "internal/...", "semconv"}},
	{"lensgrpc", []string{"", "internal/...", "semconv"}},
	{"lensotel", []string{"", "internal/...", "semconv"}},
	{"lenstest", []string{"", "internal/...", "semconv"}},
	{"metrics", []string{"internal/seam", "semconv"}},
	{"lensvet/...", []string{"internal/typo", "internal/version", "lensvet/..."}},
	{"telemetry/...", []string{"", "internal/...", "semconv", "lensotel", "resource", "telemetry/..."}},
	{"viewer/...", []string{"semconv", "internal/passk", "internal/printable", "viewer/..."}},
	{"gym/telemetry", []string{"", "internal/...", "semconv", "lensotel", "resource", "telemetry/..."}},
	{"gym/...", []string{"", "internal/...", "semconv", "metrics", "carrier", "lensotel", "lenshttp", "resource", "telemetry/...", "gym/...", "viewer/ingest", "viewer/store"}},
}

// directly says which rooms a room's own import statements may name, where that is narrower than what it reaches.
var directly = []rule{
	{"gym/telemetry", []string{"", "internal/version", "semconv", "telemetry/..."}},
	{"gym/config", []string{"", "internal/typo", "semconv", "gym/..."}},
	{"gym/fleet", []string{"", "lenshttp", "semconv", "metrics", "gym/..."}},
	{"gym/rollout", []string{"", "internal/printable", "lenshttp", "semconv", "metrics", "gym/...", "viewer/ingest"}},
	{"gym/score", []string{"internal/passk", "gym/..."}},
	{"gym/results", []string{"internal/passk", "internal/printable", "gym/...", "viewer/ingest"}},
	{"gym/eval", []string{"", "internal/printable", "carrier", "lenshttp", "semconv", "metrics", "gym/...", "viewer/ingest"}},
	{"gym/...", []string{"", "lenshttp", "semconv", "metrics", "gym/..."}},
}

func TestDependencyRules(t *testing.T) {
	for _, tags := range []string{"", "lens_off"} {
		packages := listHouse(t, tags)
		if len(packages) < 15 {
			t.Fatalf("go list found %d packages of the house; the scanner is broken", len(packages))
		}
		for _, p := range packages {
			found := breaches(p)
			if tags != "" {
				found = append(found, offBreaches(p)...)
			}
			for _, breach := range found {
				t.Errorf("with tags %q: %s", tags, breach)
			}
		}
	}
}

// offBreaches lists what of OpenTelemetry a package reaches in a build without telemetry. Only the bridges may, whose own
// surface names OpenTelemetry's types, and what stands behind them.
func offBreaches(p pkg) (out []string) {
	if p.in("lensotel", "lenstest", "resource", "internal/seam", "internal/tracecontext",
		"telemetry/export/...", "telemetry/internal/repair", "telemetry/otelopt", "telemetry/lensslog", "examples/...") {
		return nil
	}
	for _, dep := range p.Deps {
		if dep == otel || strings.HasPrefix(dep, otel+"/") {
			out = append(out, p.ImportPath+" reaches "+dep)
		}
	}
	return out
}

// TestDependencyRulesSeeBreaches shows that the scanner can fail: each package here breaks one rule.
func TestDependencyRulesSeeBreaches(t *testing.T) {
	for name, p := range map[string]pkg{
		"root reaches the SDK":        {ImportPath: house, Deps: []string{otel + "/sdk/trace"}},
		"root reaches a room":         {ImportPath: house, Deps: []string{house + "/telemetry"}},
		"semconv imports":             {ImportPath: house + "/semconv", Imports: []string{"fmt"}, Deps: []string{"fmt"}},
		"viewer knows lens":           {ImportPath: house + "/viewer/ingest", Deps: []string{house}},
		"wire imports viewer":         {ImportPath: house + "/gym/wire", Imports: []string{house + "/viewer/ingest"}, Deps: []string{house + "/viewer/ingest"}},
		"gym imports the SDK":         {ImportPath: house + "/gym/wire", Imports: []string{otel + "/sdk/trace"}},
		"gRPC outside its rooms":      {ImportPath: house + "/gym/wire", Imports: []string{"google.golang.org/grpc"}},
		"official semconv in gym":     {ImportPath: house + "/gym/wire", Imports: []string{otel + "/semconv/v1.37.0"}},
		"a room without a rule":       {ImportPath: house + "/misc"},
		"root links a third library":  {ImportPath: house, Deps: []string{"github.com/google/go-cmp/cmp"}},
		"a forbidden name for a room": {ImportPath: house + "/gym/util"},
	} {
		t.Run(name, func(t *testing.T) {
			if len(breaches(p)) == 0 {
				t.Error("no breach reported")
			}
		})
	}
	p := pkg{ImportPath: house + "/lenshttp", Deps: []string{house, otel + "/trace"}}
	if len(offBreaches(p)) != 1 || len(breaches(p)) != 0 {
		t.Error("an edge that reaches OpenTelemetry is fine with telemetry, and is not without")
	}
}

// breaches lists what a package does that section 3 of the architecture page forbids.
func breaches(p pkg) (out []string) {
	say := func(what string) { out = append(out, p.ImportPath+" "+what) }
	if last := p.ImportPath[strings.LastIndexByte(p.ImportPath, '/')+1:]; slices.Contains([]string{"util", "common", "helpers", "types"}, last) {
		say("has a name that says nothing")
	}
	for _, imp := range p.Imports {
		switch {
		case (imp == "google.golang.org/grpc" || strings.HasPrefix(imp, "google.golang.org/grpc/")) && !p.in("telemetry/export/otlpgrpc", "viewer/ingest", "lensgrpc"):
			say("imports gRPC")
		case strings.HasPrefix(imp, otel+"/semconv/") && !p.in("resource"):
			say("imports the official semconv package")
		case strings.HasPrefix(imp, otel+"/sdk") && !p.in("telemetry/...", "lenstest"):
			say("imports the OTel SDK")
		}
	}
	if p.in("semconv") && len(p.Imports) > 0 {
		say("imports " + strings.Join(p.Imports, ", "))
	}
	if p.in("", "semconv", "internal/...") {
		out = append(out, foreign(p)...)
	}
	if p.in("cmd/...", "examples/...") {
		return out
	}
	out = append(out, judge(p, rules, p.Deps, "reaches")...)
	if slices.ContainsFunc(directly, func(r rule) bool { return p.in(r.room) }) {
		out = append(out, judge(p, directly, p.Imports, "imports")...)
	}
	return out
}

// judge applies the first rule that matches the package to what it imports or reaches.
func judge(p pkg, rules []rule, paths []string, verb string) (out []string) {
	i := slices.IndexFunc(rules, func(r rule) bool { return p.in(r.room) })
	if i < 0 {
		return []string{p.ImportPath + " is in no room of the architecture page"}
	}
	for _, dep := range paths {
		q := pkg{ImportPath: dep}
		if (dep == house || strings.HasPrefix(dep, house+"/")) && !q.in(rules[i].may...) {
			out = append(out, p.ImportPath+" "+verb+" "+dep)
		}
	}
	return out
}

// foreign lists dependencies of the library's heart that are neither the standard library nor the OTel API.
func foreign(p pkg) (out []string) {
	api := []string{otel, otel + "/attribute", otel + "/baggage", otel + "/codes", otel + "/log", otel + "/propagation", otel + "/trace", otel + "/metric", otel + "/internal", otel + "/semconv"}
	// what the OTel API itself links
	theirs := []string{"github.com/go-logr/logr", "github.com/go-logr/stdr", "github.com/cespare/xxhash/v2", "go.opentelemetry.io/auto/sdk"}
	for _, dep := range p.Deps {
		host, _, _ := strings.Cut(dep, "/")
		ours := dep == house || strings.HasPrefix(dep, house+"/")
		known := slices.ContainsFunc(append(api, theirs...), func(a string) bool {
			return dep == a || strings.HasPrefix(dep, a+"/") && a != otel
		})
		if strings.Contains(host, ".") && !ours && !known {
			out = append(out, p.ImportPath+" reaches "+dep)
		}
	}
	return out
}

// listHouse asks the go command for every package of the workspace, as it is built with the tags.
func listHouse(t *testing.T, tags string) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-tags", tags, "-json=ImportPath,Name,Imports,Deps", "work")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdout, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list work: %v\n%s", err, &stderr)
	}
	var packages []pkg
	for dec := json.NewDecoder(bytes.NewReader(stdout)); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatalf("go list printed no JSON: %v", err)
		}
		packages = append(packages, p)
	}
}

// TestExportedAPI holds that the exported API of the root package and of telemetry names no OpenTelemetry type: a library
// author learns one vocabulary, and a build may leave OpenTelemetry out.
func TestExportedAPI(t *testing.T) {
	for _, dir := range []string{".", "telemetry"} {
		files := 0
		for _, name := range goFiles(t, dir) {
			src, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			files++
			for _, breach := range foreignNames(t, name, src) {
				t.Error(breach)
			}
		}
		if files < 5 {
			t.Errorf("%d files in %s; the scanner is broken", files, dir)
		}
	}
}

// TestExportedAPISeesBreaches shows that the scanner can fail, and that it looks at what is exported only.
func TestExportedAPISeesBreaches(t *testing.T) {
	for text, want := range map[string]int{
		"func F(trace.Span) {}":                             1,
		"func F() (_ []*trace.Span) { return nil }":         1,
		"type T struct{ S trace.Span; s trace.Span }":       1,
		"type T struct{ trace.Span }":                       1,
		"type T interface{ M(map[string]trace.Span) }":      1,
		"type T = trace.Span":                               1,
		"type T struct{}; func (T) M(func(sdk.Sampler)) {}": 1,
		"var V trace.Span":                                  1,
		"func f(trace.Span) {}":                             0,
		"type t struct{}; func (t) M(trace.Span) {}":        0,
		"func F() { var s trace.Span; _ = s }":              0,
		"type T struct{ s trace.Span }":                     0,
	} {
		src := "package p\nimport (\n\"" + otel + "/trace\"\nsdk \"" + otel + "/sdk/trace\"\n)\n" + text
		if got := foreignNames(t, "x.go", []byte(src)); len(got) != want {
			t.Errorf("%s: %q, want %d breaches", text, got, want)
		}
	}
}

func goFiles(t *testing.T, dir string) (names []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(name string) bool { return strings.HasSuffix(name, "_test.go") })
}

// foreignNames lists where exported declarations of a file name something of OpenTelemetry.
func foreignNames(t *testing.T, name string, src []byte) (out []string) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	foreign := map[string]bool{} // by the name that the file uses
	for _, spec := range file.Imports {
		p, err := strconv.Unquote(spec.Path.Value)
		if err != nil || p != otel && !strings.HasPrefix(p, otel+"/") {
			continue
		}
		if spec.Name != nil {
			foreign[spec.Name.Name] = true
		} else {
			foreign[path.Base(p)] = true
		}
	}
	for _, decl := range file.Decls {
		for _, node := range exported(decl) {
			ast.Inspect(node, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok {
					if x, ok := sel.X.(*ast.Ident); ok && foreign[x.Name] {
						out = append(out, set.Position(sel.Pos()).String()+": the exported API names "+x.Name+"."+sel.Sel.Name)
					}
				}
				return true
			})
		}
	}
	return out
}

// exported are the types in a declaration that a user of the package sees.
func exported(decl ast.Decl) (out []ast.Node) {
	switch d := decl.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && (d.Recv == nil || exportedReceiver(d.Recv.List[0].Type)) {
			out = append(out, d.Type)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			out = append(out, exportedSpec(spec)...)
		}
	}
	return out
}

func exportedReceiver(t ast.Expr) bool {
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	id, ok := t.(*ast.Ident)
	return !ok || id.IsExported() // a generic receiver counts as exported
}

func exportedSpec(spec ast.Spec) (out []ast.Node) {
	switch s := spec.(type) {
	case *ast.ValueSpec:
		if s.Type != nil && slices.ContainsFunc(s.Names, (*ast.Ident).IsExported) {
			out = append(out, s.Type)
		}
	case *ast.TypeSpec:
		if !s.Name.IsExported() {
			return nil
		}
		fields, ok := s.Type.(*ast.StructType)
		if !ok {
			return []ast.Node{s.Type}
		}
		for _, f := range fields.Fields.List {
			if f.Names == nil || slices.ContainsFunc(f.Names, (*ast.Ident).IsExported) {
				out = append(out, f.Type)
			}
		}
	}
	return out
}
