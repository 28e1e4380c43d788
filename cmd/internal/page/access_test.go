package page

import (
	_ "embed"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp/kb"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// access judges the screen that is shown.
//
//go:embed testdata/access.js
var access string

// verdict is what it finds: complaints, and how many texts it measured.
type verdict struct {
	Complaints []string
	Texts      int
}

func (p *tab) judge() verdict {
	p.t.Helper()
	return p.judgeAfter("null")
}

// judgeAfter judges what an expression has made of the screen, before an update can mend it.
func (p *tab) judgeAfter(spoil string) verdict {
	p.t.Helper()
	return eval[verdict](p, "(() => {"+spoil+";\n"+access+"})()")
}

// screen is a screen of the demo with everything on it.
type screen struct {
	name, path string
	ready      string // comes true when all is there
	keys       []string
}

// screens lists every screen of a run of the demo.
func screens(t *testing.T, p *tab) []screen {
	t.Helper()
	run := eval[string](p, "fetch('/api/v1/runs').then((r) => r.json()).then((d) => d.rows[0].id)")
	type rollout struct {
		Trace, Span string
		At          int64
	}
	list := eval[[]rollout](p, fmt.Sprintf("fetch('/api/v1/runs/%s/rollouts?q=' + encodeURIComponent('env:example_multi_step task:25')).then((r) => r.json()).then((d) => d.rows)", run))
	if len(list) != 2 {
		t.Fatalf("%d attempts of task 25, want 2", len(list))
	}
	a, b := list[0], list[1]
	trace := fmt.Sprintf("/traces/%s?at=%d&span=%s", a.Trace, a.At, a.Span)
	loaded := "rows().length > 0"
	return []screen{
		{"runs", "/runs", loaded, nil},
		{"wrong filter", "/runs?q=enf:x", "holding('.complaint', 'enf')", nil},
		{"no match", "/runs?q=env:none", "seen($('.nothing'))", nil},
		{"run", "/runs/" + run, "rows().length > 5 && seen($('.parts')) && seen($('.panel svg'))", nil},
		{"completion", "/runs/" + run, "rows().length > 5 && seen($('.complete li'))", []string{"/", "re"}},
		{"tasks", "/runs/" + run + "?tab=tasks", loaded, nil},
		{"run's groups", "/runs/" + run + "?tab=groups", loaded, nil},
		{"run's metrics", "/runs/" + run + "?tab=metrics", "seen($('.tablebox').firstElementChild)", nil},
		{"run's logs", "/runs/" + run + "?tab=logs", "$('.runlogs .lrow')", nil},
		{"metrics", "/metrics?run=metrics-run", "$$('.plot canvas').length === 4", nil},
		{"traces", "/traces", loaded, nil},
		{"trace", trace, "spans().length > 5 && $('.talk .trow2') && seen($('.pbody'))", nil},
		{"logs", trace + "&tab=logs", "spans().length > 5 && seen($('.lowerbody'))", nil},
		{"found", trace, "spans().length > 5 && /of/.test(words($('.wf .dim')))", []string{"/", "verify"}},
		{"compare", fmt.Sprintf("/compare?a=%s&b=%s&a_span=%s&b_span=%s", a.Trace, b.Trace, a.Span, b.Span), "$$('.ctable .srow').length > 5 && $$('.talks section').length === 2", nil},
		{"compare runs", "/compare?runs=1&a=" + run + "&b=" + run, loaded, nil},
		{"groups", "/groups", loaded, nil},
		{"help", "/runs", "$('dialog[open]')", []string{"?"}},
		{"go to", "/runs", "seen($('#goto-list li'))", []string{"ctrl k", "25-1"}},
		{"gone", "/traces/0123456789abcdef0123456789abcdef", "seen($('.card'))", nil},
	}
}

// show opens a screen and waits for it.
func (p *tab) show(s screen) {
	p.t.Helper()
	p.visit(s.path)
	if len(s.keys) == 0 {
		p.until(s.name, s.ready)
		return
	}
	p.until("a screen", "seen($('main h1')) && (rows().length > 0 || spans().length > 0)")
	for _, k := range s.keys {
		if k == "ctrl k" {
			p.pressCtrl('k')
			continue
		}
		p.press(k)
	}
	p.until(s.name, s.ready)
}

// logsOf has a record of each level for a run.
func logsOf(run string) plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("service.name", "nemo-gym/policy_model")
	rl.Resource().Attributes().PutStr("nemo.run.id", run)
	records := rl.ScopeLogs().AppendEmpty().LogRecords()
	for level := plog.SeverityNumberTrace; level <= plog.SeverityNumberFatal; level += 4 {
		r := records.AppendEmpty()
		r.SetTimestamp(pcommon.NewTimestampFromTime(time.Now()))
		r.SetSeverityNumber(level)
		r.Body().SetStr("a line of a log")
	}
	return ld
}

// TestAccess looks at every screen in both themes: contrast of text, names of what can be used, and the places of rows.
func TestAccess(t *testing.T) {
	theBrowser(t)
	v := serveDemo(t)
	for s := 10; s <= 60; s += 10 {
		v.sendMetrics(t, export(s))
	}
	p := v.open(t)
	p.faults.allow("status of (400|404|410)")
	v.sendLogs(t, logsOf(eval[string](p, "fetch('/api/v1/runs').then((r) => r.json()).then((d) => d.rows[0].id)")))
	for _, s := range screens(t, p) {
		t.Run(s.name, func(t *testing.T) {
			p.t = t
			for _, theme := range []string{"light", "dark"} {
				p.setTheme(theme)
				p.show(s)
				if v := p.judge(); len(v.Complaints) > 0 {
					t.Errorf("%s:\n%s", theme, strings.Join(v.Complaints, "\n"))
				} else if v.Texts < 10 {
					t.Errorf("%s: only %d texts were measured", theme, v.Texts)
				}
			}
		})
	}
	p.t = t
}

// The judge notices what it is there for.
func TestJudge(t *testing.T) {
	theBrowser(t)
	p := serveDemo(t).open(t)
	p.visit("/traces")
	p.until("the traces", "rows().length > 5")
	if v := p.judge(); len(v.Complaints) > 0 {
		t.Fatalf("there are complaints before: %q", v.Complaints)
	}
	for name, test := range map[string]struct{ spoil, want string }{
		"pale text":      {"$('h1').style.color = 'rgb(150 150 150)'", "contrast of 2."},
		"faded text":     {"$('h1').style.opacity = '.3'", "contrast of"},
		"no name":        {"$('main').append(document.createElement('input'))", "no name: <input>"},
		"no place":       {"rows()[0].removeAttribute('aria-rowindex')", "a row without its place"},
		"no cells":       {"rows()[0].replaceChildren('x')", "a row without cells"},
		"lost row":       {"$('.table').setAttribute('aria-activedescendant', 'nothing')", "its active row nothing is not there"},
		"id twice":       {"(rows()[0].id = 'main')", "the id main is there twice"},
		"two headings":   {"$('main').append(Object.assign(document.createElement('h1'), { textContent: 'x' }))", "2 first headings"},
		"no title":       {"document.title = 'Lens'", "does not say where one is"},
		"order by hand":  {"($('h1').tabIndex = 3)", "an order of its own"},
		"no live region": {"$('[aria-live]').remove()", "no live region"},
	} {
		t.Run(name, func(t *testing.T) {
			p.t = t
			p.do("load again", reload)
			p.until("the traces", "rows().length > 5")
			if got := strings.Join(p.judgeAfter(test.spoil).Complaints, "\n"); !strings.Contains(got, test.want) {
				t.Errorf("it says %q, not %q", got, test.want)
			}
		})
	}
	p.t = t
}

// The focus can be seen wherever Tab leads, and comes round again: there is no trap.
func TestFocus(t *testing.T) {
	theBrowser(t)
	p := serveDemo(t).open(t)
	for _, s := range screens(t, p) {
		switch s.name {
		case "runs", "run", "trace", "compare", "groups":
		default:
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			p.t = t
			p.show(s)
			seen := map[string]bool{}
			for range 80 {
				p.press(kb.Tab)
				at := eval[struct{ What, Outline string }](p, `(() => {
					const e = document.activeElement, s = getComputedStyle(e), inside = $('[aria-selected=true]', e);
					const box = e.closest('.field, .fbox'), rings = [s, inside && getComputedStyle(inside), box && getComputedStyle(box)].filter(Boolean);
					const ring = rings.some((x) => (x.outlineStyle !== 'none' && parseFloat(x.outlineWidth) >= 1) || x.boxShadow !== 'none') || (box && parseFloat(rings[rings.length - 1].borderTopWidth) >= 2);
					return { What: e === document.body ? '' : e.tagName + ' ' + e.className + ' ' + words(e).slice(0, 40) + (e.ariaLabel || ''), Outline: ring ? 'ring' : '' };
				})()`)
				if at.What == "" || seen[at.What] && len(seen) > 3 {
					break
				}
				seen[at.What] = true
				if at.Outline == "" {
					t.Errorf("the focus cannot be seen on %s", at.What)
				}
			}
			if len(seen) < 5 {
				t.Errorf("Tab only reaches %v", seen)
			}
		})
	}
	p.t = t
}
