package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/lensgo/lens/semconv"
)

// build makes commands of this repository, as a user gets them.
func build(t *testing.T, names ...string) (folder string) {
	t.Helper()
	folder = t.TempDir()
	args := []string{"build", "-o", folder + "/"}
	for _, name := range names {
		args = append(args, "./"+name)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir = filepath.Join("..", "..", "cmd")
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("cannot build %q: %v\n%s", names, err, out)
	}
	return folder
}

// What the real commands send, a Collector takes: lens emit-spans, and gym with all of its servers.
func TestPrograms(t *testing.T) {
	commands := build(t, "lens", "gym")
	for _, protocol := range protocols {
		t.Run("lens emit-spans "+protocol, func(t *testing.T) { emitSpans(t, filepath.Join(commands, "lens"), protocol) })
	}
	for _, protocol := range protocols {
		t.Run("gym eval run "+protocol, func(t *testing.T) { evalRun(t, filepath.Join(commands, "gym"), protocol) })
	}
}

func emitSpans(t *testing.T, lens, protocol string) {
	c := collect(t, nil)
	p := start(t, sending(c.endpoint(protocol, "http"), protocol, "gzip"), lens, "emit-spans", "--service", "job", "--span", "load,1700000001.5,1700000002,job",
		"--attr", "shards:=4", "--attr", "where=ü", "--kind", "client", "--status", "error:no such file", "--link", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
		"--span", "job,1700000000.000000001,1700000010")
	p.ends(t)
	c.end(t)
	got := map[string]string{}
	for _, td := range received(t, c.folder).traces {
		for _, one := range spans(td, true) {
			r := one.ResourceSpans().At(0)
			s := r.ScopeSpans().At(0).Spans().At(0)
			service, _ := r.Resource().Attributes().Get("service.name")
			text := fmt.Sprint(service.AsString(), " ", s.StartTimestamp().AsTime().UnixNano(), " ", s.EndTimestamp().AsTime().UnixNano(), " ", s.Kind(), " ",
				s.Status().Code(), " ", s.Status().Message(), " ", s.Attributes().AsRaw(), " child ", !s.ParentSpanID().IsEmpty())
			for _, l := range s.Links().All() {
				text += " link " + l.TraceID().String() + l.SpanID().String()
			}
			got[s.Name()] = text
		}
	}
	want := map[string]string{
		"load": "job 1700000001500000000 1700000002000000000 Client Error no such file map[shards:4 where:ü] child true link 0af7651916cd43dd8448eb211c80319cb7ad6b7169203331",
		"job":  "job 1700000000000000001 1700000010000000000 Internal Unset  map[] child false",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("arrived is\n%q\nwant\n%q", got, want)
	}
}

const (
	gymConfig = `model:
  responses_api_models:
    synthetic_model: {entrypoint: app.py, mistake_rate: 0, latency: {distribution: none}}
weather:
  resources_servers:
    example_single_tool_call: {entrypoint: app.py, domain: agent}
agent:
  responses_api_agents:
    simple_agent:
      entrypoint: app.py
      resources_server: {type: resources_servers, name: weather}
      model_server: {type: responses_api_models, name: model}
`
	gymTask = `{"responses_create_params":{"input":"What is the weather like in 'Oslo', for the %d. time?","tools":[{"type":"function","name":"get_weather","strict":true,` +
		`"parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]}}` + "\n"
	gymRollouts = 40
)

// evalRun runs rollouts with servers in processes of their own. Over HTTP every item that leaves one of them must arrive, and the same; over
// gRPC every rollout must be there as a whole trace.
func evalRun(t *testing.T, gym, protocol string) {
	c := collect(t, nil)
	endpoint := c.endpoint(protocol, "http")
	var between *witness
	if protocol != "grpc" {
		between = watch(t, endpoint)
		endpoint = between.server.URL
	}
	dir := t.TempDir()
	var tasks strings.Builder
	for i := range gymRollouts {
		fmt.Fprintf(&tasks, gymTask, i)
	}
	for name, text := range map[string]string{"config.yaml": gymConfig, "tasks.jsonl": tasks.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := start(t, []string{
		"NEMO_GYM_OTEL_ENABLED=1", "NEMO_GYM_OTEL_SPAN_GROUPS=all", "NEMO_GYM_OTEL_CONTENT=1", "NEMO_LENS_SPOOL_DIR=" + dir + "/spool", "NEMO_LENS_DETECT_TIMEOUT=60000",
		"OTEL_EXPORTER_OTLP_ENDPOINT=" + endpoint, "OTEL_EXPORTER_OTLP_PROTOCOL=" + protocol, "OTEL_EXPORTER_OTLP_COMPRESSION=gzip",
	}, gym, "eval", "run", "--config", filepath.Join(dir, "config.yaml"), "--input", filepath.Join(dir, "tasks.jsonl"),
		"--output", filepath.Join(dir, "results.jsonl"), "--agent", "agent", "--concurrency", "8")
	p.ends(t)
	if says := p.errs.String(); strings.Contains(says, "telemetry:") {
		t.Errorf("gym says\n%s", says)
	}
	c.end(t)
	got := received(t, c.folder)
	checkRollouts(t, got)
	if between != nil {
		between.check(t, got)
	}
}

// checkRollouts holds that every rollout is there with its whole tree, and metrics of every process.
func checkRollouts(t *testing.T, d telemetryData) {
	t.Helper()
	names, ids, services := map[string]int{}, map[string]bool{}, map[string]bool{}
	var parents []string
	for _, td := range d.traces {
		for _, one := range spans(td, false) {
			s := one.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
			names[s.Name()]++
			ids[s.TraceID().String()+s.SpanID().String()] = true
			if !s.ParentSpanID().IsEmpty() {
				parents = append(parents, s.TraceID().String()+s.ParentSpanID().String())
			}
		}
	}
	if n := names[semconv.SpanGymRollout]; n != gymRollouts || len(ids) < 18*gymRollouts {
		t.Errorf("%d rollouts and %d spans have arrived: %v", n, len(ids), names)
	}
	if orphans := slices.DeleteFunc(parents, func(p string) bool { return ids[p] }); len(orphans) > 0 {
		t.Errorf("%d spans have arrived without their parent", len(orphans))
	}
	for _, md := range d.metrics {
		for _, r := range md.ResourceMetrics().All() {
			service, _ := r.Resource().Attributes().Get("service.name")
			services[service.AsString()] = true
		}
	}
	if len(services) != 4 {
		t.Errorf("metrics are of %v, want the driver and three servers", services)
	}
}

// witness passes requests on to a Collector, and keeps what was in them and what was answered.
type witness struct {
	server *httptest.Server

	mu       sync.Mutex
	sent     telemetryData
	problems []string
}

func watch(t *testing.T, to string) *witness {
	t.Helper()
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	w := &witness{}
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }, ModifyResponse: w.answer}
	w.server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err == nil {
			err = w.keep(r, body)
		}
		w.note(err)
		r.Body = io.NopCloser(bytes.NewReader(body))
		proxy.ServeHTTP(rw, r)
	}))
	t.Cleanup(w.server.Close)
	return w
}

func (w *witness) note(err error) {
	if err != nil {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.problems = append(w.problems, err.Error())
	}
}

// keep reads a request.
func (w *witness) keep(r *http.Request, body []byte) error {
	if got := r.Header.Get("Content-Encoding"); got != "gzip" {
		return fmt.Errorf("a request has the encoding %q", got)
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return err
	}
	if body, err = io.ReadAll(z); err != nil {
		return err
	}
	traces, metrics, logs := ptraceotlp.NewExportRequest(), pmetricotlp.NewExportRequest(), plogotlp.NewExportRequest()
	to := map[string]interface {
		UnmarshalProto([]byte) error
		UnmarshalJSON([]byte) error
	}{"/v1/traces": traces, "/v1/metrics": metrics, "/v1/logs": logs}[r.URL.Path]
	if r.Header.Get("Content-Type") == "application/json" {
		err = to.UnmarshalJSON(body)
	} else {
		err = to.UnmarshalProto(body)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent.traces = append(w.sent.traces, traces.Traces())
	w.sent.metrics = append(w.sent.metrics, metrics.Metrics())
	w.sent.logs = append(w.sent.logs, logs.Logs())
	return err
}

// answer holds that the Collector took the whole request: what it writes as a partial success has nothing in it.
func (w *witness) answer(r *http.Response) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	if text := string(body); r.StatusCode != http.StatusOK || text != "\n\x00" && text != `{"partialSuccess":{}}` {
		w.note(fmt.Errorf("the Collector answered %s with %q", r.Status, text))
	}
	return nil
}

// check compares what was sent with what the Collector got.
func (w *witness) check(t *testing.T, d telemetryData) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range w.problems {
		t.Error(p)
	}
	sent, got := w.sent.items(t, true), d.items(t, true)
	slices.Sort(sent)
	slices.Sort(got)
	if len(sent) != len(got) {
		t.Errorf("%d items were sent and %d have arrived", len(sent), len(got))
	}
	for i := range min(len(sent), len(got)) {
		if sent[i] != got[i] {
			t.Fatalf("sent was\n%s\nand arrived is\n%s", sent[i], got[i])
		}
	}
	t.Logf("%d items", len(sent))
}
