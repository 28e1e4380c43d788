package resource_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/otel/attribute"

	"github.com/lensgo/lens/resource"
)

// typed writes attributes in the order of their keys, texts in quotes, integers without.
func typed(attrs []attribute.KeyValue) string {
	var parts []string
	for _, kv := range attrs {
		parts = append(parts, fmt.Sprintf("%s=%#v", kv.Key, kv.Value.AsInterface()))
	}
	slices.Sort(parts)
	return strings.Join(parts, " ")
}

// of42 is what SLURM says of job 42 when nothing else is set.
const of42 = `nv.dl.job.uuid="4b6ae512-f06d-5be5-877f-1b27c0a84cd2" slurm.array.count=1 slurm.array.job_id="42" slurm.array.task_id="0" ` +
	`slurm.job.id="42" slurm.job.id.raw="42" slurm.restart_count=0`

func TestSLURM(t *testing.T) {
	for _, c := range []struct{ name, env, want string }{
		{"no Slurm", "", ""},
		{"SK-03: an id and nothing else", "SLURM_JOB_ID=42", of42},
		{"SK-03: an empty cluster", "SLURM_JOB_ID=42 SLURM_CLUSTER_NAME=", of42},
		{"no id", "SLURM_JOB_NAME=x SLURM_NNODES=4", ""},
		{"an empty id", "SLURM_JOB_ID= SLURM_JOB_NAME=x", ""},
		{"SK-05: a task of an array", "SLURM_ARRAY_JOB_ID=100 SLURM_ARRAY_TASK_ID=3 SLURM_JOB_ID=103 SLURM_ARRAY_TASK_COUNT=8 SLURM_CLUSTER_NAME=eos",
			`nv.dl.job.uuid="4ea40735-699b-51ef-92fe-4576772ed43c" slurm.array.count=8 slurm.array.job_id="100" slurm.array.task_id="3" ` +
				`slurm.cluster.name="eos" slurm.job.id="100_3" slurm.job.id.raw="103" slurm.restart_count=0`},
		{"a task without its array", "SLURM_ARRAY_TASK_ID=3 SLURM_JOB_ID=42",
			`nv.dl.job.uuid="d2badfc7-0e4c-537b-b4ea-8785f79f8679" slurm.array.count=1 slurm.array.job_id="42" slurm.array.task_id="3" ` +
				`slurm.job.id="42" slurm.job.id.raw="42" slurm.restart_count=0`},
		{"an empty task", "SLURM_ARRAY_TASK_ID= SLURM_ARRAY_JOB_ID=100 SLURM_JOB_ID=103 SLURM_CLUSTER_NAME=eos",
			`nv.dl.job.uuid="4ea40735-699b-51ef-92fe-4576772ed43c" slurm.array.count=1 slurm.array.job_id="100" slurm.cluster.name="eos" ` +
				`slurm.job.id="100_" slurm.job.id.raw="103" slurm.restart_count=0`},
		{"SK-05: a requeue", "SLURM_JOB_ID=42 SLURM_RESTART_COUNT=1", strings.Replace(of42, "restart_count=0", "restart_count=1", 1)},
		{"names", "SLURM_JOB_ID=42 SLURM_JOB_NAME=train SLURM_JOB_USER=u SLURM_JOB_ACCOUNT=a SLURM_JOB_QOS=q SLURM_JOB_RESERVATION=r " +
			"SLURM_SEGMENT=8 SLURM_TOPOLOGY_ADDR=s1.n1 SLURM_TOPOLOGY_ADDR_PATTERN=switch.node LENS_SLURM_SLUID=su LENS_SLURM_ARRAY_SLUID=sa",
			of42 + ` slurm.array.sluid="sa" slurm.job.account="a" slurm.job.name="train" slurm.job.qos="q" slurm.job.reservation="r" ` +
				`slurm.job.user="u" slurm.segment="8" slurm.sluid="su" slurm.topology.addr="s1.n1" slurm.topology.addr_pattern="switch.node"`},
		{"numbers", "SLURM_JOB_ID=42 SLURM_JOB_NUM_NODES=4 SLURM_NNODES=9 SLURM_NTASKS=32", of42 + ` slurm.nnodes=4 slurm.ntasks=32`},
		{"older names", "SLURM_JOB_ID=42 SLURM_NNODES=4 SLURM_PARTITION=p NV_LAUNCH_SLUID=su NV_LAUNCH_ARRAY_SLUID=sa",
			of42 + ` slurm.array.sluid="sa" slurm.nnodes=4 slurm.partition="p" slurm.sluid="su"`},
		{"newer names win", "SLURM_JOB_ID=42 SLURM_PARTITION=p SLURM_JOB_PARTITION=q NV_LAUNCH_SLUID=x LENS_SLURM_SLUID=y SLURM_JOB_SEGMENT_SIZE=16",
			of42 + ` slurm.partition="q" slurm.segment="16" slurm.sluid="y"`},
		{"no integers", "SLURM_JOB_ID=42 SLURM_NNODES=4(x2) SLURM_NTASKS=3.5",
			of42},
		{"no integers where there are defaults", "SLURM_JOB_ID=42 SLURM_ARRAY_TASK_COUNT=x SLURM_RESTART_COUNT=1_0",
			strings.NewReplacer(" slurm.array.count=1", "", " slurm.restart_count=0", "").Replace(of42)},
		{"the batch script", "SLURM_JOB_ID=42 SLURMD_NODENAME=n1", of42 + ` slurm.head_node.name="n1"`},
		{"a step", "SLURM_JOB_ID=42 SLURMD_NODENAME=n1 SLURM_STEP_ID=0", of42},
		{"a step, by the older name", "SLURM_JOB_ID=42 SLURMD_NODENAME=n1 SLURM_STEPID=0", of42},
		{"SK-01: the list of nodes is retired", "SLURM_JOB_ID=42 SLURM_JOB_NODELIST=n[1-4] SLURM_NODELIST=n[1-4]", of42},

		{"inherited without Slurm", "OTEL_RESOURCE_ATTRIBUTES=slurm.job.id=7,slurm.nnodes=4,nv.dl.run.uuid=u,other=x",
			`nv.dl.run.uuid="u" slurm.job.id="7" slurm.nnodes=4`},
		{"inherited wins", "SLURM_JOB_ID=42 SLURM_NNODES=9 OTEL_RESOURCE_ATTRIBUTES=slurm.job.id=7,slurm.nnodes=%204,nv.dl.job.uuid=j",
			strings.NewReplacer(`slurm.job.id="42"`, `slurm.job.id="7"`, "4b6ae512-f06d-5be5-877f-1b27c0a84cd2", "j").Replace(of42) + " slurm.nnodes=4"},
		{"inherited and no integer", "SLURM_JOB_ID=42 SLURM_NNODES=9 OTEL_RESOURCE_ATTRIBUTES=slurm.nnodes=four,slurm.restart_count=,slurm.array.count=1.5,slurm.ntasks=x",
			of42 + " slurm.nnodes=9"},
		{"inherited and empty", "SLURM_JOB_ID=42 OTEL_RESOURCE_ATTRIBUTES=slurm.job.id=", of42},
		{"inherited and retired", "OTEL_RESOURCE_ATTRIBUTES=slurm.nodelist=n[1-4],slurm.cluster=c,slurm.torchelastic.restart_count=1", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			setenv(t, strings.Fields(c.env)...)
			want := strings.Split(c.want, " ")
			slices.Sort(want)
			if got := typed(resource.SLURM()); got != strings.Join(want, " ") {
				t.Errorf("%s\nwant %s", got, strings.Join(want, " "))
			}
		})
	}
}

// The identifiers are what Python's uuid.uuid5 gives for the same names.
func TestUUIDs(t *testing.T) {
	for _, c := range []struct{ name, env, runID, job, run string }{
		{"nothing", "", "", "d2badfc7-0e4c-537b-b4ea-8785f79f8679", ""},
		{"no job", "", "r", "d2badfc7-0e4c-537b-b4ea-8785f79f8679", "916e0674-4620-52ef-b1ff-7ecea4b90973"},
		{"torchrun", "TORCHELASTIC_RUN_ID=elastic TORCHELASTIC_RESTART_COUNT=3", "", "d2badfc7-0e4c-537b-b4ea-8785f79f8679",
			"143a0590-806e-5b5d-a78e-06de93ea8b10"},
		{"a run id wins over torchrun's", "TORCHELASTIC_RUN_ID=elastic", "r", "d2badfc7-0e4c-537b-b4ea-8785f79f8679",
			"916e0674-4620-52ef-b1ff-7ecea4b90973"},
		{"a job, whatever the run id", "SLURM_JOB_ID=42", "r", "4b6ae512-f06d-5be5-877f-1b27c0a84cd2", "f87a3fbd-2fac-5447-b341-76d37bc4b669"},
		{"a requeue is another run of the job", "SLURM_JOB_ID=42 SLURM_RESTART_COUNT=1", "", "4b6ae512-f06d-5be5-877f-1b27c0a84cd2",
			"c2a3f711-be23-5284-a5c6-ace9b096833b"},
		{"tasks of an array are one run", "SLURM_CLUSTER_NAME=eos SLURM_ARRAY_JOB_ID=100 SLURM_ARRAY_TASK_ID=3 SLURM_JOB_ID=103 SLURM_RESTART_COUNT=1",
			"", "4ea40735-699b-51ef-92fe-4576772ed43c", "cdeb0ced-8ad4-5cdc-85da-6e02adc6d514"},
		{"restarted by torchrun", "SLURM_CLUSTER_NAME=eos SLURM_ARRAY_JOB_ID=100 SLURM_ARRAY_TASK_ID=4 SLURM_JOB_ID=104 TORCHELASTIC_RESTART_COUNT=2",
			"", "4ea40735-699b-51ef-92fe-4576772ed43c", "d31682c7-5634-580a-a041-b54e16e3fd94"},
		{"an empty count is there", "SLURM_JOB_ID=42 TORCHELASTIC_RESTART_COUNT=", "", "4b6ae512-f06d-5be5-877f-1b27c0a84cd2",
			"a216a2e2-417c-553f-9d51-a638238f25f4"},
		{"an array id without a task", "SLURM_ARRAY_JOB_ID=100", "r", "d2badfc7-0e4c-537b-b4ea-8785f79f8679",
			"b19cd435-659e-5816-b7eb-724bc636e47b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			setenv(t, strings.Fields(c.env)...)
			if job, run := resource.JobUUID(), resource.RunUUID(c.runID); job != c.job || run != c.run {
				t.Errorf("job %s, run %s\nwant %s, %s", job, run, c.job, c.run)
			}
		})
	}
}

func TestKubernetes(t *testing.T) {
	for _, c := range []struct{ name, env, want string }{
		{"SK-07: a pod", "KUBERNETES_SERVICE_HOST=10.0.0.1 HOSTNAME=node-7 K8S_POD_NAME=train-0-abcde", `k8s.pod.name="train-0-abcde"`},
		{"SK-07: the host's name is a guess", "KUBERNETES_SERVICE_HOST=10.0.0.1 HOSTNAME=node-7", `k8s.pod.name="node-7"`},
		{"all", "KUBERNETES_SERVICE_HOST=10.0.0.1 HOSTNAME=h K8S_NAMESPACE=ns K8S_POD_NAME=p K8S_POD_UID=u K8S_NODE_NAME=n K8S_CONTAINER_NAME=c K8S_JOB_NAME=j",
			`k8s.container.name="c" k8s.job.name="j" k8s.namespace.name="ns" k8s.node.name="n" k8s.pod.name="p" k8s.pod.uid="u"`},
		{"empty", "KUBERNETES_SERVICE_HOST=10.0.0.1 HOSTNAME= K8S_NAMESPACE=", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			setenv(t, strings.Fields(c.env)...)
			if got := typed(resource.Kubernetes()); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}
