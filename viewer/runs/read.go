package runs

import (
	"hash/maphash"
	"math"
	"strings"
	"time"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/otlp"
)

// Bounds of what is kept of the attributes of a gym.rollout span that have no meaning here.
const (
	maxAttributes = 16
	maxText       = 256 // bytes of a key or value, and of the error text
)

var seed = maphash.MakeSeed()

// Read takes from a span what an analysis needs. The result's strings are views into the request, like those of its
// arguments, apart from those of Facts.
func Read(r *otlp.Resource, sc *otlp.Scope, s *otlp.Span) Span {
	var rd reader
	return rd.read(r, sc, s)
}

// reader reads spans one after the other; neighbours mostly have the same resource and scope.
type reader struct {
	resource *otlp.Resource // held, so that no other can get its address
	scope    *otlp.Scope
	process  Process
	hash     uint64 // of the resource
	group    string

	t *table // of what is numbered; nil: nothing is
	p uint32 // the process
	s uint32 // the scope
}

// shapeOf is the shape of the span that was read last.
func (rd *reader) shapeOf(s *Span) uint32 {
	sc := rd.s
	if s.Group != rd.group {
		sc = rd.t.scopeOf(scope{s.Scope, s.Group})
	}
	return rd.t.intern(shape{rd.p, sc, s.Kind, s.class(), s.Name})
}

func (rd *reader) read(r *otlp.Resource, sc *otlp.Scope, s *otlp.Span) Span {
	if r != rd.resource {
		rd.resource, rd.process, rd.hash = r, readProcess(r), maphash.Bytes(seed, r.Raw())
		if rd.t != nil {
			rd.p = rd.t.processOf(&rd.process)
		}
	}
	if sc != rd.scope {
		v, _ := sc.Attr(semconv.LensGroup)
		rd.scope, rd.group = sc, v.Str()
		if rd.t != nil {
			rd.s = rd.t.scopeOf(scope{sc.Name, rd.group})
		}
	}
	out := Span{
		Trace: s.TraceID, ID: s.SpanID, Parent: s.Parent, Name: s.Name, Kind: s.Kind, Start: s.Start, End: s.End,
		Process: rd.process, Scope: sc.Name, Group: rd.group,
		Dropped: uint64(s.DroppedAttributes) + uint64(s.DroppedEvents) + uint64(s.DroppedLinks),
		Bytes:   len(s.Raw()), Hash: (maphash.Bytes(seed, s.Raw()) ^ rd.hash) | 1,
	}
	if s.Name == semconv.SpanGymRollout {
		out.Facts = &Facts{Task: -1, Index: -1, Attempt: -1, TokensIn: -1, TokensOut: -1, Turns: -1, Calls: -1, Message: keep(s.Message)}
	}
	for key, v := range s.Attributes() {
		out.attribute(key, v)
	}
	out.Error = s.Status == otlp.StatusError && !out.Truncated
	return out
}

func readProcess(r *otlp.Resource) (p Process) {
	var runtime, version, language string
	for key, v := range r.Attributes() {
		switch key {
		case semconv.NemoRunID:
			p.Run = v.Str()
		case semconv.ServiceName:
			p.Service = v.Str()
		case semconv.GymServerName:
			p.Server = v.Str()
		case semconv.GymServerType:
			p.ServerType = v.Str()
		case semconv.ProcessRuntime:
			runtime = v.Str()
		case semconv.RuntimeVersion:
			version = v.Str()
		case semconv.TelemetrySDKLanguage:
			language = v.Str()
		}
	}
	if runtime == "" {
		runtime = language
	}
	p.Runtime = strings.TrimSpace(runtime + " " + strings.TrimPrefix(version, runtime))
	return p
}

// attribute takes one attribute of the span.
func (s *Span) attribute(key string, v otlp.Value) {
	switch key {
	case semconv.GymRolloutID:
		s.Rollout = v.Str()
	case semconv.HTTPRoute:
		s.Route = v.Str()
	case semconv.GymWaitPool:
		s.Pool = milliseconds(v)
	case semconv.SpanTruncated:
		s.Truncated = v.Bool()
	case semconv.LensGroup:
		s.Group = v.Str()
	case semconv.GenAIUsageInputTokens:
		s.TokensIn = max(v.Int(), 0)
	case semconv.GenAIUsageOutputTokens:
		s.TokensOut = max(v.Int(), 0)
	default:
		if s.Facts != nil {
			s.Facts.attribute(key, v)
		}
		return
	}
	if f := s.Facts; f != nil {
		switch key {
		case semconv.GenAIUsageInputTokens:
			f.TokensIn = s.TokensIn
		case semconv.GenAIUsageOutputTokens:
			f.TokensOut = s.TokensOut
		}
	}
}

func (f *Facts) attribute(key string, v otlp.Value) {
	switch key {
	case semconv.GymTaskIndex:
		f.Task = index(v)
	case semconv.GymRolloutIndex:
		f.Index = index(v)
	case semconv.GymRolloutAttempt:
		f.Attempt = index(v)
	case semconv.GymAgentName:
		f.Agent = keep(v.Str())
	case semconv.GymEnvironmentName:
		f.Environment = keep(v.Str())
	case semconv.GymRolloutReward:
		x, ok := float(v)
		f.Reward, f.Scored = x, ok && !math.IsNaN(x) && !math.IsInf(x, 0)
	case semconv.GymRolloutOutcome:
		f.Outcome = keep(v.Str())
	case semconv.GymFailureClass:
		f.Failure = keep(v.Str())
	case semconv.GymRolloutTurns:
		f.Turns = max(v.Int(), 0)
	case semconv.GymRolloutToolCalls:
		f.Calls = max(v.Int(), 0)
	case semconv.GymWaitAdmission:
		f.Admission = milliseconds(v)
	default:
		if len(f.Attributes) < maxAttributes {
			f.Attributes = append(f.Attributes, Attribute{keep(key), keep(v.String())})
		}
	}
}

// index reads an index; one that is none is unknown.
func index(v otlp.Value) int {
	if i := v.Int(); v.Kind() == otlp.ValueInt && i >= 0 && i <= math.MaxInt32 {
		return int(i)
	}
	return -1
}

func float(v otlp.Value) (float64, bool) {
	switch v.Kind() {
	case otlp.ValueFloat:
		return v.Float(), true
	case otlp.ValueInt:
		return float64(v.Int()), true
	}
	return 0, false
}

// milliseconds reads a wait. What is no wait is none; a day is the most.
func milliseconds(v otlp.Value) time.Duration {
	ms, ok := float(v)
	if !ok || !(ms > 0) {
		return 0
	}
	return time.Duration(math.Round(min(ms, 86_400_000) * 1e6))
}

// keep copies a text that outlives its request, cut where it is too long.
func keep(s string) string {
	if len(s) > maxText {
		s = s[:maxText-len("…")] + "…"
	}
	return otlp.Text(strings.Clone(s))
}
