package eval

import (
	"cmp"
	"os"

	"github.com/lensgo/lens/gym/rollout"
	"github.com/lensgo/lens/gym/telemetry"
)

const envRunID = "_RUN_ID"

// givenRunID is the name that somebody gave the run: a variable, the configuration, or what started this process and, in the same way,
// other shards of the run.
func (r *run) givenRunID() string {
	id := cmp.Or(os.Getenv(telemetry.Prefix+envRunID), os.Getenv(telemetry.FallbackPrefix+envRunID),
		telemetry.ParseSettings(r.graph.Telemetry()).RunID)
	if id == "" && r.Rollout.Shard.Count > 1 {
		return rollout.RunIDFromEnv(os.Getenv)
	}
	return cmp.Or(id, os.Getenv("SLURM_JOB_ID"))
}

// nameRun gives the spans of the run the name that stands beside its output, which a resumed run has from the one that began it.
func (r *run) nameRun() {
	if err := telemetry.OS.Setenv(telemetry.Prefix+envRunID, r.plan.RunID()); err != nil {
		r.say("cannot name the run %s: %v", r.plan.RunID(), err)
	}
}
