package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/config"
)

func TestCheckImplementations(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.yaml")
	text := `good:
  resources_servers:
    example_multi_step: {entrypoint: app.py, domain: agent}
typo:
  resources_servers:
    example_multistep: {entrypoint: app.py, domain: agent}
foreign:
  resources_servers:
    reasoning_gym: {entrypoint: app.py, domain: math}
`
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	g, err := config.Load([]string{path}, config.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	if err := g.CheckImplementations([]string{"example_multi_step", "example_multistep", "reasoning_gym"}); err != nil {
		t.Errorf("all are known, and yet: %v", err)
	}
	err = g.CheckImplementations([]string{"example_multi_step", "simple_agent"})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"2 problems",
		path + `:4:1: typo: this program has no implementation "example_multistep"; did you mean "example_multi_step"?`,
		path + `:7:1: foreign: this program has no implementation "reasoning_gym"`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not say %q:\n%v", want, err)
		}
	}
}
