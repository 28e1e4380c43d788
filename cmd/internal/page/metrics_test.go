package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"

	"github.com/lensgo/lens/viewer"
)

const metricsRun = "metrics-run"

// export is what a process sends of its metrics at some second: names of Gym and of GenAI, and a name that is markup.
func export(second int) pmetric.Metrics {
	at := func(s int) pcommon.Timestamp { return pcommon.Timestamp((1796000000 + uint64(s)) * 1e9) }
	md := pmetric.NewMetrics()
	rm := md.ResourceMetrics().AppendEmpty()
	rm.Resource().Attributes().PutStr("service.name", "nemo-gym/policy_model")
	rm.Resource().Attributes().PutStr("nemo.run.id", metricsRun)
	ms := rm.ScopeMetrics().AppendEmpty().Metrics()
	m := ms.AppendEmpty()
	m.SetName("gen_ai.client.token.usage")
	m.SetEmptyGauge().DataPoints().AppendEmpty().SetTimestamp(at(second))
	m = ms.AppendEmpty()
	m.SetName("<img src=x onerror=alert(1)>")
	m.SetEmptyGauge().DataPoints().AppendEmpty().SetTimestamp(at(second))
	m = ms.AppendEmpty()
	m.SetName("gym.rollout.completed_total")
	m.SetUnit("{rollout}")
	sum := m.SetEmptySum()
	sum.SetIsMonotonic(true)
	sum.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	for _, outcome := range []string{"scored", "failed"} {
		p := sum.DataPoints().AppendEmpty()
		p.SetStartTimestamp(at(0))
		p.SetTimestamp(at(second))
		p.SetIntValue(int64(second * len(outcome)))
		p.Attributes().PutStr("nemo.gym.rollout.outcome", outcome)
	}
	m = ms.AppendEmpty()
	m.SetName("gym.model_call.duration_ms")
	m.SetUnit("ms")
	h := m.SetEmptyHistogram()
	h.SetAggregationTemporality(pmetric.AggregationTemporalityCumulative)
	for _, outcome := range []string{"ok", "timeout"} {
		p := h.DataPoints().AppendEmpty()
		p.SetStartTimestamp(at(0))
		p.SetTimestamp(at(second))
		p.ExplicitBounds().FromRaw([]float64{100, 1000})
		p.BucketCounts().FromRaw([]uint64{0, uint64(second), 0})
		p.SetCount(uint64(second))
		p.Attributes().PutStr("nemo.gym.model_call.outcome", outcome)
	}
	return md
}

func (v *place) sendMetrics(t *testing.T, md pmetric.Metrics) {
	t.Helper()
	body, err := pmetricotlp.NewExportRequestFromMetrics(md).MarshalProto()
	if err != nil {
		t.Fatal(err)
	}
	v.post(t, "/v1/metrics", "application/x-protobuf", body)
}

// TestMetrics goes from nothing to charts that grow, as a person does, by keys alone where there are keys.
func TestMetrics(t *testing.T) {
	theBrowser(t)
	v := serve(t, viewer.Options{})
	p := v.open(t)
	p.press("g", "m")
	p.shows("main", "No metrics received yet")
	p.shows("main", "OTEL_METRICS_EXPORTER=otlp")
	for s := 10; s <= 60; s += 10 {
		v.sendMetrics(t, export(s))
	}
	p.until("four charts, Gym's first", "$$('.chart h3').map(words).join() === 'gym.model_call.duration_ms,gym.rollout.completed_total,gen_ai.client.token.usage,<img src=x onerror=alert(1)>'")
	p.shows(".chart", "p50 550ms")
	p.shows(".chart", "scored 6/s")
	p.shows(".chart", "failed 6/s")
	drawn := "$$('.plot canvas').length === 4 && $$('.plot canvas').every((c) => c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some((x) => x))"
	p.until("lines in all of them", drawn)
	if height := eval[float64](p, "$('.plot').clientHeight"); height != 160 {
		t.Errorf("a chart is %v high", height)
	}

	t.Run("live", func(t *testing.T) {
		v.sendMetrics(t, export(70))
		p.shows(".meta", "points42")
	})
	t.Run("cursor", func(t *testing.T) {
		at := eval[[]float64](p, "(() => { const b = $('.plot .u-over').getBoundingClientRect(); return [b.x + b.width / 2, b.y + 40]; })()")
		p.await("all charts tell the same time", func() bool { // a chart that is drawn anew has no cursor until the pointer moves
			at[0]++
			p.do("point at a chart", chromedp.MouseEvent(chromedp.MouseMoved, at[0], at[1]))
			return eval[bool](p, "new Set($$('.plotlegend .when').map(words)).size === 1 && words($('.plotlegend .when')) !== ''")
		}, p.state)
		p.do("leave it", chromedp.MouseEvent(chromedp.MouseMoved, 5, 5))
		p.until("the last values", "words($('.plotlegend .when')) === ''")
	})
	t.Run("split", func(t *testing.T) {
		p.until("the ways to split", "$$('.chart select').length >= 2")
		eval[any](p, "(() => { const s = $('.chart select'); s.value = 'nemo.gym.model_call.outcome'; s.dispatchEvent(new Event('change')); return null; })()")
		p.shows(".chart", "timeout p95")
	})
	t.Run("range", func(t *testing.T) {
		b := eval[[]float64](p, "(() => { const b = $('.plot .u-over').getBoundingClientRect(); return [b.x, b.y + 40, b.width]; })()")
		for i, x := range []float64{b[0] + b[2]*.3, b[0] + b[2]*.3, b[0] + b[2]*.6, b[0] + b[2]*.6} {
			kind := []input.DispatchMouseEventType{chromedp.MouseMoved, chromedp.MousePressed, chromedp.MouseMoved, chromedp.MouseReleased}[i]
			call(p, input.DispatchMouseEvent, input.DispatchMouseEventParams{X: x, Y: b[1], Type: kind, Button: input.MouseButtonLeft, ClickCount: 1})
		}
		p.at("/metrics?from=")
		p.shows(".chip", " to ")
		p.press("0")
		p.until("all of the time", "!location.search.includes('from')")
	})
	t.Run("keys and tables", func(t *testing.T) {
		p.press(kb.Home, "j")
		p.until("the second chart", "document.activeElement.getAttribute('aria-label') === 'gym.rollout.completed_total'")
		p.press("?")
		p.shows("dialog td", "6 /s")
		p.press(kb.Escape)
	})
	t.Run("both themes, and a phone", func(t *testing.T) {
		for _, theme := range []string{"dark", "light"} {
			p.theme(theme)
			p.until("lines in all of them", drawn)
		}
		p.size(phone)
		p.until("the charts one below the other", "$$('.chart')[1].getBoundingClientRect().top > $('.chart').getBoundingClientRect().bottom && document.documentElement.scrollWidth <= 390")
		p.size(wide)
	})
}

// TestRunLogs reads the logs of a run in its tab, by level and text, while more come.
func TestRunLogs(t *testing.T) {
	theBrowser(t)
	v := serve(t, viewer.Options{})
	tr := newTrace("agent")
	tr.span(1, 0, "gym.rollout", 0, 10)
	tr.ResourceSpans().At(0).Resource().Attributes().PutStr("nemo.run.id", metricsRun)
	v.sendTraces(t, tr.Traces)
	send := func(n int, level plog.SeverityNumber, text string) {
		t.Helper()
		ld := plog.NewLogs()
		rl := ld.ResourceLogs().AppendEmpty()
		rl.Resource().Attributes().PutStr("nemo.run.id", metricsRun)
		for i := range n {
			l := rl.ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
			l.SetTimestamp(pcommon.NewTimestampFromTime(tr.start))
			l.SetSeverityNumber(level)
			l.SetTraceID(traceID)
			l.SetSpanID(spanID(1))
			l.Body().SetStr(fmt.Sprintf("%s %d", text, i))
		}
		v.sendLogs(t, ld)
	}
	send(230, plog.SeverityNumberInfo, "listening <b>")
	send(3, plog.SeverityNumberError, "no answer")
	p := v.open(t)
	p.visit("/runs/" + metricsRun)
	p.shows(".tab", "Logs 233")
	p.press("5")
	p.shows(".loghead", "233 records")
	p.until("the latest first", "$$('.runlogs .lrow').length === 200 && words($('.lrow .body')).startsWith('no answer')")
	p.click(".runlogs button", "More")
	p.until("all of them", "$$('.runlogs .lrow').length === 233")

	eval[any](p, "(() => { const s = $('.loghead select'); s.value = 'error'; s.dispatchEvent(new Event('change')); return null; })()")
	p.until("the errors", "$$('.runlogs .lrow').length === 3 && location.search.includes('level=error')")
	p.press("/", "ANSWER 2", kb.Enter)
	p.until("one of them", "$$('.runlogs .lrow').length === 1 && location.search.includes('text=')")
	send(1, plog.SeverityNumberError, "the answer 2")
	p.shows(".chip", "1 new")
	p.press(".")
	p.until("both", "$$('.runlogs .lrow').length === 2")
	p.allowClipboard()
	p.press("Y")
	p.shows(".toast", "2 rows as TSV")
	if copied := eval[string](p, "navigator.clipboard.readText()"); !strings.HasPrefix(copied, "time\tlevel\tservice\tbody\ttrace\tspan\n") || !strings.Contains(copied, "\terror\t") ||
		!strings.Contains(copied, "\tthe answer 2 0\t") {
		t.Errorf("the copied table is %q", copied)
	}
	p.press("j", kb.Enter)
	p.until("the first one open", "$('.lrow').classList.contains('on') && $('.lrow').classList.contains('wide')")
	p.click(".lrow a", "trace")
	p.at("/traces/")
	p.shows(".logs .lrow", "listening <b>")
}
