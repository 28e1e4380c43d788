package sandbox_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/lensgo/lens/gym/sandbox"
)

func TestParseSpec(t *testing.T) {
	got, err := sandbox.ParseSpec([]byte(`{"image": "i", "ttl_s": 1.5, "ready_timeout_s": 2, "workdir": "/w", "env": {"A": "1"},
		"files": {"f": "text"}, "metadata": {"team": "t"}, "resources": {"cpu": 0.5, "memory_mib": 64, "disk_gib": 1, "gpu": 1, "gpu_type": "x"},
		"entrypoint": ["e"], "provider_options": {"a": true}, "ports": [80]}`))
	if err != nil {
		t.Fatal(err)
	}
	want := sandbox.Spec{
		Image: "i", TTL: 1.5, ReadyTimeout: 2, Workdir: "/w", Env: map[string]string{"A": "1"}, Files: map[string]string{"f": "text"},
		Metadata:   map[string]string{"team": "t"},
		Resources:  sandbox.Resources{CPU: 0.5, MemoryMiB: 64, DiskGiB: 1, GPU: 1, GPUType: "x"},
		Entrypoint: []string{"e"}, Options: map[string]any{"a": true}, Ports: []int{80},
	}
	if diff := cmp.Diff(want, got); diff != "" || got.TTL.Duration() != 1500*time.Millisecond {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for body, say := range map[string]string{
		`{"resources": {"cpus": 1}}`: "cpus",
		`{"imaeg": "x"}`:             "imaeg",
		`{"ports": [0]}`:             "from 1 to 65535",
		`{"ports": [65536]}`:         "65536",
		`{"ports": [80, 80]}`:        "80 twice",
		`{"ttl_s": -1}`:              "ttl_s is -1",
		`{"workdir": "w"}`:           `"w"`,
		`{"resources": {"gpu": -2}}`: "resources.gpu is -2",
		`{"env": {"A": 1}}`:          "env",
		`[]`:                         "cannot read",
	} {
		if _, err := sandbox.ParseSpec([]byte(body)); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestBlock(t *testing.T) {
	block, err := sandbox.ParseBlock([]byte(`{"memory": {"a": 1}, "default_metadata": {"team": "t"}}`))
	if err != nil || block.Provider != "memory" || block.Metadata["team"] != "t" || string(block.Options) != `{"a": 1}` {
		t.Fatalf("%+v, %v", block, err)
	}
	var given string
	p, err := block.Open(map[string]sandbox.Opener{"memory": func(options []byte) (sandbox.Provider, error) {
		given = string(options)
		return newProvider(), nil
	}})
	if err != nil || p.Name() != "memory" || given != `{"a": 1}` {
		t.Errorf("%v, %s", err, given)
	}
	if _, err := block.Open(map[string]sandbox.Opener{"local": nil, "docker": nil}); err == nil || !strings.Contains(err.Error(), "docker, local") {
		t.Error(err)
	}
	for body, say := range map[string]string{
		`{}`: "names 0", `{"a": {}, "b": {}}`: "names 2 (a, b)", `{"default_metadata": {}}`: "names 0", `"local"`: "cannot read",
		`{"a": {}, "default_metadata": 1}`: "default_metadata",
	} {
		if _, err := sandbox.ParseBlock([]byte(body)); err == nil || !strings.Contains(err.Error(), say) {
			t.Errorf("%s: %v", body, err)
		}
	}
}

func TestAttribution(t *testing.T) {
	tests := map[string]struct {
		env   map[string]string
		login string
		want  map[string]string
	}{
		"nemo": {
			map[string]string{"NEMO_GYM_TEAM": "t", "NEMO_GYM_USER": "u", "NEMO_GYM_WORKLOAD": "w", "NEMO_GYM_RUN_ID": "r", "SLURM_JOB_USER": "no"},
			"login", map[string]string{"team": "t", "user": "u", "workload": "w", "run": "r"},
		},
		"slurm": {
			map[string]string{"SLURM_JOB_ACCOUNT": "t", "SLURM_JOB_USER": "u", "SLURM_JOB_NAME": "w", "NEMO_GYM_RUN_ID": "r"},
			"login", map[string]string{"team": "t", "user": "u", "workload": "w", "run": "r"},
		},
		"login": {map[string]string{"NEMO_GYM_CONFIG_PATH": "c", "NEMO_GYM_RUN_ID": "r"}, "me", map[string]string{"user": "me", "workload": "c", "run": "r"}},
		"root":  {map[string]string{"NEMO_GYM_RUN_ID": "r"}, "root", map[string]string{"run": "r"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := sandbox.Attribution(func(key string) string { return test.env[key] }, test.login)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	if run := sandbox.Attribution(func(string) string { return "" }, "")["run"]; len(run) != 12 {
		t.Errorf("run %q is not of 12 digits", run)
	}
}
