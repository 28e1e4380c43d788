package lens_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"slices"
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
	{"resource", []string{"semconv"}},
	{"lenshttp", []string{"", "internal/...", "semconv"}},
	{"lensotel", []string{"", "internal/...", "semconv"}},
	{"telemetry/...", []string{"", "internal/...", "semconv", "lensotel", "resource", "telemetry/..."}},
	{"viewer/...", []string{"semconv", "internal/passk", "viewer/..."}},
	{"gym/telemetry", []string{"", "internal/...", "semconv", "lensotel", "resource", "telemetry/..."}},
	{"gym/...", []string{"", "internal/...", "semconv", "lensotel", "lenshttp", "resource", "telemetry/...", "gym/...", "viewer/ingest", "viewer/store"}},
}

// directly says which rooms a room's own import statements may name, where that is narrower than what it reaches.
var directly = []rule{
	{"gym/telemetry", []string{"", "semconv", "telemetry/..."}},
	{"gym/fleet", []string{"", "lenshttp", "semconv", "gym/...", "viewer/ingest", "viewer/store"}},
	{"gym/rollout", []string{"", "lenshttp", "semconv", "gym/...", "viewer/ingest", "viewer/store"}},
	{"gym/eval", []string{"", "lenshttp", "semconv", "gym/...", "viewer/ingest", "viewer/store"}},
	{"gym/...", []string{"", "lenshttp", "semconv", "gym/..."}},
}

func TestDependencyRules(t *testing.T) {
	packages := listHouse(t)
	if len(packages) < 15 {
		t.Fatalf("go list found %d packages of the house; the scanner is broken", len(packages))
	}
	for _, p := range packages {
		for _, breach := range breaches(p) {
			t.Error(breach)
		}
	}
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
}

// breaches lists what a package does that section 3 of the architecture page forbids.
func breaches(p pkg) (out []string) {
	say := func(what string) { out = append(out, p.ImportPath+" "+what) }
	if last := p.ImportPath[strings.LastIndexByte(p.ImportPath, '/')+1:]; slices.Contains([]string{"util", "common", "helpers", "types"}, last) {
		say("has a name that says nothing")
	}
	for _, imp := range p.Imports {
		switch {
		case (imp == "google.golang.org/grpc" || strings.HasPrefix(imp, "google.golang.org/grpc/")) && !p.in("telemetry/export/otlpgrpc", "viewer/ingest", "lensgrpc/..."):
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
	for _, path := range paths {
		q := pkg{ImportPath: path}
		if (path == house || strings.HasPrefix(path, house+"/")) && !q.in(rules[i].may...) {
			out = append(out, p.ImportPath+" "+verb+" "+path)
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

// listHouse asks the go command for every package of the workspace.
func listHouse(t *testing.T) []pkg {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Name,Imports,Deps", "work")
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
