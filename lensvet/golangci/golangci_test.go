package golangci

import (
	"strings"
	"testing"

	"github.com/golangci/plugin-module-register/register"

	"github.com/lensgo/lens/lensvet/analyzers"
)

// TestPlugin asks for the linter as golangci-lint does.
func TestPlugin(t *testing.T) {
	build, err := register.GetPlugin("lensvet")
	if err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		settings any
		want     int
	}{
		"no settings": {nil, len(analyzers.All())},
		"without two": {map[string]any{"disable": []any{"shortname", "presetname"}}, len(analyzers.All()) - 2},
		"with one":    {map[string]any{"enable": []any{"loopdefault"}}, len(analyzers.All())},
	} {
		t.Run(name, func(t *testing.T) {
			on := analyzers.LoopDefault.Flags.Lookup("on").Value
			t.Cleanup(func() { _ = on.Set("false") })
			plugin, err := build(test.settings)
			if err != nil {
				t.Fatal(err)
			}
			if plugin.GetLoadMode() != register.LoadModeTypesInfo {
				t.Errorf("it is loaded with %q", plugin.GetLoadMode())
			}
			got, err := plugin.BuildAnalyzers()
			if err != nil || len(got) != test.want {
				t.Errorf("%d checks, %v, want %d", len(got), err, test.want)
			}
			if want := name == "with one"; (on.String() == "true") != want {
				t.Errorf("loopdefault.on is %v", on)
			}
		})
	}
}

func TestPlugin_unknownCheck(t *testing.T) {
	if _, err := New(map[string]any{"disable": []any{"lostspam"}}); err == nil || !strings.Contains(err.Error(), `"lostspam"`) || !strings.Contains(err.Error(), "lostspan") {
		t.Errorf("the error is %v; it should name what is wrong and what there is", err)
	}
}
