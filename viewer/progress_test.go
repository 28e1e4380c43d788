package viewer_test

import (
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lensgo/lens/viewer"
)

// ask reads an answer of the API with the token of the page.
func ask(t *testing.T, v *viewer.Viewer, path string) string {
	t.Helper()
	u, err := url.Parse(v.URL())
	if err != nil {
		t.Fatal(err)
	}
	req, _ := http.NewRequest(http.MethodGet, "http://"+u.Host+path, nil)
	req.Header.Set("Authorization", "Bearer "+u.Query().Get("token"))
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d, %v: %s", resp.StatusCode, err, body)
	}
	return string(body)
}

// demoRun is the run of the file demo, of which 8 rollouts have ended.
func demoRun(t *testing.T, v *viewer.Viewer) string {
	t.Helper()
	_, rest, _ := strings.Cut(ask(t, v, "/api/v1/runs"), `"id":"`)
	id, _, ok := strings.Cut(rest, `"`)
	if !ok {
		t.Fatal("no run")
	}
	return id
}

// What a driver said last is there when it and its viewer are gone.
func TestProgress_survives(t *testing.T) {
	for name, test := range map[string]struct {
		last []viewer.Progress
		want []string
	}{
		"done":      {[]viewer.Progress{{Total: 3, Running: 1, Waiting: 2, Concurrency: 4}, {Total: 3, Concurrency: 4, Done: true}}, []string{`"total":11`, `"note":""`, `"concurrency":4`}},
		"cut short": {[]viewer.Progress{{Total: 3, Waiting: 2, Concurrency: 4, Spec: "per_rollout", Done: true}}, []string{`"total":11`, `"spec":"per_rollout"`, "2 rollouts have no result"}},
		"killed":    {[]viewer.Progress{{Total: 3, Running: 1, Waiting: 2}}, []string{`"total":11`, "its driver ended without a word", `"waiting":0`}},
	} {
		t.Run(name, func(t *testing.T) {
			o := viewer.Options{Data: filepath.Join(t.TempDir(), "data")}
			first := o
			first.Files = []string{demo}
			v := start(t, first)
			run := demoRun(t, v)
			for _, p := range test.last {
				v.Progress(run, p)
			}
			v.Progress("nothing came of it", viewer.Progress{Total: 1, Waiting: 1})
			stop(t, v)
			again := start(t, o)
			got := ask(t, again, "/api/v1/runs")
			for _, want := range append(test.want, `"state":"finished"`, `"running":0`) {
				if !strings.Contains(got, want) {
					t.Errorf("no %s in %s", want, got)
				}
			}
			if strings.Contains(got, "nothing came of it") {
				t.Errorf("a run is shown of which there is nothing: %s", got)
			}
			info, err := os.Stat(filepath.Join(o.Data, "drivers.json"))
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%v, %v", info, err)
			}
		})
	}
}

// A file that was damaged costs what it knew, and nothing else.
func TestProgress_damaged(t *testing.T) {
	o := viewer.Options{Data: t.TempDir(), Files: []string{demo}}
	if err := os.WriteFile(filepath.Join(o.Data, "drivers.json"), []byte(`{"x":`), 0o600); err != nil {
		t.Fatal(err)
	}
	v := start(t, o)
	run := demoRun(t, v)
	if got := ask(t, v, "/api/v1/runs"); !strings.Contains(got, `"total":null`) {
		t.Errorf("the total is known: %s", got)
	}
	v.Progress(run, viewer.Progress{Total: 3, Done: true})
	if text, err := os.ReadFile(filepath.Join(o.Data, "drivers.json")); err != nil || !strings.Contains(string(text), run) {
		t.Errorf("%s, %v", text, err)
	}
}
