package telemetry

import (
	"cmp"
	"os"

	"github.com/lensgo/lens/telemetry/internal/option"
)

// nameJob fills RunID as [Config.EnsureRunID] does. When the whole job is to be one trace, it returns what all processes of the
// job know it by: an array of Slurm as a whole, so that its tasks are in the trace too, and what a requeue keeps.
func (c *Config) nameJob() option.Job {
	seed := c.RunID
	if id := cmp.Or(os.Getenv("SLURM_ARRAY_JOB_ID"), os.Getenv("SLURM_JOB_ID")); id != "" {
		seed = cmp.Or(os.Getenv("SLURM_CLUSTER_NAME"), "nocluster") + "_" + id
	}
	c.EnsureRunID()
	if !c.SingleTraceID {
		return option.Job{}
	}
	return option.Job{Seed: cmp.Or(seed, c.RunID), Drawn: seed == ""}
}
