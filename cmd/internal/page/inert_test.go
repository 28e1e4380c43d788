package page

import (
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/lensgo/lens/viewer"
)

// evil is text that has hurt other pages. What it would do if it were anything but text is to set window.pwned, to open a
// dialog, or to make an element of the class pwned.
var evil = []string{
	`<script>pwned=1;alert(1)</script>`,
	`</textarea></title></style></script><img class=pwned src=x onerror="pwned=1;alert(1)">`,
	`"><svg class=pwned onload=pwned=1>`,
	`' autofocus onfocus=pwned=1 class='pwned`,
	`<iframe class=pwned srcdoc="<script>parent.pwned=1</script>"></iframe>`,
	`<a class=pwned href="javascript:pwned=1">x</a><base href="http://192.0.2.1/"><style>*{display:none}</style>`,
	`javascript:pwned=1`,
	`data:text/html,<script>pwned=1</script>`,
	`${pwned=1}{{constructor.constructor('pwned=1')()}}<%= pwned=1 %>`,
	`<!--<b class=pwned>`,
	"a\nb\r\nevent: bye\ndata: {}\n\n",
	"\x00\x07\x1b[2J\x1b]0;x\x07\x7f\u0085",
	"\u202etxt.exe\u202c\u2066x\u2069\u200e\u200f\ufeff\u2028\u2029",
	"\xff\xfe\xc3(",
	"__proto__", "constructor",
	`%3Cscript%3Epwned=1%3C/script%3E&lt;b class=pwned&gt;`,
	`../../etc/passwd?token=1#x`,
}

// evilStore is a viewer in which every text that a sender can choose is evil: rollout i, of run evil[i], with trace i.
func evilStore(t *testing.T) *place {
	t.Helper()
	results := filepath.Join(t.TempDir(), "results.jsonl")
	var lines strings.Builder
	for i, text := range evil {
		lines.WriteString(evilResult(i, text))
	}
	if err := os.WriteFile(results, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	v := serve(t, viewer.Options{Results: results})
	for i, text := range evil {
		v.sendTraces(t, evilTrace(i, text))
		v.sendLogs(t, evilLogs(i, text))
		v.sendMetrics(t, evilMetrics(text))
	}
	return v
}

func evilResult(task int, text string) string {
	type object = map[string]any
	line, _ := json.Marshal(object{
		"_ng_task_index": task, "_ng_rollout_index": 0, "reward": 0.5, text: text, "why": text,
		"responses_create_params": object{"instructions": text, "input": []any{
			object{"role": "user", "content": text}, object{"role": text, "content": []any{object{"type": text, "text": text}}},
		}},
		"response": object{"output": []any{
			object{"type": "reasoning", "summary": []any{object{"type": "summary_text", "text": text}}},
			object{"type": "function_call", "name": text, "call_id": text, "arguments": text},
			object{"type": "function_call_output", "call_id": text, "output": text},
			object{"type": "message", "role": "assistant", "content": []any{object{"type": "output_text", "text": text}}},
			object{"type": text, text: text},
		}},
	})
	return string(line) + "\n"
}

func evilTrace(task int, text string) ptrace.Traces {
	tr := newTrace(text)
	root := tr.span(1, 0, "gym.rollout", 0, 100)
	call := tr.span(2, 1, text, 10, 90)
	for i := range tr.spans.Len() {
		s := tr.spans.At(i)
		s.SetTraceID([16]byte{0: 0xe1, 15: byte(task + 1)})
		s.Status().SetCode(ptrace.StatusCodeError)
		s.Status().SetMessage(text)
		s.TraceState().FromRaw(text)
		a := s.Attributes()
		a.PutStr(text, text)
		a.PutStr("long", strings.Repeat(text, 20))
		a.PutStr("gen_ai.input.messages", text)
		a.PutStr("lens.group", text)
		a.PutEmptySlice("list").AppendEmpty().SetEmptyMap().PutStr(text, text)
		e := s.Events().AppendEmpty()
		e.SetName(text)
		e.Attributes().PutStr(text, text)
		l := s.Links().AppendEmpty()
		l.SetTraceID(s.TraceID())
		l.SetSpanID(spanID(1))
		l.Attributes().PutStr("nemo.gym.link", text)
	}
	a := root.Attributes()
	a.PutStr("nemo.gym.rollout.id", text)
	a.PutStr("nemo.gym.environment.name", text)
	a.PutStr("nemo.gym.agent.name", text)
	a.PutInt("nemo.gym.task.index", int64(task))
	a.PutInt("nemo.gym.rollout.index", 0)
	a.PutStr("nemo.gym.rollout.outcome", "failed")
	a.PutStr("nemo.gym.failure_class", text)
	call.Attributes().PutBool("nemo.span.truncated", true)
	call.Attributes().PutStr("nemo.span.truncated.reason", text)
	rs := tr.ResourceSpans().At(0)
	rs.Resource().Attributes().PutStr("nemo.run.id", text)
	rs.Resource().Attributes().PutStr(text, text)
	rs.ScopeSpans().At(0).Scope().SetName(text)
	rs.ScopeSpans().At(0).Scope().SetVersion(text)
	return tr.Traces
}

func evilLogs(task int, text string) plog.Logs {
	ld := plog.NewLogs()
	rl := ld.ResourceLogs().AppendEmpty()
	rl.Resource().Attributes().PutStr("service.name", text)
	rl.Resource().Attributes().PutStr("nemo.run.id", text)
	r := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	r.SetTraceID([16]byte{0: 0xe1, 15: byte(task + 1)})
	r.SetSpanID(spanID(1))
	r.SetSeverityText(text)
	r.Body().SetStr(text)
	r.Attributes().PutStr(text, text)
	return ld
}

func evilMetrics(text string) pmetric.Metrics {
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", text)
	rm.Resource().Attributes().PutStr("nemo.run.id", text)
	m := rm.ScopeMetrics().AppendEmpty().Metrics().AppendEmpty()
	m.SetName(text)
	m.SetUnit(text)
	m.SetDescription(text)
	for i, points := 1, m.SetEmptyGauge().DataPoints(); i <= 3; i++ {
		d := points.AppendEmpty()
		d.SetTimestamp(pcommon.Timestamp((1796000000 + uint64(i)) * 1e9))
		d.SetIntValue(int64(i))
		d.Attributes().PutStr(text, text)
	}
	return md
}

// harm lists what the text on the screen has done, or shows of itself that it should not: a line each.
const harm = `(() => {
	const out = [], hidden = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/;
	if ('pwned' in window || $$('iframe').some((f) => 'pwned' in f.contentWindow)) out.push('it ran');
	if (({}).pwned !== undefined) out.push('it changed all objects');
	for (const e of $$('.pwned, iframe, object, embed, base, style, form, script:not([src]), [srcdoc], a[href^="javascript" i], a[href^="data:" i]')) out.push('it became the element ' + e.outerHTML.slice(0, 100));
	for (const e of $$('*')) {
		for (const a of e.attributes) {
			if (/^on/i.test(a.name)) out.push('it became the handler ' + a.name + ' of ' + e.tagName);
			if (['title', 'aria-label', 'placeholder', 'alt'].includes(a.name) && hidden.test(a.value)) out.push('not made visible in ' + a.name + ' of ' + e.tagName + '.' + e.className + ': ' + JSON.stringify(a.value).slice(0, 80));
		}
		for (const n of e.childNodes) if (n.nodeType === 3 && hidden.test(n.data)) out.push('not made visible in ' + e.tagName + '.' + e.className + ': ' + JSON.stringify(n.data).slice(0, 80));
	}
	if (hidden.test(document.title)) out.push('not made visible in the title: ' + JSON.stringify(document.title));
	return [...new Set(out)];
})()`

func (p *tab) harmless(what string) {
	p.t.Helper()
	if list := eval[[]string](p, harm); len(list) > 0 {
		p.t.Errorf("%s: %s", what, strings.Join(list, "\n"))
	}
}

// TestInert opens every screen on data of which every text is evil. It is shown as text, and does nothing.
func TestInert(t *testing.T) {
	theBrowser(t)
	v := evilStore(t)
	p := v.open(t)
	p.faults.allow("status of (400|404)") // a name may be no address
	for i, text := range evil {
		t.Run(fmt.Sprintf("%.24q", text), func(t *testing.T) {
			p.t = t
			p.evilRun([]string{"tasks", "groups", "metrics", "logs"}[i%4], url.PathEscape(strings.ToValidUTF8(text, "\ufffd")))
			p.evilTrace(fmt.Sprintf("/traces/e1%028x%02x", 0, i+1))
		})
	}
	p.t = t
	escaped := func(i int) string { return url.QueryEscape(evil[i]) }
	for _, s := range []screen{
		{"runs", "/runs", fmt.Sprintf("$('[role=grid]').ariaRowCount === '%d'", len(evil)+1), nil},
		{"traces", "/traces", "rows().length > 5", nil},
		{"groups", "/groups", "rows().length > 5", nil},
		{"metrics", "/metrics?run=" + escaped(2), "$$('.chart .key').length > 0", nil},
		{"names", "/groups", "$$('.gtable [aria-level=\"2\"]').length > 0", []string{kb.Enter}},
		{"compare runs", "/compare?runs=1&a=" + escaped(0) + "&b=" + escaped(1), "rows().length > 0 || seen($('.card'))", nil},
		{"filter", "/runs?q=" + escaped(0), "seen($('.fbox .tok'))", nil},
		{"link", "/traces/" + escaped(0) + "?span=" + escaped(1) + "&zoom=" + escaped(2), "seen($('main'))", nil},
		{"completion", "/runs", "seen($('.complete li'))", []string{"/", "env:<s"}},
		{"complaint", "/runs", "seen($('.complaint'))", []string{"/", "enf:<img/src=x>", kb.Enter}},
		{"go to", "/runs", "seen($('#goto-list li'))", []string{"ctrl k", "<scr"}},
		{"help", "/runs?q=" + escaped(0), "$('dialog[open]')", []string{"?"}},
	} {
		t.Run(s.name, func(t *testing.T) {
			p.t = t
			p.show(s)
			p.harmless(s.name)
		})
	}
	p.t = t
}

// evilRun opens a run by its name, and one of its tabs.
func (p *tab) evilRun(tab, name string) {
	p.t.Helper()
	for _, query := range []string{"", "?tab=" + tab} {
		p.visit("/runs/" + name + query)
		p.until("the run", "rows().length > 0 || $$('.chart .key').length > 0 || $('.runlogs .lrow') || seen($('.card')) || !$('main')")
		p.harmless("the run" + query)
	}
}

// evilTrace opens a trace, and everything that a person can open there.
func (p *tab) evilTrace(path string) {
	p.t.Helper()
	p.visit(path)
	p.until("the spans", "spans().length === 2 && $$('.talk .trow2').length > 5")
	p.press(kb.Home)
	p.until("the panel", "words($('.phead h2')) === 'gym.rollout' && $$('.pbody .k').length > 5")
	p.harmless("the root's panel")
	p.press("j")
	p.until("the panel of the next", "words($('.phead h2')) !== 'gym.rollout' && $$('.pbody .k').length > 5")
	p.harmless("the panel")
	eval[any](p, "($$('details').forEach((d) => { d.open = true; }), $$('.pbody .link').forEach((b) => { if (b.tagName === 'BUTTON') b.click(); }), null)")
	p.harmless("the panel, opened")
	p.click(".ptabs .tab", "Message")
	p.until("the messages", "!$('.pbody .kv')")
	p.harmless("messages")
	p.click(".ptabs .tab", "JSON")
	p.until("the JSON", "seen($('.json'))")
	p.harmless("JSON")
	eval[any](p, "($$('.talk .trow2').forEach((r) => r.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter' }))), null)")
	p.harmless("the conversation, opened")
	p.press("b")
	p.until("coloured by group", "location.search.includes('color=group')")
	p.harmless("coloured by group")
	p.click(".tab", "Logs")
	p.until("the logs", "words($('.tab[aria-selected=true]')).startsWith('Logs') && $$('.lowerbody [role=row], .lowerbody .lrow, .lowerbody > * > *').length > 0")
	p.harmless("logs")
	p.press("y", "?")
	p.until("the help", "$('dialog[open]')")
	p.harmless("help")
	p.press(kb.Escape)
	trace := strings.TrimPrefix(path, "/traces/")
	p.visit("/compare?a=" + trace + "&b=e1" + strings.Repeat("0", 28) + "01")
	p.until("the comparison", "$$('.ctable .srow').length > 1 && $$('.talks section').length === 2")
	p.harmless("compare")
}
