package runs

import (
	"strings"
	"time"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/otlp"
)

// Span is what an analysis needs to know of a span. [Read] makes one of OTLP.
type Span struct {
	Trace      otlp.TraceID
	ID, Parent otlp.SpanID
	Name       string
	Kind       otlp.Kind
	Start, End uint64 // unix nanoseconds; End 0: still running
	Process    Process
	Scope      string        // name of the instrumentation scope
	Group      string        // span group
	Route      string        // http.route
	Rollout    string        // rollout id
	Pool       time.Duration // wait for a connection
	TokensIn   int64
	TokensOut  int64
	Error      bool   // status ERROR and not truncated
	Truncated  bool   // closed early, at shutdown
	Dropped    uint64 // attributes, events and links that the sender dropped
	Bytes      int    // of OTLP protobuf
	Hash       uint64 // of the content; two spans with the same id and hash are copies. 0: unknown
	Facts      *Facts // only of gym.rollout
}

// Process is who made a span, as far as its resource says.
type Process struct {
	Run        string // nemo.run.id
	Service    string // service.name
	Server     string // nemo.gym.server.name
	ServerType string // nemo.gym.server.type
	Runtime    string // "go 1.26.0"
}

// Facts is what a gym.rollout span says about its rollout. Numbers are -1 where it says nothing.
type Facts struct {
	Task, Index, Attempt int // as in the attributes: from 0
	Environment, Agent   string
	Outcome, Failure     string
	Message              string
	Reward               float64
	Scored               bool // there is a reward
	TokensIn, TokensOut  int64
	Turns, Calls         int64
	Admission            time.Duration
	Attributes           []Attribute // the others
}

// Attribute is an attribute with its value as text.
type Attribute struct{ Key, Value string }

// Types of Gym's processes.
const (
	typeModel       = "responses_api_models"
	typeAgent       = "responses_api_agents"
	typeResources   = "resources_servers"
	typeEnvironment = "environment_servers"
	typeSupervisor  = "supervisor"
)

func (p *Process) isResources() bool {
	return p.ServerType == typeResources || p.ServerType == typeEnvironment
}

// class is the part that the span's own work belongs to.
func (s *Span) class() class {
	switch s.Process.ServerType {
	case typeModel:
		return classOf(PartModel)
	case typeAgent, typeSupervisor:
		return classOf(PartOther)
	case typeResources, typeEnvironment:
		if s.Kind == otlp.KindServer {
			return routeClass(s.path(), classOf(PartTools))
		}
		if s.Name == semconv.SpanGymVerify {
			return classOf(PartVerify)
		}
		return inherit
	}
	return s.classByName()
}

// classByName is for processes that do not say what they are.
func (s *Span) classByName() class {
	switch {
	case strings.HasPrefix(s.Name, "gym.model."):
		return classOf(PartModel)
	case s.Name == semconv.SpanGymVerify:
		return classOf(PartVerify)
	case s.Name == semconv.SpanGymRollout, s.Name == semconv.SpanGymJob, strings.HasPrefix(s.Name, "gym.agent."):
		return classOf(PartOther)
	case s.Kind == otlp.KindServer:
		return routeClass(s.path(), inherit)
	}
	return inherit
}

// path is the route of a SERVER span.
func (s *Span) path() string {
	if s.Route != "" {
		return s.Route
	}
	_, path, _ := strings.Cut(s.Name, " ")
	return path
}

func routeClass(path string, other class) class {
	switch {
	case strings.HasSuffix(path, "/verify"):
		return classOf(PartVerify)
	case strings.HasSuffix(path, "/seed_session"), strings.HasSuffix(path, "/run"):
		return classOf(PartOther)
	}
	return other
}
