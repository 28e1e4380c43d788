package runs

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/lensgo/lens/semconv"
)

// traffic is what the processes of a few runs send: requests of up to 512 spans, each of one process, of hundreds of traces that go on at
// a time. Two thirds of the spans are of rollouts of 13 to 18, the others of a shop's traces of 16 with eight attributes each. Sent again
// after next it is other traces, of later times and other runs, so that it never ends.
type traffic struct {
	requests [][]byte
	spans    int

	ids, times, runs [][]int // where they are in each request
	lasts            uint64
	rounds           uint64
}

// next makes other traces of the same requests.
func (x *traffic) next() {
	x.rounds++
	for i, req := range x.requests {
		for _, at := range x.ids[i] {
			binary.LittleEndian.PutUint64(req[at:], binary.LittleEndian.Uint64(req[at:])+0x9E3779B97F4A7C15)
		}
		for _, at := range x.times[i] {
			binary.LittleEndian.PutUint64(req[at:], binary.LittleEndian.Uint64(req[at:])+x.lasts)
		}
		for _, at := range x.runs[i] {
			copy(req[at:], fmt.Sprintf("%08d", x.rounds))
		}
	}
}

// newTraffic makes so many requests.
func newTraffic(t testing.TB, n int) *traffic {
	t.Helper()
	g := &sender{t: t, rng: rand.New(rand.NewPCG(7, 8)), clock: base, full: n}
	for r := range 4 {
		g.fleets = append(g.fleets, g.fleet(fmt.Sprintf("run-%08d-%d", 0, r)))
	}
	for i := range 3 {
		g.shop = append(g.shop, g.process("", fmt.Sprintf("shop/service-%d", i), "", ""))
	}
	for len(g.out) < n {
		g.clock += uint64(g.rng.IntN(4_000_000))
		g.rollout(g.fleets[g.rng.IntN(len(g.fleets))])
		if g.rng.IntN(2) == 0 {
			g.purchase()
		}
	}
	x := &traffic{requests: g.out, lasts: g.clock - base + 60_000_000_000}
	for _, req := range x.requests {
		x.locate(req)
	}
	return x
}

// sender is the exporters of all processes.
type sender struct {
	t      testing.TB
	rng    *rand.Rand
	clock  uint64
	fleets [][]*process
	shop   []*process
	out    [][]byte
	full   int
}

type process struct {
	td     ptrace.Traces
	scopes map[string]ptrace.SpanSlice
	attrs  map[string]string
	spans  int
}

// Places of the processes of a fleet.
const (
	driverAt = iota
	agentAt
	modelAt
	resourcesAt
)

func (g *sender) fleet(run string) []*process {
	return []*process{
		g.process(run, "nemo-gym/supervisor", "supervisor", typeSupervisor), g.process(run, "nemo-gym/agent", "agent", typeAgent),
		g.process(run, "nemo-gym/policy_model", "policy_model", typeModel), g.process(run, "nemo-gym/example_multi_step", "example_multi_step", typeResources),
	}
}

func (g *sender) process(run, service, server, kind string) *process {
	p := &process{attrs: map[string]string{
		semconv.ServiceName: service, "host.name": "node-0042", "host.arch": "amd64", "os.type": "linux", "service.version": "1.4.2", "process.executable.name": "gym",
		"service.instance.id": fmt.Sprintf("%032x", g.rng.Uint64()), "process.runtime.name": "go", "process.runtime.version": "go1.26.8", "telemetry.sdk.language": "go",
		"telemetry.sdk.name": "opentelemetry", "telemetry.sdk.version": "1.47.0",
	}}
	if run != "" {
		p.attrs[semconv.NemoRunID], p.attrs[semconv.GymServerName], p.attrs[semconv.GymServerType] = run, server, kind
	}
	p.reset()
	return p
}

func (p *process) reset() {
	p.td, p.scopes, p.spans = ptrace.NewTraces(), map[string]ptrace.SpanSlice{}, 0
	rs := p.td.ResourceSpans().AppendEmpty()
	for k, v := range p.attrs {
		rs.Resource().Attributes().PutStr(k, v)
	}
}

// spansOf returns the spans of a group.
func (p *process) spansOf(group string) ptrace.SpanSlice {
	if s, ok := p.scopes[group]; ok {
		return s
	}
	ss := p.td.ResourceSpans().At(0).ScopeSpans().AppendEmpty()
	ss.Scope().SetName("nemo_gym")
	if group != "" {
		ss.Scope().Attributes().PutStr(semconv.LensGroup, group)
	}
	p.scopes[group] = ss.Spans()
	return ss.Spans()
}

// sent is a span that was made.
type sent struct {
	ptrace.Span
	trace pcommon.TraceID
	id    pcommon.SpanID
}

func (g *sender) trace() (id pcommon.TraceID) {
	binary.LittleEndian.PutUint64(id[:], g.rng.Uint64())
	binary.LittleEndian.PutUint64(id[8:], g.rng.Uint64())
	return id
}

// span makes a span from ms after the start of its trace to ms; the process sends when it has enough.
func (g *sender) span(p *process, group, name string, kind ptrace.SpanKind, up sent, from, to float64) sent {
	if p.spans == 512 {
		req, err := ptraceotlp.NewExportRequestFromTraces(p.td).MarshalProto()
		must(g.t, err)
		if len(g.out) < g.full {
			g.out = append(g.out, inOrder(nil, req, requestFields))
		}
		p.reset()
	}
	p.spans++
	s := sent{p.spansOf(group).AppendEmpty(), up.trace, pcommon.SpanID{}}
	binary.LittleEndian.PutUint64(s.id[:], g.rng.Uint64())
	s.SetTraceID(s.trace)
	s.SetSpanID(s.id)
	s.SetParentSpanID(up.id)
	s.SetName(name)
	s.SetKind(kind)
	s.SetFlags(259)
	s.SetStartTimestamp(pcommon.Timestamp(g.clock + uint64(from*1e6)))
	s.SetEndTimestamp(pcommon.Timestamp(g.clock + uint64(to*1e6) + uint64(g.rng.IntN(100_000))))
	return s
}

// call makes the CLIENT span of a call and its SERVER span.
func (g *sender) call(from, to *process, up sent, rollout, path string, at, until float64) {
	c := g.span(from, "http_client", "HTTP POST", ptrace.SpanKindClient, up, at, until)
	a := c.Attributes()
	a.PutStr("http.request.method", "POST")
	a.PutStr("server.address", "127.0.0.1")
	a.PutInt("server.port", 44581)
	a.PutStr("url.full", "http://127.0.0.1:44581"+path)
	a.PutStr(semconv.GymRolloutID, rollout)
	a.PutInt("http.response.status_code", 200)
	s := g.span(to, "server", "POST "+path, ptrace.SpanKindServer, c, at+0.1, until-0.1)
	a = s.Attributes()
	a.PutStr("http.request.method", "POST")
	a.PutStr("url.path", path)
	a.PutStr("url.scheme", "http")
	a.PutStr(semconv.HTTPRoute, path)
	a.PutInt("http.response.status_code", 200)
	if path == "/v1/responses" {
		a.PutInt(semconv.GenAIUsageInputTokens, int64(g.rng.IntN(4000)))
		a.PutInt(semconv.GenAIUsageOutputTokens, int64(g.rng.IntN(400)))
	}
}

// rollout makes a rollout. Spans come when they end.
func (g *sender) rollout(f []*process) {
	task, index := g.rng.IntN(5000), g.rng.IntN(8)
	id := fmt.Sprintf("%d-%d", task, index)
	none := sent{trace: g.trace()}
	root := g.span(f[driverAt], "rollout", "gym.rollout", ptrace.SpanKindInternal, none, 0, 110)
	post := g.span(f[driverAt], "http_client", "HTTP POST", ptrace.SpanKindClient, root, 0.1, 109)
	post.Attributes().PutStr(semconv.GymRolloutID, id)
	run := g.span(f[agentAt], "server", "POST /run", ptrace.SpanKindServer, post, 0.2, 108)
	run.Attributes().PutStr(semconv.HTTPRoute, "/run")
	g.call(f[agentAt], f[resourcesAt], run, id, "/seed_session", 1, 3)
	for turn := range 1 + g.rng.IntN(2) {
		g.call(f[agentAt], f[modelAt], run, id, "/v1/responses", float64(5+40*turn), float64(30+40*turn))
		g.call(f[agentAt], f[resourcesAt], run, id, "/get_weather", float64(31+40*turn), float64(40+40*turn))
	}
	g.call(f[agentAt], f[modelAt], run, id, "/v1/responses", 86, 95)
	g.call(f[agentAt], f[resourcesAt], run, id, "/verify", 97, 106)
	a := root.Attributes()
	a.PutStr(semconv.GymRolloutID, id)
	a.PutInt(semconv.GymTaskIndex, int64(task))
	a.PutInt(semconv.GymRolloutIndex, int64(index))
	a.PutInt(semconv.GymRolloutAttempt, 0)
	a.PutStr(semconv.GymAgentName, "agent")
	a.PutStr(semconv.GymEnvironmentName, "example_multi_step")
	a.PutDouble(semconv.GymRolloutReward, float64(g.rng.IntN(3))/2)
	a.PutStr(semconv.GymRolloutOutcome, semconv.OutcomeScored)
}

// purchase makes a trace of three services that know nothing of rollouts.
func (g *sender) purchase() {
	up := sent{trace: g.trace()}
	for i := range 16 {
		p := g.shop[i%len(g.shop)]
		s := g.span(p, "", []string{"GET /cart", "SELECT", "charge", "publish"}[i%4], ptrace.SpanKind(1+i%4), up, float64(i), float64(60-i))
		a := s.Attributes()
		a.PutStr("http.request.method", "GET")
		a.PutStr("url.full", fmt.Sprintf("http://127.0.0.1:%d/cart/items", 40_000+g.rng.IntN(4)))
		a.PutInt("http.response.status_code", 200)
		a.PutStr("user.id", fmt.Sprintf("user-%06d", g.rng.IntN(1_000_000)))
		a.PutStr("db.system", "postgresql")
		a.PutInt("db.rows", int64(g.rng.IntN(4000)))
		a.PutStr("peer.service", "inventory")
		a.PutDouble("cart.total", g.rng.Float64())
		if i < 3 {
			up = s
		}
	}
}

// parts are the fields of a message that are messages, by number.
type parts map[protowire.Number]parts

var requestFields = parts{1: {1: {1: {}}, 2: {1: {3: {}}, 2: {9: {}}}}}

// inOrder appends a message with its fields in the order of their numbers, as SDKs write them; pdata does not.
func inOrder(dst, msg []byte, p parts) []byte {
	type field struct {
		num   protowire.Number
		whole []byte
	}
	var list []field
	for len(msg) > 0 {
		num, kind, n := protowire.ConsumeTag(msg)
		whole := msg[:n+protowire.ConsumeFieldValue(num, kind, msg[n:])]
		msg = msg[len(whole):]
		if in, ok := p[num]; ok {
			b, _ := protowire.ConsumeBytes(whole[n:])
			whole = protowire.AppendBytes(protowire.AppendTag(nil, num, kind), inOrder(nil, b, in))
		}
		list = append(list, field{num, whole})
	}
	slices.SortStableFunc(list, func(a, b field) int { return cmp.Compare(a.num, b.num) })
	for _, f := range list {
		dst = append(dst, f.whole...)
	}
	return dst
}

// locate finds the trace ids, times and names of runs in a request.
func (x *traffic) locate(req []byte) {
	var ids, times, runs []int
	each(req, 0, func(num protowire.Number, b []byte, at int) {
		each(b, at, func(num protowire.Number, b []byte, at int) {
			if num == 1 { // resource
				each(b, at, func(_ protowire.Number, b []byte, at int) {
					each(b, at, func(num protowire.Number, b []byte, at int) {
						if num == 2 && len(b) > 14 && string(b[2:6]) == "run-" {
							runs = append(runs, at+6)
						}
					})
				})
				return
			}
			each(b, at, func(num protowire.Number, b []byte, at int) {
				if num != 2 {
					return
				}
				x.spans++
				each(b, at, func(num protowire.Number, _ []byte, at int) {
					switch num {
					case 1:
						ids = append(ids, at)
					case 7, 8:
						times = append(times, at)
					}
				})
			})
		})
	})
	x.ids, x.times, x.runs = append(x.ids, ids), append(x.times, times), append(x.runs, runs)
}

// each calls back for each field of a message that lies at an offset, with its value.
func each(msg []byte, base int, f func(num protowire.Number, value []byte, at int)) {
	for pos := 0; pos < len(msg); {
		num, kind, n := protowire.ConsumeTag(msg[pos:])
		pos += n
		size := protowire.ConsumeFieldValue(num, kind, msg[pos:])
		at := pos
		if kind == protowire.BytesType {
			b, _ := protowire.ConsumeBytes(msg[pos:])
			at = pos + size - len(b)
		}
		f(num, msg[at:pos+size], base+at)
		pos += size
	}
}
