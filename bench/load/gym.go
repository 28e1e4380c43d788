package load

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/lensgo/lens/semconv"
)

// A wave of Gym is 512 rollouts of 13 spans, so that each process has whole requests: 2, 6, 3 and 2 of them.
const (
	gymRollouts = Batch
	gymAttempts = 4 // of a task
	gymSpans    = 13
)

var (
	gymTools    = []string{"/get_weather", "/get_synonym_value", "/extract_synonym_values", "/increment_counter"}
	gymFailures = []string{semconv.FailureTimeout, semconv.FailureJudge, semconv.FailureAgentRun}
	gymEnvs     = []string{"multi_step", "session_state", "single_tool_call"}
)

// gymWave makes the requests of a wave, in the order in which they come.
func gymWave(rng *rand.Rand) []ptrace.Traces {
	byProcess := map[process][]span{}
	for n := range gymRollouts {
		r := rollout{rng: rng, trace: traceID(rng), task: firstTask + n/gymAttempts, index: n % gymAttempts, start: time.Duration(n) * 100 * time.Millisecond}
		for _, s := range r.spans() {
			byProcess[s.from] = append(byProcess[s.from], s)
		}
	}
	type sent struct {
		td ptrace.Traces
		at float64
	}
	var all []sent
	for _, p := range []process{resources, model, agent, driver} { // where they end at the same time, children first
		list := byProcess[p]
		for i := 0; i < len(list); i += Batch {
			all = append(all, sent{request(list[i:i+Batch], rng), float64(i+Batch) / float64(len(list))})
		}
	}
	slices.SortStableFunc(all, func(a, b sent) int { return int(math.Copysign(1, a.at-b.at)) * btoi(a.at != b.at) })
	out := make([]ptrace.Traces, len(all))
	for i := range all {
		out[i] = all[i].td
	}
	return out
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// rollout makes the spans of one, as the demo sends them: one tool call, two model turns.
type rollout struct {
	rng         *rand.Rand
	trace       pcommon.TraceID
	parent      pcommon.SpanID // of the root, where it is not the trace's
	task, index int
	start       time.Duration

	out []span
}

func (r *rollout) id() string { return fmt.Sprintf("%d-%d", r.task, r.index) }

func (r *rollout) spans() []span {
	r.out = make([]span, 0, gymSpans)
	ms := func(most int) time.Duration { return time.Duration(1+r.rng.IntN(most*1000)) * time.Microsecond }
	think := func() time.Duration { return time.Duration(float64(time.Second) * math.Exp(r.rng.NormFloat64())) }
	root := spanID(r.rng)
	at := ms(10)
	run, inside := r.call(driver, agent, "/run", root, at)
	t := at + ms(3)
	for _, c := range []struct {
		to    process
		route string
		took  time.Duration
	}{{resources, "/seed_session", ms(5)}, {model, "/v1/responses", think()}, {resources, gymTools[r.rng.IntN(len(gymTools))], ms(80)}, {model, "/v1/responses", think()}, {resources, "/verify", ms(60)}} {
		client, server := r.call(agent, c.to, c.route, r.out[inside].id, t)
		r.end(server, c.took)
		r.end(client, c.took+ms(2))
		t += r.out[client].took + ms(1)
	}
	r.end(inside, t-at)
	r.end(run, t-at+ms(2))
	r.root(root, at+r.out[run].took+ms(1))
	return r.out
}

func (r *rollout) end(i int, took time.Duration) { r.out[i].took = took }

// call adds the two spans of a call, and returns where they are.
func (r *rollout) call(from, to process, route string, parent pcommon.SpanID, at time.Duration) (client, server int) {
	id := r.id()
	port := 40_000 + len(to.server)*37
	r.out = append(r.out, span{from: from, group: "http_client", name: semconv.SpanHTTPPost, kind: ptrace.SpanKindClient, trace: r.trace, id: spanID(r.rng), parent: parent, start: r.start + at,
		attrs: func(a pcommon.Map) {
			a.PutStr(semconv.HTTPRequestMethod, "POST")
			a.PutStr(semconv.ServerAddress, "127.0.0.1")
			a.PutInt(semconv.ServerPort, int64(port))
			a.PutStr(semconv.URLFull, fmt.Sprintf("http://127.0.0.1:%d%s", port, route))
			a.PutStr(semconv.GymRolloutID, id)
			a.PutInt(semconv.HTTPResponseStatusCode, 200)
		}})
	client = len(r.out) - 1
	r.out = append(r.out, span{from: to, group: "server", name: "POST " + route, kind: ptrace.SpanKindServer, trace: r.trace, id: spanID(r.rng), parent: r.out[client].id, start: r.start + at + 300*time.Microsecond,
		attrs: func(a pcommon.Map) {
			a.PutStr(semconv.HTTPRequestMethod, "POST")
			a.PutStr(semconv.URLScheme, "http")
			a.PutStr(semconv.URLPath, route)
			a.PutStr(semconv.ServerAddress, "127.0.0.1")
			a.PutInt(semconv.ServerPort, int64(port))
			a.PutStr(semconv.ClientAddress, "127.0.0.1")
			a.PutStr(semconv.NetworkProtocolVersion, "1.1")
			a.PutStr(semconv.UserAgentOriginal, "Go-http-client/1.1")
			a.PutStr(semconv.HTTPRoute, route)
			a.PutInt(semconv.HTTPResponseStatusCode, 200)
		}})
	return client, client + 1
}

// root adds gym.rollout.
func (r *rollout) root(id pcommon.SpanID, took time.Duration) {
	failure := ""
	if r.rng.IntN(25) == 0 {
		failure = gymFailures[r.rng.IntN(len(gymFailures))]
	}
	s := span{from: driver, group: "rollout", name: semconv.SpanGymRollout, kind: ptrace.SpanKindInternal, trace: r.trace, id: id, parent: r.parent, start: r.start, took: took}
	if failure != "" {
		s.failed = "no answer within 30 s"
	}
	s.attrs = func(a pcommon.Map) {
		a.PutStr(semconv.GymRolloutID, r.id())
		a.PutInt(semconv.GymTaskIndex, int64(r.task))
		a.PutInt(semconv.GymRolloutIndex, int64(r.index))
		a.PutInt(semconv.GymRolloutAttempt, 0)
		a.PutStr(semconv.GymAgentName, agent.server)
		a.PutDouble(semconv.GymWaitAdmission, r.rng.Float64()*20)
		a.PutStr(semconv.GymEnvironmentName, gymEnvs[r.task%len(gymEnvs)])
		if failure != "" {
			a.PutStr(semconv.GymRolloutOutcome, semconv.OutcomeFailed)
			a.PutStr(semconv.GymFailureClass, failure)
		} else {
			a.PutStr(semconv.GymRolloutOutcome, semconv.OutcomeScored)
			a.PutDouble(semconv.GymRolloutReward, float64(r.rng.IntN(5))/4)
		}
		a.PutInt(semconv.GymRolloutTurns, 2)
		a.PutInt(semconv.GymRolloutToolCalls, 1)
		a.PutInt(semconv.GenAIUsageInputTokens, int64(20+r.rng.IntN(4000)))
		a.PutInt(semconv.GenAIUsageOutputTokens, int64(1+r.rng.IntN(900)))
	}
	r.out = append(r.out, s)
}
