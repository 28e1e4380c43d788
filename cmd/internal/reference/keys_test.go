package reference

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const source = `package p

const usual = 0.5

type Shared struct {
	Wait float64 ` + "`json:\"wait_seconds\"`" + ` // for one try (default usual)
}

type Settings struct {
	Shared
	// Command is what runs, and {a: b} a mapping (needed). See [Other].
	Command []string ` + "`json:\"command,omitzero\"`" + `
	Bound   *int     ` + "`json:\"bound\"`" + ` // of all; null is none
	Count   int      ` + "`json:\"count\"`" + ` // of each
	On      *bool    ` + "`json:\"on\"`" + `    // do it
	Inner   any      ` + "`json:\"inner\"`" + ` // the same
	Hidden  string   ` + "`json:\"-\"`" + `
	private string
}

type inner struct {
	Name string ` + "`json:\"name\"`" + ` // of it (default A|B, else none)
}

type silent struct {
	Name string ` + "`json:\"name\"`" + `
}
`

func TestKeys(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	types, err := ParseTypes(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := types.Keys("Settings", map[string]string{"inner": "inner"})
	want := []Key{
		{"wait_seconds", "number", "0.5", "for one try"},
		{"command", "list of texts", "needed", "what runs, and {a: b} a mapping"},
		{"bound", "int", "", "of all; null is none"},
		{"count", "int", "0", "of each"},
		{"on", "bool", "false", "do it"},
		{"inner.name", "text", "A|B, else none", "of it"},
	}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got\n%q\nwant\n%q, %v", got, want, err)
	}
	const row = "| `command` | list of texts | needed | what runs, and `{a: b}` a mapping |\n"
	if text := Table(got); !strings.Contains(text, row) || !strings.Contains(text, `| A\|B, else none |`) {
		t.Errorf("%s", text)
	}
	for name, says := range map[string]string{"silent": "the field of name has no comment", "absent": "no struct absent"} {
		if _, err := types.Keys(name, nil); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
