package backends_test

import (
	"bufio"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// keys are what a user has in the environment beside what the page gives.
var keys = []string{"HONEYCOMB_API_KEY=hive1", "WANDB_API_KEY=weave1", "DD_API_KEY=dog1"}

// settings are the requests that follow from the blocks of the page, by the heading that a block stands under, in their order.
var settings = map[string][]map[string]wanted{
	"The local stack": {{
		"traces":  {url: "http://localhost:4318/v1/traces"},
		"metrics": {url: "http://localhost:4318/v1/metrics"},
		"logs":    {url: "http://localhost:4318/v1/logs"},
	}},
	"Without a Collector": {{
		"traces":  {url: "http://localhost:4318/v1/traces"},
		"metrics": {url: "http://localhost:9090/api/v1/otlp/v1/metrics"},
		"logs":    {url: "http://localhost:3100/otlp/v1/logs"},
	}},
	"OpenTelemetry Collector": {{
		"traces":  {url: "http://localhost:4318/v1/traces", gzip: true},
		"metrics": {url: "http://localhost:4318/v1/metrics", gzip: true},
		"logs":    {url: "http://localhost:4318/v1/logs", gzip: true},
	}},
	"Jaeger": {{"traces": {url: "http://localhost:4318/v1/traces"}}},
	"Honeycomb": {{
		"traces": {url: "https://api.honeycomb.io/v1/traces", gzip: true, headers: map[string]string{"x-honeycomb-team": "hive1"}},
		"metrics": {url: "https://api.honeycomb.io/v1/metrics", gzip: true,
			headers: map[string]string{"x-honeycomb-team": "hive1", "x-honeycomb-dataset": "lens-metrics"}},
		"logs": {url: "https://api.honeycomb.io/v1/logs", gzip: true, headers: map[string]string{"x-honeycomb-team": "hive1"}},
	}},
	"W&B Weave": {
		{"traces": {url: "https://trace.wandb.ai/otel/v1/traces", headers: map[string]string{"wandb-api-key": "weave1"},
			resource: map[string]string{"wandb.entity": "my-team", "wandb.project": "gym"}}},
		{"traces": {url: "https://trace.wandb.ai/otel/v1/traces", headers: map[string]string{"Authorization": "Basic YXBpOndlYXZlMQ=="}, // api:weave1
			resource: map[string]string{"wandb.entity": "my-team", "wandb.project": "gym"}}},
	},
	"The Agent": {{
		"traces":  {url: "http://localhost:4318/v1/traces"},
		"metrics": {url: "http://localhost:4318/v1/metrics", deltas: true},
		"logs":    {url: "http://localhost:4318/v1/logs"},
	}},
	"Without an Agent": {{ // whose answer is 202
		"traces": {url: "https://otlp.datadoghq.com/v1/traces", gzip: true, status: 202, headers: map[string]string{"dd-api-key": "dog1", "compute_stats": "true"}},
		"metrics": {url: "https://otlp.datadoghq.com/v1/metrics", gzip: true, status: 202, deltas: true,
			headers: map[string]string{"dd-api-key": "dog1", "dd-otel-metric-config": `{"resource_attributes_as_tags": true}`}},
		"logs": {url: "https://otlp.datadoghq.com/v1/logs", gzip: true, status: 202, headers: map[string]string{"dd-api-key": "dog1"}},
	}},
}

// TestPage has a shell run the variables of the page, and a program send with them: each request comes where the backend takes it,
// as the backend takes it, and no others do.
func TestPage(t *testing.T) {
	found := map[string]int{}
	for _, b := range blocks(t, page) {
		if !strings.Contains(b.text, "OTEL_EXPORTER_OTLP_") {
			continue
		}
		n := found[b.heading]
		found[b.heading]++
		t.Run(b.heading, func(t *testing.T) {
			if n >= len(settings[b.heading]) {
				t.Fatalf("nothing here knows what follows from this block:\n%s", b.text)
			}
			s := newBackends(t, settings[b.heading][n])
			environment := shell(t, b.text)
			for i, v := range environment {
				if name, value, _ := strings.Cut(v, "="); strings.HasPrefix(name, "OTEL_EXPORTER_OTLP_") && strings.HasSuffix(name, "ENDPOINT") {
					environment[i] = name + "=" + s.stand(value)
				}
			}
			if file := s.trust(); file != "" {
				environment = append(environment, "OTEL_EXPORTER_OTLP_CERTIFICATE="+file)
			}
			runProgram(t, "one of each", environment)
			s.all()
		})
	}
	for heading, all := range settings {
		if found[heading] != len(all) {
			t.Errorf("the page has %d blocks of variables under %q, want %d", found[heading], heading, len(all))
		}
	}
}

// TestSampling runs the page's sampler: with a share of none, no trace leaves and metrics do.
func TestSampling(t *testing.T) {
	for _, b := range blocks(t, page) {
		if !strings.Contains(b.text, "OTEL_TRACES_SAMPLER") {
			continue
		}
		s := newBackends(t, map[string]wanted{"metrics": {url: "http://localhost:4318/v1/metrics"}})
		environment := shell(t, strings.Replace(b.text, "SAMPLER_ARG=0.1", "SAMPLER_ARG=0", 1))
		runProgram(t, "one of each", append(environment, "NEMO_LENS_ENABLED=1", "OTEL_EXPORTER_OTLP_ENDPOINT="+s.stand("http://localhost:4318")))
		s.all()
		return
	}
	t.Error("the page says nothing of samplers")
}

// shell is the environment after some lines of a shell.
func shell(t *testing.T, lines string) []string {
	t.Helper()
	cmd := exec.Command("sh", "-eu", "-c", lines+"\nexec env -0")
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, keys...)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("a shell does not run this: %v\n%s", err, lines)
	}
	return slices.DeleteFunc(strings.Split(string(out), "\x00"), func(v string) bool { return v == "" })
}

// block is code of a page for a shell.
type block struct{ heading, text string }

func blocks(t *testing.T, page string) (all []block) {
	t.Helper()
	f, err := os.Open(page)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var b block
	inside := false
	for lines := bufio.NewScanner(f); lines.Scan(); {
		switch line := lines.Text(); {
		case inside && line == "```":
			all, inside = append(all, b), false
		case inside:
			b.text += line + "\n"
		case line == "```sh":
			b.text, inside = "", true
		case strings.HasPrefix(line, "#"):
			b.heading = strings.TrimLeft(line, "# ")
		}
	}
	return all
}
