package terminal_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/lensgo/lens/viewer"
	"github.com/lensgo/lens/viewer/terminal"
)

var update = flag.Bool("update", false, "write the golden files")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open reads a file of traces.
func open(t *testing.T, path string) *terminal.API {
	t.Helper()
	v, err := viewer.View(t.Context(), viewer.ViewOptions{Files: []string{path}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := v.Close(); err != nil {
			t.Error(err)
		}
	})
	return v.API()
}

const demo = "../runs/testdata/demo.jsonl.gz"

// golden compares output with a file, without what depends on the time zone and the day.
func golden(t *testing.T, name string, out []byte) {
	t.Helper()
	out = regexp.MustCompile(`(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d(\.\d{3})? *`).ReplaceAll(out, []byte("CLOCK "))
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, out, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(out)); diff != "" {
		t.Errorf("%s (-want +got; -update writes it):\n%s", path, diff)
	}
}

func TestList(t *testing.T) {
	api := open(t, demo)
	for name, o := range map[string]terminal.ListOptions{
		"ls.txt":        {},
		"ls_query.txt":  {Query: "env:example_multi_step", Sort: "-dur", Limit: 2},
		"ls_none.txt":   {Query: "name:nothing-is-called-that"},
		"ls_limit1.txt": {Limit: 1},
	} {
		var out bytes.Buffer
		if err := api.List(t.Context(), &out, o); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		golden(t, name, out.Bytes())
	}
}

func TestShow(t *testing.T) {
	api := open(t, demo)
	var list, out bytes.Buffer
	if err := api.List(t.Context(), &list, terminal.ListOptions{Query: "env:example_single_tool_call", Sort: "-spans", Limit: 1}); err != nil {
		t.Fatal(err)
	}
	trace := regexp.MustCompile(`[0-9a-f]{32}`).FindString(list.String())
	if err := api.Show(t.Context(), &out, trace); err != nil {
		t.Fatal(err)
	}
	golden(t, "show.txt", out.Bytes())
}

// What is odd about a trace is said in words.
func TestShowOdd(t *testing.T) {
	for file, want := range map[string][]string{
		"ui-orphans.json":            {"2 without their parent", "never arrived"},
		"ui-duplicate-span-ids.json": {"same span id twice"},
		"ui-clock-skew.json":         {"clocks differ"},
	} {
		t.Run(file, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", file))
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "traces.jsonl")
			if err := os.WriteFile(path, []byte(strings.Join(strings.Fields(string(text)), " ")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			api := open(t, path)
			var list, out bytes.Buffer
			if err := api.List(t.Context(), &list, terminal.ListOptions{}); err != nil {
				t.Fatal(err)
			}
			trace := regexp.MustCompile(`(?m)^[0-9a-f]{32}`).FindString(list.String())
			if err := api.Show(t.Context(), &out, trace); err != nil {
				t.Fatal(err)
			}
			for _, w := range want {
				if !strings.Contains(out.String(), w) {
					t.Errorf("%q is not said:\n%s", w, &out)
				}
			}
		})
	}
}

func TestFaults(t *testing.T) {
	api := open(t, demo)
	var fault *terminal.Fault
	err := api.Show(t.Context(), &bytes.Buffer{}, strings.Repeat("0a", 16))
	if !errors.As(err, &fault) || fault.Status != http.StatusNotFound || fault.What == "" {
		t.Errorf("a trace that is not there: %v", err)
	}
	err = api.List(t.Context(), &bytes.Buffer{}, terminal.ListOptions{Query: "dru>2s"})
	if !errors.As(err, &fault) || fault.Code != "bad_query" {
		t.Errorf("a query with a misspelt field: %v", err)
	}
	nobody := terminal.Remote("http://127.0.0.1:1", "")
	if err := nobody.List(t.Context(), &bytes.Buffer{}, terminal.ListOptions{}); err == nil || !strings.Contains(err.Error(), "cannot ask the viewer") {
		t.Errorf("a viewer that is not there: %v", err)
	}
}

// Tail shows what has come since it began, once.
func TestTail(t *testing.T) {
	data := t.TempDir()
	v, err := viewer.Start(t.Context(), viewer.Options{Data: data, Listen: "127.0.0.1:0", OTLPHTTP: "127.0.0.1:0", Files: []string{demo}})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Shutdown(context.Background()) //nolint:errcheck // the test is over
	open, err := viewer.View(t.Context(), viewer.ViewOptions{Data: data})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	began, shown := make(chan struct{}), make(chan string, 16)
	done := make(chan error, 1)
	go func() { done <- open.API().Tail(ctx, lineChan{shown}, terminal.ListOptions{Began: began}) }()
	<-began
	const body = `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},"scopeSpans":[{"spans":[
		{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","name":"checkout\u001b[2J","kind":2,"startTimeUnixNano":"1896000000000000000","endTimeUnixNano":"1896000000250000000"}]}]}]}`
	resp, err := http.Post(v.OTLPEndpoint()+"/v1/traces", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	line := <-shown
	for _, want := range []string{"0af7651916cd43dd8448eb211c80319c", "shop", `checkout\x1b[2J`, "250 ms", "1 spans"} {
		if !strings.Contains(line, want) {
			t.Errorf("%q is not in %q", want, line)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// lineChan sends what is written to it.
type lineChan struct{ c chan<- string }

func (l lineChan) Write(p []byte) (int, error) {
	l.c <- string(p)
	return len(p), nil
}
