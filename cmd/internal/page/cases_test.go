package page

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"go.opentelemetry.io/collector/pdata/pcommon"

	"github.com/lensgo/lens/viewer"
)

// The tests of this file are the rows UI-01 to UI-13 of the list of cases that have hurt viewers before, each as the page
// shows it. A case's spans are a file of their own, in a store of their own.

const caseFiles = "../../../viewer/web/testdata"

// row is a row of the waterfall as a person reads it.
type row struct {
	Name, Note, Duration, Share, Expanded, Spoken string
	Level, Pos, Size                              int
	Selected, Warn                                bool
}

// openCase reads a file into a store, finds its trace in the list, and opens it.
func openCase(t *testing.T, file string) *tab {
	t.Helper()
	theBrowser(t)
	return openTrace(t, serve(t, viewer.Options{Files: []string{oneLine(t, file)}}))
}

// oneLine makes a case a file that `lens view` reads: a request a line.
func oneLine(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(caseFiles, file))
	if err != nil {
		t.Fatal(err)
	}
	var line bytes.Buffer
	if err := json.Compact(&line, text); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), file)
	if err := os.WriteFile(path, line.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// openTrace opens the only trace of a store by the list.
func openTrace(t *testing.T, v *place) *tab {
	t.Helper()
	p := v.open(t)
	p.visit("/traces")
	p.until("the trace in the list", "rows().length === 1")
	p.press(kb.Enter)
	p.at("/traces/")
	p.until("its rows", "spans().length > 0 && !words($('.says')).includes('reading on')")
	return p
}

func (p *tab) rows() []row { p.t.Helper(); return eval[[]row](p, "spans()") }

// outline is the rows with their depths, one a line.
func outline(rows []row) string {
	var out []string
	for _, r := range rows {
		words := strings.Repeat("  ", r.Level-1) + r.Name
		if r.Note != "" {
			words += " (" + r.Note + ")"
		}
		out = append(out, words)
	}
	return strings.Join(out, "\n")
}

// wantOutline waits for the rows: they are drawn a frame after what is said about them.
func (p *tab) wantOutline(want string) {
	p.t.Helper()
	var got string
	p.await("the rows", func() bool { got = outline(p.rows()); return got == strings.TrimSpace(want) }, func() string {
		return fmt.Sprintf("they are\n%s\nwant\n%s", got, strings.TrimSpace(want))
	})
}

// UI-01: spans whose parents never came are all there, under the parents that they name.
func TestOrphans(t *testing.T) {
	p := openCase(t, "ui-orphans.json")
	p.wantOutline(`
parent 00000000… (never arrived)
  orphan-a
    child-of-orphan-a
parent 00000000… (never arrived)
  orphan-b`)
	p.shows("h1", "no root received")
	p.shows(".head .chip", "2 spans without their parent")
	p.shows(".meta", "spans3")
	p.shows(".says", "3 spans in 5 rows")
	for _, name := range []string{"orphan-a", "child-of-orphan-a", "orphan-b"} {
		if b := eval[[]float64](p, fmt.Sprintf("bar(spans().findIndex((r) => r.name === %q))", name)); len(b) != 2 || b[1]-b[0] < 20 {
			t.Errorf("the bar of %s reaches from %v", name, b)
		}
	}
	p.visit("/traces")
	p.shows(".table .row", "no root received")
	p.shows(".table .row", "3")
}

// UI-03: two spans with one id are both there and marked; the same bytes once more are not.
func TestDuplicateSpanIDs(t *testing.T) {
	theBrowser(t)
	v := serve(t, viewer.Options{})
	body, err := os.ReadFile(filepath.Join(caseFiles, "ui-duplicate-span-ids.json"))
	if err != nil {
		t.Fatal(err)
	}
	v.post(t, "/v1/traces", "application/json", body)
	p := openTrace(t, v)
	check := func() {
		t.Helper()
		p.shows(".says", "3 spans in 3 rows")
		p.shows(".head .chip", "2 spans with an id used twice")
		rows := p.rows()
		marked := slices.DeleteFunc(slices.Clone(rows), func(r row) bool { return !r.Warn || r.Note != "same span id twice" })
		if len(rows) != 3 || len(marked) == 0 || slices.ContainsFunc(marked, func(r row) bool { return r.Name != "step" }) {
			t.Errorf("the rows are\n%s", outline(rows))
		}
	}
	check()
	v.post(t, "/v1/traces", "application/json", body)
	p.do("load again", reload)
	p.until("the rows", "spans().length > 0")
	check()
	p.press(kb.Home)
	p.shows(".pbody", "2 spans with different content have this id")
}

// UI-05: a server whose clock is 5 s behind is shown when it says it worked, and the difference in words.
func TestClockSkew(t *testing.T) {
	p := openCase(t, "ui-clock-skew.json")
	p.shows(".head .chip", "clocks differ")
	p.press("p") // each span its own row
	p.until("both rows", "spans().length === 2")
	client, server := eval[[]float64](p, "bar(spans().findIndex((r) => r.name === 'client-call'))"), eval[[]float64](p, "bar(spans().findIndex((r) => r.name === 'server-handle'))")
	track := eval[float64](p, "track()")
	for name, b := range map[string][]float64{"client": client, "server": server} {
		if len(b) != 2 || b[1]-b[0] < 2 || b[0] < 0 || b[1] > track+8 {
			t.Errorf("the bar of the %s reaches from %v on a track of %.0f px", name, b, track)
		}
	}
	if len(client) == 2 && len(server) == 2 && server[1] >= client[0] {
		t.Errorf("the server's bar %v does not lie before the client's %v, as their clocks say", server, client)
	}
	p.click(".wrow", "server-handle")
	p.shows(".phead h2", "server-handle")
	p.shows(".figs4", "+0")
	p.shows(".figs4", "50.0ms")
}

// UI-07: 150 levels, the deepest of which can be reached.
func TestDepth(t *testing.T) {
	p := openCase(t, "ui-depth-150.json")
	p.shows(".says", "150 spans in 150 rows")
	p.press(kb.End)
	p.until("the deepest span", "spans().some((r) => r.selected && r.level === 150)")
	p.until("it is in sight", `(() => { const e = $('.wrow[aria-selected=true]').getBoundingClientRect(), b = $('.wfscroll').getBoundingClientRect(); return e.top >= b.top - 1 && e.bottom <= b.bottom + 1 && seen($('.wrow[aria-selected=true] .wname')); })()`)
	p.until("it has a bar", "bar($('.wrow[aria-selected=true]').dataset.k)")
}

// UI-07: 10,000 children fold into one row that says so, and unfold again.
func TestManyChildren(t *testing.T) {
	theBrowser(t)
	const n = 10_000
	v := serve(t, viewer.Options{})
	tr := newTrace("many")
	tr.span(1, 0, "root", 0, n)
	for i := range n {
		tr.span(i+2, 1, "step", i, i+1)
	}
	v.sendTraces(t, tr.Traces)
	p := openTrace(t, v)
	p.until("all spans", "words($('.says')).includes('10,001 spans in 2 rows')")
	p.wantOutline("root\n  10,000 × step")
	p.click(".wrow", "10,000 × step")
	p.shows(".figs4", "calls, sum")
	p.shows(".pbody", "Longest 5")
	p.press("x")
	p.until("unfolded", "words($('.says')).includes('in 10,002 rows')")
	p.press(kb.End)
	p.until("the last child", "spans().some((r) => r.selected && r.pos === r.size)")
	if got := eval[int](p, "$$('.wrow').length"); got > 200 {
		t.Errorf("%d elements for rows: one a span, not one a visible row", got)
	}
	p.press("x")
	p.until("folded", "words($('.says')).includes('in 2 rows')")
	p.press("X")
	p.until("no folds at all", "words($('.says')).includes('in 10,001 rows') && location.search.includes('fold=0')")
}

// UI-07: nothing but 16 alike neighbours ever folds by itself.
func TestFoldsOnlyTheAlike(t *testing.T) {
	theBrowser(t)
	v := serve(t, viewer.Options{})
	p := v.open(t)
	for i, test := range []struct {
		name  string
		n     int
		alike bool
		lines int
	}{
		{"11 unlike", 11, false, 12}, {"12 unlike", 12, false, 13}, {"13 unlike", 13, false, 14}, {"40 unlike", 40, false, 41},
		{"15 alike", 15, true, 16}, {"16 alike", 16, true, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			p.t = t
			tr := newTrace("some")
			tr.span(1, 0, "root", 0, 1000)
			for i := range test.n {
				name := "step"
				if !test.alike {
					name = fmt.Sprintf("step %c%c", 'a'+i/26, 'a'+i%26)
				}
				tr.span(i+2, 1, name, i*10, i*10+8)
			}
			id := pcommon.TraceID{0: 0xf0, 15: byte(i)}
			tr.of(id)
			v.sendTraces(t, tr.Traces)
			p.visit("/traces/" + id.String())
			p.shows(".says", fmt.Sprintf("%d spans in %d rows", test.n+1, test.lines))
			if test.lines > 2 {
				return
			}
			p.wantOutline(fmt.Sprintf("root\n  %d × step", test.n))
			p.press(kb.End)
			p.until("the fold is chosen", "spans()[1].selected && spans()[1].expanded === 'false'")
			p.press("l")
			p.shows(".says", fmt.Sprintf("in %d rows", test.n+2))
			p.until("that in the address", "location.search.includes('open=')")
			p.press("h")
			p.shows(".says", "in 2 rows")
		})
	}
	p.t = t
}

// What needs a look is not hidden in a fold.
func TestFoldShowsTheOdd(t *testing.T) {
	theBrowser(t)
	v := serve(t, viewer.Options{})
	tr := newTrace("some")
	tr.span(1, 0, "root", 0, 10_000)
	for i := range 100 {
		s := tr.span(i+2, 1, "step", i*50, i*50+10)
		switch i {
		case 30:
			s.Status().SetCode(2)
			s.Status().SetMessage("it broke")
		case 60:
			s.Attributes().PutBool("nemo.span.truncated", true)
		case 90:
			s.SetEndTimestamp(s.StartTimestamp() + 400_000_000)
		}
	}
	v.sendTraces(t, tr.Traces)
	p := openTrace(t, v)
	p.wantOutline("root\n  100 × step\n    #31 step\n    #61 step (truncated)\n    #91 step (40 × the median)")
	p.press("e")
	p.until("the error is found", "spans().find((r) => r.selected).name === '#31 step'")
	p.shows(".pbody", "it broke")
}

// UI-09: links in a circle, which one can walk.
func TestLinkCycle(t *testing.T) {
	p := openCase(t, "ui-link-cycle.json")
	p.wantOutline("root\n  self-call")
	p.press(kb.Home)
	p.shows(".phead h2", "root")
	for range 2 {
		p.click(".pbody .event a", "")
		p.shows(".phead h2", "self-call")
		p.until("its row", "spans().find((r) => r.selected).name === 'self-call'")
		p.click(".pbody .event a", "")
		p.shows(".phead h2", "root")
	}
}

// UI-11: a millisecond in ten minutes is seen.
func TestTinyChild(t *testing.T) {
	p := openCase(t, "ui-tiny-child.json")
	p.wantOutline("parent-600s\n  child-1ms")
	b, track := eval[[]float64](p, "bar(1)"), eval[float64](p, "track()")
	if len(b) != 2 || b[1]-b[0] < 2 || b[1]-b[0] > 6 || b[0] < track*0.45 || b[1] > track*0.55 {
		t.Errorf("the child's bar reaches from %v on a track of %.0f px, want 2 px in the middle", b, track)
	}
	if got := p.rows()[1].Duration; got != "1.00ms" {
		t.Errorf("its duration is %q", got)
	}
	p.click(".wrow", "child-1ms")
	p.press("+", "+", "+", "+")
	p.until("still there when zoomed in", "bar(1) && bar(1)[1] - bar(1)[0] >= 2")
}

// UI-13: spans that were open when their process ended are cut, not failed: not red, no error, in no percentile.
func TestTruncated(t *testing.T) {
	theBrowser(t)
	v := serve(t, viewer.Options{})
	tr := newTrace("cut")
	for i, name := range []string{"root", "child", "grandchild"} {
		s := tr.span(i+1, i, name, i*10, 5000-i)
		s.Attributes().PutBool("nemo.span.truncated", true)
		s.Attributes().PutStr("lens.group", "work")
		s.Events().AppendEmpty().SetName("nemo.span.truncated")
	}
	whole := tr.span(4, 3, "whole", 30, 40)
	whole.Attributes().PutStr("lens.group", "work")
	v.sendTraces(t, tr.Traces)
	p := openTrace(t, v)
	p.shows(".head .chip", "3 spans truncated")
	for _, r := range p.rows() {
		if cut := r.Name != "whole"; r.Warn != cut || strings.Contains(r.Spoken, "error") || cut != strings.Contains(r.Note, "truncated") {
			t.Errorf("row %+v", r)
		}
	}
	if red, warn := eval[int](p, "painted('--err')"), eval[int](p, "painted('--warn')"); red > 0 || warn < 20 {
		t.Errorf("%d pixels of the timeline are red, %d the colour of a cut", red, warn)
	}
	if eval[bool](p, "!!$('.head .err') || words($('.meta')).includes('errors')") {
		t.Error("the head counts an error")
	}
	p.press(kb.Home)
	p.shows(".pbody", "Not counted as an error, left out of percentiles")
	p.press("e")
	p.until("no error to go to", "spans()[0].selected")
	p.visit("/traces")
	p.until("no error in the list", "rows().length === 1 && !$('.row .err', rows()[0].parentElement) && words($$('.td', rows()[0])[6]) === '0'")
	p.visit("/groups")
	p.shows("main", "work")
	p.until("only the whole span in the percentiles", "(() => { const r = rows().find((e) => words(e).startsWith('work')); const t = words(r); return t.includes('10') && t.includes('ms') && !/\\d s/.test(t); })()")
}
