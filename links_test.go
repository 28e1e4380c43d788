//go:build !lens_off

package lens_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// Packages that are large, or that not every program wants.
const (
	grpcLibrary       = "google.golang.org/grpc"
	protobufLibrary   = "google.golang.org/protobuf"
	prometheusLibrary = "github.com/prometheus/client_golang"
	sdkLibrary        = otel + "/sdk"
	exporterLibraries = otel + "/exporters"
)

// program is what a program links, by import path.
type program map[string]pkg

func linkedBy(t *testing.T, dir string) program {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", "-json=ImportPath,Imports", "./"+dir).Output()
	if err != nil {
		t.Fatalf("go list -deps %s: %v", dir, err)
	}
	all := program{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatalf("go list printed no JSON: %v", err)
		}
		all[p.ImportPath] = p
	}
	if _, ok := all[house]; !ok {
		t.Fatalf("%s does not link %s; the scanner is broken", dir, house)
	}
	return all
}

// importers are who in the program imports a library from outside of it.
func (p program) importers(library string) (all []string) {
	inside := func(path string) bool { return path == library || strings.HasPrefix(path, library+"/") }
	for path, q := range p {
		for _, imp := range q.Imports {
			if inside(imp) && !inside(path) {
				all = append(all, path)
				break
			}
		}
	}
	return all
}

// TestLinks holds what a program links for what it uses: a library's groups link neither gRPC nor the SDK; telemetry over HTTP links
// no gRPC of ours and no client of Prometheus.
func TestLinks(t *testing.T) {
	callsite := linkedBy(t, "testdata/callsite")
	for _, library := range []string{grpcLibrary, protobufLibrary, prometheusLibrary, sdkLibrary, exporterLibraries, house + "/telemetry"} {
		if by := callsite.importers(library); len(by) > 0 {
			t.Errorf("a program that only registers a group links %s by %q", library, by)
		}
	}
	service := linkedBy(t, "telemetry/testdata/service")
	for _, library := range []string{prometheusLibrary, house + "/telemetry/export/otlpgrpc", house + "/telemetry/export/prometheus"} {
		if by := service.importers(library); len(by) > 0 {
			t.Errorf("a program with OTLP over HTTP links %s by %q", library, by)
		}
	}
	byOthers := false
	for _, path := range service.importers(grpcLibrary) {
		byOthers = byOthers || strings.HasPrefix(path, exporterLibraries)
		if path == house || strings.HasPrefix(path, house+"/") {
			t.Errorf("a program with OTLP over HTTP links gRPC by %s", path)
		}
	}
	if !byOthers {
		t.Error("the stock exporters link gRPC no more: docs/telemetry.md says that they do")
	}
}

// TestLinksSeesThem shows that the scanner can fail.
func TestLinksSeesThem(t *testing.T) {
	gym := linkedBy(t, "cmd/gym")
	for library, by := range map[string]string{
		grpcLibrary:       house + "/telemetry/export/otlpgrpc",
		prometheusLibrary: house + "/telemetry/export/prometheus",
		sdkLibrary:        house + "/telemetry",
	} {
		found := false
		for _, path := range gym.importers(library) {
			found = found || path == by
		}
		if !found {
			t.Errorf("nobody sees that gym links %s by %s", library, by)
		}
	}
}
