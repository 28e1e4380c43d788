package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const withSecret = `policy_api_key: sk-0123456789
policy_model:
  responses_api_models:
    openai_model:
      entrypoint: app.py
      openai_base_url: ???
      openai_api_key: ${policy_api_key}
      openai_default_headers: {Authorization: Bearer sk-0123456789}
      extra_body: {reasoning: {effort: high}}
`

func TestEnvResolve(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.yaml"), withSecret)
	write(t, filepath.Join(dir, "env.yaml"), "hf_token: hf-0123456789\n")
	url := "policy_model.responses_api_models.openai_model.openai_base_url=http://127.0.0.1:9/v1"
	for name, c := range map[string]struct {
		args []string
		code int
		says []string
	}{
		"YAML":    {[]string{"--config", "a.yaml", url, "+limit=3"}, 0, []string{"policy_api_key: \"***\"\n", "hf_token: \"***\"\n", "limit: 3\n", "        reasoning:\n          effort: high\n"}},
		"origins": {[]string{"--config", "a.yaml", url, "--origins"}, 0, []string{"effort: high  # a.yaml:9", "openai_base_url: http://127.0.0.1:9/v1  # override policy_model.responses_api_models.openai_model.openai_base_url\n", "# env.yaml:1"}},
		"JSON":    {[]string{"--config", "a.yaml", url, "--json"}, 0, []string{`"Authorization": "***"`}},
		"unset":   {[]string{"--config", "a.yaml"}, 1, []string{"a.yaml:6:24: policy_model.responses_api_models.openai_model.openai_base_url is ???", "++policy_model.responses_api_models.openai_model.openai_base_url=VALUE"}},
		"by name": {[]string{"--resources-server", "example_multi_step", "--model-type", "synthetic_model"}, 0, []string{"example_multi_step_agent:", "synthetic_model:"}},
		"no name": {[]string{"--resources-server", "example_mutli_step"}, 1, []string{`did you mean "example_multi_step"?`}},
		"nothing": {nil, 2, []string{"--config is missing", "See 'gym env resolve --help'"}},
		"a word":  {[]string{"resolve"}, 2, []string{`unknown argument "resolve"`}},
		"a file":  {[]string{"a.yaml"}, 2, []string{`unknown argument "a.yaml"`, "files are given with flags"}},
		"broken":  {[]string{"--config", "a.yaml", "policy_api_key=[sk-0123456789"}, 2, []string{"override policy_api_key:1:16: "}},
		"both":    {[]string{"--config", "a.yaml", "--origins", "--json"}, 2, []string{"contradict"}},
	} {
		t.Run(name, func(t *testing.T) {
			out := gymIn(t, dir, nil, append([]string{"env", "resolve"}, c.args...)...)
			out.check(t, c.code, c.says...)
			if strings.Contains(out.stdout+out.stderr, "0123456789") {
				t.Errorf("it prints a secret:\n%s%s", out.stdout, out.stderr)
			}
			if c.code == 0 && name != "JSON" { // what it prints can be used
				write(t, filepath.Join(dir, "printed.yaml"), out.stdout)
				again := gymIn(t, dir, nil, "env", "resolve", "--config", "printed.yaml")
				if name != "origins" && again.stdout != out.stdout {
					t.Errorf("printed again it is\n%s\nand was\n%s", again.stdout, out.stdout)
				}
			}
		})
	}
}

// GY-27 without a start: every bad row, with its place, in one go.
func TestEnvValidate(t *testing.T) {
	f := newFixture(t)
	good := f.rows()[0]
	write(t, f.file("bad.jsonl"), strings.Join([]string{good, `{"responses_create_params":{"input":7},"agent_ref":{"name":"agent"}}`,
		`{"responses_create_params":{"input":"hi"}}`}, "\n"))
	write(t, f.file("data.yaml"), "agent:\n  responses_api_agents:\n    simple_agent:\n      datasets:\n"+
		"      - {name: here, type: example, jsonl_fpath: tasks.jsonl}\n"+
		"      - {name: later, type: train, jsonl_fpath: nowhere.jsonl, license: MIT, gitlab_identifier: {dataset_name: x}}\n")
	write(t, f.file("gone.yaml"), "agent:\n  responses_api_agents:\n    simple_agent:\n      datasets:\n"+
		"      - {name: gone, type: example, jsonl_fpath: gone.jsonl}\n      - {name: bad, type: example, jsonl_fpath: bad.jsonl}\n")
	write(t, f.file("strange.yaml"), "counter:\n  resources_servers:\n    example_session_state_mgnt: {entrypoint: app.py, domain: agent}\n~\n")
	write(t, f.file("other.yaml"), "other:\n  resources_servers:\n    example_session_state_mgnt: {entrypoint: app.py, domain: agent}\n")
	for name, c := range map[string]struct {
		args []string
		code int
		says []string
	}{
		"good":            {[]string{"--input", "tasks.jsonl"}, 0, []string{"3 instances, nothing wrong\n", "tasks.jsonl: 20 rows\n"}},
		"data sets":       {[]string{"--config", "data.yaml"}, 0, []string{"tasks.jsonl: 20 rows\n", "nowhere.jsonl: not here yet\n", `data set "later" is not here yet`}},
		"bad rows":        {[]string{"--input", "bad.jsonl"}, 1, []string{"2 bad rows", "bad.jsonl:2: ", "bad.jsonl:3: ", "no agent_ref"}},
		"agent given":     {[]string{"--input", "bad.jsonl", "--agent", "agent"}, 1, []string{"bad.jsonl:2: "}},
		"all at once":     {[]string{"--config", "gone.yaml", "--config", "other.yaml", "--input", "nowhere.jsonl"}, 1, []string{`data set "gone"`, "gone.jsonl", `data set "bad"`, "bad.jsonl:2: ", "nowhere.jsonl: no such file", `no implementation "example_session_state_mgnt"; did you mean "example_session_state_mgmt"?`}},
		"settings":        {[]string{"++agent.responses_api_agents.simple_agent.max_steps=lots"}, 1, []string{"agent: max_steps must be a whole number, and is a text"}},
		"a slip":          {[]string{"+agent.responses_api_agents.simple_agent.max_step=3"}, 0, []string{`simple_agent does not read max_step; did you mean "max_steps"?`, "nothing wrong"}},
		"the head server": {[]string{"++head_server.port=x"}, 1, []string{"head_server.port must be a whole number"}},
		"telemetry":       {[]string{"++telemetry.enabled=maybe"}, 0, []string{"telemetry is off"}},
		"the YAML first":  {[]string{"--config", "strange.yaml"}, 1, []string{"strange.yaml:4:"}},
	} {
		t.Run(name, func(t *testing.T) {
			out := gymIn(t, f.dir, nil, append([]string{"env", "validate", "--config", f.config}, c.args...)...)
			out.check(t, c.code, c.says...)
		})
	}
	out := gymIn(t, f.dir, nil, "env", "validate", "--config", f.config, "--input", "tasks.jsonl", "--json")
	var doc struct {
		Instances int
		Data      []struct{ Rows int }
	}
	if err := json.Unmarshal([]byte(out.stdout), &doc); err != nil || doc.Instances != 3 || len(doc.Data) != 1 || doc.Data[0].Rows != 20 {
		t.Errorf("%v: %s", err, out.stdout)
	}
}

func TestEnvInit(t *testing.T) {
	dir := t.TempDir()
	gymIn(t, dir, nil, "env", "init", "word_length").check(t, 0, "word_length/server.go", "go test ./...")
	gymIn(t, dir, nil, "env", "init", "word_length").check(t, 1, "is there already")
	gymIn(t, dir, nil, "env", "init", "Word").check(t, 2, "lower-case")
	gymIn(t, dir, nil, "env", "init", "func").check(t, 2, "Go has another meaning for it")
	gymIn(t, dir, nil, "env", "init", "mcqa").check(t, 2, `has a server "mcqa" of its own`)
	gymIn(t, dir, nil, "env", "init").check(t, 2, "give one name")
	gymIn(t, dir, nil, "list", "resources-servers").check(t, 0, "--resources-server word_length\t", "--resources-server example_multi_step\tbuiltin:")
	gymIn(t, dir, nil, "list", "things").check(t, 2, "give nothing, or one of")
	gymIn(t, dir, nil, "env", "resolve", "--resources-server", "word_length", "--model-type", "synthetic_model").check(t, 0, "word_length_agent:", "jsonl_fpath: resources_servers/word_length/data/example.jsonl")
	out := gymIn(t, dir, nil, "list", "--json")
	var assets []struct{ Kind, Name, Path string }
	if err := json.Unmarshal([]byte(out.stdout), &assets); err != nil || len(assets) < 5 || assets[0].Path == "" {
		t.Errorf("%v: %s", err, out.stdout)
	}
}

// A run takes its settings from flags, from overrides and from files, in that order, and servers by name.
func TestEvalRun_settings(t *testing.T) {
	f := newFixture(t)
	write(t, f.file("run.yaml"), "input_jsonl_fpath: tasks.jsonl\noutput_jsonl_fpath: by_file.jsonl\nlimit: 4\nnum_repeats: 2\n"+
		"responses_create_params: {temperature: 0.5, reasoning: {effort: high}}\n")
	out := gymIn(t, f.dir, nil, "eval", "run", "--config", f.config, "--config", "run.yaml", "--limit", "3", "--temperature", "0.25",
		"num_repeats=1", "+output_jsonl_fpath=by_override.jsonl", "responses_create_params.reasoning.effort=low")
	out.check(t, 0)
	rows := lines(t, f.file("by_override_materialized_inputs.jsonl"))
	if len(rows) != 3 {
		t.Fatalf("%d rollouts, want 3", len(rows))
	}
	for _, row := range rows { // GY-21: the nested value is in every row
		params, _ := row["responses_create_params"].(map[string]any)
		reasoning, _ := params["reasoning"].(map[string]any)
		if params["temperature"] != 0.25 || reasoning["effort"] != "low" {
			t.Errorf("parameters %v", params)
		}
	}
	if _, err := os.Stat(f.file("by_file.jsonl")); err == nil {
		t.Error("the override did not win over the file")
	}

	// Repeats and limits that mean nothing are refused (JL-13).
	for _, c := range []struct{ override, says string }{
		{"num_repeats=0", "--num-repeats is 0"}, {"num_repeats=-1", "--num-repeats is -1"}, {"limit=-1", "--limit is -1"},
		{"limit=many", "override limit: limit must be a whole number, and is a text"},
	} {
		gymIn(t, f.dir, nil, "eval", "run", "--config", f.config, "--config", "run.yaml", c.override).check(t, 2, c.says)
	}
	gymIn(t, f.dir, nil, "eval", "run", "--config", f.config, "--config", "run.yaml", "num_repeats=null", "limit=0", "--output", "all.jsonl").check(t, 0)
	if n := len(lines(t, f.file("all.jsonl"))); n != 20 {
		t.Errorf("%d rollouts of all rows once, want 20", n)
	}
}

func TestEvalRun_by_name(t *testing.T) {
	f := newFixture(t)
	f.tasks(strings.ReplaceAll(strings.Join(f.rows()[:2], "\n"), `"agent"`, `"example_session_state_mgmt_agent"`))
	out := gymIn(t, f.dir, nil, "eval", "run", "--resources-server", "example_session_state_mgmt", "--model-type", "synthetic_model",
		"++policy_model.responses_api_models.synthetic_model.latency.distribution=none", "-i", f.input, "-o", "out.jsonl")
	out.check(t, 0)
	if n := len(lines(t, f.file("out.jsonl"))); n != 2 {
		t.Errorf("%d rollouts, want 2", n)
	}
}
