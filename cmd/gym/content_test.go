package main_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer"
	"github.com/lensgo/lens/viewer/store"
)

// shortest is the length of the shortest text that is looked for: shorter ones occur by chance.
const shortest = 8

// said collects every text of a results file: what the model was told, what it said, the arguments of its calls and what the
// tools answered.
func said(t *testing.T, results string) (texts map[string]bool) {
	t.Helper()
	texts = map[string]bool{}
	take := func(v any) {
		if s, ok := v.(string); ok && len(s) >= shortest {
			texts[s] = true
		}
	}
	items := func(v any) {
		list, _ := v.([]any)
		for _, v := range list {
			item, _ := v.(map[string]any)
			for _, key := range []string{"content", "arguments", "output", "text"} {
				take(item[key])
			}
			for _, key := range []string{"content", "summary"} {
				parts, _ := item[key].([]any)
				for _, p := range parts {
					part, _ := p.(map[string]any)
					take(part["text"])
				}
			}
		}
	}
	for _, row := range lines(t, results) {
		params, _ := row["responses_create_params"].(map[string]any)
		take(params["instructions"])
		take(params["input"])
		items(params["input"])
		response, _ := row["response"].(map[string]any)
		items(response["output"])
	}
	return texts
}

// forms are the ways in which a text may be written: as it is, inside a JSON string, inside a JSON string of one, each also
// without the blanks of JSON.
func forms(text string) [][]byte {
	out := [][]byte{[]byte(text)}
	var compact bytes.Buffer
	if json.Compact(&compact, []byte(text)) == nil {
		out = append(out, compact.Bytes())
	}
	for from := 0; from < len(out) && len(out) < 6; {
		var buf bytes.Buffer
		e := json.NewEncoder(&buf)
		e.SetEscapeHTML(false)
		n := len(out)
		for _, form := range out[from:] {
			buf.Reset()
			if e.Encode(string(form)) == nil {
				out = append(out, bytes.Clone(bytes.TrimSpace(buf.Bytes())[1:buf.Len()-2]))
			}
		}
		from = n
	}
	return out
}

// stored is every byte that a run left for viewers: the trace file, the files of the store as they are, and all chunks of
// the store unpacked.
func stored(t *testing.T, dir string) (places map[string][]byte) {
	t.Helper()
	places = map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Base(path) != "traces.jsonl" && filepath.Dir(path) != filepath.Join(dir, "viewer") {
			return err
		}
		places[path], err = os.ReadFile(path)
		return err
	})
	s, openErr := store.OpenReadOnly(filepath.Join(dir, "viewer"), store.Options{})
	if err := errors.Join(err, openErr); err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	spans := 0
	for _, kind := range []store.Kind{store.Traces, store.Metrics, store.Logs} {
		if err := s.Each(t.Context(), kind, func(b []byte) error {
			spans += bytes.Count(b, []byte(semconv.SpanGymRollout))
			places["unpacked "+kind.String()] = append(append(places["unpacked "+kind.String()], b...), 0)
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	if spans < demoRollouts || len(places) < 4 {
		t.Fatalf("the store names gym.rollout %d times, in %d places: it is not read", spans, len(places))
	}
	return places
}

// found tells which of the texts occur in which places.
func found(places map[string][]byte, texts map[string]bool) (in map[string]map[string]bool) {
	in = map[string]map[string]bool{}
	for place, b := range places {
		in[place] = map[string]bool{}
		for text := range texts {
			for _, form := range forms(text) {
				if bytes.Contains(b, form) {
					in[place][text] = true
					break
				}
			}
		}
	}
	return in
}

// With content off, no prompt, argument or tool output of the demo occurs in any stored byte. With it on every one of them
// does, which shows that this search can find them.
func TestDemoContent(t *testing.T) {
	needsSpans(t)
	for name, test := range map[string]struct {
		env []string
		on  bool
	}{
		"off":               {nil, false},
		"off by a variable": {[]string{"NEMO_GYM_OTEL_CONTENT=0", "NEMO_GYM_OTEL_SPAN_GROUPS=all", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true"}, false},
		"garbage":           {[]string{"NEMO_GYM_OTEL_CONTENT=please"}, false},
		"on":                {[]string{"NEMO_GYM_OTEL_CONTENT=1"}, true},
		"on, OpenTelemetry": {[]string{"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY", "NEMO_GYM_OTEL_SPAN_GROUPS=all"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "demo")
			out := gym(t, test.env, "demo", "--output-dir", dir)
			out.check(t, 0)
			if warned := strings.Count(out.stderr, "NEMO_GYM_OTEL_CONTENT"); warned != strings.Count(name, "garbage") {
				t.Errorf("it warned %d times:\n%s", warned, out.stderr)
			}
			texts := said(t, filepath.Join(dir, "results.jsonl"))
			if len(texts) < 150 {
				t.Fatalf("only %d texts to look for", len(texts))
			}
			for place, in := range found(stored(t, dir), texts) {
				raw := !strings.HasPrefix(place, "unpacked ") && !strings.HasSuffix(place, "traces.jsonl")
				switch {
				case !test.on || place == "unpacked metrics": // nothing that is said becomes a metric
					for text := range in {
						t.Errorf("%s holds %q", place, text)
					}
				case !raw && len(in) != len(texts):
					for text := range texts {
						if !in[text] {
							t.Errorf("%s does not hold %q", place, text)
							break
						}
					}
				}
			}
		})
	}
}

// The setting of the YAML does it too, and each text stands on the spans of the calls.
func TestEvalContent(t *testing.T) {
	needsSpans(t)
	dir := t.TempDir()
	demo := filepath.Join(dir, "demo")
	gym(t, nil, "demo", "--output-dir", demo).check(t, 0)
	content := write(t, filepath.Join(dir, "content.yaml"), "telemetry:\n  content: true\n")
	traceFile := filepath.Join(dir, "traces.jsonl")
	gym(t, nil, "eval", "run", "--config", filepath.Join(demo, "config.yaml"), "--config", content, "--input", filepath.Join(demo, "tasks.jsonl"),
		"--limit", "6", "--output", filepath.Join(dir, "results.jsonl"), "--traces", traceFile).check(t, 0)
	models, tools := 0, 0
	for id, spans := range traces(t, traceFile) {
		for _, s := range spans {
			switch s.str(semconv.GenAIOperationName) {
			case semconv.OperationChat:
				models++
				if len(s.kids) != 1 || s.kids[0].Name() != "POST /v1/responses" || s.str(semconv.GenAIInputMessages) == "" || s.str(semconv.GenAIOutputMessages) == "" {
					t.Errorf("trace %s: a model call is %s", id, s.tree())
				}
			case semconv.OperationExecuteTool:
				tools++
				if len(s.kids) != 1 || s.kids[0].Name() != "POST /"+s.str(semconv.GenAIToolName) || s.str(semconv.GenAIToolCallArguments) == "" || s.str(semconv.GenAIToolCallResult) == "" {
					t.Errorf("trace %s: a tool call is %s", id, s.tree())
				}
			}
		}
	}
	if models < 6 || tools < 3 {
		t.Errorf("%d model calls and %d tool calls have content", models, tools)
	}
}

// What the page shows of a rollout is the same whether it reads the results file or what was recorded.
func TestContentIsTheConversation(t *testing.T) {
	needsSpans(t)
	dir := filepath.Join(t.TempDir(), "demo")
	gym(t, []string{"NEMO_GYM_OTEL_CONTENT=1"}, "demo", "--output-dir", dir).check(t, 0)
	read := func(results string) map[string]string {
		v, err := viewer.Start(t.Context(), viewer.Options{Data: filepath.Join(dir, "viewer"), Listen: "127.0.0.1:0", Results: results})
		if err != nil {
			t.Fatal(err)
		}
		defer v.Shutdown(context.Background())
		page, err := url.Parse(v.URL())
		if err != nil {
			t.Fatal(err)
		}
		var traces struct {
			Rows []struct{ Trace string }
		}
		if err := json.Unmarshal(ask(t, page, "/api/v1/traces?q=name:gym.rollout&limit=20"), &traces); err != nil || len(traces.Rows) != 20 {
			t.Fatalf("%d traces, %v", len(traces.Rows), err)
		}
		said := map[string]string{}
		for _, row := range traces.Rows {
			said[row.Trace] = conversation(t, page, row.Trace, results != "")
		}
		return said
	}
	recorded, written := read(""), read(filepath.Join(dir, "results.jsonl"))
	for trace, want := range written {
		if got := recorded[trace]; got != want {
			t.Fatalf("trace %s: recorded is\n%s\nin the results file is\n%s", trace, got, want)
		}
	}
}

// conversation is a conversation of the page, a line a row; JSON without its blanks.
func conversation(t *testing.T, page *url.URL, trace string, results bool) string {
	t.Helper()
	source := map[bool]string{false: "genai", true: "results"}[results]
	var c struct {
		Source string
		Rows   []struct {
			Role, Type, Text, Name, Call, Span string
			Turn                               int
			Duration                           int64 `json:"duration_ns"`
		}
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); { // the results file is read in the background
		if err := json.Unmarshal(ask(t, page, "/api/v1/traces/"+trace+"/conversation"), &c); err != nil {
			t.Fatal(err)
		}
		if c.Source == source {
			break
		}
	}
	if c.Source != source || len(c.Rows) < 4 {
		t.Fatalf("trace %s: %d rows from %s, want those from %s", trace, len(c.Rows), c.Source, source)
	}
	var b strings.Builder
	for _, r := range c.Rows {
		var compact bytes.Buffer
		if json.Compact(&compact, []byte(r.Text)) == nil {
			r.Text = compact.String()
		}
		fmt.Fprintf(&b, "%+v\n", r)
	}
	return b.String()
}
