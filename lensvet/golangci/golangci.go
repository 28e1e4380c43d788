// Package golangci makes the checks of lensvet a linter of golangci-lint, by its module plugin system: import it in a build
// of golangci-lint (golangci-lint custom does that) and enable the linter lensvet. docs/lensvet.md has the two files.
//
// The checks that take a whole program, lensvet -program, are not in it: golangci-lint shows a linter one package at a time.
package golangci

import (
	"fmt"
	"slices"
	"strings"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/lensgo/lens/lensvet/analyzers"
)

func init() { register.Plugin("lensvet", New) }

// Settings stand under linters.settings.custom.lensvet.settings.
type Settings struct {
	Disable []string `json:"disable"` // names of checks to leave out
	Enable  []string `json:"enable"`  // names of checks that are off unless asked for: loopdefault
}

// New makes the linter. An unknown name of a check is an error.
func New(raw any) (register.LinterPlugin, error) {
	settings, err := register.DecodeSettings[Settings](raw)
	if err != nil {
		return nil, fmt.Errorf("cannot read the settings of lensvet: %w", err)
	}
	var known []string
	for _, a := range analyzers.All() {
		known = append(known, a.Name)
	}
	for _, name := range slices.Concat(settings.Disable, settings.Enable) {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("cannot set up lensvet: there is no check %q; there are %s", name, strings.Join(known, ", "))
		}
	}
	return plugin{settings}, nil
}

type plugin struct{ settings Settings }

// BuildAnalyzers gives the checks that are asked for.
func (p plugin) BuildAnalyzers() (out []*analysis.Analyzer, err error) {
	for _, a := range analyzers.All() {
		if slices.Contains(p.settings.Disable, a.Name) {
			continue
		}
		if slices.Contains(p.settings.Enable, a.Name) {
			if on := a.Flags.Lookup("on"); on != nil {
				if err := on.Value.Set("true"); err != nil {
					return nil, fmt.Errorf("cannot switch %s on: %w", a.Name, err)
				}
			}
		}
		out = append(out, a)
	}
	return out, nil
}

// GetLoadMode says that the checks need types.
func (plugin) GetLoadMode() string { return register.LoadModeTypesInfo }
