package backends_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// conventions are all texts of package semconv: names and values.
func conventions(t *testing.T) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "semconv", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				text, _ := strconv.Unquote(l.Value)
				found[text] = true
			}
			return true
		})
	}
	if len(found) < 200 {
		t.Fatalf("package semconv has %d texts; nobody reads it right", len(found))
	}
	return found
}

// TestNames: attributes in queries for traces and logs, and names in the page, are those that are written.
func TestNames(t *testing.T) {
	known := conventions(t)
	check := func(where, name string) {
		if !known[name] {
			t.Errorf("%s: nobody writes %s", where, name)
		}
	}
	scoped := regexp.MustCompile(`\b(?:span|resource)\.([\w.]+\w)`)
	for _, d := range dashboards(t) {
		for _, p := range d.panels() {
			for _, q := range p.Targets {
				switch q.Datasource.Type {
				case "tempo":
					for _, m := range scoped.FindAllStringSubmatch(q.Query, -1) {
						check(d.file+": "+p.Title, m[1])
					}
				case "loki": // its labels are names with _ for the dots
					if !strings.Contains(q.Expr, "nemo_run_id") || !known["nemo.run.id"] {
						t.Errorf("%s: %s: %s", d.file, p.Title, q.Expr)
					}
				}
			}
		}
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range scoped.FindAllStringSubmatch(string(text), -1) {
		check("the page", m[1])
	}
	for _, name := range regexp.MustCompile(`\b(?:nemo|gen_ai|wandb|gym)\.[a-z_]+(?:\.[a-z_]+)*\b`).FindAllString(string(text), -1) {
		if !strings.HasSuffix(name, ".json") && !strings.HasPrefix(name, "wandb.ai") && !strings.HasPrefix(name, "wandb.io") {
			check("the page", name)
		}
	}
}
