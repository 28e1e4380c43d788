package analyzers

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"

	"github.com/lensgo/lens/lensvet/internal/surface"
)

// PresetName notes libraries that have nothing between quiet and everything.
var PresetName = &analysis.Analyzer{
	Name: "presetname",
	Doc: `note libraries that register the preset default and no finer one

Presets with one name are joined over all libraries of a program: whoever asks for per_step sees nothing of a library that has
only default. This is a note.`,
	URL:      page + "presetname",
	Run:      runPresetName,
	Requires: []*analysis.Analyzer{units},
}

func runPresetName(pass *analysis.Pass) (any, error) {
	u := unitOf(pass)
	if u == nil {
		return nil, nil
	}
	for at := range u.each((*ast.CompositeLit)(nil)) {
		lit := at.Node().(*ast.CompositeLit)
		if !surface.Is(u.info.TypeOf(lit), "Library") {
			continue
		}
		presets, key, ok := u.presetsOf(lit)
		if !ok || len(presets) != 1 {
			continue
		}
		if name, ok := u.String(presets[0].key); ok && normal(name) == "default" {
			u.reportf(pass, key, `note: "default" is the only preset: also put the groups into a finer one under a name that other libraries use, such as "per_step" or "per_request", or it stays dark there`)
		}
	}
	return nil, nil
}

// presetsOf gives the presets that a literal of a Library is given, if they are written out in one place.
func (u *unit) presetsOf(library *ast.CompositeLit) (out []preset, at ast.Expr, ok bool) {
	for _, elt := range library.Elts {
		kv, isKV := elt.(*ast.KeyValueExpr)
		if !isKV {
			continue
		}
		if field := u.Field(kv.Key); field == nil || field.Name() != "Presets" {
			continue
		}
		lit, isLit := u.Value(kv.Value).(*ast.CompositeLit)
		if !isLit || u.Var(kv.Value) != nil && u.grows(kv.Value) {
			return nil, nil, false
		}
		return entries(lit), kv.Key, true
	}
	return nil, nil, false
}

// grows reports whether a variable is named anywhere else: entries may be added there.
func (u *unit) grows(e ast.Expr) bool {
	v, named := u.Var(e), 0
	for id, obj := range u.info.Uses {
		if obj == v && id != nil {
			named++
		}
	}
	return named > 1
}
