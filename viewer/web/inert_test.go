package web_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/lensgo/lens/viewer/web"
)

// evil is text that has hurt other viewers: markup, ends of script, separators that JavaScript takes for line ends, control
// characters, bytes that are no UTF-8, names that objects inherit.
var evil = []string{
	`<script>alert(1)</script>`, `</script><img src=x onerror=alert(1)>`, `"><svg/onload=alert(1)>`, `javascript:alert(1)`, `<!--<script>`,
	"{{constructor.constructor('alert(1)')()}}", "\u2028alert(1)\u2029", "\x00\x1b[2J\x1b]0;x\x07", "a\nb\r\nevent: bye\ndata: {}\n\n", "\xff\xfe\xc3(",
	"\u202etxt.exe", "__proto__", "constructor", `%3Cscript%3E`, `&lt;script&gt;`, "' OR 1=1 --", "../../etc/passwd", strings.Repeat("A", 70_000),
}

// TestInert sends hostile text through every place that a sender can write to, and looks at the answers' bytes: nothing that
// a browser could take for markup, whatever it took the answer for; one line; strict JSON; the text itself intact.
func TestInert(t *testing.T) {
	for _, text := range evil {
		path := filepath.Join(t.TempDir(), "results.jsonl")
		quoted, _ := json.Marshal(text)
		q := string(quoted)
		os.WriteFile(path, []byte(`{"responses_create_params":{"input":`+q+`,"instructions":`+q+`},"response":{"output":[{"type":"function_call","name":`+q+
			`,"call_id":`+q+`,"arguments":`+q+`},{"type":"function_call_output","call_id":`+q+`,"output":`+q+`},{"type":`+q+`}]},`+q+`:`+q+
			`,"reward":1,"_ng_task_index":0,"_ng_rollout_index":0}`+"\n"), 0o600)
		b := newBench(t, web.Options{Results: path, Version: text})
		web.WaitResults(b.web)
		tr, span := evilTrace(text)
		b.add(tr.td)
		b.addLogs(evilLogs(text, tr))
		b.addMetrics(who{text, text, "supervisor"}, evilMetrics(text))
		e := url.QueryEscape(text)
		p := url.PathEscape(text)
		if len(text) > 1000 {
			e, p = "x", "x"
		}
		for _, path := range []string{
			"/status", "/runs", "/services", "/runs/" + p, "/runs/" + p + "/rollouts", "/runs/" + p + "/tasks", "/runs/" + p + "/rollout?env=" + e + "&task=0&attempt=1",
			"/traces", "/traces/" + tr.id.String(), "/traces/" + tr.id.String() + "/spans", "/traces/" + tr.id.String() + "/spans/" + span,
			"/traces/" + tr.id.String() + "/conversation", "/traces/" + tr.id.String() + "/logs", "/groups", "/groups?run=" + e, "/names", "/names?run=" + e + "&group=" + e,
			"/compare/runs?a=" + e + "&b=" + e, "/compare/traces?a=" + tr.id.String() + "&b=" + tr.id.String(), "/complete?text=" + e, "/complete?for=traces&text=env:" + e,
			"/metrics", "/metrics?run=" + e, "/metrics/chart?run=" + runID + "&name=" + e, "/metrics/chart?run=" + runID + "&name=m&by=" + e, "/runs/" + p + "/logs", "/runs/" + runID + "/logs?text=" + e,
			"/find?text=" + e, "/runs?q=" + e, "/runs?sort=" + e, "/runs?cursor=" + e, "/traces/" + p, "/" + p,
		} {
			checkInert(t, b.get("/api/v1"+path), path)
		}
	}
}

func checkInert(t *testing.T, w *httptest.ResponseRecorder, path string) {
	t.Helper()
	body := w.Body.String()
	if w.Code >= 500 {
		t.Errorf("%.80s: got %d %.300s", path, w.Code, body)
	}
	if w.Code/100 == 3 {
		return // the mux has cleaned the path
	}
	if kind := w.Header().Get("Content-Type"); kind != "application/json" {
		t.Errorf("%.80s: Content-Type %q", path, kind)
	}
	if !json.Valid([]byte(body)) {
		t.Errorf("%.80s: no JSON: %.300s", path, body)
	}
	if i := strings.IndexAny(body, "<>&\x00\x1b\n\r\u2028\u2029"); i >= 0 {
		t.Errorf("%.80s: byte %q at %d of %.300s", path, body[i], i, body[max(0, i-50):])
	}
	if strings.ToValidUTF8(body, "") != body {
		t.Errorf("%.80s: no UTF-8", path)
	}
	if len(body) > 4<<20 {
		t.Errorf("%.80s: %d bytes", path, len(body))
	}
}

func evilTrace(text string) (*trace, string) {
	tr := newTrace(1)
	p := who{text, text, "supervisor"}
	s := tr.span(p, text, "gym.rollout", ptrace.SpanKindInternal, pcommon.SpanID{}, 0, 10, map[string]any{
		text: text, "list": []any{text, map[string]any{text: text}}, "nemo.gym.rollout.id": text, "nemo.gym.environment.name": text, "nemo.gym.agent.name": text,
		"nemo.gym.task.index": 0, "nemo.gym.rollout.index": 0, "nemo.gym.rollout.outcome": "failed", "nemo.gym.failure_class": text,
		"nemo.span.truncated.reason": text,
	})
	s.Status().SetCode(ptrace.StatusCodeError)
	s.Status().SetMessage(text)
	s.TraceState().FromRaw(text)
	e := s.Events().AppendEmpty()
	e.SetName(text)
	e.Attributes().PutStr(text, text)
	l := s.Links().AppendEmpty()
	l.SetTraceID(tr.id)
	l.Attributes().PutStr(text, text)
	c := tr.span(p, text, text, ptrace.SpanKindClient, s.SpanID(), 1, 9, map[string]any{"nemo.span.truncated": true, "nemo.span.truncated.reason": text})
	c.TraceState().FromRaw(text)
	res := tr.td.ResourceSpans().At(0).Resource().Attributes()
	res.PutStr("nemo.run.id", text)
	res.PutStr(text, text)
	sc := tr.td.ResourceSpans().At(0).ScopeSpans().At(0).Scope()
	sc.SetName(text)
	sc.SetVersion(text)
	sc.Attributes().PutStr(text, text)
	return tr, s.SpanID().String()
}

func evilLogs(text string, tr *trace) plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("service.name", text)
	rl.Resource().Attributes().PutStr("nemo.run.id", runID)
	l := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	l.SetTraceID(tr.id)
	l.SetSeverityText(text)
	l.Body().SetStr(text)
	l.Attributes().PutStr(text, text)
	return ld
}

func evilMetrics(text string) func(pmetric.MetricSlice) {
	return func(ms pmetric.MetricSlice) {
		for _, name := range []string{text, "m"} {
			m := ms.AppendEmpty()
			m.SetName(name)
			m.SetUnit(text)
			m.SetDescription(text)
			p := m.SetEmptySum().DataPoints().AppendEmpty()
			p.SetTimestamp(clock(10))
			p.SetStartTimestamp(clock(0))
			p.SetDoubleValue(1)
			p.Attributes().PutStr(text, text)
		}
	}
}

// FuzzQuery asks everything with any parameters: an answer or a fault, never a 500, always inert JSON.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{"q=reward%3C0.5+env%3Amulti", "sort=-dur&limit=3&cursor=x", "a=3a&b=3a&at=-1", "text=env:m&for=traces&run=x", "from=4&limit=9&version=1",
		"q=%22%ff&group=&since_ns=9", "trace=x", "env=multi_step&task=0&attempt=1&retry=0",
		"run=" + runID + "&name=gym.rollout.completed_total&by=*&from=1&points=2&lines=1&shows=rate&unit=", "level=warn&text=MODEL&cursor=0-1&limit=2"} {
		f.Add(seed, uint8(0))
	}
	b := newBench(f, web.Options{})
	b.fill()
	b.fillMetrics()
	id := newTrace(0).id.String()
	paths := []string{"status", "runs", "services", "runs/" + runID, "runs/" + runID + "/rollouts", "runs/" + runID + "/tasks", "runs/" + runID + "/rollout", "traces",
		"traces/" + id, "traces/" + id + "/spans", "traces/" + id + "/spans/1900000000000001", "traces/" + id + "/conversation", "traces/" + id + "/logs",
		"groups", "names", "compare/runs", "compare/traces", "complete", "find", "metrics", "metrics/chart", "runs/" + runID + "/logs"}
	f.Fuzz(func(t *testing.T, query string, n uint8) {
		path := paths[int(n)%len(paths)]
		w := b.get("/api/v1/status", func(r *http.Request) {
			r.URL.Path, r.URL.RawQuery = "/api/v1/"+path, query
		})
		checkInert(t, w, path)
	})
}
