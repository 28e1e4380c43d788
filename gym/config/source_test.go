package config

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// model is a configuration that loads, with one setting v.
func model(v string) string {
	return "m:\n  responses_api_models:\n    x:\n      entrypoint: app.py\n      v: " + v + "\n"
}

// settings are those of the instance m as JSON, without its entrypoint.
func settings(t *testing.T, g *Graph) string {
	t.Helper()
	in := g.Instance("m")
	if in == nil {
		t.Fatalf("no instance m in %s", g.YAML())
	}
	return strings.NewReplacer(`"entrypoint":"app.py",`, "", `,"entrypoint":"app.py"`, "").Replace(string(in.Settings))
}

func load(t *testing.T, s Source) *Graph {
	t.Helper()
	g, err := s.Load()
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// writeTree is write with folders.
func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// What includes wins over what it includes, later files over earlier ones with all they include, env.yaml over files,
// overrides over everything.
func TestSource_order(t *testing.T) {
	files := map[string]string{
		"a.yaml":     "config_paths: [in/a1.yaml, in/a2.yaml]\n" + model("{a: a, all: a}"),
		"b.yaml":     "config_paths: [in/b1.yaml]\nm: {responses_api_models: {x: {v: {b: b, all: b}}}}\n",
		"in/a1.yaml": "config_paths: [in/deep.yaml]\nm: {responses_api_models: {x: {v: {a: a1, a1: a1, both: a1, all: a1}}}}\n",
		"in/a2.yaml": "m: {responses_api_models: {x: {v: {a: a2, a2: a2, both: a2, all: a2}}}}\n",
		"in/b1.yaml": "m: {responses_api_models: {x: {v: {b: b1, a: b1, all: b1}}}}\n",
		"in/deep.yaml": "config_paths: [a.yaml, in/deep.yaml]\n" + // a circle
			"m: {responses_api_models: {x: {v: {deep: deep, a1: deep, all: deep}}}}\n",
		"env.yaml": "m: {responses_api_models: {x: {v: {env: env, all: env}}}}\n",
	}
	t.Chdir(writeTree(t, files))
	for name, c := range map[string]struct {
		source Source
		want   string
	}{
		"files": {Source{Paths: []string{"a.yaml", "b.yaml"}, NoEnvFile: true},
			`{"v":{"deep":"deep","a1":"a1","all":"b","a":"b1","both":"a2","a2":"a2","b":"b"}}`},
		"all": {Source{Paths: []string{"a.yaml", "b.yaml"}, Overrides: Overrides{Args: []string{"m.responses_api_models.x.v.all=cli"}}},
			`{"v":{"deep":"deep","a1":"a1","all":"cli","a":"b1","both":"a2","a2":"a2","b":"b","env":"env"}}`},
		"by override": {Source{NoEnvFile: true, Overrides: Overrides{Args: []string{"+config_paths=[b.yaml,a.yaml]"}}},
			`{"v":{"b":"b","a":"a","all":"a","deep":"deep","a1":"a1","both":"a2","a2":"a2"}}`},
	} {
		t.Run(name, func(t *testing.T) {
			g := load(t, c.source)
			got := settings(t, g)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if notes := strings.Join(g.Notes, "\n"); !strings.Contains(notes, "in/deep.yaml:1: a.yaml is named a second time") ||
				!strings.Contains(notes, "in/deep.yaml is named a second time") {
				t.Errorf("notes %q", g.Notes)
			}
		})
	}
}

func TestSource_env_file_names_the_files(t *testing.T) {
	t.Chdir(writeTree(t, map[string]string{"a.yaml": model("${key}"), "env.yaml": "config_paths: [a.yaml]\nkey: 7\n"}))
	if !(Source{}).Named() || (Source{NoEnvFile: true}).Named() {
		t.Error("Named is wrong about env.yaml")
	}
	g := load(t, Source{})
	if got := settings(t, g); got != `{"v":7}` {
		t.Errorf("settings %s", got)
	}
	if diff := cmp.Diff([]string{"a.yaml", "env.yaml"}, g.Files); diff != "" {
		t.Errorf("files %s", diff)
	}
	if _, err := Load([]string{"a.yaml"}, Overrides{}); err == nil || !strings.Contains(err.Error(), "${key} names nothing") {
		t.Errorf("Load has read env.yaml: %v", err)
	}
}

func TestSource_roots(t *testing.T) {
	first := writeTree(t, map[string]string{"a.yaml": model("search"), "env.yaml": "e: search\n"})
	second := writeTree(t, map[string]string{"a.yaml": model("extra"), "b.yaml": model("extra")})
	t.Chdir(writeTree(t, map[string]string{"a.yaml": model("cwd"), "b.yaml": model("cwd"), "c.yaml": model("${e}"), "env.yaml": "e: cwd\n"}))
	t.Setenv(EnvExtraRoots, second+string(filepath.ListSeparator))
	for file, want := range map[string]string{"a.yaml": "search", "b.yaml": "extra", "c.yaml": "search"} {
		if got := settings(t, load(t, Source{Paths: []string{file}, SearchDirs: []string{first}})); got != `{"v":"`+want+`"}` {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
	_, err := Source{Paths: []string{"gone.yaml"}, SearchDirs: []string{first}}.Load()
	want := "cannot load the configuration: gone.yaml: there is no such file in " + first + ", " + second + ", the current folder"
	if err == nil || err.Error() != want || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	if got := Find([]string{first}, "c.yaml"); got != "c.yaml" {
		t.Errorf("Find gives %s", got)
	}
	if got := Find(nil, "b.yaml"); got != filepath.Join(second, "b.yaml") {
		t.Errorf("Find gives %s", got)
	}
}

// The place of a missing include is where it is named.
func TestSource_missing_include(t *testing.T) {
	t.Chdir(writeTree(t, map[string]string{"a.yaml": "x: 1\nconfig_paths:\n- gone.yaml\n- 7\n"}))
	_, err := Source{Paths: []string{"a.yaml"}}.Load()
	want := "cannot load the configuration, 2 problems:\n" +
		"  a.yaml:3:3: config_paths names gone.yaml: there is no such file\n" +
		"  a.yaml:4:3: config_paths must be a list of files, and this is no text"
	if err == nil || err.Error() != want || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// Files of the shape that the Python system's examples have load as they are, in a clone of it and by name.
func TestSource_upstream_examples(t *testing.T) {
	for name, c := range map[string]struct {
		assets    []Asset
		instances string
	}{
		"single tool call":   {[]Asset{{ResourcesServer, "example_single_tool_call"}, {ModelType, "openai_model"}}, "example_single_tool_call example_single_tool_call_simple_agent policy_model"},
		"multi step":         {[]Asset{{ResourcesServer, "example_multi_step"}, {ModelType, "vllm_model"}}, "example_multi_step example_multi_step_simple_agent policy_model"},
		"session state":      {[]Asset{{ResourcesServer, "example_session_state_mgmt"}, {ModelType, "vllm_model/vllm_model_for_training"}}, "example_session_state_mgmt example_session_state_mgmt_simple_agent policy_model"},
		"several rewards":    {[]Asset{{ResourcesServer, "example_tool_call_multireward"}, {ModelType, "openai_model"}}, "example_tool_call_multireward example_tool_call_multireward_simple_agent policy_model"},
		"multiple choice":    {[]Asset{{ResourcesServer, "mcqa"}, {ModelType, "openai_model"}}, "mcqa mcqa_simple_agent policy_model"},
		"turns":              {[]Asset{{ResourcesServer, "example_multi_turn_gymnasium"}, {ModelType, "openai_model"}}, "example_multi_turn_gymnasium example_multi_turn_gymnasium_agent policy_model"},
		"cards":              {[]Asset{{ResourcesServer, "blackjack"}, {ModelType, "openai_model"}}, "blackjack blackjack_gymnasium_agent policy_model"},
		"benchmark":          {[]Asset{{Benchmark, "quiz"}, {ModelType, "openai_model"}}, "quiz_mcqa quiz_agent policy_model"},
		"environment":        {[]Asset{{Environment, "trip"}}, "example_multi_step example_multi_step_simple_agent policy_model"},
		"carried by program": {[]Asset{{ResourcesServer, "example_multi_step"}, {ModelType, "synthetic_model"}}, "example_multi_step example_multi_step_simple_agent policy_model"},
	} {
		t.Run(name, func(t *testing.T) {
			g := load(t, Source{Assets: c.assets, SearchDirs: []string{filepath.Join("testdata", "upstream")}})
			var names []string
			for _, in := range g.Instances {
				names = append(names, in.Name)
			}
			if got := strings.Join(names, " "); got != c.instances {
				t.Errorf("instances %q, want %q", got, c.instances)
			}
			if text := string(g.Redacted().YAML()); strings.Contains(text, "from-the-env-file") || name != "carried by program" && !strings.Contains(text, Mask) {
				t.Errorf("the key of env.yaml is shown:\n%s", text)
			}
			for _, in := range g.Instances {
				if in.Impl == "vllm_model" && !strings.Contains(string(in.Settings), `"api_key":"from-the-env-file"`) {
					t.Errorf("the model has no key: %s", in.Settings)
				}
			}
		})
	}
}

func TestSource_asset_that_is_not_there(t *testing.T) {
	t.Chdir(t.TempDir())
	_, err := Source{Assets: []Asset{{ResourcesServer, "example_mulit_step"}, {ModelType, "openai_model/training"}}}.Load()
	want := "cannot load the configuration, 2 problems:\n" +
		"  --model-type openai_model/training: there is no responses_api_models/openai_model/configs/training.yaml; there is "
	if err == nil || !strings.HasPrefix(err.Error(), want) ||
		!strings.Contains(err.Error(), `  --resources-server example_mulit_step: there is no resources_servers/example_mulit_step/configs/example_mulit_step.yaml; did you mean "example_multi_step"?`) {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// What somebody who begins leaves out is named with the flag that gives it.
func TestSource_says_what_would_be_right(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, test := range map[string]struct {
		assets []Asset
		want   string
	}{
		"another kind": {[]Asset{{Environment, "blackjack"}}, "; there is --resources-server blackjack"},
		"no model":     {[]Asset{{ResourcesServer, "blackjack"}}, "; a model is chosen by --model-type NAME (gym list models), or stands in another file"},
		"no address": {[]Asset{{ModelType, "openai_model"}},
			"there is no policy_base_url at the top level; give it with --model-url, in a file or as policy_base_url=VALUE"},
	} {
		if _, err := (Source{Assets: test.assets}).Load(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAssets(t *testing.T) {
	t.Chdir(t.TempDir())
	dir := writeTree(t, map[string]string{
		"benchmarks/b/config.yaml":                                    "",
		"responses_api_models/vllm/configs/vllm.yaml":                 "",
		"responses_api_models/vllm/configs/training.yaml":             "",
		"responses_api_models/openai_model/configs/openai_model.yaml": "",
	})
	found := map[string]string{}
	for _, a := range Assets([]string{dir}) {
		found[string(a.Kind)+" "+a.Name] = a.Path
	}
	for asset, want := range map[string]string{
		"benchmark b":                         filepath.Join(dir, "benchmarks", "b", "config.yaml"),
		"model-type vllm":                     filepath.Join(dir, "responses_api_models", "vllm", "configs", "vllm.yaml"),
		"model-type vllm/training":            filepath.Join(dir, "responses_api_models", "vllm", "configs", "training.yaml"),
		"model-type openai_model":             filepath.Join(dir, "responses_api_models", "openai_model", "configs", "openai_model.yaml"),
		"resources-server example_multi_step": "builtin:resources_servers/example_multi_step/configs/example_multi_step.yaml",
	} {
		if found[asset] != want {
			t.Errorf("%s is %q, want %q", asset, found[asset], want)
		}
	}
}

// Every configuration that the program carries loads, with a model beside it that needs nothing.
func TestBuiltin(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, a := range Assets(nil) {
		assets := []Asset{a.Asset}
		if a.Kind != ModelType {
			assets = append(assets, Asset{ModelType, "synthetic_model"})
		}
		values := map[string]string{"policy_base_url": "u", "policy_api_key": "k", "policy_model_name": "n"}
		if g := load(t, Source{Assets: assets, Overrides: Overrides{Values: values}}); g.Instance("policy_model") == nil || len(g.Files) != 0 {
			t.Errorf("%s %s: instances %v, files %q", a.Kind, a.Name, g.Instances, g.Files)
		}
	}
}

func TestReserved(t *testing.T) {
	want := []string{
		`1:14: head_server must be a mapping`,
		`2:17: port_range_low must be a whole number from 1 to 65535`,
		`3:10: verbose must be true or false`,
		`4:1: the name entrypoint is reserved, so no instance can have it: choose another`,
	}
	got := problemsOf(t, "head_server: 7\nport_range_low: x\nverbose: 1.5\nentrypoint: {resources_servers: {x: {}}}\n"+model("1"))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestDecodeValue(t *testing.T) {
	write(t, map[string]string{"a.yaml": "limit: many\nnum_repeats: {a: 2}\nnothing: null\n" + model("1")})
	g := mustLoad(t, Overrides{}, "a.yaml")
	n := 3
	if err := errors.Join(g.DecodeValue("nothing", &n), g.DecodeValue("absent", &n), (*Graph)(nil).DecodeValue("x", &n)); err != nil || n != 3 {
		t.Errorf("%v, %d", err, n)
	}
	err := errors.Join(g.DecodeValue("limit", &n), g.DecodeValue("num_repeats", &n))
	want := "cannot load the configuration: a.yaml:1:8: limit must be a whole number, and is a text\n" +
		"cannot load the configuration: a.yaml:2:14: num_repeats must be a whole number, and is a mapping"
	if err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}
