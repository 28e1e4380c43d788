//go:build !lens_off

package main_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/lensgo/lens/cmd/internal/blackbox"
)

// job is the environment of a batch script.
var job = []string{
	"SLURM_JOB_ID=42", "SLURM_JOB_NAME=it's $(a) job", "SLURM_NNODES=2", "SLURM_TOPOLOGY_ADDR=s1.n1", "SLURM_TOPOLOGY_ADDR_PATTERN=switch.node",
	"SLURMD_NODENAME=n1", "SLURM_CLUSTER_NAME=", "SLURM_STEP_ID=", "SLURM_STEPID=",
}

// of42 is what a job says by itself, in parts.
const of42 = "slurm.job.id=42,slurm.job.id.raw=42,slurm.array.job_id=42,slurm.array.task_id=0,slurm.array.count=1," +
	"slurm.job.name=it%27s%20%24%28a%29%20job,slurm.nnodes=2,slurm.restart_count=0"

func setSLURM(t *testing.T, env []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), lensBinary, append([]string{"set-slurm-resource-attrs"}, args...)...)
	cmd.Env = append(blackbox.Environment("HOME="+t.TempDir()), env...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// Spec 6.7: one line, for both stages, in which what is inherited wins.
func TestSetSLURM(t *testing.T) {
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	const uuid, topology = ",nv.dl.job.uuid=4b6ae512-f06d-5be5-877f-1b27c0a84cd2", ",slurm.topology.addr=s1.n1,slurm.topology.addr_pattern=switch.node"
	head := ",slurm.head_node.name=n1"
	for _, c := range []struct {
		name string
		env  []string
		args []string
		want string
	}{
		{"sbatch", job, []string{"--stage", "sbatch"}, of42 + head + uuid},
		{"task", job, []string{"--stage=task"}, of42 + topology + head + uuid + ",host.name=" + host},
		{"task of a step, in a container", append(job, "SLURM_STEP_ID=0"), []string{"--stage", "task", "--container-image", "/img/a b.sqsh"},
			of42 + topology + uuid + ",host.name=" + host + ",nv.dl.launch.container.image=%2Fimg%2Fa%20b.sqsh"},
		{"inherited wins", append(job, "OTEL_RESOURCE_ATTRIBUTES=own=%41,slurm.job.id=7,host.name=h"), []string{"--stage", "task"},
			"own=%41,slurm.job.id=7,host.name=h," + strings.TrimPrefix(of42, "slurm.job.id=42,") + topology + head + uuid},
		{"no job", []string{"SLURM_JOB_ID=", "OTEL_RESOURCE_ATTRIBUTES=own=1"}, []string{"--stage", "sbatch"}, "own=1"},
		{"nothing", []string{"SLURM_JOB_ID="}, []string{"--stage", "sbatch"}, "''"},
		{"an image of nothing", []string{"SLURM_JOB_ID="}, []string{"--stage", "sbatch", "--container-image", ""}, "''"},
		{"words of a shell", []string{"SLURM_JOB_ID=", "OTEL_RESOURCE_ATTRIBUTES=$(exit 3)=`x` y,a=b\nc"}, []string{"--stage", "sbatch"},
			"'$(exit 3)=`x` y,a=b%0Ac'"},
	} {
		t.Run(c.name, func(t *testing.T) {
			code, out, errs := setSLURM(t, c.env, c.args...)
			if want := "export OTEL_RESOURCE_ATTRIBUTES=" + c.want + "\n"; code != 0 || out != want || errs != "" {
				t.Errorf("exit code %d\n%s%swant\n%s", code, out, errs, want)
			}
		})
	}
}

// What cannot be carried is said on standard error, and the line is good without it.
func TestSetSLURM_not_to_be_carried(t *testing.T) {
	code, out, errs := setSLURM(t, []string{"SLURM_JOB_ID=", "OTEL_RESOURCE_ATTRIBUTES=a\nb=1,c=2"}, "--stage", "sbatch")
	if code != 0 || out != "export OTEL_RESOURCE_ATTRIBUTES=c=2\n" || !strings.Contains(errs, `"a\nb"`) {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

// The batch script and a task, one after the other, through a shell.
func TestSetSLURM_evaluated(t *testing.T) {
	script := `eval "$("$LENS" set-slurm-resource-attrs --stage sbatch)" || exit 1
unset SLURM_JOB_ID SLURM_JOB_NAME SLURM_NNODES
eval "$("$LENS" set-slurm-resource-attrs --stage task --container-image "it's")" || exit 1
printenv OTEL_RESOURCE_ATTRIBUTES`
	cmd := exec.CommandContext(t.Context(), "sh", "-c", script)
	cmd.Env = append(blackbox.Environment("HOME="+t.TempDir(), "LENS="+lensBinary), job...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{of42, "slurm.head_node.name=n1", "host.name=", "nv.dl.launch.container.image=it%27s\n"} {
		if !strings.Contains(string(out), part) {
			t.Errorf("%s is not in %s", part, out)
		}
	}
}

func TestSetSLURM_mistakes(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"no stage":             {nil, `--stage is ""; it must be sbatch or task`},
		"another stage":        {[]string{"--stage", "srun"}, `--stage is "srun"`},
		"an image for a batch": {[]string{"--stage", "sbatch", "--container-image", "x"}, "--container-image goes with --stage task only"},
		"an argument":          {[]string{"--stage", "task", "x"}, `unknown argument "x"`},
		"an unknown flag":      {[]string{"--stage", "task", "--image", "x"}, "unknown flag: --image"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := setSLURM(t, job, c.args...)
			if code != 2 || out != "" || !strings.Contains(errs, c.want) {
				t.Errorf("exit code %d\n%s%swant %s", code, out, errs, c.want)
			}
		})
	}
}
