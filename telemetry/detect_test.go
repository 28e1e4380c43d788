//go:build !lens_off && unix

package telemetry_test

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.opentelemetry.io/otel/attribute"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/otelopt"
)

// debugLogger writes everything.
func debugLogger(w *bytes.Buffer) *slog.Logger {
	return slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

// The order of 5.1: what is found out wins over the caller, who wins over the configuration, which wins over the environment; but
// the environment's Slurm attributes are found out there.
func TestResource_detected(t *testing.T) {
	setenv(t, "CUDA_VISIBLE_DEVICES=0,1,2,3", "SLURM_JOB_ID=42", "SLURM_NNODES=2", "KUBERNETES_SERVICE_HOST=10.0.0.1", "K8S_POD_NAME=pod",
		"OTEL_RESOURCE_ATTRIBUTES=k8s.pod.name=env,host.gpu.count=9,slurm.job.id=7,slurm.nnodes=3,nv.dl.world_size=16,nv.gpu.index=x")
	var log bytes.Buffer
	conf := config()
	conf.DetectTimeout = time.Minute // a machine may be slow
	got := resourceOf(t, conf, telemetry.WithLogger(textLogger(&log)), otelopt.WithResourceAttributes(
		attribute.String("k8s.pod.name", "caller"), attribute.String("slurm.job.id", "caller"), attribute.Int("host.gpu.count", 7),
		attribute.String("nv.dl.rank", " +007 "))).Set()
	for key, want := range map[attribute.Key]any{
		"host.gpu.count": int64(4), "k8s.pod.name": "pod", "slurm.job.id": "7", "slurm.job.id.raw": "42", "slurm.nnodes": int64(3),
		"nv.dl.job.uuid": "4b6ae512-f06d-5be5-877f-1b27c0a84cd2", "nv.dl.world_size": int64(16), "nv.dl.rank": int64(7), "nv.gpu.index": "x",
	} {
		if v, _ := got.Value(key); v.AsInterface() != want {
			t.Errorf("%s is %#v, want %#v", key, v.AsInterface(), want)
		}
	}
	contains(t, log.String(), "level=WARN", "nv.gpu.index requires a base-10 integer")
}

// SK-03 and SK-05: the run is the job, a requeued one too; tasks of an array are runs of their own; a given id wins.
func TestResource_run_id(t *testing.T) {
	for env, want := range map[string]string{
		"SLURM_JOB_ID=42":                                                      "42",
		"SLURM_JOB_ID=42 SLURM_RESTART_COUNT=1":                                "42",
		"SLURM_ARRAY_JOB_ID=100 SLURM_ARRAY_TASK_ID=3 SLURM_JOB_ID=103":        "103",
		"SLURM_JOB_ID=42 NEMO_LENS_RUN_ID=mine":                                "mine",
		"SLURM_JOB_ID=42 OTEL_RESOURCE_ATTRIBUTES=nemo.run.id=of-the-variable": "42",
	} {
		t.Run(env, func(t *testing.T) {
			setenv(t, strings.Fields(env)...)
			c, err := telemetry.FromEnv("NEMO_LENS")
			if err != nil {
				t.Fatal(err)
			}
			c.Enabled, c.SpanGroups = true, "all"
			if got := attr(resourceOf(t, c).Attributes(), semconv.NemoRunID); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

func TestResource_instance_id(t *testing.T) {
	rank := attribute.Int("nv.dl.rank", 3)
	for _, c := range []struct {
		name, env string
		caller    []attribute.KeyValue
		want      string // "": a random one
		warns     bool
		says      string
	}{
		{"the caller's rank", "", []attribute.KeyValue{rank}, "r-rank3", false, ""},
		{"rank 0", "", []attribute.KeyValue{attribute.Int("nv.dl.rank", 0)}, "r-rank0", false, ""},
		{"the environment's rank", "OTEL_RESOURCE_ATTRIBUTES=nv.dl.rank=%2B05", nil, "r-rank5", false, ""},
		{"rank 0 of the environment", "OTEL_RESOURCE_ATTRIBUTES=nv.dl.rank=0", nil, "r-rank0", false, ""},
		{"the caller's over the environment's", "OTEL_RESOURCE_ATTRIBUTES=nv.dl.rank=5", []attribute.KeyValue{rank}, "r-rank3", false, ""},
		{"the caller's run", "", []attribute.KeyValue{rank, attribute.String("nemo.run.id", "own")}, "own-rank3", false, ""},
		{"given by the caller", "", []attribute.KeyValue{rank, attribute.String("service.instance.id", "mine")}, "mine", false, ""},
		{"given by the environment", "OTEL_RESOURCE_ATTRIBUTES=service.instance.id=mine", []attribute.KeyValue{rank}, "mine", false, ""},
		{"given as nothing", "OTEL_RESOURCE_ATTRIBUTES=service.instance.id=", []attribute.KeyValue{rank}, "r-rank3", false, ""},
		{"no rank", "", nil, "", false, "level=DEBUG"},
		{"no rank, and RANK is not asked", "RANK=3 WORLD_SIZE=8", nil, "", false, "level=DEBUG"},
		{"no rank, under torchrun", "LOCAL_RANK=0", nil, "", true, "otelopt.WithResourceAttributes"},
		{"no rank, elastic", "TORCHELASTIC_RUN_ID=x", nil, "", true, "service.instance.id"},
		{"no rank, one of several tasks", "SLURM_JOB_ID=1 SLURM_NTASKS=8 SLURM_STEP_ID=0", nil, "", true, "OTEL_RESOURCE_ATTRIBUTES"},
		{"no rank, the only task", "SLURM_JOB_ID=1 SLURM_NTASKS=1 SLURM_STEP_ID=0", nil, "", false, "level=DEBUG"},
		{"no rank, the batch script", "SLURM_JOB_ID=1 SLURM_NTASKS=8", nil, "", false, "level=DEBUG"},
		{"a rank, one of several tasks", "SLURM_JOB_ID=1 SLURM_NTASKS=8 SLURM_STEP_ID=0", []attribute.KeyValue{rank}, "r-rank3", false, ""},
		{"named, one of several", "LOCAL_RANK=0 OTEL_RESOURCE_ATTRIBUTES=service.instance.id=mine", nil, "mine", false, "service.instance.id=mine"},
	} {
		t.Run(c.name, func(t *testing.T) {
			setenv(t, strings.Fields(c.env)...)
			var log bytes.Buffer
			conf := config()
			conf.RunID = "r"
			conf.DetectTimeout = time.Minute
			res := resourceOf(t, conf, telemetry.WithLogger(debugLogger(&log)), otelopt.WithResourceAttributes(c.caller...))
			got := attr(res.Attributes(), semconv.ServiceInstanceID)
			if random := len(got) == 36 && strings.Count(got, "-") == 4; got != c.want && (c.want != "" || !random) {
				t.Errorf("%q, want %q", got, c.want)
			}
			if warns := strings.Contains(log.String(), "level=WARN"); warns != c.warns {
				t.Errorf("warned: %v\n%s", warns, log.String())
			}
			if c.says == "" && strings.Contains(log.String(), "nv.dl.rank") {
				t.Errorf("it speaks of ranks: %s", log.String())
			}
			contains(t, log.String(), c.says)
		})
	}
}

// SK-11: a set-up does not wait for an nvidia-smi that hangs. It says once who was late, has everything else, and leaves neither
// the program nor a zombie.
func TestSetup_nvidia_smi_hangs(t *testing.T) {
	dir := t.TempDir()
	script := "#!/bin/sh\ncd " + dir + "\nmkfifo pipe\necho $$ > pid.new\nmv pid.new pid\nread line < pipe\n: > ended\n"
	if err := os.WriteFile(filepath.Join(dir, "nvidia-smi"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	setenv(t, "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"), "SLURM_JOB_ID=42")
	var log bytes.Buffer
	conf := config()
	conf.DetectTimeout = 300 * time.Millisecond
	res := resourceOf(t, conf, telemetry.WithLogger(textLogger(&log)))
	if _, err := os.Stat(filepath.Join(dir, "ended")); err == nil {
		t.Error("the program ended by itself: the set-up has waited for it")
	}
	if strings.Count(log.String(), "level=WARN") != 1 {
		t.Errorf("not one warning: %s", log.String())
	}
	contains(t, log.String(), "late=gpu", "limit=300ms", "NEMO_LENS_DETECT_TIMEOUT")
	if _, there := res.Set().Value("host.gpu.count"); there || attr(res.Attributes(), "slurm.job.id") != "42" || attr(res.Attributes(), "host.name") == "" {
		t.Errorf("resource %v", res)
	}
	text, err := os.ReadFile(filepath.Join(dir, "pid"))
	if err != nil {
		return // on a slow machine it was killed before it could say so
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("process %d runs, or nobody has waited for it", pid)
		}
	}
}
