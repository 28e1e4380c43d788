package load

import (
	"encoding/binary"
	"math/rand/v2"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/lensgo/lens/semconv"
)

// Shape says what kind of program sends.
type Shape string

// The shapes. Single is for looking requests up again: each is one trace of 512 spans.
const (
	Gym     Shape = "gym"
	Generic Shape = "generic"
	Single  Shape = "single"
)

// Batch is the number of spans in a request.
const Batch = 512

// epoch is when a wave begins in a stock. A source moves it.
var epoch = time.Date(2026, 11, 30, 14, 0, 0, 0, time.UTC)

// runPlace stands in a stock for the name of the run.
const runPlace = "run-0000000000000000"

// firstTask is a number of seven digits, and of four bytes in protobuf, as are those that follow.
const firstTask = 1 << 21

// process is a program that sends.
type process struct{ service, server, kind string }

var (
	driver    = process{"nemo-gym/supervisor", "supervisor", "supervisor"}
	agent     = process{"nemo-gym/multi_step_agent", "multi_step_agent", "responses_api_agents"}
	model     = process{"nemo-gym/policy_model", "policy_model", "responses_api_models"}
	resources = process{"nemo-gym/multi_step", "multi_step", "resources_servers"}
)

// describe writes a process's resource as Gym's telemetry does.
func (p process) describe(r pcommon.Resource, rng *rand.Rand) {
	a := r.Attributes()
	a.PutStr(semconv.HostArch, "amd64")
	a.PutStr(semconv.HostName, "node-0042")
	if p.kind != "" {
		a.PutStr(semconv.GymServerName, p.server)
		a.PutStr(semconv.GymServerType, p.kind)
		a.PutStr(semconv.GymServiceGroup, "nemo-gym")
		a.PutStr(semconv.GymVersion, "0.3.0")
		a.PutStr(semconv.NemoRunID, runPlace)
	}
	a.PutStr(semconv.OSType, "linux")
	a.PutStr(semconv.ProcessName, "server")
	a.PutInt(semconv.ProcessPID, int64(1000+rng.IntN(60_000)))
	a.PutStr(semconv.ProcessRuntime, "go")
	a.PutStr(semconv.RuntimeVersion, "go1.26.8")
	a.PutStr(semconv.ServiceInstanceID, "a6266084-4286-4d1b-add3-8f27b54cb357")
	a.PutStr(semconv.ServiceName, p.service)
	a.PutStr(semconv.ServiceVersion, "0.3.0")
	a.PutStr(semconv.TelemetrySDKLanguage, "go")
	a.PutStr(semconv.TelemetrySDKName, "opentelemetry")
	a.PutStr(semconv.TelemetrySDKVersion, "1.47.0")
}

// span is one that is made, with its place.
type span struct {
	from   process
	group  string // the span group, "" for none
	name   string
	kind   ptrace.SpanKind
	trace  pcommon.TraceID
	id     pcommon.SpanID
	parent pcommon.SpanID
	start  time.Duration // from the epoch
	took   time.Duration
	failed string // status message
	attrs  func(pcommon.Map)
	after  func(ptrace.Span) // what else it has
}

func (s *span) write(to ptrace.Span) {
	to.SetTraceID(s.trace)
	to.SetSpanID(s.id)
	to.SetParentSpanID(s.parent)
	to.SetName(s.name)
	to.SetKind(s.kind)
	to.SetFlags(259)
	start := pcommon.NewTimestampFromTime(epoch.Add(s.start))
	to.SetStartTimestamp(start)
	to.SetEndTimestamp(start + pcommon.Timestamp(s.took))
	if s.failed != "" {
		to.Status().SetCode(ptrace.StatusCodeError)
		to.Status().SetMessage(s.failed)
	}
	if s.attrs != nil {
		s.attrs(to.Attributes())
	}
	if s.after != nil {
		s.after(to)
	}
}

// request puts the spans of one process into a request, a scope for each group.
func request(spans []span, rng *rand.Rand) ptrace.Traces {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	spans[0].from.describe(rs.Resource(), rng)
	scopes := map[string]ptrace.SpanSlice{}
	for i := range spans {
		s := &spans[i]
		to, ok := scopes[s.group]
		if !ok {
			ss := rs.ScopeSpans().AppendEmpty()
			ss.Scope().SetName("nemo_gym")
			ss.Scope().SetVersion("0.3.0")
			if s.group != "" {
				ss.Scope().Attributes().PutStr(semconv.LensGroup, s.group)
			}
			to = ss.Spans()
			scopes[s.group] = to
		}
		s.write(to.AppendEmpty())
	}
	return td
}

func traceID(rng *rand.Rand) (id pcommon.TraceID) {
	binary.BigEndian.PutUint64(id[:8], rng.Uint64())
	binary.BigEndian.PutUint64(id[8:], rng.Uint64())
	return id
}

func spanID(rng *rand.Rand) (id pcommon.SpanID) {
	binary.BigEndian.PutUint64(id[:], rng.Uint64()|1)
	return id
}
