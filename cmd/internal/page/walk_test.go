//go:build unix

package page

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/lensgo/lens/cmd/internal/blackbox"
)

// What the demo collects, and how many of them at a time: so many may end without the model.
const (
	demoRollouts = 120
	demoInFlight = 16
)

// TestWalk goes with a person through a run of the demo: from the first look while it runs to Ctrl-C in its terminal.
func TestWalk(t *testing.T) {
	theBrowser(t)
	dir := filepath.Join(t.TempDir(), "demo")
	gym := start(t, "gym", "demo", "--view", "--output-dir", dir)
	base, first := split(t, gym.Says(t, "See it live at"))
	p := newTab(t, base)
	w := &walk{tab: p, gym: gym, dir: dir}
	for _, step := range []struct {
		name string
		take func(*testing.T)
	}{
		{"live", func(*testing.T) { w.live(first) }},
		{"runs", w.runs},
		{"run", w.run},
		{"filter", w.filter},
		{"rollout", w.rollout},
		{"waterfall", w.waterfall},
		{"panel", w.panel},
		{"conversation", w.conversation},
		{"compare", w.compare},
		{"themes", w.themes},
		{"history", w.history},
		{"link", w.link},
		{"keyboard", w.keyboard},
		{"phone", w.phone},
		{"end", w.end},
	} {
		if !t.Run(step.name, func(t *testing.T) {
			defer func(t *testing.T) { p.t = t }(p.t)
			p.t = t
			step.take(t)
		}) {
			break
		}
	}
}

// walk is where the person is.
type walk struct {
	*tab
	gym     *blackbox.Program
	dir     string
	results []result
}

// result is a line of the results file.
type result struct {
	Task    int     `json:"_ng_task_index"`
	Rollout int     `json:"_ng_rollout_index"`
	Reward  float64 `json:"reward"`
	Params  struct {
		Input []struct {
			Role    string `json:"role"`
			Content any    `json:"content"`
		} `json:"input"`
	} `json:"responses_create_params"`
}

// live opens the page before the first rollout has ended, and sees them come. To be sure of the order, the model is
// stopped until the page is there, and once more on the way.
func (w *walk) live(first string) {
	w.t.Helper()
	var model int
	w.await("the model's process", func() bool { model = blackbox.Instances(w.t, w.gym.PID())["policy_model"]; return model > 0 }, w.gym.Output)
	signal := func(s syscall.Signal) {
		w.t.Helper()
		if err := syscall.Kill(model, s); err != nil {
			w.t.Fatal(err)
		}
	}
	signal(syscall.SIGSTOP)
	w.visit(first)
	w.until("the page", "seen($('main h1'))")
	if got := w.path(); strings.Contains(got, "token") {
		w.t.Errorf("the address is %q after the first visit: it holds the token", got)
	}
	origin := eval[float64](w.tab, "performance.timeOrigin")
	finished := func() (n int) {
		fmt.Sscan(eval[string](w.tab, "rows().length ? words($$('.td', rows()[0])[4]) : '0'"), &n)
		return n
	}
	results := func() int {
		data, _ := os.ReadFile(filepath.Join(w.dir, "results.jsonl"))
		return bytes.Count(data, []byte("\n"))
	}
	signal(syscall.SIGCONT)
	w.await("the first result", func() bool { return results() > 0 }, w.gym.Output)
	signal(syscall.SIGSTOP)
	if results() < demoRollouts-demoInFlight { // else the machine let the others end before this goroutine could stop them
		w.await("some of the rollouts", func() bool { n := finished(); return n > 0 && n < demoRollouts }, w.state)
	}
	w.shows(".table .row", "/ 120")
	signal(syscall.SIGCONT)
	w.await("all rollouts", func() bool { return finished() == demoRollouts }, w.state)
	if again := eval[float64](w.tab, "performance.timeOrigin"); again != origin {
		w.t.Error("the page was loaded again meanwhile")
	}
	w.gym.Says(w.t, "page ")
	w.results = readResults(w.t, filepath.Join(w.dir, "results.jsonl"))
}

func readResults(t *testing.T, path string) (list []result) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var r result
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			t.Fatalf("cannot read a line of %s: %v", path, err)
		}
		list = append(list, r)
	}
	if len(list) != demoRollouts {
		t.Fatalf("%d results in %s, want %d", len(list), path, demoRollouts)
	}
	return list
}

// runs filters the list of runs: by a term that fits, and by a field that does not exist.
func (w *walk) runs(t *testing.T) {
	w.shows("h1", "Runs")
	w.press("/")
	w.until("the filter has the focus", "document.activeElement === $('.filter input')")
	w.press("env:example_multi_step", kb.Enter)
	w.at("/?q=env:example_multi_step")
	w.until("the term as a token", "tokens().includes('env:example_multi_step')")
	w.shows(".table .row", "3 environments")
	w.press("enf:x", kb.Enter)
	w.shows(".complaint", "No field is called \"enf\"")
	w.shows(".complaint", "Nearest: env")
	w.until("the wrong term underlined", "$$('.fbox .tok.bad').map((e) => e.textContent).includes('enf:x')")
	w.shows(".table .row", "3 environments") // the last answer that was right stays
	if got := w.path(); got != "/?q=env:example_multi_step" {
		t.Errorf("a filter that is wrong became part of the address: %s", got)
	}
	w.press(kb.Backspace, kb.Backspace, kb.Backspace, kb.Backspace, kb.Backspace, kb.Backspace)
	w.press("failed>0", kb.Enter)
	w.shows(".nothing", "None of 1 ")
	w.shows(".nothing", "Without failed>0 1 matches")
	w.click(".nothing button", "Drop it")
	w.shows(".table .row", "3 environments")
	w.press(kb.Escape)
	w.until("no filter", "!location.search")
}

// run opens the run and its three tabs.
func (w *walk) run(t *testing.T) {
	w.click(".table .row", "3 environments")
	w.at("/runs/")
	w.shows(".legend", "120")
	w.shows("section.panel", "Where the time goes")
	w.shows("section.panel", "mean of 120 finished rollouts")
	w.shows("section.panel", "Reward 120 scored")
	w.until("six parts of the time", "['admission', 'pool', 'model', 'tools', 'verify', 'other'].every((x) => words($('.panel .parts')).includes(x))")
	w.until("the rollouts", "$('[role=grid]').ariaRowCount === '121' && rows().length > 5")
	w.click(".tab", "Tasks")
	w.at(w.path())
	w.until("the tasks", "$('[role=grid][aria-label=Tasks]') && $('[role=grid]').ariaRowCount === '61'")
	w.press("3")
	w.shows(".page", "http_client")
	w.until("the tab in the address", "location.search.includes('tab=groups')")
	w.press("1")
	w.until("the rollouts again", "$('[role=grid][aria-label=Rollouts]') && rows().length > 5")
}

// filter finds the rollouts that got nothing, as many as the results file has.
func (w *walk) filter(t *testing.T) {
	want := 0
	for _, r := range w.results {
		if r.Reward < 0.5 {
			want++
		}
	}
	w.press("/", "reward<0.5", kb.Enter)
	w.until("the filtered rollouts", fmt.Sprintf("$('[role=grid]').ariaRowCount === '%d'", want+1))
	w.shows(".page", fmt.Sprintf("%d of 120 rollouts", want))
	w.shows("section.panel", fmt.Sprintf("mean of %d finished rollouts, filtered", want))
	if bad := eval[[]string](w.tab, "rows().map((r) => words($$('.td', r)[3])).filter((x) => !(Number(x) < .5))"); len(bad) > 0 {
		t.Errorf("rows with the rewards %q do not match", bad)
	}
	w.press("env:example_m")
	w.shows(".complete li", "env:example_multi_step")
	w.press(kb.Tab)
	w.until("the completed term", "tokens().includes('env:example_multi_step')")
	w.until("only that environment", "rows().length && rows().every((r) => words(r).startsWith('example_multi_step'))")
	w.press(kb.Escape) // leaves the box
	w.until("the list has the focus", "document.activeElement.matches('.table')")
}

// rollout opens the first of them.
func (w *walk) rollout(t *testing.T) {
	w.press("j", "k", kb.Enter)
	w.at("/traces/")
	w.until("the waterfall", "spans().length > 3")
	w.shows("h1", "example_multi_step · task")
	w.shows(".head .chip", "reward 0.00")
	w.until("the split of its time", "seen($('.splits'))")
}

// waterfall looks at the rows: calls as pairs, shares of the critical path, open and closed.
func (w *walk) waterfall(t *testing.T) {
	type row struct {
		Name, Note, Duration, Share, Spoken string
		Level, Pos, Size                    int
	}
	list := func() []row { return eval[[]row](w.tab, "spans()") }
	var spans, lines int
	read := func() {
		fmt.Sscanf(eval[string](w.tab, "words($('.says'))"), "%d spans in %d rows", &spans, &lines)
	}
	read()
	paired := list()
	if spans == 0 || lines >= spans || len(paired) != lines {
		t.Fatalf("%d rows are drawn, the head says %d spans in %d rows: calls are not paired", len(paired), spans, lines)
	}
	if got := eval[float64](w.tab, "spans().reduce((n, r) => n + (parseFloat(r.share) || 0), 0)"); got < 99 || got > 101 {
		t.Errorf("the shares of the critical path sum to %.1f %%, want 100", got)
	}
	if eval[int](w.tab, "painted('--ink')") < 50 {
		t.Error("the critical path is not drawn")
	}
	for i, r := range paired {
		if r.Level < 1 || r.Pos < 1 || r.Size < r.Pos || r.Duration == "" || !strings.Contains(r.Spoken, r.Name) {
			t.Errorf("row %d is incomplete: %+v", i, r)
		}
	}
	w.press("p")
	w.until("every span a row", fmt.Sprintf("words($('.says')).includes('%d spans in %d rows')", spans, spans))
	w.at("/traces/")
	w.until("that in the address", "location.search.includes('pair=0')")
	w.press("p")
	w.until("pairs again", fmt.Sprintf("words($('.says')).includes('in %d rows')", lines))
	w.press(kb.Home, "h")
	w.until("the root closed", "spans().length === 1 && spans()[0].expanded === 'false' && parseFloat(spans()[0].share) === 100")
	w.press("l")
	w.until("the root open", fmt.Sprintf("spans().length === %d", lines))
	w.press("+", "+")
	w.until("the zoom in the address", "/zoom=\\d+-\\d+/.test(location.search)")
	w.press("0")
	w.until("all of it", "!location.search.includes('zoom=')")
	w.press("b")
	w.until("coloured by group", "location.search.includes('color=group') && words($('.names')).includes('http_client')")
	w.press("b")
	w.shows(".names", "driver")
}

// panel selects a model call and reads what it is made of.
func (w *walk) panel(t *testing.T) {
	w.click(".wrow", "POST /v1/responses")
	w.shows(".phead h2", "POST /v1/responses")
	w.shows(".pbody h3", "Call")
	w.shows(".pbody .k", "nemo.gym.rollout.id")
	w.shows(".figs4", "duration")
	w.until("the selected row", "spans().find((r) => r.selected).name === 'POST /v1/responses'")
	w.until("the span in the address", "/span=[0-9a-f]{16}/.test(location.search)")
	w.click(".ptabs .tab", "JSON")
	w.shows(".json", `"name": "POST /v1/responses"`)
	w.click(".ptabs .tab", "Message")
	w.shows(".pbody", "assistant")
	w.click(".ptabs .tab", "Details")
	w.click(".pbody summary", "Resource")
	w.shows(".pbody details[open] .k", "service.name")
	w.click(".pbody .kv .v", "")
	w.shows(".toast", "copied")
}

// conversation reads what was said, which is in no span but in the results file, and goes from there to the spans.
func (w *walk) conversation(t *testing.T) {
	var task, attempt int
	title := w.text("h1")
	if _, err := fmt.Sscanf(title[strings.Index(title, "task"):], "task %d · attempt %d", &task, &attempt); err != nil {
		t.Fatalf("the title is %q: %v", title, err)
	}
	asked := ""
	for _, r := range w.results {
		if r.Task == task && r.Rollout == attempt-1 {
			asked = fmt.Sprint(r.Params.Input[len(r.Params.Input)-1].Content)
		}
	}
	if asked = strings.Join(strings.Fields(asked), " "); len(asked) > 60 {
		asked = asked[:60]
	}
	if asked == "" {
		t.Fatalf("nothing was asked in task %d", task)
	}
	w.until("the question", fmt.Sprintf("holding('.talk .trow2', %q)", asked))
	w.until("calls, answers and the verdict", "holding('.talk .trow2', 'get_synonym_value(') && holding('.talk .role', 'tool') && holding('.talk .trow2', 'reward 0.00')")
	before := eval[string](w.tab, "spans().find((r) => r.selected).spoken")
	w.click(".talk .trow2", "reward 0.00")
	w.until("the span of the verdict", fmt.Sprintf("spans().find((r) => r.selected).name === 'POST /verify' && spans().find((r) => r.selected).spoken !== %q", before))
	w.press("v")
	w.until("no conversation", "!seen($('.talk'))")
	w.press("v")
	w.until("the conversation again", "seen($('.talk'))")
	w.click(".tab", "Logs")
	w.at("/traces/")
	w.until("the logs in the address", "location.search.includes('tab=logs')")
	w.click(".tab", "Conversation")
}

// compare holds the two attempts of the task against each other.
func (w *walk) compare(t *testing.T) {
	w.press("c")
	w.at("/compare?a=")
	w.shows("h1", "attempt 1 and 2")
	w.until("a sentence that says where they part", "words($('.sentence')).length > 10")
	w.until("steps of both", "$$('.ctable .srow').length > 5")
	w.shows(".cfig", "2 minus 1")
	w.until("what both said", "$$('.talks section').length === 2 && $$('.talks section').every((s) => words(s).includes('reward'))")
	before := w.path()
	w.press("s")
	w.until("swapped", fmt.Sprintf("location.pathname + location.search !== %q && words($('.cfig')).includes('1 minus 2')", before))
	w.press("s")
	w.shows(".cfig", "2 minus 1")
	w.press("j", "j", kb.Enter)
	w.at("/traces/")
	w.until("its waterfall", "spans().length > 3")
}

// themes changes the theme and finds that everything is drawn anew.
func (w *walk) themes(t *testing.T) {
	ground := "getComputedStyle(document.body).backgroundColor"
	w.theme("light")
	light, path := eval[string](w.tab, ground), 0
	w.until("the path in ink", "painted('--ink') > 50")
	path = eval[int](w.tab, "painted('--ink')")
	w.theme("dark")
	if dark := eval[string](w.tab, ground); dark == light {
		t.Errorf("the ground is %s in both themes", dark)
	}
	w.until("the path in the other ink", fmt.Sprintf("Math.abs(painted('--ink') - %d) < %d", path, path/4))
	w.do("load again", reload)
	w.until("the theme is kept", "document.documentElement.dataset.theme === 'dark'")
	w.until("the waterfall", "spans().length > 3")
	w.theme("light")
}

// history goes back and forward.
func (w *walk) history(t *testing.T) {
	here := w.path()
	w.click(".crumb a, h1 a", "")
	w.at("/run")
	w.back()
	w.at("/traces/")
	w.until("the waterfall", "spans().length > 3")
	if got := w.path(); got != here {
		t.Errorf("back led to %s, want %s", got, here)
	}
	w.forward()
	w.at("/run")
	w.back()
	w.until("the waterfall", "spans().length > 3")
}

// link copies the address of what is on the screen. It opens where the cookie is, and nowhere else.
func (w *walk) link(t *testing.T) {
	w.press(kb.Home, "j", "j", "p")
	w.until("the view in the address", "location.search.includes('pair=0')")
	w.allowClipboard()
	w.press("y")
	w.shows(".toast", "Link copied")
	link := eval[string](w.tab, "navigator.clipboard.readText()")
	if strings.Contains(link, "token") || !strings.HasPrefix(link, w.base+"/traces/") {
		t.Fatalf("the copied link is %q", link)
	}
	chosen := eval[string](w.tab, "spans().find((r) => r.selected).spoken")
	count := eval[int](w.tab, "spans().length")
	fresh := w.another()
	fresh.visit(strings.TrimPrefix(link, w.base))
	fresh.until("the same view", fmt.Sprintf("spans().length === %d && spans().find((r) => r.selected).spoken === %q", count, chosen))

	stranger := newTab(t, w.base)
	stranger.faults.allow("status of 401")
	stranger.visit(strings.TrimPrefix(link, w.base))
	stranger.shows("h1", "Lens asks for its token")
	if eval[bool](stranger, "document.body.innerText.includes('gym.rollout') || !!$('script')") {
		t.Error("who has no token gets more than the refusal")
	}
	w.press("p")
}

// keyboard goes everywhere without the mouse.
func (w *walk) keyboard(t *testing.T) {
	w.visit("/")
	w.until("the list", "rows().length === 1")
	w.press("?")
	w.until("the help", "$('dialog[open]') && words($('dialog')).includes('lens traces ls')")
	w.press(kb.Escape)
	w.until("no help", "!$('dialog')")
	w.press(kb.Enter)
	w.at("/runs/")
	w.until("the rollouts", "rows().length > 5")
	w.press("j", "j")
	w.until("the third row", "selected().dataset.i === '2'")
	w.press("k")
	w.until("the second row", "selected().dataset.i === '1'")
	w.press("s")
	w.until("sorted", "location.search.includes('sort=-env') && words($('[aria-sort=descending]')).startsWith('Environment') && words(rows()[0]).startsWith('example_single_tool_call')")
	w.press(kb.End)
	w.until("the last row", "selected() && selected().dataset.i === String($('[role=grid]').ariaRowCount - 2)")
	w.press(kb.Home, " ", "j", " ")
	w.until("two are marked", "$$('.row.marked').length === 2")
	w.press("c")
	w.at("/compare?a=")
	w.until("steps of both", "$$('.ctable .srow').length > 5")
	w.press(kb.Escape)
	w.at("/runs/")
	w.until("the rollouts", "rows().length > 5")
	w.press(kb.Enter)
	w.at("/traces/")
	w.until("the waterfall", "spans().length > 3")
	w.press("j", "j")
	w.until("the panel follows", "words($('.phead h2')) === spans().find((r) => r.selected).name && spans()[2].selected")
	w.press(kb.Enter)
	w.until("the panel has the focus", "$('.panelside').contains(document.activeElement)")
	w.press(kb.Escape)
	w.until("the waterfall has the focus", "document.activeElement.matches('.wfgrid')")
	w.press("/", "verify")
	w.until("it finds", "/^\\d+ of \\d+$/.test(words($('.wf .dim')))")
	w.press(kb.Escape, kb.Escape, kb.Escape)
	w.at("/runs/")
	w.press("g", "t")
	w.at("/traces")
	w.until("the traces", "rows().length > 5")
	w.press("g", "g")
	w.at("/groups")
	w.shows("main", "http_client")
	w.press("g", "r")
	w.at("/runs")
	w.pressCtrl('k')
	w.press("25-1")
	w.shows("#goto-list li", "rollout")
	w.press(kb.Enter)
	w.until("the rollout", "words($('h1')).includes('task 25 · attempt 2')")
}

// phone shows the same on 390 px: nothing sideways, the parts one after the other.
func (w *walk) phone(t *testing.T) {
	w.size(phone)
	defer w.size(wide)
	fits := func(what string) {
		t.Helper()
		if got := eval[int](w.tab, "document.documentElement.scrollWidth"); got > phone.width {
			t.Errorf("%s is %d px wide on a screen of %d", what, got, phone.width)
		}
	}
	w.visit("/runs")
	w.until("the list", "rows().length === 1 && words(rows()[0]).includes('120')")
	fits("Runs")
	w.click(".table .row", "120")
	w.at("/runs/")
	w.until("the rollouts", "rows().length > 2 && rows()[0].getBoundingClientRect().height > 44")
	fits("the run")
	w.click(".table .row", "example_")
	w.at("/traces/")
	w.until("the waterfall", "spans().length > 3 && seen($('.wrow'))")
	fits("the trace")
	w.click(".wrow", "POST /v1/responses")
	w.until("the panel as a sheet", "seen($('.side .phead'))")
	fits("the sheet")
	w.visit("/groups")
	w.shows("main", "http_client")
	fits("Groups")
	w.click("button[aria-label=Menu]", "")
	w.click("nav.menu a", "Traces")
	w.at("/traces")
	w.until("the traces", "rows().length > 2")
	fits("Traces")
}

// end presses Ctrl-C in the terminal: no failure, and the page says that it is alone.
func (w *walk) end(t *testing.T) {
	w.faults.allow("net::ERR_|status of 503")
	w.gym.Signal(t, os.Interrupt)
	if code := w.gym.Ends(t); code != 0 {
		t.Errorf("gym ended with %d\n%s", code, w.gym.Output())
	}
	w.shows(".strip", "Not connected to Lens")
	if !strings.Contains(w.gym.Output(), "lens view --data") {
		t.Errorf("gym does not say how to look again\n%s", w.gym.Output())
	}
}
