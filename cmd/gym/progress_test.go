//go:build unix

package main_test

import (
	"context"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lensgo/lens/cmd/internal/blackbox"
	"github.com/lensgo/lens/viewer"
)

// shownRun is what the page is told of a run.
type shownRun struct {
	State, Note string
	Rollouts    struct {
		Total, Waiting    *int
		Finished, Running int
	}
	Concurrency *int
	Spec        *string
}

// is tells whether the run has the state and its ten rollouts are so many running and waiting.
func (r *shownRun) is(state string, running, waiting int) bool {
	p := r.Rollouts
	return r.State == state && p.Total != nil && *p.Total == 10 && p.Running == running && p.Waiting != nil && *p.Waiting == waiting
}

// A page beside a run says how many rollouts it has, how many run and how many wait; when it is cut short it says that, and so
// does the folder later.
func TestViewProgress(t *testing.T) {
	needsSpans(t)
	config, input := demoFiles(t, "{distribution: constant, constant_ms: 600000}") // nothing ends by itself
	dir := t.TempDir()
	gym := blackbox.Start(t, gymCommand(context.Background(), nil, evalArgs(config, input, filepath.Join(dir, "results.jsonl"), "--limit", "5", "--view")...))
	page, err := url.Parse(gym.Says(t, "See it live at "))
	if err != nil {
		t.Fatal(err)
	}
	poll(t, "the page shows 4 running rollouts of 10", func() bool {
		r := runOn(t, page)
		if r.Rollouts.Total != nil && *r.Rollouts.Total != 10 {
			t.Fatalf("the page shows %+v", r)
		}
		return r.is("running", 4, 6) && r.Concurrency != nil && *r.Concurrency == 4 && r.Spec != nil && *r.Spec == "default"
	})
	gym.Signal(t, os.Interrupt) // nothing new begins
	gym.Says(t, "Stopping: ")
	gym.Signal(t, os.Interrupt) // running ones are cancelled
	gym.Says(t, "page ")
	// The spans of those that were cancelled came, with errors: of what has finished all has failed.
	cut := func(r shownRun) bool {
		return r.is("failed", 0, 0) && strings.Contains(r.Note, "10 rollouts have no result")
	}
	if r := runOn(t, page); !cut(r) {
		t.Errorf("cut short, the page shows %+v", r)
	}
	gym.Signal(t, os.Interrupt)
	if code := gym.Ends(t); code != 130 {
		t.Errorf("exit code %d, want 130", code)
	}
	v, err := viewer.Start(t.Context(), viewer.Options{Data: filepath.Join(dir, "viewer"), Listen: "127.0.0.1:0"})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Shutdown(context.Background()) //nolint:errcheck // it was only read
	later, _ := url.Parse(v.URL())
	if r := runOn(t, later); !cut(r) {
		t.Errorf("opened later it shows %+v", r)
	}
}

// runOn is the run that a page lists, the zero one when there is none yet.
func runOn(t *testing.T, page *url.URL) (r shownRun) {
	t.Helper()
	var list struct{ Rows []shownRun }
	if err := json.Unmarshal(ask(t, page, "/api/v1/runs"), &list); err != nil || len(list.Rows) > 1 {
		t.Fatalf("%+v, %v", list, err)
	}
	if len(list.Rows) == 1 {
		r = list.Rows[0]
	}
	return r
}
