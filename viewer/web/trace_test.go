package web_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/lensgo/lens/viewer/web"
)

const caseTrace = "0af7651916cd43dd8448eb211c80319c"

// page is what the tests look at in a page of spans.
type page struct {
	Version  string
	Rows     int
	Next     *int
	Strings  []string
	ID       []string
	Parent   []int
	Depth    []int
	Start    []int64 `json:"start_ns"`
	End      []int64 `json:"end_ns"`
	Name     []int
	Service  []int
	Flags    []int
	Path     []int64 `json:"path_ns"`
	Notes    [][2]any
	Skew     [][2]float64
	Copies   [][2]float64
	Messages [][2]any
}

func (p *page) names() (list []string) {
	for _, n := range p.Name {
		list = append(list, p.Strings[n])
	}
	return list
}

func decode[T any](t testing.TB, b *bench, path string) (v T) {
	t.Helper()
	w := b.get(path)
	if w.Code != 200 {
		t.Fatalf("%s: got %d: %s", path, w.Code, w.Body)
	}
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatalf("%s: %v in %s", path, err, w.Body)
	}
	return v
}

func spansOf(t testing.TB, b *bench, trace string) page {
	t.Helper()
	return decode[page](t, b, "/api/v1/traces/"+trace+"/spans")
}

const (
	flagError = 1 << iota
	flagOpen
	flagTruncated
	flagGhost
	flagOrphan
	flagSameID
	flagCycle
	flagSkew
	flagEvents
	flagRollout
	flagResent
	flagLinks
)

// TestOrphans is UI-01: what hangs below a missing parent is there, below a ghost that says so.
func TestOrphans(t *testing.T) {
	b := newBench(t, web.Options{})
	b.addFile("testdata/ui-orphans.json")
	p := spansOf(t, b, caseTrace)
	if want := []string{"", "orphan-a", "child-of-orphan-a", "", "orphan-b"}; !slices.Equal(p.names(), want) {
		t.Errorf("rows %q, want %q", p.names(), want)
	}
	if want := []int{flagGhost, flagOrphan, 0, flagGhost, flagOrphan}; !slices.Equal(p.Flags, want) {
		t.Errorf("flags %v, want %v", p.Flags, want)
	}
	if want := []int{-1, 0, 1, -1, 3}; !slices.Equal(p.Parent, want) {
		t.Errorf("parents %v, want %v", p.Parent, want)
	}
	if p.ID[0] != "0000000000000063" || p.Service[0] != -1 {
		t.Errorf("the ghost has id %s and service %d", p.ID[0], p.Service[0])
	}
	d := decode[struct{ Spans, Rows, Orphans int }](t, b, "/api/v1/traces/"+caseTrace)
	if d.Spans != 3 || d.Rows != 5 || d.Orphans != 2 {
		t.Errorf("got %+v", d)
	}
	list := decode[struct{ Rows []struct{ Trace string } }](t, b, "/api/v1/traces")
	if len(list.Rows) != 1 || list.Rows[0].Trace != caseTrace {
		t.Errorf("listed: %v", list)
	}
}

// TestSameID is UI-03: both spans are kept and marked; the same file again doubles nothing.
func TestSameID(t *testing.T) {
	b := newBench(t, web.Options{})
	b.addFile("testdata/ui-duplicate-span-ids.json")
	b.addFile("testdata/ui-duplicate-span-ids.json")
	p := spansOf(t, b, caseTrace)
	if p.Rows != 3 || len(p.Copies) != 1 || p.Copies[0][1] != 1 {
		t.Errorf("%d rows, copies %v", p.Rows, p.Copies)
	}
	marked := 0
	for _, f := range p.Flags {
		if f&flagSameID != 0 {
			marked++
		}
	}
	if marked != 2 {
		t.Errorf("%d are marked, want 2: %v", marked, p.Flags)
	}
	d := decode[struct{ Duplicates struct{ Equal, Unequal int } }](t, b, "/api/v1/traces/"+caseTrace)
	if d.Duplicates.Equal != 0 || d.Duplicates.Unequal != 2 { // the file that came again was not kept
		t.Errorf("got %+v", d.Duplicates)
	}
	st := decode[struct {
		Spans struct{ Stored, Duplicates int }
	}](t, b, "/api/v1/status")
	if st.Spans.Stored != 3 || st.Spans.Duplicates != 3 {
		t.Errorf("got %+v", st.Spans)
	}
	for i, rank := range []string{"0", "1"} {
		s := decode[struct {
			Copies   int
			Resource struct{ Attributes []struct{ Key, Text string } }
		}](t, b, fmt.Sprintf("/api/v1/traces/%s/spans/0000000000000001?copy=%d", caseTrace, i))
		if s.Copies != 2 || s.Resource.Attributes[1].Text != rank {
			t.Errorf("copy %d: %+v", i, s)
		}
	}
}

// TestSkew is UI-05: true times, said and not mended.
func TestSkew(t *testing.T) {
	b := newBench(t, web.Options{})
	b.addFile("testdata/ui-clock-skew.json")
	p := spansOf(t, b, caseTrace)
	if !slices.Equal(p.names(), []string{"client-call", "server-handle"}) || p.Start[0] != 5_000_000_000 || p.Start[1] != 0 || p.End[1] != 50_000_000 {
		t.Errorf("got %v from %v to %v", p.names(), p.Start, p.End)
	}
	if p.Flags[1] != flagSkew || len(p.Skew) != 1 || p.Skew[0] != [2]float64{1, -5_000_000_000} {
		t.Errorf("flags %v, skew %v", p.Flags, p.Skew)
	}
}

// TestDeep is UI-07: as deep as it comes, in drawing order.
func TestDeep(t *testing.T) {
	b := newBench(t, web.Options{})
	b.addFile("testdata/ui-depth-150.json")
	p := spansOf(t, b, caseTrace)
	for i := range p.Depth {
		if p.Depth[i] != i || p.Parent[i] != i-1 {
			t.Fatalf("row %d has depth %d and parent %d", i, p.Depth[i], p.Parent[i])
		}
	}
	if p.Rows != 150 {
		t.Errorf("%d rows", p.Rows)
	}
}

// TestLinkCycle is UI-09.
func TestLinkCycle(t *testing.T) {
	b := newBench(t, web.Options{})
	b.addFile("testdata/ui-link-cycle.json")
	s := decode[struct {
		Links []struct {
			Trace, Span string
			Stored      bool
		}
	}](t, b, "/api/v1/traces/"+caseTrace+"/spans/0000000000000002")
	if len(s.Links) != 1 || s.Links[0].Span != "0000000000000001" || !s.Links[0].Stored {
		t.Errorf("got %+v", s)
	}
}

// TestTinyChild is UI-11: 1 ms in 600 s keeps its place to the nanosecond.
func TestTinyChild(t *testing.T) {
	b := newBench(t, web.Options{})
	b.addFile("testdata/ui-tiny-child.json")
	p := spansOf(t, b, caseTrace)
	if p.Start[1] != 300_000_000_000 || p.End[1]-p.Start[1] != 1_000_000 || p.Path[0]+p.Path[1] != 600_000_000_000 || p.Path[1] != 1_000_000 {
		t.Errorf("from %v to %v, path %v", p.Start, p.End, p.Path)
	}
}

// TestTruncated is UI-13: cut, and neither an error nor counted as one.
func TestTruncated(t *testing.T) {
	b := newBench(t, web.Options{})
	tr := newTrace(1)
	root := tr.span(driver, "rollout", "work", ptrace.SpanKindInternal, pcommon.SpanID{}, 0, 10, nil)
	cut := tr.span(agent, "agent", "open", ptrace.SpanKindInternal, root.SpanID(), 1, 9,
		map[string]any{"nemo.span.truncated": true, "nemo.span.truncated.reason": "process ended"})
	cut.Status().SetCode(ptrace.StatusCodeError)
	b.add(tr.td)
	p := spansOf(t, b, tr.id.String())
	if p.Flags[1] != flagTruncated || fmt.Sprint(p.Notes) != "[[1 truncated, process ended]]" {
		t.Errorf("flags %v, notes %v", p.Flags, p.Notes)
	}
	d := decode[struct{ Errors, Truncated int }](t, b, "/api/v1/traces/"+tr.id.String())
	if d.Errors != 0 || d.Truncated != 1 {
		t.Errorf("got %+v", d)
	}
}

// TestCycle: parents that lead back are cut, and nothing is lost.
func TestCycle(t *testing.T) {
	b := newBench(t, web.Options{})
	tr := newTrace(1)
	a := tr.span(driver, "", "a", ptrace.SpanKindInternal, pcommon.SpanID{}, 0, 10, nil)
	c := tr.span(driver, "", "b", ptrace.SpanKindInternal, a.SpanID(), 1, 9, nil)
	a.SetParentSpanID(c.SpanID())
	tr.span(driver, "", "itself", ptrace.SpanKindInternal, pcommon.SpanID{}, 2, 3, nil)
	self := tr.td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(2)
	self.SetParentSpanID(self.SpanID())
	b.add(tr.td)
	p := spansOf(t, b, tr.id.String())
	if !slices.Equal(p.names(), []string{"a", "b", "itself"}) || p.Flags[0]&flagCycle == 0 || p.Flags[2]&flagCycle == 0 {
		t.Errorf("rows %v, flags %v", p.names(), p.Flags)
	}
}

// TestNotFinite is AT-03: numbers that JSON does not have are words.
func TestNotFinite(t *testing.T) {
	b := newBench(t, web.Options{})
	tr := newTrace(1)
	s := tr.span(driver, "", "a", ptrace.SpanKindInternal, pcommon.SpanID{}, 0, 10, map[string]any{"a": math.NaN(), "b": math.Inf(1), "c": math.Inf(-1)})
	s.Attributes().PutEmptySlice("d").AppendEmpty().SetDouble(math.NaN())
	b.add(tr.td)
	d := decode[struct {
		Attributes []struct{ Key, Type, Text string }
	}](t, b, "/api/v1/traces/"+tr.id.String()+"/spans/"+s.SpanID().String())
	got := map[string]string{}
	for _, a := range d.Attributes {
		got[a.Key] = a.Type + " " + a.Text
	}
	if got["a"] != "double NaN" || got["b"] != "double Infinity" || got["c"] != "double -Infinity" || got["d"] != `array ["NaN"]` {
		t.Errorf("got %v", got)
	}
}

// TestPages: pages follow each other without a gap, and hold all there is.
func TestPages(t *testing.T) {
	b := newBench(t, web.Options{})
	tr := newTrace(1)
	root := tr.span(driver, "", "root", ptrace.SpanKindInternal, pcommon.SpanID{}, 0, 20_000, nil)
	for i := range 11_999 {
		tr.span(agent, "", fmt.Sprintf("child %d", i%7), ptrace.SpanKindInternal, root.SpanID(), float64(i), float64(i)+0.5, nil)
	}
	b.add(tr.td)
	seen, version := 0, ""
	for from := 0; ; {
		p := decode[page](t, b, fmt.Sprintf("/api/v1/traces/%s/spans?from=%d&version=%s", tr.id, from, version))
		if version = p.Version; p.Rows != 12_000 || len(p.ID) > 5000 || len(p.ID) != len(p.Flags) || len(p.Strings) > 8 {
			t.Fatalf("from %d: %d of %d rows, %d strings", from, len(p.ID), p.Rows, len(p.Strings))
		}
		seen += len(p.ID)
		if p.Next == nil {
			break
		}
		from = *p.Next
	}
	if seen != 12_000 {
		t.Errorf("saw %d rows", seen)
	}
	if p := decode[page](t, b, "/api/v1/traces/"+tr.id.String()+"/spans?from=99999"); len(p.ID) != 0 || p.Next != nil {
		t.Errorf("behind the end: %d rows", len(p.ID))
	}
}

// TestVersion: who reads page by page gets one state of a trace that grows.
func TestVersion(t *testing.T) {
	b := newBench(t, web.Options{})
	tr := rollout(1, 0, 0, 1, "")
	b.add(tr.td)
	path := "/api/v1/traces/" + tr.id.String() + "/spans"
	first := decode[page](t, b, path)
	late := newTrace(1)
	late.next += 1000
	late.span(agent, "agent", "late", ptrace.SpanKindInternal, pcommon.SpanID{}, 5000, 5001, nil)
	b.add(late.td)
	if p := decode[page](t, b, path+"?version="+first.Version); p.Version != first.Version || p.Rows != first.Rows {
		t.Errorf("with the version: %d rows, want %d", p.Rows, first.Rows)
	}
	now := decode[page](t, b, path)
	if now.Version == first.Version || now.Rows != first.Rows+1 {
		t.Errorf("without: %d rows, want %d", now.Rows, first.Rows+1)
	}
	if p := decode[page](t, b, path+"?version="+first.Version); p.Version != now.Version {
		t.Error("a version that is no longer held must give the newest")
	}
}

// TestPathSums: the critical path of all rows is the root's duration, and that is what the trace says.
func TestPathSums(t *testing.T) {
	b := newBench(t, web.Options{})
	tr := rollout(1, 0, 0, 1, "")
	b.add(tr.td)
	p := spansOf(t, b, tr.id.String())
	var sum int64
	for _, n := range p.Path {
		sum += n
	}
	d := decode[struct {
		Path     int64 `json:"path_ns"`
		Duration int64 `json:"duration_ns"`
		Rollouts []struct {
			Duration int64    `json:"duration_ns"`
			Total    int64    `json:"total_ns"`
			Parts    [6]int64 `json:"parts_ns"`
		}
	}](t, b, "/api/v1/traces/"+tr.id.String())
	if sum != d.Path || sum != d.Duration || len(d.Rollouts) != 1 || d.Rollouts[0].Duration != sum {
		t.Errorf("path %d, %d; %+v", sum, d.Path, d)
	}
	var parts int64
	for _, n := range d.Rollouts[0].Parts {
		parts += n
	}
	if parts != d.Rollouts[0].Total || parts != sum+12_500_000 {
		t.Errorf("parts %d, total %d", parts, d.Rollouts[0].Total)
	}
}

// TestRemoved: an old link is told from one that never was right.
func TestRemoved(t *testing.T) {
	b := newBench(t, web.Options{})
	b.fill()
	for at, want := range map[string]string{"1500000000": "removed", "1796047500": "not_found", "": "not_found"} {
		w := b.get("/api/v1/traces/00112233445566778899aabbccddeeff?at=" + at)
		var v struct {
			Error struct{ Code, What, Why string }
		}
		json.Unmarshal(w.Body.Bytes(), &v)
		if v.Error.Code != want || v.Error.What == "" || v.Error.Why == "" {
			t.Errorf("at=%s: got %d %s", at, w.Code, w.Body)
		}
	}
}

// TestConversation reads it from the results file, and joins it with the spans.
func TestConversation(t *testing.T) {
	b := newBench(t, web.Options{Results: results(t), ResultsRun: runID})
	web.WaitResults(b.web)
	b.fill()
	tr := rollout(1, 0, 1, 1, "")
	type conversation struct {
		Source, Words string
		Total         int
		Next          *string
		Rows          []struct {
			Role, Type, Text, Name string
			Turn                   *int
			Tokens                 *int64
			Duration               *int64 `json:"duration_ns"`
			Span                   *string
		}
		Verify *struct {
			Reward *float64
			Fields []struct{ Key, Type, Text string }
		}
	}
	c := decode[conversation](t, b, "/api/v1/traces/"+tr.id.String()+"/conversation")
	var lines []string
	for _, r := range c.Rows {
		line := r.Role + " " + r.Type
		if r.Turn != nil {
			line += fmt.Sprintf(" turn %d", *r.Turn)
		}
		if r.Tokens != nil {
			line += fmt.Sprintf(" %d tok", *r.Tokens)
		}
		if r.Span != nil {
			line += " span"
		}
		lines = append(lines, line)
	}
	want := []string{"system text", "user text", "assistant reasoning turn 1 50 tok span", "assistant call turn 1 span", "tool output turn 1 span",
		"assistant text turn 2 30 tok span", "verify verify span"}
	if c.Source != "results" || !slices.Equal(lines, want) {
		t.Errorf("%s: got %q, want %q", c.Source, lines, want)
	}
	if c.Verify == nil || c.Verify.Reward == nil || *c.Verify.Reward != 1 || len(c.Verify.Fields) != 2 || c.Verify.Fields[1].Text != "[384,605]" {
		t.Errorf("verify: %+v", c.Verify)
	}
	paged := decode[conversation](t, b, "/api/v1/traces/"+tr.id.String()+"/conversation?limit=3")
	if len(paged.Rows) != 3 || paged.Next == nil || paged.Total != 7 || paged.Verify == nil {
		t.Fatalf("a page: %+v", paged)
	}
	if rest := decode[conversation](t, b, "/api/v1/traces/"+tr.id.String()+"/conversation?cursor="+*paged.Next); len(rest.Rows) != 4 || rest.Next != nil {
		t.Errorf("the rest: %+v", rest)
	}
	if c := decode[conversation](t, b, "/api/v1/traces/"+rollout(5, 2, 1, 0, "timeout").id.String()+"/conversation"); c.Source != "none" ||
		c.Words != "This rollout is not in the results file yet." {
		t.Errorf("of a rollout that is not in the file: %+v", c)
	}
}

// TestConversationElsewhere: the file of one run says nothing about another.
func TestConversationElsewhere(t *testing.T) {
	b := newBench(t, web.Options{Results: results(t), ResultsRun: "another"})
	web.WaitResults(b.web)
	b.fill()
	c := decode[struct{ Source, Words string }](t, b, "/api/v1/traces/"+newTrace(0).id.String()+"/conversation")
	if c.Source != "none" || !strings.HasPrefix(c.Words, "Messages are not recorded.") {
		t.Errorf("got %+v", c)
	}
}

// TestGenAI puts the conversation together from attributes of which each repeats the last.
func TestGenAI(t *testing.T) {
	b := newBench(t, web.Options{})
	tr := newTrace(1)
	root := tr.span(driver, "rollout", "gym.rollout", ptrace.SpanKindInternal, pcommon.SpanID{}, 0, 100, map[string]any{"nemo.gym.rollout.reward": 0.25})
	user := `{"role":"user","parts":[{"type":"text","content":"Hi"}]}`
	call := `{"role":"assistant","parts":[{"type":"tool_call","id":"c","name":"f","arguments":{"a":1}}]}`
	answer := `{"role":"tool","parts":[{"type":"tool_call_response","id":"c","response":"ok"}]}`
	tr.call(agent, policy, "/v1/responses", root.SpanID(), 1, 20, map[string]any{"gen_ai.system_instructions": `[{"type":"text","content":"Be brief."}]`,
		"gen_ai.input.messages": "[" + user + "]", "gen_ai.output.messages": "[" + call + "]", "gen_ai.usage.output_tokens": 7})
	tr.call(agent, policy, "/v1/responses", root.SpanID(), 30, 50, map[string]any{
		"gen_ai.input.messages": "[" + user + "," + call + "," + answer + "]", "gen_ai.output.messages": `[{"role":"assistant","parts":[{"type":"text","content":"Do`})
	b.add(tr.td)
	c := decode[struct {
		Source string
		Rows   []struct {
			Role, Type, Text, Name string
			Turn                   *int
		}
		Verify *struct{ Reward float64 }
	}](t, b, "/api/v1/traces/"+tr.id.String()+"/conversation")
	var lines []string
	for _, r := range c.Rows {
		lines = append(lines, r.Role+" "+r.Type+" "+r.Name+": "+r.Text)
	}
	want := []string{"system text : Be brief.", "user text : Hi", `assistant call f: {"a":1}`, "tool output f: ok",
		`assistant text : [{"role":"assistant","parts":[{"type":"text","content":"Do`, "verify verify : "}
	if c.Source != "genai" || !slices.Equal(lines, want) || c.Verify == nil || c.Verify.Reward != 0.25 {
		t.Errorf("%s: got %q, want %q; %+v", c.Source, lines, want, c.Verify)
	}
}

// TestLogs are by time and of this trace only.
func TestLogs(t *testing.T) {
	b := newBench(t, web.Options{})
	b.fill()
	type logs struct {
		Rows []struct {
			Body, Severity string
			Start          int64 `json:"start_ns"`
		}
		Total int
		Next  *string
	}
	l := decode[logs](t, b, "/api/v1/traces/"+newTrace(0).id.String()+"/logs")
	if l.Total != 3 || l.Rows[0].Body != "verifying" || l.Rows[0].Severity != "INFO" || l.Rows[0].Start != 10_000_000 {
		t.Errorf("got %+v", l)
	}
	if l := decode[logs](t, b, "/api/v1/traces/"+newTrace(1).id.String()+"/logs"); l.Total != 0 {
		t.Errorf("of another trace: %+v", l)
	}
	if l := decode[logs](t, b, "/api/v1/traces/"+newTrace(0).id.String()+"/logs?limit=2"); len(l.Rows) != 2 || l.Next == nil {
		t.Errorf("a page: %+v", l)
	}
}

// TestCompareTraces finds where two attempts of a task part.
func TestCompareTraces(t *testing.T) {
	b := newBench(t, web.Options{Results: results(t)})
	web.WaitResults(b.web)
	b.fill()
	path := "/api/v1/compare/traces?a=" + newTrace(0).id.String() + "&b=" + newTrace(1).id.String()
	c := decode[struct {
		Same     bool `json:"same_task"`
		Sentence string
		Rows     []struct {
			Name    string
			Depth   int
			Paired  bool
			Differs bool
			A, B    *struct{ Argument string }
		}
		Total int `json:"rows_total"`
		Part  *struct {
			Row   int
			Words string
		}
	}](t, b, path)
	var lines []string
	for _, r := range c.Rows {
		lines = append(lines, strings.Repeat(" ", r.Depth)+r.Name)
	}
	want := []string{"gym.rollout", " POST /run", "  POST /seed_session", "  POST /v1/responses", "  POST /get_synonym_value", "  POST /v1/responses", "  POST /verify"}
	if !slices.Equal(lines, want) || !c.Same || c.Total != 7 {
		t.Errorf("got %q, want %q; %+v", lines, want, c)
	}
	if c.Part == nil || c.Part.Row != 3 || c.Part.Words != "turn 1 calls get_synonym_value with another argument" || c.Rows[4].A.Argument != `{"synonym":"Arid"}` {
		t.Errorf("part: %+v", c.Part)
	}
	if want := "Same until turn 1. Attempt 1 called get_synonym_value with \"Arid\" and scored 0.00; attempt 2 with \"Parched\" and scored 1.00. " +
		"Attempt 2 took 30.0\u202fms longer: the model +30.0\u202fms, everything else the same."; c.Sentence != want {
		t.Errorf("got %q, want %q", c.Sentence, want)
	}
	swapped := decode[struct{ Sentence string }](t, b, "/api/v1/compare/traces?a="+newTrace(1).id.String()+"&b="+newTrace(0).id.String())
	if !strings.HasSuffix(swapped.Sentence, "Attempt 2 took 30.0\u202fms longer: the model +30.0\u202fms, everything else the same.") {
		t.Errorf("swapped: %q", swapped.Sentence)
	}
	same := decode[struct{ Sentence string }](t, b, "/api/v1/compare/traces?a="+newTrace(0).id.String()+"&b="+newTrace(0).id.String())
	if !strings.HasPrefix(same.Sentence, "The same steps.") || strings.Contains(same.Sentence, "longer") {
		t.Errorf("with itself: %q", same.Sentence)
	}
}

// TestRank tells the workers of a job apart: each says its rank where the trace enters its process, and not again below.
func TestRank(t *testing.T) {
	b := newBench(t, web.Options{})
	tr := newTrace(1)
	zero, one, again, evaluate := who{service: "a"}, who{service: "b"}, who{service: "c"}, who{service: "d"}
	span := func(p who, name string, parent pcommon.SpanID, at float64) pcommon.SpanID {
		return tr.span(p, "", name, ptrace.SpanKindInternal, parent, at, 10, nil).SpanID()
	}
	step := span(zero, "step", pcommon.SpanID{}, 0)
	span(zero, "pass", step, 1)
	other := span(one, "step", step, 2)
	span(one, "pass", other, 3)
	span(again, "child", other, 4)
	span(evaluate, "evaluate", step, 5)
	for service, rank := range map[string]any{"a": 0, "b": 1, "c": "1"} {
		if err := tr.resources[service+"\x00"].Resource().Attributes().PutEmpty("nv.dl.rank").FromRaw(rank); err != nil {
			t.Fatal(err)
		}
	}
	b.add(tr.td)
	if got, want := fmt.Sprint(spansOf(t, b, tr.id.String()).Notes), "[[0 rank 0] [2 rank 1]]"; got != want {
		t.Errorf("notes %v, want %v", got, want)
	}
}
