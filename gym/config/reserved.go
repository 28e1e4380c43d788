package config

import (
	"fmt"
	"slices"
	"strings"
)

// Key is a key at the top level of a configuration that belongs to no server.
type Key struct {
	Name    string
	Type    string
	Default string // "" is none
	Meaning string // "" is for what Python servers alone read: it is taken, and handed to them
}

// reserved are the keys that are never names of servers.
var reserved = []Key{
	{"telemetry", "mapping", "", "what the run tells about itself; its keys are below"},
	{"head_server", "mapping", "", "where running servers can be asked for; its keys are below"},
	{"default_host", "text", "127.0.0.1", "where servers listen that have no host"},
	{"use_absolute_ip", "bool", "false", "listen on the machine's own address where nothing says otherwise"},
	{"observability_enabled", "bool", "false", "record model calls, and trajectories in results"},
	{"model_call_capture_dir", "text", "", "the folder of recorded model calls, an absolute path; needed with observability_enabled"},
	{"skip_verification", "bool", "false", "verify nothing, of all agents that do not say otherwise"},
	{"skip_verification_reward", "number", "0", "the reward of rollouts that are not verified"},
	{"config_paths", "list of texts", "", "files that are merged before this one"},
	{"_inherit_from", "text", "", "in any entry: take another one over, which goes"},
	{"_copy", "text", "", "in any entry: take another one over, which stays"},
	{"verbose", "bool", "false", "--verbose"},

	{Name: "entrypoint"},
	{Name: "disallowed_ports"},
	{Name: "head_server_deps"},
	{Name: "python_version"},
	{Name: "pip_install_verbose"},
	{Name: "uv_pip_set_python"},
	{Name: "skip_venv_if_present"},
	{Name: "hf_token"},
	{Name: "ray_head_node_address"},
	{Name: "port_range_low"},
	{Name: "port_range_high"},
	{Name: "dry_run"},
	{Name: "model_endpoint_readiness_timeout_seconds"},
	{Name: "allow_openai_version_skew"},
	{Name: "uv_cache_dir"},
	{Name: "uv_venv_dir"},
	{Name: "results_dir"},
	{Name: "cache_dir"},
	{Name: "nemo_gym_log_dir"},
	{Name: "json"},
	{Name: "query"},
	{Name: "token_id_capture"},
	{Name: "component_name"},
}

// free are keys that programs read and no file has to have: key=value sets them without a +. Most are behind flags of gym eval run.
var free = []Key{
	{"policy_base_url", "text", "", "--model-url, for ${policy_base_url}"},
	{"policy_api_key", "text", "", "--model-api-key, for ${policy_api_key}"},
	{"policy_model_name", "text", "", "--model, for ${policy_model_name}"},
	{"agent_name", "text", "", "--agent"},
	{"input_jsonl_fpath", "text", "", "--input"},
	{"output_jsonl_fpath", "text", "", "--output"},
	{"limit", "int", "0", "--limit"},
	{"num_repeats", "int or mapping", "1", "--num-repeats"},
	{"num_repeats_add_seed", "bool", "false", "--num-repeats-add-seed"},
	{"num_samples_in_parallel", "int or text", "1024", "--concurrency"},
	{"resume_from_cache", "bool", "false", "--resume"},
	{"prompt_config", "text", "", "--prompt-config"},
	{"split", "text", "", "--split"},
	{"responses_create_params", "mapping", "", "members that win over those of every row"},
	{"disable_aggregation", "bool", "false", "--disable-aggregation"},
	{"error_on_almost_servers", "bool", "true", "refuse an entry that cannot be a server; false: leave it out"},
	{Name: "profiling_enabled"},
	{Name: "profiling_results_dirpath"},
}

// instanceKeys are the keys that every instance has, below its implementation.
var instanceKeys = []Key{
	{"entrypoint", "text", "", "what a Python server is started by, app.py; needed, and without effect on others"},
	{"domain", "text", "", "of resources servers, which need it"},
	{"host", "text", "default_host", "where the server listens"},
	{"port", "int", "0", "the same; 0 is any free one"},
	{"num_workers", "int", "1", "processes of a Python server; servers of this program are one each"},
	{"datasets", "list of mappings", "", "data sets of the agent or the environment; their keys are below"},
	{"external", "mapping", "", "how to start a server of another program; its keys are below"},
}

// Keys are the keys at the top level that belong to no server.
func Keys() []Key { return slices.Concat(reserved, free) }

// InstanceKeys are the keys that every instance has.
func InstanceKeys() []Key {
	keys := slices.Clone(instanceKeys)
	for i := range keys {
		if keys[i].Name == "domain" {
			keys[i].Meaning += ": one of " + strings.Join(domains, ", ")
		}
	}
	return keys
}

func isReserved(name string) bool { return has(reserved, name) }

func isFree(name string) bool { return isReserved(name) || has(free, name) }

// giveIt says how a key that anybody may set is set.
func giveIt(name string) string {
	for _, k := range free {
		if flag, _, _ := strings.Cut(k.Meaning, ","); k.Name == name && strings.HasPrefix(flag, "--") {
			return fmt.Sprintf("give it with %s, in a file or as %s=VALUE", flag, name)
		}
	}
	return fmt.Sprintf("give it in a file or as %s=VALUE", name)
}

func has(keys []Key, name string) bool {
	return slices.ContainsFunc(keys, func(k Key) bool { return k.Name == name })
}
