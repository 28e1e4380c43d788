//go:build !lens_off

package telemetry_test

import (
	"bytes"
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/telemetry"
)

// The roots of a job have the trace id that follows from its name, whoever starts them. The ids were computed with
// hashlib.sha256(name).digest()[:16].hex() in Python.
func TestSingleTraceID(t *testing.T) {
	for _, c := range []struct {
		name  string
		env   []string
		runID string
		want  string
	}{
		{"nocluster_42", []string{"SLURM_JOB_ID=42"}, "", "ab915f5cc348322297bafd7f66ee5acc"},
		{"nocluster_42 of a cluster without a name", []string{"SLURM_JOB_ID=42", "SLURM_CLUSTER_NAME="}, "", "ab915f5cc348322297bafd7f66ee5acc"},
		{"alpha_42", []string{"SLURM_JOB_ID=42", "SLURM_CLUSTER_NAME=alpha"}, "", "86189c6f7c931393edcc7d934fad3374"},
		{"alpha_42 after a restart", []string{"SLURM_JOB_ID=42", "SLURM_CLUSTER_NAME=alpha", "SLURM_RESTART_COUNT=3"}, "", "86189c6f7c931393edcc7d934fad3374"},
		{"alpha_42 with a run id", []string{"SLURM_JOB_ID=42", "SLURM_CLUSTER_NAME=alpha"}, "run-7", "86189c6f7c931393edcc7d934fad3374"},
		{"alpha_100 of a task", []string{"SLURM_JOB_ID=101", "SLURM_ARRAY_JOB_ID=100", "SLURM_ARRAY_TASK_ID=1", "SLURM_CLUSTER_NAME=alpha"}, "", "a299be18ab51e88739584199d6da5746"},
		{"alpha_100 of another task", []string{"SLURM_JOB_ID=102", "SLURM_ARRAY_JOB_ID=100", "SLURM_ARRAY_TASK_ID=2", "SLURM_CLUSTER_NAME=alpha"}, "", "a299be18ab51e88739584199d6da5746"},
		{"run-7", nil, "run-7", "b4c05df04575822cec8550e9491c58e1"},
		{"run-7 in a cluster without a job", []string{"SLURM_CLUSTER_NAME=alpha"}, "run-7", "b4c05df04575822cec8550e9491c58e1"},
		{"é", nil, "é", "4a99557e4033c3539de2eb65472017ca"},
	} {
		t.Run(c.name, func(t *testing.T) {
			setenv(t, c.env...)
			cfg := config()
			cfg.SingleTraceID, cfg.RunID = true, c.runID
			var log bytes.Buffer
			h, exported := setup(t, cfg, telemetry.WithLogger(textLogger(&log)))
			emitRoots(t)
			shutdown(t, h)
			if log.Len() > 0 {
				t.Errorf("it says %s", &log)
			}
			ids := map[trace.SpanID]bool{}
			for _, name := range []string{"ours", "detached", "theirs", "new root", "reserved", "emitted"} {
				s := exported.byName(t, name)
				if got := s.SpanContext().TraceID().String(); got != c.want || s.Parent().IsValid() {
					t.Errorf("%s: trace %s, want %s; parent %v", name, got, c.want, s.Parent())
				}
				if f := s.SpanContext().TraceFlags(); f != trace.FlagsSampled {
					t.Errorf("%s: flags %v; the trace id is not random", name, f)
				}
				ids[s.SpanContext().SpanID()] = true
			}
			if len(ids) != 6 {
				t.Errorf("%d span ids, want 6", len(ids))
			}
			if s := exported.byName(t, "below another job"); s.SpanContext().TraceID().String() == c.want {
				t.Error("a span left the trace of its parent")
			}
		})
	}
}

// emitRoots starts a root in every way that there is, and a span that is none.
func emitRoots(t *testing.T) {
	t.Helper()
	ctx, span := job.Start(t.Context(), "ours")
	_, detached := job.StartWith(ctx, "detached", lens.StartConfig{Root: true})
	detached.End()
	span.End()
	_, theirs := otel.Tracer("other").Start(t.Context(), "theirs")
	theirs.End()
	_, fresh := otel.Tracer("other").Start(ctx, "new root", trace.WithNewRoot())
	fresh.End()
	job.EmitWith(ctx, "emitted", lens.EmitConfig{Root: true})
	for name, state := range map[string]string{"reserved": "lens=r", "below another job": ""} {
		ref, err := lens.ParseRef("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03", state)
		if err != nil {
			t.Fatal(err)
		}
		_, s := job.Start(lens.WithParent(t.Context(), ref), name)
		s.End()
	}
}

// A process that nobody told its job is one trace, and says that it is alone in it.
func TestSingleTraceID_unnamed(t *testing.T) {
	c := config()
	c.SingleTraceID = true
	seen := map[trace.TraceID]bool{}
	for range 2 {
		var log bytes.Buffer
		h, exported := setup(t, c, telemetry.WithLogger(textLogger(&log)))
		emitRoots(t)
		shutdown(t, h)
		contains(t, log.String(), "level=WARN", "ENABLE_SINGLE_TRACEID", "one trace of this process only", "NEMO_LENS_RUN_ID")
		id := exported.byName(t, "ours").SpanContext().TraceID()
		if exported.byName(t, "theirs").SpanContext().TraceID() != id {
			t.Error("its roots are in several traces")
		}
		seen[id] = true
	}
	if len(seen) != 2 {
		t.Error("two processes without a job have the same trace")
	}
}
