package reference

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
)

// Key is a row of a table of keys.
type Key struct{ Name, Type, Default, Meaning string }

// Table writes keys as a table.
func Table(keys []Key) string {
	var b strings.Builder
	b.WriteString("| key | type | default | |\n|---|---|---|---|\n")
	for _, k := range keys {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", k.Name, k.Type, cell(prose(k.Default)), cell(prose(k.Meaning)))
	}
	return b.String()
}

// Types are the types of a package, as its source declares them.
type Types struct {
	dir    string
	types  map[string]ast.Expr
	values map[string]string // constants that are written down as a number or a text
}

// ParseTypes reads the Go files of a folder, without its tests.
func ParseTypes(dir string) (*Types, error) {
	t := &Types{dir: dir, types: map[string]ast.Expr{}, values: map[string]string{}}
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	files := token.NewFileSet()
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(files, path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			t.declare(d)
		}
	}
	return t, nil
}

func (t *Types) declare(d ast.Decl) {
	general, ok := d.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, spec := range general.Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			t.types[spec.Name.Name] = spec.Type
		case *ast.ValueSpec:
			for i, name := range spec.Names {
				if general.Tok != token.CONST || i >= len(spec.Values) {
					continue
				}
				if lit, ok := spec.Values[i].(*ast.BasicLit); ok {
					t.values[name.Name] = plain(lit)
				}
			}
		}
	}
}

// plain is a literal as it stands in a configuration.
func plain(lit *ast.BasicLit) string {
	v := constant.MakeFromLiteral(lit.Value, lit.Kind, 0)
	if v.Kind() == constant.String {
		return constant.StringVal(v)
	}
	return strings.ReplaceAll(lit.Value, "_", "")
}

// Keys lists the fields of a struct that configurations have: its JSON names, with what the comments of the fields say. A comment
// may hold "(default X)", where X may be the name of a constant, and "(needed)". Embedded structs and, below their key, the
// structs that nested names are written out.
func (t *Types) Keys(name string, nested map[string]string) ([]Key, error) {
	list, ok := t.types[name].(*ast.StructType)
	if !ok {
		return nil, fmt.Errorf("%s has no struct %s", t.dir, name)
	}
	var keys []Key
	for _, f := range list.Fields.List {
		more, err := t.field(f, nested)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		keys = append(keys, more...)
	}
	return keys, nil
}

func (t *Types) field(f *ast.Field, nested map[string]string) ([]Key, error) {
	if len(f.Names) == 0 {
		if embedded, ok := f.Type.(*ast.Ident); ok {
			return t.Keys(embedded.Name, nested)
		}
	}
	if f.Tag == nil {
		return nil, nil
	}
	key, _, _ := strings.Cut(reflect.StructTag(strings.Trim(f.Tag.Value, "`")).Get("json"), ",")
	if key == "-" || key == "" {
		return nil, nil
	}
	if inner, ok := nested[key]; ok {
		keys, err := t.Keys(inner, nil)
		for i := range keys {
			keys[i].Name = key + "." + keys[i].Name
		}
		return keys, err
	}
	k := Key{Name: key, Type: typeName(f.Type)}
	if err := t.say(&k, f); err != nil {
		return nil, err
	}
	return []Key{k}, nil
}

var (
	defaultOf = regexp.MustCompile(`\s*\((default .*?|needed)\)(\.?$|[,;. ])`)
	seeAlso   = regexp.MustCompile(` See [^.]*\.?$`) // is for readers of the code
	verb      = regexp.MustCompile(`^(is|are) `)     // between the name of a field and what it is
	reference = regexp.MustCompile(`\[([\w.]+)\]`)
)

// say takes meaning and default out of the comment of a field.
func (t *Types) say(k *Key, f *ast.Field) error {
	comment := f.Comment.Text()
	if f.Doc != nil {
		comment = verb.ReplaceAllString(strings.TrimPrefix(f.Doc.Text(), f.Names[0].Name+" "), "")
	}
	comment = strings.Join(strings.Fields(comment), " ")
	if comment == "" {
		return fmt.Errorf("the field of %s has no comment that says what it is for", k.Name)
	}
	switch id, _ := f.Type.(*ast.Ident); {
	case k.Type == "bool":
		k.Default = "false"
	case id != nil && (k.Type == "int" || k.Type == "number"):
		k.Default = "0"
	}
	if m := defaultOf.FindStringSubmatch(comment); m != nil {
		k.Default = t.resolve(strings.TrimPrefix(m[1], "default "))
		comment = strings.Replace(comment, m[0], m[2], 1)
	}
	comment = strings.TrimSuffix(strings.TrimSpace(seeAlso.ReplaceAllString(comment, "")), ".")
	k.Meaning = reference.ReplaceAllString(comment, "$1")
	return nil
}

// resolve gives the value of a constant by its name; any other text is the default itself. [pkg.Name] is one of a package beside.
func (t *Types) resolve(text string) string {
	if v, ok := t.values[text]; ok {
		return v
	}
	return text
}

// names are what the types of fields are called in a table.
var names = map[string]string{
	"string": "text", "bool": "bool", "int": "int", "int64": "int", "float64": "number", "any": "any",
	"Secret": "text", "Mode": "text", "Seconds": "number", "URLs": "text or list of texts", "Value": "any", "Object": "mapping",
	"Ref": "mapping", "judgeRef": "mapping", "MemoryProfiling": "mapping",
}

func typeName(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(e.X)
	case *ast.SelectorExpr:
		return typeName(e.Sel)
	case *ast.ArrayType:
		if typeName(e.Elt) == "any" {
			return "list"
		}
		return "list of " + strings.TrimSuffix(typeName(e.Elt), "s") + "s"
	case *ast.MapType:
		return "mapping"
	case *ast.Ident:
		if n, ok := names[e.Name]; ok {
			return n
		}
		return e.Name
	}
	return "mapping"
}
