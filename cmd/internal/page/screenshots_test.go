package page

import (
	"bytes"
	"flag"
	"fmt"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/lensgo/lens/viewer"
)

var update = flag.Bool("update", false, "make the pictures of the documentation anew")

const (
	pictures = "../../../docs/img"
	largest  = 300_000 // bytes of a picture
)

var documents = []string{"../../../README.md", "../../../docs/viewer.md"}

// picture is one of them: of which size, and in which theme.
type picture struct {
	name  string
	size  window
	theme string
}

var (
	shotRuns      = picture{"runs.png", window{1280, 640}, "light"}
	shotRun       = picture{"run.png", window{1280, 800}, "light"}
	shotTrace     = picture{"trace.png", window{1280, 800}, "light"}
	shotTraceDark = picture{"trace-dark.png", window{1280, 800}, "dark"}
	shotCompare   = picture{"compare.png", window{1280, 800}, "light"}
	shotGroups    = picture{"groups.png", window{1280, 560}, "light"}
	shotPhone     = picture{"phone.png", phone, "light"}
)

// TestScreenshots checks the pictures of the documentation: they are there, of a moderate size, and shown. With -update it
// makes them, of a run with a slow model that sometimes fails.
func TestScreenshots(t *testing.T) {
	if *update {
		takeAll(t)
	}
	var text strings.Builder
	for _, path := range documents {
		page, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text.Write(page)
	}
	for _, s := range []picture{shotRuns, shotRun, shotTrace, shotTraceDark, shotCompare, shotGroups, shotPhone} {
		t.Run(s.name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join(pictures, s.name))
			if err != nil {
				t.Fatal(err)
			}
			c, err := png.DecodeConfig(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if c.Width != s.size.width || c.Height != s.size.height || len(data) > largest {
				t.Errorf("it has %d by %d pixels and %d bytes, want %d by %d and at most %d: run the test with -update", c.Width, c.Height, len(data), s.size.width, s.size.height, largest)
			}
			if !strings.Contains(text.String(), "img/"+s.name) {
				t.Errorf("no document of %v shows it", documents)
			}
		})
	}
}

// slow is a model that takes its time and fails now and then.
const slow = `policy_model:
  responses_api_models:
    synthetic_model:
      latency: {median_ms: 450, sigma: 0.6}
      failures: {rate: 0.015, kinds: [500, 503]}
`

func takeAll(t *testing.T) {
	theBrowser(t)
	demo := demoRun(t)
	config := filepath.Join(t.TempDir(), "slow.yaml")
	if err := os.WriteFile(config, []byte(slow), 0o600); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	traces := filepath.Join(dir, "traces.jsonl")
	gym := start(t, "gym", "eval", "run", "--view", "--config", filepath.Join(demo, "config.yaml"), "--config", config, "--input", filepath.Join(demo, "tasks.jsonl"),
		"--output", filepath.Join(dir, "results.jsonl"), "--traces", traces, "--num-repeats", "2", "--concurrency", "12")
	base, first := split(t, gym.Says(t, "See it live at"))
	p := newTab(t, base)
	p.faults.allow("net::ERR_")
	p.visit(first)
	p.until("rollouts that run", "rows().length === 1")
	run := eval[string](p, "fetch('/api/v1/runs').then((r) => r.json()).then((d) => d.rows[0].id)")
	p.visit("/runs/" + run)
	p.until("two thirds of the run, and a failure", "rows().length > 8 && parseInt(words($('.legend b'))) >= 84 && holding('.table .row', 'running')")
	p.take(shotRun)

	gym.Says(t, "page ")
	trace := eval[string](p, fmt.Sprintf("fetch('/api/v1/runs/%s/rollouts?q=' + encodeURIComponent('env:example_multi_step reward<0.5 turns>4')).then((r) => r.json()).then((d) => d.rows[0]).then((r) => `/traces/${r.trace}?at=${r.at}&span=${r.span}`)", run))
	p.visit(trace)
	p.until("the trace", "spans().length > 5 && $$('.talk .trow2').length > 5 && seen($('.pbody'))")
	p.press(kb.Home, "j", "j", "j")
	p.until("a call is selected", "words($('.phead h2')) === spans().find((r) => r.selected).name && spans()[3].selected")
	p.take(shotTrace)
	p.take(shotTraceDark)
	p.press("c")
	p.until("the comparison", "$$('.ctable .srow').length > 5 && $$('.talks section').length === 2")
	p.take(shotCompare)
	p.visit("/groups?run=" + run)
	p.until("the groups", "rows().length > 3")
	p.press(kb.Enter)
	p.until("the names of one", "$$('.gtable [aria-level=\"2\"]').length > 0")
	p.take(shotGroups)
	p.size(phone)
	p.visit("/runs/" + run)
	p.until("the run", "rows().length > 5")
	p.take(shotPhone)
	takeRuns(t, traces, filepath.Join(demo, "traces.jsonl"))
}

// takeRuns shows the list over both runs, and a program without rollouts.
func takeRuns(t *testing.T, traces ...string) {
	v := serve(t, viewer.Options{Files: traces})
	for i := range 40 {
		tr := newTrace("checkout-api")
		s := tr.span(1, 0, "POST /checkout", i*700, i*700+20+i*i%37)
		s.SetTraceID([16]byte{0: 0xc0, 15: byte(i)})
		v.sendTraces(t, tr.Traces)
	}
	p := v.open(t)
	p.visit("/runs")
	p.until("the runs and the program", "rows().length === 3")
	p.take(shotRuns)
}

// take writes a picture of what is shown.
func (p *tab) take(s picture) {
	p.t.Helper()
	p.size(s.size)
	p.theme(s.theme)
	p.do("move the pointer away", chromedp.MouseEvent(chromedp.MouseMoved, 1, 1))
	p.until("fonts and pictures", "document.fonts.ready.then(() => new Promise((f) => requestAnimationFrame(() => requestAnimationFrame(() => f(true)))))")
	p.until("no toast", "!$('.toast')")
	data, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(pictures, s.name), data, 0o644)
	}
	if err != nil {
		p.t.Fatalf("cannot take the picture %s: %v", s.name, err)
	}
	p.size(wide)
}
