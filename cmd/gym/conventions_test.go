package main_test

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/lensgo/lens/cmd/internal/conventions"
	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/ingest"
)

// whole is an environment in which a run tells all that it can: every group and signal, content, memory, and a place in a job that has
// a name for everything.
var whole = []string{
	"NEMO_LENS_ENABLED=1", "NEMO_LENS_SPAN_GROUPS=all", "NEMO_LENS_METRICS_ENABLED=1", "NEMO_LENS_LOGS_ENABLED=1", "NEMO_LENS_GROUP_ATTRIBUTE=1",
	"NEMO_GYM_OTEL_CONTENT=1", "NEMO_GYM_OTEL_MEMORY_PROFILING_ENABLED=1", "NEMO_GYM_OTEL_MEMORY_PROFILING_INTERVAL_SECONDS=0.1",
	"NEMO_LENS_RUN_ID=run", "NEMO_LENS_USER_ID=user", "DEPLOYMENT_ENV=test", "WANDB_ENTITY=entity", "WANDB_PROJECT=project",
	"CUDA_VISIBLE_DEVICES=0,1", "GOMEMLIMIT=64GiB",
	"KUBERNETES_SERVICE_HOST=127.0.0.1", "K8S_NAMESPACE=ns", "K8S_POD_NAME=pod", "K8S_POD_UID=uid", "K8S_NODE_NAME=node",
	"K8S_CONTAINER_NAME=container", "K8S_JOB_NAME=job",
	"SLURM_JOB_ID=43", "LENS_SLURM_SLUID=s1",
	"LENS_SLURM_ARRAY_SLUID=s2", "SLURM_JOB_NAME=name", "SLURM_CLUSTER_NAME=alpha", "SLURM_JOB_PARTITION=part", "SLURM_JOB_NUM_NODES=2",
	"SLURM_NTASKS=1", "SLURM_RESTART_COUNT=1", "SLURM_JOB_USER=user", "SLURM_JOB_ACCOUNT=account", "SLURM_JOB_QOS=qos",
	"SLURM_JOB_RESERVATION=reservation", "SLURM_SEGMENT=4", "SLURM_TOPOLOGY_ADDR=a.b", "SLURM_TOPOLOGY_ADDR_PATTERN=switch.node",
	"SLURMD_NODENAME=node1",
	"OTEL_RESOURCE_ATTRIBUTES=nv.dl.rank=0,nv.dl.world_size=8,nv.dl.local_rank=0,nv.dl.run.uuid=u,nv.dl.launch.container.image=i," +
		"nv.dl.topology.size.tp=1,nv.dl.topology.size.pp=2,nv.dl.topology.size.dp=4,nv.dl.training.config.global_batch_size=1," +
		"nv.dl.training.config.micro_batch_size=1,nv.dl.training.config.sequence_length=1,nv.dl.training.target.train_iters=1," +
		"nv.dl.training.target.train_samples=1,nv.dl.training.target.train_tokens=1,nv.gpu.index=0,nv.gpu.memory_total=1",
}

// TestConventions: what a run exports is in semconv/conventions.yaml, with the type, kind, unit and description that it has there: the
// demo, and a run of its tasks whose model fails at times.
func TestConventions(t *testing.T) {
	needsSpans(t)
	table, err := conventions.Read(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	found := table.Observe()
	demo := filepath.Join(t.TempDir(), "demo")
	gym(t, whole, "demo", "--output-dir", demo).check(t, 0)
	err = ingest.ReadFile(filepath.Join(demo, "traces.jsonl"), func(td ptrace.Traces) error { found.Spans(td); return nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{semconv.SpanGymRollout, semconv.SpanGymStartup, semconv.SpanHTTPPost, "{http.request.method} {http.route}"} {
		if found.Seen(name) == 0 {
			t.Errorf("the demo has no span %s", name)
		}
	}
	runFaulty(t, demo, found)
	for _, problem := range found.List() {
		t.Errorf("%s: if that is meant, add it to %s and run go generate ./semconv", problem, conventions.File)
	}
}

// runFaulty collects the demo's rollouts once more, and compares all signals on their way.
func runFaulty(t *testing.T, demo string, found *conventions.Findings) {
	t.Helper()
	ln, err := ingest.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	receiver, err := ingest.Start(t.Context(), ln, ingest.Config{Sink: found})
	if err != nil {
		t.Fatal(err)
	}
	env := append([]string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + receiver.Endpoint(), "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf"}, whole...)
	out := gym(t, env, "eval", "run", "--config", filepath.Join(demo, "config.yaml"), "--input", filepath.Join(demo, "tasks.jsonl"),
		"--output", filepath.Join(t.TempDir(), "results.jsonl"), "++policy_model.responses_api_models.synthetic_model.failures.rate=0.1")
	if err := receiver.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
	if !strings.Contains(out.stdout, "coverage") {
		t.Fatalf("the run ended with %d\n%s%s", out.code, out.stdout, out.stderr)
	}
	n := receiver.Stats()
	if n.MetricsRequests == 0 || n.LogsRequests == 0 || n.Requests == 0 {
		t.Errorf("not all signals came: %+v", n)
	}
	for _, name := range []string{semconv.EventException, semconv.MetricRolloutCompleted, semconv.MetricModelCallDuration, semconv.MetricServerMemory,
		semconv.MetricSDKSpans, semconv.MetricGoGoroutines} {
		if found.Seen(name) == 0 {
			t.Errorf("the run has no %s", name)
		}
	}
}
