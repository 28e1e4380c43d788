//go:build !lens_off

package lens_test

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var updateAPI = flag.Bool("update-api", false, "write the exported API into api/*.txt")

// listings are the packages whose API docs/stability.md speaks of, by the file in api that lists it.
var listings = map[string]string{
	"lens":               house,
	"carrier":            house + "/carrier",
	"lensgrpc":           house + "/lensgrpc",
	"lenshttp":           house + "/lenshttp",
	"lensotel":           house + "/lensotel",
	"lenstest":           house + "/lenstest",
	"telemetry":          house + "/telemetry",
	"telemetry-otelopt":  house + "/telemetry/otelopt",
	"telemetry-lensslog": house + "/telemetry/lensslog",
}

// TestAPI compares what the packages export with the listings in api, so that no change of it goes unseen. There is no release yet;
// after the first one the listings say what has changed since.
func TestAPI(t *testing.T) {
	surfaces := published(t, "")
	for _, name := range slices.Sorted(maps.Keys(listings)) {
		got := listing(surfaces[listings[name]], listings[name])
		if len(got) == 0 {
			t.Errorf("%s exports nothing; the scanner is broken", listings[name])
		}
		path := filepath.Join("api", name+".txt")
		if *updateAPI {
			if err := os.WriteFile(path, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range changes(strings.Split(strings.TrimSpace(string(text)), "\n"), got) {
			t.Errorf("%s: %s", path, change)
		}
	}
	if t.Failed() {
		t.Log("if that is meant: docs/stability.md says what else it takes, then go test . -run TestAPI -update-api")
	}
}

// listing is the surface of a package as lines, without the documentation and without the package's own path.
func listing(s surface, path string) (lines []string) {
	for _, name := range slices.Sorted(maps.Keys(s)) {
		if !strings.HasPrefix(name, "doc of ") {
			lines = append(lines, name+": "+strings.ReplaceAll(s[name], path+".", ""))
		}
	}
	return lines
}

// changes tells two listings apart.
func changes(old, now []string) (out []string) {
	byName := func(lines []string) map[string]string {
		m := map[string]string{}
		for _, line := range lines {
			name, what, _ := strings.Cut(line, ": ")
			m[name] = what
		}
		return m
	}
	before, after := byName(old), byName(now)
	for _, name := range slices.Sorted(maps.Keys(before)) {
		switch what, ok := after[name]; {
		case !ok:
			out = append(out, name+" is gone: programs that use it do not compile")
		case what != before[name]:
			out = append(out, name+" was "+before[name]+" and is "+what)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if _, ok := before[name]; !ok {
			out = append(out, name+" is new: "+after[name])
		}
	}
	return out
}

// TestAPISeesChanges shows that the comparison can fail.
func TestAPISeesChanges(t *testing.T) {
	const src = "package p\n\nconst C = 1\n\ntype T struct{ N int }\n\nfunc (T) Do(n int) error { return nil }\n\ntype I interface{ M() }\n"
	old := listing(surfaceOfSource(t, src), "p")
	for name, change := range map[string]struct{ from, to, want string }{
		"a constant":         {"C = 1", "C = 2", "const C was"},
		"a method gone":      {"Do(n", "do(n", "method (T) Do is gone"},
		"a parameter":        {"n int", "n int64", "method (T) Do was"},
		"a field's type":     {"N int", "N uint", "field T.N was"},
		"a field more":       {"N int", "N, K int", "field T.K is new"},
		"an interface grows": {"M()", "M(); K()", "type I was"},
	} {
		t.Run(name, func(t *testing.T) {
			if !strings.Contains(src, change.from) {
				t.Fatal("nothing to change")
			}
			got := changes(old, listing(surfaceOfSource(t, strings.Replace(src, change.from, change.to, 1)), "p"))
			if !strings.Contains(strings.Join(got, "\n"), change.want) {
				t.Errorf("%q, want %q", got, change.want)
			}
		})
	}
	if got := changes(old, listing(surfaceOfSource(t, src+"\n// F is not.\nfunc f() {}\n"), "p")); len(got) != 0 {
		t.Errorf("what is not exported is a change: %q", got)
	}
}
