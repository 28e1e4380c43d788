package metrics

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/lensgo/lens/semconv"
)

// Gym records the metrics of Gym.
var Gym GymMetrics

// GymMetrics has a method for each thing that Gym counts or measures; [Gym] is the one to use, and the zero value is the
// same.
type GymMetrics struct{}

// Buckets in milliseconds. Where the Python system names bounds they are its own.
var (
	// Python leaves these two to the SDK, whose last bound is ten seconds.
	rolloutBounds = []float64{5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000, 60000, 120000, 300000, 600000, 1800000, 3600000}
	verifyBounds  = []float64{1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000, 60000, 120000, 300000, 600000}

	sandboxBounds = []float64{250, 500, 1000, 2000, 5000, 10000, 30000, 60000, 120000, 300000, 600000, 1800000}
	poolBounds    = []float64{0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1000, 5000, 30000}
	modelBounds   = []float64{100, 250, 500, 1000, 2000, 5000, 10000, 30000, 60000, 120000, 300000, 600000, 1800000}
	ttftBounds    = []float64{50, 100, 250, 500, 1000, 2000, 5000, 10000, 30000, 60000, 120000, 300000}
	tokenBounds   = []float64{16, 64, 256, 1024, 4096, 16384, 32768, 65536, 131072, 262144, 524288, 1048576}
	startupBounds = []float64{100, 250, 500, 1000, 2500, 5000, 10000, 30000, 60000, 120000, 300000, 600000, 1800000, 3600000}

	// In seconds.
	admissionBounds = []float64{0.001, 0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 600, 1800, 3600, 7200, 14400, 43200, 86400}
	httpBounds      = []float64{0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10} // of the conventions
)

func milliseconds(name, about string, bounds []float64) *instrument {
	return newInstrument(spec{kind: kindHistogram, name: name, unit: "ms", about: about, bounds: bounds})
}

func seconds(name, about string, bounds []float64) *instrument {
	return newInstrument(spec{kind: kindHistogram, name: name, unit: "s", about: about, bounds: bounds})
}

func of(k kind, name, unit, about string) *instrument {
	return newInstrument(spec{kind: k, name: name, unit: unit, about: about})
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

var (
	rolloutDuration  = milliseconds(semconv.MetricRolloutDuration, "How long the agent took for /run, failures among them.", rolloutBounds)
	rolloutCompleted = of(kindCounter, semconv.MetricRolloutCompleted, "", "Attempts that ended, by outcome.")
	failureClasses   = vocabulary{known: map[string]bool{semconv.FailureAgentRun: true, semconv.FailureAgentRequest: true,
		semconv.FailureTimeout: true, semconv.FailureJudge: true}}
	failureReasons vocabulary
)

// RolloutRan records the time of an agent's /run, whether it succeeded or not.
func (GymMetrics) RolloutRan(ctx context.Context, took time.Duration) {
	rolloutDuration.float(ctx, ms(took), labels{})
}

// RolloutEnded counts an attempt in the driver. outcome is semconv.OutcomeScored, OutcomeFailed or OutcomeOmitted; class and
// reason say why it failed and are left out of the others.
func (GymMetrics) RolloutEnded(ctx context.Context, outcome, class, reason string) {
	l := labels{text(semconv.GymRolloutOutcome, outcome)}
	if outcome == semconv.OutcomeFailed {
		l[1] = optional(semconv.GymFailureClass, failureClasses.word(class))
		l[2] = optional(semconv.GymFailureReason, failureReasons.word(reason))
	}
	rolloutCompleted.int(ctx, 1, l)
}

var (
	verifyDuration = milliseconds(semconv.MetricVerifyDuration, "How long /verify took.", verifyBounds)
	verifySuccess  = of(kindLevel, semconv.MetricVerifySuccessRate, "", "Share of this process's calls of /verify that completed, whatever their reward.")
	verifyCalls    atomic.Int64
	verifyDone     atomic.Int64
)

// Verified records a call of /verify. completed says that it came to an answer, whatever the reward.
func (GymMetrics) Verified(ctx context.Context, took time.Duration, completed bool) {
	all, done := verifyCalls.Add(1), verifyDone.Load()
	if completed {
		done = verifyDone.Add(1)
	}
	verifyDuration.float(ctx, ms(took), labels{})
	verifySuccess.float(ctx, min(1, float64(done)/float64(all)), labels{})
}

var serversActive = of(kindGauge, semconv.MetricServersActive, "", "Servers that this supervisor runs.")

// ServersActive says how many servers there are. Only the supervisor does: after the start, and with 0 at the end.
func (GymMetrics) ServersActive(ctx context.Context, n int) {
	serversActive.int(ctx, int64(n), labels{})
}

var (
	serverStartup  = milliseconds(semconv.MetricServerStartup, "How long a server took from spawn to its first answer.", startupBounds)
	startupStage   = milliseconds(semconv.MetricServerStartupStage, "How long a stage of a server's start took.", startupBounds)
	serverRequest  = milliseconds(semconv.MetricServerRequest, "How long a request to a server took.", verifyBounds)
	requestsActive = of(kindUpDown, semconv.MetricServerRequestsActive, "{request}", "Requests that a server works on.")
	httpDuration   = seconds(semconv.MetricHTTPServerDuration, "How long a server worked on a request.", httpBounds)
)

// ServerStarted records how long a server, named by its instance and type, took from spawn to its first answer.
func (GymMetrics) ServerStarted(ctx context.Context, server, kind string, took time.Duration) {
	serverStartup.float(ctx, ms(took), labels{text(semconv.GymServerName, server), optional(semconv.GymServerType, kind)})
}

// ServerStage records how long a stage of a server's start took.
func (GymMetrics) ServerStage(ctx context.Context, server, kind, stage string, took time.Duration) {
	startupStage.float(ctx, ms(took), labels{text(semconv.GymServerName, server), optional(semconv.GymServerType, kind),
		text(semconv.GymStartupStage, stage)})
}

// ServerRequested records how long a request took, with no attribute at all. The servers of Gym do not call it: what they
// record is [GymMetrics.Request], under the name of the conventions. It is there for dashboards of servers that do.
func (GymMetrics) ServerRequested(ctx context.Context, took time.Duration) {
	serverRequest.float(ctx, ms(took), labels{})
}

// RequestsInFlight adds n, which may be below 0, to the requests that a server works on.
func (GymMetrics) RequestsInFlight(ctx context.Context, server string, n int) {
	requestsActive.int(ctx, int64(n), labels{text(semconv.GymServerName, server)})
}

// Request records a request that a server has answered. route is empty when none fits, method is one of HTTP's.
func (GymMetrics) Request(ctx context.Context, method, route string, status int, took time.Duration) {
	l := labels{text(semconv.HTTPRequestMethod, method), optional(semconv.HTTPRoute, route),
		number(semconv.HTTPResponseStatusCode, int64(status)), text(semconv.URLScheme, "http")}
	if status >= 500 {
		l[4] = text(semconv.ErrorType, statusText(status))
	}
	httpDuration.float(ctx, took.Seconds(), l)
}

// statusText is a status of three digits as text, without an allocation for the usual ones.
func statusText(status int) string {
	switch status {
	case 500:
		return "500"
	case 502:
		return "502"
	case 503:
		return "503"
	case 504:
		return "504"
	}
	return "5xx"
}
