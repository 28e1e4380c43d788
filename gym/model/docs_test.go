package model_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/fleet"
	"github.com/lensgo/lens/gym/model"
)

var builders = map[string]fleet.Builder{"openai_model": model.BuildOpenAI, "vllm_model": model.BuildVLLM,
	"anthropic_model": model.BuildAnthropic, "synthetic_model": model.BuildSynthetic}

// TestDocs builds the servers of the page's configurations.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/model-servers.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(string(page), -1) {
		if !strings.Contains(block[1], config.TypeModel) {
			continue // keys of the run
		}
		path := filepath.Join(t.TempDir(), fmt.Sprintf("%d.yaml", i))
		if err := os.WriteFile(path, []byte(block[1]), 0o600); err != nil {
			t.Fatal(err)
		}
		g, err := config.Load([]string{path}, config.Overrides{})
		if err != nil {
			t.Errorf("%v in\n%s", err, block[1])
			continue
		}
		for _, in := range g.Instances {
			if _, err := builders[in.Impl](in, newClient(t), slog.New(slog.DiscardHandler)); err != nil {
				t.Errorf("%v in\n%s", err, block[1])
			}
			seen[in.Impl] = true
		}
	}
	if len(seen) != len(builders) {
		t.Errorf("the page shows %v", seen)
	}
}

// TestAssets builds the servers of the configurations by name.
func TestAssets(t *testing.T) {
	for impl, build := range builders {
		path := "../config/assets/responses_api_models/" + impl + "/configs/" + impl + ".yaml"
		values := filepath.Join(t.TempDir(), "values.yaml")
		if err := os.WriteFile(values, []byte("policy_base_url: http://h/v1\npolicy_api_key: k\npolicy_model_name: m\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		g, err := config.Load([]string{path, values}, config.Overrides{})
		if err != nil {
			t.Errorf("%s: %v", impl, err)
			continue
		}
		if _, err := build(g.Instance("policy_model"), newClient(t), nil); err != nil {
			t.Errorf("%s: %v", impl, err)
		}
	}
}

// TestDocs_keys finds each key of the settings in its table.
func TestDocs_keys(t *testing.T) {
	page, err := os.ReadFile("../../docs/model-servers.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"openai.go", "vllm.go", "anthropic.go", "endpoint_settings.go"} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range regexp.MustCompile("`json:\"([a-z_]+)\"`").FindAllStringSubmatch(string(source), -1) {
			if !strings.Contains(string(page), "| `"+key[1]+"` |") {
				t.Errorf("the key %s of %s is in no table", key[1], file)
			}
		}
	}
}
