package rollout

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/lenstest"
	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/otelopt"
)

// traced turns telemetry on with the groups of spec and returns what collects the spans.
func traced(t testing.TB, spec string) *lenstest.Recorder {
	t.Helper()
	rec := lenstest.Default(t)
	h, err := telemetry.Setup(context.Background(),
		telemetry.Config{Enabled: true, ServiceName: "rollout-test", TracesEnabled: true, SpanGroups: spec},
		otelopt.WithSpanProcessor(rec.Processor()), otelopt.WithSpanExporter(tracetest.NewNoopExporter()))
	if errors.Is(err, telemetry.ErrCompiledOut) {
		t.Skip("needs spans: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Shutdown(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return rec
}

// attributes are a span's, without those that the set-up adds.
func attributes(s lenstest.Span) map[string]any {
	out := maps.Clone(s.Attrs)
	delete(out, semconv.LensGroup)
	return out
}

// headers are the trace headers of one request.
type headers struct{ traceparent, tracestate, baggage string }

// listen makes the agent keep the headers of /run.
func (a *agent) listen(reply string) func() []headers {
	var mu sync.Mutex
	var got []headers
	a.run = func(w http.ResponseWriter, r *http.Request, _ responses.Object) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, headers{r.Header.Get("traceparent"), r.Header.Get("tracestate"), r.Header.Get("baggage")})
		fmt.Fprint(w, reply)
	}
	return func() []headers {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(got)
	}
}

const fullReply = `{"reward":0,"response":{"id":"r","created_at":1,"model":"m","object":"response","parallel_tool_calls":true,"tool_choice":"auto","tools":[],
"output":[{"type":"function_call","call_id":"1","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"1","output":"x"},
{"type":"message","role":"assistant","content":[{"type":"output_text","text":"done"}]}],
"usage":{"input_tokens":30,"output_tokens":7,"total_tokens":37}}}`

func TestTrace_rollout_span(t *testing.T) {
	rec := traced(t, "default")
	f := newFixture(t, inputRows(2))
	f.o.Traced = true
	a := newAgent(t)
	seen := a.listen(fullReply)
	f.run(a)

	jobs, rollouts := rec.Named(semconv.SpanGymJob), rec.Named(semconv.SpanGymRollout)
	if len(jobs) != 1 || len(rollouts) != 2 {
		t.Fatalf("%d jobs and %d rollouts", len(jobs), len(rollouts))
	}
	if rollouts[0].Ref.TraceID == rollouts[1].Ref.TraceID {
		t.Error("two rollouts in one trace")
	}
	slices.SortFunc(rollouts, func(a, b lenstest.Span) int {
		return strings.Compare(fmt.Sprint(attributes(a)[semconv.GymRolloutID]), fmt.Sprint(attributes(b)[semconv.GymRolloutID]))
	})
	s := rollouts[1]
	if s.Parent.Valid() || s.Status != lenstest.Unset {
		t.Errorf("parent %v, status %v", s.Parent, s.Status)
	}
	links := s.Links
	if len(links) != 1 || links[0].Ref.SpanID != jobs[0].Ref.SpanID ||
		!maps.Equal(links[0].Attrs, map[string]any{semconv.GymLink: semconv.LinkJob}) {
		t.Errorf("links %+v", links)
	}
	got := attributes(s)
	if wait, ok := got[semconv.GymWaitAdmission].(float64); !ok || wait < 0 {
		t.Errorf("admission wait %v", got[semconv.GymWaitAdmission])
	}
	delete(got, semconv.GymWaitAdmission)
	want := map[string]any{
		semconv.GymRolloutID: "1-0", semconv.GymTaskIndex: int64(1), semconv.GymRolloutIndex: int64(0), semconv.GymRolloutAttempt: int64(0),
		semconv.GymAgentName: "simple_agent", semconv.GymEnvironmentName: "rs",
		semconv.GymRolloutReward: 0.0, semconv.GymRolloutOutcome: semconv.OutcomeScored,
		semconv.GymRolloutTurns: int64(2), semconv.GymRolloutToolCalls: int64(1),
		semconv.GenAIUsageInputTokens: int64(30), semconv.GenAIUsageOutputTokens: int64(7),
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("attributes\n got %v\nwant %v", got, want)
	}
	for _, h := range seen() {
		if !strings.Contains(h.baggage, semconv.GymRolloutID+"=") || strings.Contains(h.tracestate, "lens=r") || h.traceparent == "" {
			t.Errorf("headers %+v", h)
		}
	}
}

// A row that brings its own id is known by it on the span and in the mark.
func TestTrace_own_id(t *testing.T) {
	rec := traced(t, "default")
	f := newFixture(t, strings.Replace(inputRows(1), "{", `{"_ng_rollout_id":"mine",`, 1))
	f.o.Traced = true
	a := newAgent(t)
	seen := a.listen(fullReply)
	f.run(a)
	if got := attributes(rec.Named(semconv.SpanGymRollout)[0])[semconv.GymRolloutID]; got != "mine" {
		t.Errorf("the span's id is %v", got)
	}
	for _, h := range seen() {
		if !strings.Contains(h.baggage, semconv.GymRolloutID+"=mine") {
			t.Errorf("the mark is %q", h.baggage)
		}
	}
}

func TestTrace_failed(t *testing.T) {
	rec := traced(t, "default")
	f := newFixture(t, inputRows(1))
	a := newAgent(t)
	a.run = func(w http.ResponseWriter, _ *http.Request, _ responses.Object) {
		w.WriteHeader(500)
		fmt.Fprint(w, `"secret"`)
	}
	f.run(a)
	s := rec.Named(semconv.SpanGymRollout)[0]
	got := attributes(s)
	if got[semconv.GymRolloutOutcome] != semconv.OutcomeFailed || got[semconv.GymFailureClass] != semconv.FailureAgentRun || s.Status != lenstest.Error {
		t.Errorf("attributes %v, status %v", got, s.Status)
	}
	if text := fmt.Sprint(s.Message, s.Events); strings.Contains(text, "secret") {
		t.Errorf("a body on the span: %s", text)
	}
}

func TestTrace_resumed_attempt(t *testing.T) {
	rec := traced(t, "default")
	f := resumeFixture(t)
	f.run(newAgent(t))
	got := attributes(rec.Named(semconv.SpanGymRollout)[0])
	if got[semconv.GymRolloutID] != "1-0-a1" || got[semconv.GymRolloutAttempt] != int64(1) {
		t.Errorf("attributes %v", got)
	}
}

// Aggregation belongs to the job's trace; with the group job off there is neither a link nor a trace for it.
func TestTrace_job(t *testing.T) {
	rec := traced(t, "default")
	f := newFixture(t, inputRows(1))
	f.o.DisableAggregation = false
	f.run(newAgent(t))
	job := rec.Named(semconv.SpanGymJob)[0]
	below := 0
	for _, s := range rec.Named(semconv.SpanHTTPPost) {
		if s.Parent.SpanID == job.Ref.SpanID {
			below++
		}
	}
	if below != 1 {
		t.Errorf("%d calls below the job, want 1", below)
	}

	lens.SetSpec("rollout")
	rec.Reset()
	f.run(newAgent(t))
	if s := rec.Named(semconv.SpanGymRollout); len(s) != 1 || len(s[0].Links) != 0 || len(rec.Named(semconv.SpanGymJob)) != 0 {
		t.Errorf("with job off: %v", rec.Tree())
	}
}

func TestTrace_single_trace(t *testing.T) {
	rec := traced(t, "default")
	f := newFixture(t, inputRows(2))
	f.o.SingleTrace, f.o.Traced = true, true
	f.run(newAgent(t))
	job := rec.Named(semconv.SpanGymJob)[0]
	for _, s := range rec.Named(semconv.SpanGymRollout) {
		if s.Parent.SpanID != job.Ref.SpanID || len(s.Links) != 0 {
			t.Errorf("parent %v, links %v", s.Parent, s.Links)
		}
	}
}

func TestTrace_inside_the_callers_span(t *testing.T) {
	rec := traced(t, "default")
	f := newFixture(t, inputRows(1))
	p := f.prepare()
	p.Trace(true, false)
	ctx, outer := lens.Start(t.Context(), "outer")
	if _, err := p.Run(ctx, newAgent(t).client(t)); err != nil {
		t.Fatal(err)
	}
	outer.End()
	for _, name := range []string{semconv.SpanGymRollout, semconv.SpanGymJob} {
		if s := rec.Named(name)[0]; s.Parent.SpanID != outer.Ref().SpanID {
			t.Errorf("%s has the parent %v", name, s.Parent)
		}
	}
	if s := rec.Named(semconv.SpanGymRollout)[0]; len(s.Links) != 1 {
		t.Errorf("links %v", s.Links)
	}
}

// With the group rollout off each rollout still has one trace id: a reservation, and no mark.
func TestTrace_rollout_off(t *testing.T) {
	traced(t, "verify")
	f := newFixture(t, inputRows(2))
	f.o.Traced = true
	a := newAgent(t)
	seen := a.listen(`{"reward":1}`)
	f.run(a)
	got := seen()
	ids := map[string]bool{}
	for _, h := range got {
		ref, err := lens.ParseRef(h.traceparent, h.tracestate)
		if err != nil || !strings.Contains(h.tracestate, "lens=r") || h.baggage != "" {
			t.Errorf("headers %+v, %v", h, err)
			continue
		}
		ids[fmt.Sprintf("%x", ref.TraceID)] = true
	}
	if len(ids) != 2 {
		t.Errorf("%d trace ids, want 2: %+v", len(ids), got)
	}
}

func TestTrace_off(t *testing.T) {
	f := newFixture(t, inputRows(1))
	a := newAgent(t)
	seen := a.listen(`{"reward":1}`)
	f.run(a)
	if got := seen(); got[0] != (headers{}) {
		t.Errorf("headers without telemetry: %+v", got)
	}
}
