package resource

import (
	"cmp"
	"os"
	"slices"
	"strings"

	"go.opentelemetry.io/otel/attribute"

	"github.com/lensgo/lens/semconv"
)

// SLURM returns what is known of the Slurm job that this process belongs to: slurm.* and nv.dl.job.uuid, out of the variables
// that Slurm sets, and with it what OTEL_RESOURCE_ATTRIBUTES says under these keys and nv.dl.run.uuid, which wins. So a
// process keeps its job where the variables of Slurm are gone, as in a container.
//
// Without SLURM_JOB_ID nothing is derived. A variable that is empty, or no integer where one belongs, gives no attribute, and an
// inherited value like that leaves the derived one.
func SLURM() []attribute.KeyValue {
	var s set
	for _, kv := range slurmJob() {
		s.put(kv)
	}
	for _, kv := range FromEnv() {
		if kv, ok := inherited(kv); ok {
			s.put(kv)
		}
	}
	return s.attrs
}

// slurmJob derives the attributes of a job from the variables of Slurm.
func slurmJob() []attribute.KeyValue {
	raw := os.Getenv("SLURM_JOB_ID")
	if raw == "" {
		return nil
	}
	id, array := raw, os.Getenv("SLURM_ARRAY_JOB_ID")
	task, inArray := os.LookupEnv("SLURM_ARRAY_TASK_ID")
	if !inArray {
		task = "0"
	} else if array != "" {
		id = array + "_" + task
	}
	var l list
	l.text(semconv.SLURMJobID, id)
	l.text(semconv.SLURMJobIDRaw, raw)
	l.text(semconv.SLURMArrayJobID, cmp.Or(array, raw))
	l.text(semconv.SLURMArrayTaskID, task)
	l.integer(semconv.SLURMArrayCount, cmp.Or(os.Getenv("SLURM_ARRAY_TASK_COUNT"), "1"))
	l.text(semconv.SLURMSLUID, first("LENS_SLURM_SLUID", "NV_LAUNCH_SLUID"))
	l.text(semconv.SLURMArraySLUID, first("LENS_SLURM_ARRAY_SLUID", "NV_LAUNCH_ARRAY_SLUID"))
	l.text(semconv.SLURMJobName, os.Getenv("SLURM_JOB_NAME"))
	l.text(semconv.SLURMClusterName, os.Getenv("SLURM_CLUSTER_NAME"))
	l.text(semconv.SLURMPartition, first("SLURM_JOB_PARTITION", "SLURM_PARTITION"))
	l.integer(semconv.SLURMNodes, first("SLURM_JOB_NUM_NODES", "SLURM_NNODES"))
	l.integer(semconv.SLURMTasks, os.Getenv("SLURM_NTASKS"))
	l.integer(semconv.SLURMRestartCount, cmp.Or(os.Getenv("SLURM_RESTART_COUNT"), "0"))
	l.text(semconv.SLURMJobUser, os.Getenv("SLURM_JOB_USER"))
	l.text(semconv.SLURMJobAccount, os.Getenv("SLURM_JOB_ACCOUNT"))
	l.text(semconv.SLURMJobQOS, os.Getenv("SLURM_JOB_QOS"))
	l.text(semconv.SLURMJobReservation, os.Getenv("SLURM_JOB_RESERVATION"))
	l.text(semconv.SLURMSegment, first("SLURM_SEGMENT", "SLURM_JOB_SEGMENT_SIZE")) // the second is what Slurm itself sets
	l.text(semconv.SLURMTopologyAddr, os.Getenv("SLURM_TOPOLOGY_ADDR"))
	l.text(semconv.SLURMTopologyAddrPattern, os.Getenv("SLURM_TOPOLOGY_ADDR_PATTERN"))
	if first("SLURM_STEP_ID", "SLURM_STEPID") == "" {
		// Only the batch script runs on the first node of the job for certain.
		l.text(semconv.SLURMHeadNodeName, os.Getenv("SLURMD_NODENAME"))
	}
	l.text(semconv.NVDLJobUUID, JobUUID())
	return l
}

// inheritable are the keys under which a process believes what it was given more than what it sees.
var inheritable = []attribute.Key{
	semconv.NVDLJobUUID, semconv.NVDLRunUUID,
	semconv.SLURMArrayCount, semconv.SLURMArrayJobID, semconv.SLURMArraySLUID, semconv.SLURMArrayTaskID, semconv.SLURMClusterName,
	semconv.SLURMHeadNodeName, semconv.SLURMJobAccount, semconv.SLURMJobID, semconv.SLURMJobIDRaw, semconv.SLURMJobName,
	semconv.SLURMJobQOS, semconv.SLURMJobReservation, semconv.SLURMJobUser, semconv.SLURMNodes, semconv.SLURMPartition,
	semconv.SLURMRestartCount, semconv.SLURMSLUID, semconv.SLURMSegment, semconv.SLURMTasks, semconv.SLURMTopologyAddr,
	semconv.SLURMTopologyAddrPattern,
}

// slurmIntegers are those of them that are integers.
var slurmIntegers = []attribute.Key{
	semconv.SLURMArrayCount, semconv.SLURMNodes, semconv.SLURMTasks, semconv.SLURMRestartCount,
}

// inherited returns an attribute of OTEL_RESOURCE_ATTRIBUTES as SLURM takes it over, if it does.
func inherited(kv attribute.KeyValue) (attribute.KeyValue, bool) {
	value := kv.Value.AsString()
	if value == "" || !slices.Contains(inheritable, kv.Key) {
		return kv, false
	}
	if !slices.Contains(slurmIntegers, kv.Key) {
		return kv, true
	}
	n, ok := integer(value)
	return attribute.Int64(string(kv.Key), n), ok
}

// JobUUID returns nv.dl.job.uuid of the job that this process belongs to by the variables of Slurm: the same in all its
// processes, for all tasks of an array, and after a requeue. It is computed as the Python library does, from the names of
// cluster and job. All processes without a job have the same one.
func JobUUID() string { return uuidOf("nemo.lens.job/" + cluster() + "/" + jobKey()) }

// RunUUID returns nv.dl.run.uuid: one attempt of a job, another one after a restart by Slurm or by torchrun. Outside of Slurm
// it comes from runID, else from TORCHELASTIC_RUN_ID; without either it is empty. No detector puts it on the resource: a program
// that wants it there hands it to its set-up.
func RunUUID(runID string) string {
	if first("SLURM_JOB_ID", "SLURM_ARRAY_JOB_ID") == "" {
		id := cmp.Or(runID, os.Getenv("TORCHELASTIC_RUN_ID"))
		if id == "" {
			return ""
		}
		return uuidOf("nemo.lens.run/local/" + id + "/te" + cmp.Or(os.Getenv("TORCHELASTIC_RESTART_COUNT"), "0"))
	}
	parts := []string{"nemo.lens.run", cluster(), jobKey()}
	if _, array := os.LookupEnv("SLURM_ARRAY_TASK_ID"); !array {
		parts = append(parts, "sr"+cmp.Or(os.Getenv("SLURM_RESTART_COUNT"), "0"))
	}
	if count, there := os.LookupEnv("TORCHELASTIC_RESTART_COUNT"); there {
		parts = append(parts, "te"+count)
	}
	return uuidOf(strings.Join(parts, "/"))
}

func cluster() string { return cmp.Or(os.Getenv("SLURM_CLUSTER_NAME"), "nocluster") }

// jobKey names the job as it was submitted: an array as a whole.
func jobKey() string {
	if _, array := os.LookupEnv("SLURM_ARRAY_TASK_ID"); array {
		return cmp.Or(os.Getenv("SLURM_ARRAY_JOB_ID"), "nojob")
	}
	return cmp.Or(os.Getenv("SLURM_JOB_ID"), "nojob")
}
