package main

import (
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/lensgo/lens/cmd/internal/reference"
	"github.com/lensgo/lens/gym/config"
)

// keysOf says where the keys of an implementation or a block are declared.
type keysOf struct {
	dir, name string
	nested    map[string]string
}

// blocks are the mappings around the servers.
var blocks = map[string]keysOf{
	"head_server":   {"config", "HeadServer", nil},
	"telemetry":     {"telemetry", "Settings", map[string]string{"memory_profiling": "MemoryProfiling"}},
	"datasets":      {"eval", "dataset", nil},
	"external":      {"fleet", "External", nil},
	"sandbox_spec":  {"sandbox", "Spec", map[string]string{"resources": "Resources"}},
	"local":         {"sandbox/local", "Options", nil},
	"docker":        {"sandbox/docker", "Options", nil},
	"all_resources": {"resources", "kitSettings", nil},
}

// implementations are the keys of every implementation that has keys of its own.
var implementations = map[string]keysOf{
	"simple_agent":    {"agent", "Settings", nil},
	"gymnasium_agent": {"agent", "GymnasiumSettings", nil},
	"legacy_agent":    {"agent", "relaySettings", nil},
	"openai_model":    {"model", "OpenAISettings", nil},
	"vllm_model":      {"model", "VLLMSettings", nil},
	"anthropic_model": {"model", "AnthropicSettings", nil},
	"synthetic_model": {"model", "syntheticBlock", map[string]string{
		"latency": "latencyBlock", "failures": "failuresBlock", "tokens": "tokensBlock",
	}},
	"mcqa":                  {"resources/mcqa", "settings", nil},
	"equivalence_llm_judge": {"resources/equivalence", "settings", nil},
	"code_exec":             {"resources/codeexec", "settings", nil},
}

// keyless are those that have none but the ones of every resources server.
var keyless = []string{"example_single_tool_call", "example_multi_step", "example_session_state_mgmt",
	"example_multi_turn_gymnasium", "blackjack", "example_tool_call_multireward"}

// TestReferenceConfig compares the page of configurations with the types that read them.
func TestReferenceConfig(t *testing.T) {
	page := reference.Page{Path: "../../docs/config-reference.md", Update: flag.Lookup("update").Value.String() == "true"}
	named, python := keysOfRun()
	page.Check(t, "run", reference.Table(named)+"\nThese are taken, and handed to the Python servers of the run; nothing else reads them: "+
		strings.Join(python, ", ")+".\n")
	for name, of := range blocks {
		page.Check(t, name, table(t, of))
	}
	page.Check(t, "instance", reference.Table(converted(config.InstanceKeys())))
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(implementations)) {
		fmt.Fprintf(&text, "### `%s`\n\n%s\n", name, table(t, implementations[name]))
	}
	page.Check(t, "implementations", text.String())
	for name := range builders {
		if _, has := implementations[name]; !has && !slices.Contains(keyless, name) {
			t.Errorf("%s is neither in implementations nor in keyless: say where its keys are declared", name)
		}
	}
}

func table(t *testing.T, of keysOf) string {
	t.Helper()
	types, err := reference.ParseTypes(filepath.Join("..", "..", "gym", of.dir))
	if err != nil {
		t.Fatal(err)
	}
	keys, err := types.Keys(of.name, of.nested)
	if err != nil {
		t.Fatal(err)
	}
	return reference.Table(keys)
}

// keysOfRun are the keys at the top, and the names of those that only Python reads.
func keysOfRun() (named []reference.Key, python []string) {
	for _, k := range config.Keys() {
		if k.Meaning == "" {
			python = append(python, "`"+k.Name+"`")
		} else {
			named = append(named, reference.Key(k))
		}
	}
	return named, python
}

func converted(keys []config.Key) (list []reference.Key) {
	for _, k := range keys {
		list = append(list, reference.Key(k))
	}
	return list
}
