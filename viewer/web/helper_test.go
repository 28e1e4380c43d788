package web_test

import (
	"context"
	"encoding/binary"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"go.uber.org/goleak"

	"github.com/lensgo/lens/viewer/logs"
	"github.com/lensgo/lens/viewer/runs"
	"github.com/lensgo/lens/viewer/series"
	"github.com/lensgo/lens/viewer/store"
	"github.com/lensgo/lens/viewer/web"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// begin is when everything in these tests starts: 2026-11-30 14:02:11 UTC.
var begin = time.Date(2026, 11, 30, 14, 2, 11, 0, time.UTC)

const runID = "demo-1130-1402"

// bench is a viewer over a small store.
type bench struct {
	t     testing.TB
	dir   string
	store *store.Store
	model *runs.Model
	web   *web.Handler
}

func newBench(t testing.TB, o web.Options) *bench {
	t.Helper()
	if o.Now == nil {
		o.Now = func() time.Time { return begin.Add(time.Minute) }
	}
	model := runs.NewModel(runs.Options{})
	dir := t.TempDir()
	metrics, records := series.NewModel(series.Options{}), logs.NewModel()
	s, err := store.Open(dir, store.Options{Summary: model, Metrics: metrics, Logs: records})
	if err != nil {
		t.Fatal(err)
	}
	o.Store, o.Runs, o.Metrics, o.Logs = s, model, metrics, records
	if o.Version == "" {
		o.Version = "0.3.0"
	}
	h, err := web.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.Background()
		if err := h.Close(ctx); err != nil {
			t.Error(err)
		}
		if err := s.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return &bench{t: t, dir: dir, store: s, model: model, web: h}
}

// get asks as the page does.
func (b *bench) get(path string, change ...func(*http.Request)) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "http://127.0.0.1:4319"+path, nil)
	for _, c := range change {
		c(r)
	}
	w := httptest.NewRecorder()
	b.web.ServeHTTP(w, r)
	return w
}

func header(name, value string) func(*http.Request) {
	return func(r *http.Request) { r.Header.Set(name, value) }
}

func (b *bench) add(td ptrace.Traces) {
	b.t.Helper()
	body, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.store.AddTraces(context.Background(), body); err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) addLogs(ld plog.Logs) {
	b.t.Helper()
	body, err := plogotlp.NewExportRequestFromLogs(ld).MarshalProto()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := b.store.AddLogs(context.Background(), body); err != nil {
		b.t.Fatal(err)
	}
}

// addFile adds a trace file in the OTLP JSON format.
func (b *bench) addFile(path string) {
	b.t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		b.t.Fatal(err)
	}
	td, err := (&ptrace.JSONUnmarshaler{}).UnmarshalTraces(body)
	if err != nil {
		b.t.Fatal(err)
	}
	b.add(td)
}

// trace builds a trace span by span.
type trace struct {
	id        pcommon.TraceID
	td        ptrace.Traces
	resources map[string]ptrace.ResourceSpans
	next      uint64
}

func newTrace(n int) *trace {
	tr := &trace{td: ptrace.NewTraces(), resources: map[string]ptrace.ResourceSpans{}, next: uint64(n) << 16}
	binary.BigEndian.PutUint64(tr.id[:8], 0x3a6ff850c1b14f0a)
	binary.BigEndian.PutUint64(tr.id[8:], uint64(n))
	return tr
}

// who is a process.
type who struct{ service, server, kind string }

var (
	driver    = who{"nemo-gym/supervisor", "supervisor", "supervisor"}
	agent     = who{"nemo-gym/multi_step_agent", "multi_step_agent", "responses_api_agents"}
	policy    = who{"nemo-gym/policy_model", "policy_model", "responses_api_models"}
	resources = who{"nemo-gym/multi_step", "multi_step", "resources_servers"}
)

// span adds a span; from and to are milliseconds since the begin.
func (tr *trace) span(p who, group, name string, kind ptrace.SpanKind, parent pcommon.SpanID, from, to float64, attrs map[string]any) ptrace.Span {
	key := p.service + "\x00" + group
	rs, ok := tr.resources[key]
	if !ok {
		rs = tr.td.ResourceSpans().AppendEmpty()
		a := rs.Resource().Attributes()
		a.PutStr("service.name", p.service)
		if p.kind != "" {
			a.PutStr("nemo.run.id", runID)
			a.PutStr("nemo.gym.server.name", p.server)
			a.PutStr("nemo.gym.server.type", p.kind)
		}
		scope := rs.ScopeSpans().AppendEmpty().Scope()
		scope.SetName("nemo_gym")
		scope.SetVersion("0.3.0")
		if group != "" {
			scope.Attributes().PutStr("lens.group", group)
		}
		tr.resources[key] = rs
	}
	s := rs.ScopeSpans().At(0).Spans().AppendEmpty()
	tr.next++
	var id pcommon.SpanID
	binary.BigEndian.PutUint64(id[:], 0x1900000000000000|tr.next)
	s.SetTraceID(tr.id)
	s.SetSpanID(id)
	s.SetParentSpanID(parent)
	s.SetName(name)
	s.SetKind(kind)
	s.SetStartTimestamp(clock(from))
	if to >= 0 {
		s.SetEndTimestamp(clock(to))
	}
	for _, key := range slices.Sorted(maps.Keys(attrs)) {
		if err := s.Attributes().PutEmpty(key).FromRaw(attrs[key]); err != nil {
			panic(err)
		}
	}
	return s
}

func clock(ms float64) pcommon.Timestamp {
	return pcommon.NewTimestampFromTime(begin.Add(time.Duration(ms * float64(time.Millisecond))))
}

// call adds a CLIENT span and its SERVER, half a millisecond inside.
func (tr *trace) call(from, to who, route string, parent pcommon.SpanID, at, end float64, attrs map[string]any) ptrace.Span {
	c := tr.span(from, "http_client", "HTTP POST", ptrace.SpanKindClient, parent, at, end,
		map[string]any{"http.request.method": "POST", "url.full": "http://127.0.0.1:10412" + route, "http.response.status_code": 200})
	all := map[string]any{"http.request.method": "POST", "http.route": route, "http.response.status_code": 200}
	for k, v := range attrs {
		all[k] = v
	}
	return tr.span(to, "server", "POST "+route, ptrace.SpanKindServer, c.SpanID(), at+0.5, end-0.5, all)
}

// rollout is a rollout of the kind that the demo makes: two turns and one tool.
func rollout(n, task, index int, reward float64, failure string) *trace {
	tr := newTrace(n)
	at := float64(n * 500)
	took := 1000 + float64(100*task+30*index)
	attrs := map[string]any{
		"nemo.gym.rollout.id": id(task, index), "nemo.gym.task.index": task, "nemo.gym.rollout.index": index,
		"nemo.gym.agent.name": "multi_step_agent", "nemo.gym.environment.name": "multi_step",
		"nemo.gym.rollout.turns": 2, "nemo.gym.rollout.tool_calls": 1, "gen_ai.usage.input_tokens": 300, "gen_ai.usage.output_tokens": 80,
		"nemo.gym.wait.admission_ms": 12.5,
	}
	if failure != "" {
		attrs["nemo.gym.rollout.outcome"], attrs["nemo.gym.failure_class"] = "failed", failure
	} else {
		attrs["nemo.gym.rollout.outcome"], attrs["nemo.gym.rollout.reward"] = "scored", reward
	}
	root := tr.span(driver, "rollout", "gym.rollout", ptrace.SpanKindInternal, pcommon.SpanID{}, at, at+took, attrs)
	if failure != "" {
		root.Status().SetCode(ptrace.StatusCodeError)
		root.Status().SetMessage("no answer within 30 s")
	}
	run := tr.call(driver, agent, "/run", root.SpanID(), at+1, at+took-1, nil).SpanID()
	tr.call(agent, resources, "/seed_session", run, at+3, at+9, nil)
	model := tr.call(agent, policy, "/v1/responses", run, at+10, at+400, map[string]any{"gen_ai.usage.output_tokens": 50, "gen_ai.operation.name": "chat"})
	e := model.Events().AppendEmpty()
	e.SetName("first output token")
	e.SetTimestamp(clock(at + 50))
	tr.call(agent, resources, "/get_synonym_value", run, at+401, at+430, nil)
	tr.call(agent, policy, "/v1/responses", run, at+431, at+took-60, map[string]any{"gen_ai.usage.output_tokens": 30})
	tr.call(agent, resources, "/verify", run, at+took-50, at+took-5, nil)
	l := root.Links().AppendEmpty()
	l.SetTraceID(newTrace(999).id)
	l.SetSpanID(pcommon.SpanID{9, 9, 9, 9, 9, 9, 9, 9})
	l.Attributes().PutStr("nemo.gym.link", "job")
	return tr
}

func id(task, index int) string { return string(rune('0'+task)) + "-" + string(rune('0'+index)) }

// fill adds six rollouts of three tasks, one of them failed, and the logs of the first.
func (b *bench) fill() {
	n := 0
	for task := range 3 {
		for index := range 2 {
			failure := ""
			if task == 2 && index == 1 {
				failure = "timeout"
			}
			b.add(rollout(n, task, index, float64((task+index)%2), failure).td)
			n++
		}
	}
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("service.name", agent.service)
	rl.Resource().Attributes().PutStr("nemo.run.id", runID)
	for i, text := range []string{"calling the model", "model answered", "verifying"} {
		l := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
		l.SetTraceID(newTrace(0).id)
		l.SetTimestamp(clock(float64(10 * (3 - i))))
		l.SetSeverityNumber(plog.SeverityNumberInfo)
		l.Body().SetStr(text)
		l.Attributes().PutInt("turn", int64(i))
	}
	b.addLogs(ld)
}

// results writes the results file of what fill adds, apart from the failed rollout.
func results(t testing.TB) string {
	path := filepath.Join(t.TempDir(), "results.jsonl")
	text := ""
	for task := range 3 {
		for index := range 2 {
			if task == 2 && index == 1 {
				continue
			}
			text += resultRow(task, index, (task+index)%2)
		}
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func resultRow(task, index, reward int) string {
	d := func(n int) string { return string(rune('0' + n)) }
	return `{"responses_create_params":{"input":[{"role":"user","content":"Find synonyms for \"Dry\"."}],"instructions":"Be brief."},` +
		`"response":{"output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"Arid may do."}]},` +
		`{"type":"function_call","name":"get_synonym_value","call_id":"call_1","arguments":"{\"synonym\":\"` + []string{"Arid", "Parched"}[index] + `\"}"},` +
		`{"type":"function_call_output","call_id":"call_1","output":"{\"synonym_value\":384}"},` +
		`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Done."}]}],"usage":{"output_tokens":80}},` +
		`"reward":` + d(reward) + `,"accuracy":` + []string{"false", "true"}[reward] + `,"expected":[384,605],"_ng_task_index":` + d(task) +
		`,"_ng_rollout_index":` + d(index) + `,"agent_ref":{"name":"multi_step_agent"}}` + "\n"
}
