//go:build unix && !lens_off && !race

// What it starts is built without the race detector, so there it would find nothing.

package main_test

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/lensgo/lens/cmd/internal/blackbox"
	"github.com/lensgo/lens/cmd/internal/follow"
)

// TestTutorial follows docs/tutorial-environment.md, with the clone beside an empty folder and no network.
func TestTutorial(t *testing.T) {
	page, err := os.ReadFile("../../docs/tutorial-environment.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := follow.Beside(t, "../..")
	blocks := follow.Blocks(string(page))
	views := func(b follow.Block) bool { return strings.Contains(b.Text, "lens view") } // runs until somebody ends it
	view := slices.IndexFunc(blocks, views)
	if view < 0 {
		t.Fatal("the page does not look at the traces")
	}
	command := blocks[view].Text
	out := follow.Run(t, dir, follow.Script(t, slices.DeleteFunc(blocks, views), dir))

	for _, want := range []string{
		"ok  \texample.com/shop/resources_servers/basket\t", "coverage   expected 5, scored 5, missing 0",
		"5 rollouts, 5 traces, each across 4 processes", "resources_servers/basket/data/example.jsonl: 5 rows",
		"b  results/second.jsonl: 5 tasks, 20 scored, 0 failed, mean reward 1.000", "base_url: http://127.0.0.1:11434/v1",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("%s is not in what the commands print:\n%s", want, out)
		}
	}
	lookAt(t, dir, command)
}

// lookAt runs the command that serves the page, and looks at a conversation on it.
func lookAt(t *testing.T, home, command string) {
	t.Helper()
	cmd := follow.Command(t.Context(), t, home, "sh", "-c", "exec "+command)
	cmd.Dir = filepath.Join(home, "shop", "resources_servers", "basket")
	viewer := blackbox.Start(t, cmd)
	viewer.Says(t, "Data ")
	page, err := url.Parse(regexp.MustCompile(`http://\S+token=\w+`).FindString(viewer.Output()))
	if err != nil {
		t.Fatal(err)
	}
	var found struct {
		Rows []struct {
			Trace string `json:"trace"`
		} `json:"rows"`
	}
	body := ask(t, page, "/api/v1/traces?q=env:basket")
	if err := json.Unmarshal(body, &found); err != nil || len(found.Rows) != 5 {
		t.Fatalf("%v: not five rollouts in %s", err, body)
	}
	if said := string(ask(t, page, "/api/v1/traces/"+found.Rows[0].Trace+"/conversation")); !strings.Contains(said, "price_of") {
		t.Errorf("nobody asks for a price in %s", said)
	}
	viewer.Signal(t, syscall.SIGINT)
	if code := viewer.Ends(t); code != 0 {
		t.Errorf("exit code %d: %s", code, viewer.Output())
	}
}
