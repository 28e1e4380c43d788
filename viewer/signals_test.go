package viewer_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lensgo/lens/viewer"
)

// recorded are three exports of a program that uses the stock SDK of OpenTelemetry for Go 1.47 and its exporter otlpmetrichttp, a
// second apart: names of Gym and GenAI; a histogram, an exponential one, counters, gauges, an up-down counter.
const recorded = "series/testdata/sdk-%d.pb"

// post sends a request over OTLP.
func post(t *testing.T, v *viewer.Viewer, path, kind string, body []byte) {
	t.Helper()
	resp, err := http.Post(v.OTLPEndpoint()+path, kind, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d", path, resp.StatusCode)
	}
}

// answers asks the page of a viewer.
func answers(t *testing.T, v *viewer.Viewer, paths ...string) (list []string) {
	t.Helper()
	base, err := url.Parse(v.URL())
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for _, path := range paths {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+base.Host+"/api/v1"+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+base.Query().Get("token"))
		resp, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s %v", path, resp.StatusCode, b, err)
		}
		list = append(list, string(b))
	}
	return list
}

// TestSignalsStay sends what the stock SDK sends, and asks for it again from what a killed process left behind, and after a restart: the
// same charts, to the digit, and the same logs.
func TestSignalsStay(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	v := start(t, viewer.Options{Data: data, OTLPHTTP: "127.0.0.1:0"})
	for i := 1; i <= 3; i++ {
		body, err := os.ReadFile(fmt.Sprintf(recorded, i))
		if err != nil {
			t.Fatal(err)
		}
		post(t, v, "/v1/metrics", "application/x-protobuf", body)
		post(t, v, "/v1/logs", "application/json", fmt.Appendf(nil, `{"resourceLogs":[{"resource":{"attributes":[{"key":"nemo.run.id","value":{"stringValue":"sdk-run"}}]},
			"scopeLogs":[{"logRecords":[{"timeUnixNano":"179600000%d000000000","severityNumber":17,"body":{"stringValue":"line %d"}}]}]}]}`, i, i))
	}
	paths := []string{"/metrics?run=sdk-run", "/runs/sdk-run/logs?level=error"}
	for _, name := range []string{"gym.model_call.duration_ms", "gym.rollout.completed_total", "gym.sandbox.active", "gym.servers.active", "gym.server.memory.usage",
		"gen_ai.client.operation.duration", "gen_ai.client.token.usage", "process.cpu.time"} {
		paths = append(paths, "/metrics/chart?run=sdk-run&name="+name)
	}
	before := answers(t, v, paths...)
	for i, want := range []string{`"total":8`, `"matched":3`, `"counts":[`, `"increases":[`, `"columns":["value"]`, `"columns":["value"]`, `"unit":"By"`, `"kind":"exponential_histogram"`, `"unit":"{token}"`, `"shows":"rate"`} {
		if !strings.Contains(before[i], want) {
			t.Errorf("%s has no %s: %s", paths[i], want, before[i])
		}
	}

	killed := filepath.Join(t.TempDir(), "data")
	if err := os.CopyFS(killed, os.DirFS(data)); err != nil {
		t.Fatal(err)
	}
	stop(t, v)
	for name, dir := range map[string]string{"killed": killed, "restarted": data} {
		again := start(t, viewer.Options{Data: dir})
		for i, got := range answers(t, again, paths...) {
			if got != before[i] {
				t.Errorf("%s: %s\n%s\nbefore\n%s", name, paths[i], got, before[i])
			}
		}
		stop(t, again)
	}
}
