package metrics

import (
	"context"
	"time"

	"github.com/lensgo/lens/semconv"
)

// GymDriver records what waits where in the driver of rollouts. The zero value is ready.
type GymDriver struct{}

var (
	driverOffered   = of(kindCounter, semconv.MetricDriverOffered, "{rollout}", "Rollouts that were there to be run.")
	driverResident  = of(kindUpDown, semconv.MetricDriverResident, "{rollout}", "Rollouts that have begun and are not written yet.")
	driverActive    = of(kindUpDown, semconv.MetricDriverActive, "{rollout}", "Rollouts that are at their agents.")
	driverLimit     = of(kindGauge, semconv.MetricDriverLimit, "{rollout}", "Rollouts that may run at a time.")
	driverAdmission = seconds(semconv.MetricDriverAdmission, "How long a rollout waited from being offered to its beginning.", admissionBounds)
)

// Offered counts n more rollouts that are there to be run, another attempt of one that failed among them.
func (GymDriver) Offered(n int) { driverOffered.int(context.Background(), int64(n), labels{}) }

// Resident adds n, which may be below 0, to the rollouts that have begun and are not written yet.
func (GymDriver) Resident(n int) { driverResident.int(context.Background(), int64(n), labels{}) }

// Active adds n, which may be below 0, to those of them that are at their agents.
func (GymDriver) Active(n int) { driverActive.int(context.Background(), int64(n), labels{}) }

// Admitted records how long a rollout that begins has waited.
func (GymDriver) Admitted(wait time.Duration) {
	driverAdmission.float(context.Background(), wait.Seconds(), labels{})
}

// Limit says how many rollouts may run at a time from now on.
func (GymDriver) Limit(n int) { driverLimit.int(context.Background(), int64(n), labels{}) }
