package model_test

import (
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

// pageOf is the page of a model server.
func pageOf(t *testing.T, name string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/" + strings.ReplaceAll(name, "_", "-") + ".md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// TestDocs builds the servers of the pages' configurations. Each page has one for its own.
func TestDocs(t *testing.T) {
	for impl, build := range builders {
		found := 0
		for _, block := range regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllStringSubmatch(pageOf(t, impl), -1) {
			if !strings.Contains(block[1], config.TypeModel) {
				continue // a part
			}
			path := filepath.Join(t.TempDir(), "policy.yaml")
			if err := os.WriteFile(path, []byte(block[1]), 0o600); err != nil {
				t.Fatal(err)
			}
			g, err := config.Load([]string{path}, config.Overrides{})
			if err != nil {
				t.Errorf("%v in\n%s", err, block[1])
				continue
			}
			for _, in := range g.Instances {
				if _, err := build(in, newClient(t), slog.New(slog.DiscardHandler)); in.Impl != impl || err != nil {
					t.Errorf("%v in\n%s", err, block[1])
				}
				found++
			}
		}
		if found == 0 {
			t.Errorf("the page of %s has no configuration", impl)
		}
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

// TestDocs_keys finds each key of the settings in the tables of its page.
func TestDocs_keys(t *testing.T) {
	for file, name := range map[string]string{
		"openai.go": "openai_model", "vllm.go": "vllm_model", "anthropic.go": "anthropic_model", "endpoint_settings.go": "model_servers",
	} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		page := pageOf(t, name)
		keys := regexp.MustCompile("`json:\"([a-z_]+)\"`").FindAllStringSubmatch(string(source), -1)
		for _, key := range keys {
			if !strings.Contains(page, "| `"+key[1]+"` |") {
				t.Errorf("the key %s of %s is in no table of its page", key[1], file)
			}
		}
		if len(keys) == 0 {
			t.Errorf("%s has no keys", file)
		}
	}
}

// TestDocs_links follows the links between the pages of model servers.
func TestDocs_links(t *testing.T) {
	for _, name := range []string{"model_servers", "openai_model", "vllm_model", "anthropic_model", "synthetic_model"} {
		page := pageOf(t, name)
		links := regexp.MustCompile(`\]\(([a-z-]+\.md)?(#[a-z0-9_-]+)?\)`).FindAllStringSubmatch(page, -1)
		for _, link := range links {
			there := page
			if link[1] != "" {
				b, err := os.ReadFile("../../docs/" + link[1])
				if err != nil {
					t.Errorf("%s: %v", name, err)
				}
				there = string(b)
			}
			if link[2] != "" && !strings.Contains(anchors(there), link[2]+"\n") {
				t.Errorf("%s: %s has no heading for %s", name, link[1], link[2])
			}
		}
		if len(links) == 0 {
			t.Errorf("%s has no links", name)
		}
	}
}

// anchors are those of a page's headings, a line each.
func anchors(page string) string {
	var b strings.Builder
	for _, heading := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(page, -1) {
		text := regexp.MustCompile(`[^a-z0-9 _-]`).ReplaceAllString(strings.ToLower(heading[1]), "")
		b.WriteString("#" + strings.ReplaceAll(text, " ", "-") + "\n")
	}
	return b.String()
}
