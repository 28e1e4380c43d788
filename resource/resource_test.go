package resource_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"

	"github.com/lensgo/lens/resource"
	"github.com/lensgo/lens/semconv"
)

func ExampleParse() {
	for _, kv := range resource.Parse("service.namespace=lab, team = a%20b ,oops") {
		fmt.Printf("%s=%q\n", kv.Key, kv.Value.AsString())
	}
	// Output:
	// service.namespace="lab"
	// team="a b"
}

// quoted writes attributes as the table does.
func quoted(attrs []attribute.KeyValue) string {
	var parts []string
	for _, kv := range attrs {
		parts = append(parts, fmt.Sprintf("%s=%q", kv.Key, kv.Value.AsString()))
	}
	return strings.Join(parts, " ")
}

// TestParse_cases: EN-01.
func TestParse_cases(t *testing.T) {
	for _, row := range table(t, "resource-attributes.tsv") {
		want, _, _ := strings.Cut(row[1], " (") // a remark
		if got := quoted(resource.Parse(row[0])); got != want {
			t.Errorf("%q: %s, want %s", row[0], got, want)
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"":                  "",
		" , ,":              "",
		"=v":                "",
		"noequals":          "",
		"a=":                `a=""`,
		"a=1,a=2,b=3,a=4":   `a="4" b="3"`,
		"a=b=c":             `a="b=c"`,
		"a=%zz,b=100%":      `a="%zz" b="100%"`,
		"a%20b=1":           `a%20b="1"`,
		"nv.dl.rank=007":    `nv.dl.rank="007"`,
		"x=1,,noequals,y=2": `x="1" y="2"`,
	} {
		if got := quoted(resource.Parse(text)); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

func TestFromEnv_reads_anew(t *testing.T) {
	for _, text := range []string{"a=1", "a=2"} {
		t.Setenv(resource.EnvAttributes, text)
		if got := quoted(resource.FromEnv()); !strings.Contains(got, text[2:]) {
			t.Errorf("%q: %s", text, got)
		}
	}
}

func TestDetect(t *testing.T) {
	got := map[string]attribute.Value{}
	found, late := resource.Detect(t.Context())
	if late != nil {
		t.Errorf("late: %v", late)
	}
	for _, kv := range found {
		if _, twice := got[string(kv.Key)]; twice {
			t.Errorf("%s is there twice", kv.Key)
		}
		got[string(kv.Key)] = kv.Value
	}
	hostname, _ := os.Hostname()
	for key, want := range map[string]any{
		semconv.HostName:       hostname,
		semconv.OSType:         runtime.GOOS,
		semconv.ProcessPID:     int64(os.Getpid()),
		semconv.ProcessRuntime: "go",
		semconv.RuntimeVersion: runtime.Version(),
	} {
		if v := got[key].AsInterface(); v != want {
			t.Errorf("%s: %v, want %v", key, v, want)
		}
	}
	for _, key := range []string{semconv.HostArch, semconv.ProcessName} {
		if got[key].AsString() == "" {
			t.Errorf("%s is missing", key)
		}
	}
	if strings.ContainsAny(got[semconv.ProcessName].AsString(), `/\`) {
		t.Errorf("%s tells a path: %v", semconv.ProcessName, got[semconv.ProcessName].AsString())
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", "a=1", "a=%20,b", ",,=", "a=%", "k=v=w", "\xff=\xfe"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		seen := map[string]bool{}
		for _, kv := range resource.Parse(text) {
			k := string(kv.Key)
			if k == "" || k != strings.TrimSpace(k) || strings.ContainsAny(k, ",=") || seen[k] {
				t.Errorf("bad key %q of %q", k, text)
			}
			seen[k] = true
			if utf8.ValidString(text) && !strings.Contains(text, "%") && !utf8.ValidString(kv.Value.AsString()) {
				t.Errorf("bad value of %q", text)
			}
		}
	})
}
