package web_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/lensgo/lens/viewer/web"
)

var rewrite = flag.Bool("update", false, "write the golden files")

// TestGolden holds every endpoint to its file in testdata/api. The files are the examples that the page's tests use.
func TestGolden(t *testing.T) {
	b := newBench(t, web.Options{Results: results(t), ResultsRun: runID, MaxBytes: 2e9, Received: func() web.Received {
		return web.Received{Requests: 7, Refused: 1, Spans: 88, RefusedSpans: 12, Logs: 1,
			Reasons:   []web.Reason{{What: "refused", Why: "body over 64 MiB", Spans: 12}},
			Listening: []web.Listener{{What: "OTLP over HTTP, protobuf and JSON", Address: "127.0.0.1:4318"}}}
	}})
	web.WaitResults(b.web)
	b.fill()
	b.fillMetrics()
	b.add(plainTrace())
	second := rollout(20, 0, 0, 0.5, "")
	for _, rs := range second.td.ResourceSpans().All() {
		rs.Resource().Attributes().PutStr("nemo.run.id", "demo-1129-0900")
	}
	b.add(second.td)
	one, two := newTrace(0).id.String(), newTrace(1).id.String()
	for name, path := range map[string]string{
		"status":            "/status",
		"runs":              "/runs",
		"services":          "/services",
		"run":               "/runs/" + runID,
		"run_filtered":      "/runs/" + runID + "?q=reward%3C0.5",
		"rollouts":          "/runs/" + runID + "/rollouts",
		"rollouts_page":     "/runs/" + runID + "/rollouts?sort=-dur&limit=2",
		"rollout":           "/runs/" + runID + "/rollout?env=multi_step&task=1&attempt=2",
		"tasks":             "/runs/" + runID + "/tasks",
		"traces":            "/traces",
		"trace":             "/traces/" + one,
		"trace_plain":       "/traces/" + newTrace(30).id.String(),
		"spans":             "/traces/" + one + "/spans",
		"spans_odd":         "/traces/" + newTrace(30).id.String() + "/spans",
		"span":              "/traces/" + one + "/spans/1900000000000001",
		"conversation":      "/traces/" + one + "/conversation",
		"conversation_none": "/traces/" + newTrace(30).id.String() + "/conversation",
		"logs":              "/traces/" + one + "/logs",
		"run_logs":          "/runs/" + runID + "/logs?level=info&limit=2",
		"run_logs_text":     "/runs/" + runID + "/logs?text=MODEL",
		"metrics":           "/metrics",
		"chart":             "/metrics/chart?run=" + runID + "&name=gym.model_call.duration_ms&unit=ms&by=*",
		"chart_rate":        "/metrics/chart?run=" + runID + "&name=gym.rollout.completed_total",
		"chart_value":       "/metrics/chart?run=" + runID + "&name=gym.sandbox.active",
		"groups":            "/groups?run=" + runID,
		"groups_all":        "/groups",
		"names":             "/names?run=" + runID + "&group=server",
		"compare_runs":      "/compare/runs?a=" + runID + "&b=demo-1129-0900",
		"compare_traces":    "/compare/traces?a=" + one + "&b=" + two,
		"complete_fields":   "/complete?run=" + runID + "&text=re",
		"complete_behind":   "/complete?run=" + runID + "&text=out",
		"complete_values":   "/complete?run=" + runID + "&text=-env:mul",
		"find":              "/find?text=demo",
		"find_rollout":      "/find?text=1-0",
		"error_query":       "/runs/" + runID + "/rollouts?q=envv:multi_step",
		"error_not_found":   "/traces/00112233445566778899aabbccddeeff",
		"error_removed":     "/traces/00112233445566778899aabbccddeeff?at=1500000000",
		"error_parameter":   "/runs?limit=1000",
	} {
		t.Run(name, func(t *testing.T) {
			w := b.get("/api/v1" + path)
			var got bytes.Buffer
			if err := json.Indent(&got, w.Body.Bytes(), "", " "); err != nil {
				t.Fatalf("%v in %s", err, w.Body)
			}
			got.WriteByte('\n')
			checkGolden(t, filepath.Join("testdata", "api", name+".json"), onDisk.ReplaceAll(got.Bytes(), []byte("${1}4096")))
		})
	}
}

// onDisk are sizes that depend on the compressor, and are none of this package's business.
var onDisk = regexp.MustCompile(`("store": \{\s*"bytes": |"stored_bytes": )\d+`)

func checkGolden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs; go test -update writes it anew. Got:\n%s", path, got)
	}
}

// plainTrace is of a program that knows nothing of rollouts, with everything odd that a trace can have.
func plainTrace() ptrace.Traces {
	tr := newTrace(30)
	shop := who{"checkout-api", "", ""}
	db := who{"postgres", "", ""}
	root := tr.span(shop, "", "GET /cart", ptrace.SpanKindServer, pcommon.SpanID{}, 20_000, 20_120, map[string]any{"http.response.status_code": 500})
	root.Status().SetCode(ptrace.StatusCodeError)
	root.Status().SetMessage("out of stock")
	tr.span(db, "", "SELECT", ptrace.SpanKindServer, root.SpanID(), 19_990, 20_050, nil)
	tr.span(shop, "", "render", ptrace.SpanKindInternal, root.SpanID(), 20_060, -1, nil)
	a := tr.span(shop, "", "twice", ptrace.SpanKindInternal, root.SpanID(), 20_070, 20_080, nil)
	c := tr.span(shop, "", "twice", ptrace.SpanKindInternal, root.SpanID(), 20_081, 20_085, nil)
	c.SetSpanID(a.SpanID())
	tr.span(shop, "", "lost", ptrace.SpanKindInternal, pcommon.SpanID{1, 2, 3, 4, 5, 6, 7, 8}, 20_100, 20_110, nil)
	return tr.td
}
