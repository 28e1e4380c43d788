package telemetry

import (
	"crypto/rand"
	"encoding/hex"
	"os"
	"time"

	"github.com/lensgo/lens"
)

// DefaultServiceName is the service.name of a program that gives none.
const DefaultServiceName = "nemo"

// DefaultDetectTimeout is [Config.DetectTimeout] of a program that gives none.
const DefaultDetectTimeout = 500 * time.Millisecond

// Exporters that [Config.Exporter] may name.
const (
	ExporterOTLP    = "otlp"    // OTLP, to where and how OTEL_EXPORTER_OTLP_* says
	ExporterConsole = "console" // one JSON object a line on standard output
	ExporterNone    = "none"    // nothing is exported
)

// Config says what [Setup] should do. It is plain data: no field is checked before Setup uses it.
//
// The zero Config is a disabled one. Start from [Default] or [FromEnv] for an enabled one, since the zero value also
// leaves every signal off.
type Config struct {
	// Enabled is the main switch. Off means that Setup installs no provider and closes every span group for good.
	Enabled bool

	// ServiceName is the service.name of the resource. Empty: service.name of OTEL_RESOURCE_ATTRIBUTES, else
	// [DefaultServiceName].
	ServiceName string

	// TracesEnabled, MetricsEnabled and LogsEnabled switch the signals one by one. Metrics leave every ten seconds, or as
	// often as OTEL_METRIC_EXPORT_INTERVAL says in milliseconds. Logs are what handlers of package lensslog's NewExporter get.
	TracesEnabled, MetricsEnabled, LogsEnabled bool

	// SpanGroups is the span group spec that Setup gives to lens.SetSpec: names of presets and groups, comma separated.
	// A name that nobody knows is warned about by package lens and never fails Setup. Empty opens no group.
	SpanGroups string

	// Exporter is [ExporterOTLP], [ExporterConsole] or [ExporterNone], for all signals. Anything else is an error of Setup.
	// Empty: what OTEL_TRACES_EXPORTER, OTEL_METRICS_EXPORTER, which may also list prometheus, and OTEL_LOGS_EXPORTER say, else otlp.
	Exporter string

	// RunID is nemo.run.id, the name that all processes of one job share. Empty: see [Config.EnsureRunID].
	RunID string

	// UserID is nemo.user.id. Empty: not on the resource.
	UserID string

	// DetectTimeout is how long an enabled Setup waits for all that find out where the process runs, together: what comes later is
	// left out of the resource, and one warning names it. In practice that is nvidia-smi, which is asked for the number of GPUs
	// where CUDA_VISIBLE_DEVICES is not set. 0 and less: [DefaultDetectTimeout].
	DetectTimeout time.Duration

	// WandbEntity and WandbProject tie a trace to its Weights & Biases run. Empty: not on the resource.
	WandbEntity, WandbProject string

	// Spool keeps on disk what the collector does not take, until it does: see [Handle.Stats]. It is for programs that run for
	// long, such as servers; a short tool that fails should say so and not leave files behind.
	Spool bool

	// SpoolDir is where, in a folder of its own for each endpoint. Empty: nemo-lens/spool under XDG_STATE_HOME, else under
	// ~/.local/state. Files hold attributes of spans, and only their user can read them.
	SpoolDir string

	// SpoolBytes bounds the files of each endpoint that this process holds; the oldest go first. 0 is 256 MiB.
	SpoolBytes int64

	// StartRecords keeps a record of each span in the spool from its start until the collector or the spool has the span, so that
	// what is open or in memory when the process is killed comes from who takes over the spool, or lens recover. It needs Spool,
	// the exporter otlp, and Linux or macOS; where there is none of that, one warning says so.
	StartRecords bool

	// SingleTraceID makes a whole job one trace: the roots of all its processes have the trace id that follows from
	// SLURM_CLUSTER_NAME and SLURM_ARRAY_JOB_ID or SLURM_JOB_ID, or without them from RunID. Tasks of an array, restarts and
	// programs in Python with the same setting share it. A sampler that goes by the trace id takes the job whole or not at all.
	SingleTraceID bool
}

// Default returns the configuration of a program that sets no variable: disabled; once enabled, traces and metrics
// without logs, the spec "default", and OTLP unless OTEL_TRACES_EXPORTER or OTEL_METRICS_EXPORTER says otherwise.
func Default() Config {
	return Config{
		ServiceName:    DefaultServiceName,
		TracesEnabled:  true,
		MetricsEnabled: true,
		SpanGroups:     "default",
	}
}

// EnsureRunID fills RunID when it is empty, from SLURM_JOB_ID or else with twelve random hexadecimal digits, and returns
// it. A requeued job of Slurm keeps its id, and the tasks of an array have one each. Setup does this by itself; call it before when the id must be handed to other processes first.
func (c *Config) EnsureRunID() string {
	if c.RunID == "" {
		c.RunID = os.Getenv("SLURM_JOB_ID")
	}
	if c.RunID == "" {
		var b [6]byte
		_, _ = rand.Read(b[:]) // never fails: the program ends when the kernel has no randomness
		c.RunID = hex.EncodeToString(b[:])
	}
	return c.RunID
}

// ResolvedSpanGroups returns the groups that SpanGroups opens, by what is registered at the time of the call.
func (c Config) ResolvedSpanGroups() []string {
	enabled, _ := lens.Resolve(c.SpanGroups)
	return enabled
}
