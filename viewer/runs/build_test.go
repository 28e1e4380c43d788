package runs

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/otlp"
)

// base is when made traces begin.
const base = uint64(1_796_007_600_000_000_000)

var (
	driver    = Process{Run: "r1", Service: "nemo-gym/supervisor", Server: "supervisor", ServerType: typeSupervisor, Runtime: "go 1.26"}
	agent     = Process{Run: "r1", Service: "nemo-gym/agent", Server: "agent", ServerType: typeAgent, Runtime: "go 1.26"}
	model     = Process{Run: "r1", Service: "nemo-gym/policy_model", Server: "policy_model", ServerType: typeModel, Runtime: "go 1.26"}
	resources = Process{Run: "r1", Service: "nemo-gym/env", Server: "env", ServerType: typeResources, Runtime: "go 1.26"}
	web       = Process{Service: "checkout-api", Runtime: "python 3.12"}
)

func spanID(n uint64) (id otlp.SpanID) {
	binary.BigEndian.PutUint64(id[:], n)
	return id
}

func traceID(n uint64) (id otlp.TraceID) {
	binary.BigEndian.PutUint64(id[8:], n)
	id[0] = 0xa
	return id
}

// made makes a span; times are milliseconds.
func made(p Process, id, parent uint64, name string, from, to float64) Span {
	s := Span{
		Trace: traceID(1), ID: spanID(id), Parent: spanID(parent), Name: name, Kind: otlp.KindInternal, Start: at(from), End: at(to), Process: p, Scope: "nemo_gym",
		Group: "server", Bytes: 300, Hash: id<<1 | 1,
	}
	switch {
	case strings.HasPrefix(name, "HTTP "):
		s.Kind, s.Group = otlp.KindClient, "http_client"
	case strings.HasPrefix(name, "POST "):
		s.Kind, s.Route = otlp.KindServer, strings.TrimPrefix(name, "POST ")
	case name == semconv.SpanGymRollout:
		s.Group, s.Facts = "rollout", noFacts()
	}
	return s
}

func at(ms float64) uint64 { return base + uint64(int64(ms*1e6)) }

func noFacts() *Facts {
	return &Facts{Task: -1, Index: -1, Attempt: -1, Turns: -1, Calls: -1, TokensIn: -1, TokensOut: -1}
}

func ms(x float64) time.Duration { return time.Duration(x * 1e6) }

// ours is a rollout as our driver and agent send it, with one tool call. Split in ms: admission 10, pool 3, model 54, tools 8, verify 10,
// other 25 (see TestOurs).
func ours() []Span {
	root := made(driver, 1, 0, "gym.rollout", 0, 100)
	root.Rollout = "7-1-a2"
	root.Facts = &Facts{
		Task: 7, Index: 1, Attempt: 2, Environment: "multi_step", Agent: "agent", Outcome: "scored", Reward: 0.5, Scored: true,
		TokensIn: 30, TokensOut: 12, Turns: 2, Calls: 1, Admission: ms(10), Attributes: []Attribute{{"custom.key", "v1"}},
	}
	out := []Span{
		root,
		made(driver, 2, 1, "HTTP POST", 2, 99),
		made(agent, 3, 2, "POST /run", 4, 98),
		made(agent, 4, 3, "HTTP POST", 5, 9),
		made(resources, 5, 4, "POST /seed_session", 6, 8),
		made(agent, 6, 3, "HTTP POST", 10, 40),
		made(model, 7, 6, "POST /v1/responses", 13, 39),
		made(agent, 8, 3, "HTTP POST", 41, 51),
		made(resources, 9, 8, "POST /get_weather", 42, 50),
		made(agent, 10, 3, "HTTP POST", 52, 82),
		made(model, 11, 10, "POST /v1/responses", 53, 81),
		made(agent, 12, 3, "HTTP POST", 83, 95),
		made(resources, 13, 12, "POST /verify", 84, 94),
		made(resources, 14, 13, "gym.verify", 85, 93),
	}
	for i := range out {
		if out[i].Kind == otlp.KindClient {
			out[i].Rollout = "7-1-a2"
		}
	}
	out[1].Pool, out[5].Pool = ms(1), ms(2)
	return out
}

// renumber puts spans into another trace, with other ids, later.
func renumber(spans []Span, trace uint64, shift uint64, later float64) []Span {
	out := slices.Clone(spans)
	for i := range out {
		s := &out[i]
		s.Trace = traceID(trace)
		s.ID = spanID(binary.BigEndian.Uint64(s.ID[:]) + shift)
		if !s.Parent.IsZero() {
			s.Parent = spanID(binary.BigEndian.Uint64(s.Parent[:]) + shift)
		}
		s.Hash += shift << 1
		s.Start, s.End = s.Start+uint64(later*1e6), s.End+uint64(later*1e6)
	}
	return out
}

// python is n rollouts below one gym.job span, as a Python run sends them: gym.rollout in the agent, without anything said. Every rollout
// takes 80 ms: model 40, tools 10, verify 5, other 25.
func python(trace uint64, n int, p func(Process) Process) []Span {
	job := made(p(driver), 1, 0, "gym.job", 0, float64(100+10*n))
	job.Group = "job"
	out := []Span{job}
	for i := range n {
		id := uint64(100 * (i + 1))
		rollout := fmt.Sprintf("%d-%d", i/2, i%2)
		from := float64(10 * i)
		list := []Span{
			made(p(driver), id, 1, "HTTP POST", from, from+90),
			made(p(agent), id+1, id, "POST /run", from+2, from+88),
			made(p(agent), id+2, id+1, "gym.rollout", from+4, from+84),
			made(p(agent), id+3, id+2, "HTTP POST", from+5, from+60),
			made(p(agent), id+4, id+3, "POST /v1/responses", from+6, from+59), // the agent's call to itself
			made(p(model), id+5, id+4, "POST /v1/responses", from+8, from+48),
			made(p(model), id+6, id+5, "gym.model.responses", from+9, from+47),
			made(p(resources), id+7, id+4, "POST /get_weather", from+48, from+58),
			made(p(resources), id+8, id+2, "POST /verify", from+62, from+67),
			made(p(agent), id+9, id+1, "POST /run http send", from+85, from+87),
		}
		for k := range list {
			if list[k].Kind == otlp.KindClient || list[k].Facts != nil {
				list[k].Rollout = rollout
			}
		}
		list[5].TokensIn, list[5].TokensOut = 20, 5
		list[6].TokensIn, list[6].TokensOut = 20, 5 // the same tokens, once more
		out = append(out, list...)
	}
	for i := range out {
		out[i].Trace = traceID(trace)
	}
	return out
}

func same(p Process) Process { return p }

func shuffled[T any](rng *rand.Rand, list []T) []T {
	out := slices.Clone(list)
	rng.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}
