package config

import "slices"

// reserved are the names at the top level that never belong to a server.
var reserved = []string{
	"config_paths", "entrypoint", "default_host", "head_server", "disallowed_ports", "head_server_deps", "python_version",
	"pip_install_verbose", "use_absolute_ip", "uv_pip_set_python", "skip_venv_if_present", "hf_token", "ray_head_node_address",
	"port_range_low", "port_range_high", "dry_run", "model_endpoint_readiness_timeout_seconds", "allow_openai_version_skew",
	"uv_cache_dir", "uv_venv_dir", "results_dir", "cache_dir", "_inherit_from", "_copy", "nemo_gym_log_dir", "verbose", "json",
	"query", "observability_enabled", "model_call_capture_dir", "token_id_capture", "component_name", "skip_verification",
	"skip_verification_reward", "telemetry",
}

// free are names at the top level that programs read and no file has to have: key=value sets them without a +. They are the
// keys behind the flags of gym eval run.
var free = []string{
	"policy_base_url", "policy_api_key", "policy_model_name", "agent_name", "input_jsonl_fpath", "output_jsonl_fpath", "limit",
	"num_repeats", "num_repeats_add_seed", "num_samples_in_parallel", "resume_from_cache", "prompt_config", "split",
	"responses_create_params", "disable_aggregation", "error_on_almost_servers", "profiling_enabled", "profiling_results_dirpath",
}

func isReserved(name string) bool { return slices.Contains(reserved, name) }

func isFree(name string) bool { return isReserved(name) || slices.Contains(free, name) }
