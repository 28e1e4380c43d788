//go:build !lens_off

package main_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
)

const (
	someTrace = "0af7651916cd43dd8448eb211c80319c"
	someSpan  = "b7ad6b7169203331"
	someRef   = "00-" + someTrace + "-" + someSpan + "-01"
)

// Spec 6.7: spans in any order, with their exact times and parents; roots in traces of their own; a list on standard error.
func TestEmitSpans(t *testing.T) {
	c := newCollector(t, http.StatusOK)
	env := append(c.env(), "OTEL_SERVICE_NAME=other", "NEMO_LENS_ENABLED=0", "NEMO_LENS_TRACES_ENABLED=0", "TRACEPARENT="+someRef, "SLURM_JOB_ID=42")
	code, out, errs := lensWith(t, env, "", "emit-spans", "--service", "job",
		"--span", "leaf, 1700000001.000000001 ,1700000002.5,twig", "--span", "root,1700000000,1700000010.0005",
		"--span=twig,1700000001,1700000003,root", "--span", "a root with a name of more than thirty-four characters,1,2")
	const want = "" +
		"  root                                 10.001s\n" +
		"  a root with a name of more than thirty-four characters    1.000s\n" +
		"  twig                                  2.000s  -> root\n" +
		"  leaf                                  1.500s  -> twig\n"
	if code != 0 || out != "" || errs != want {
		t.Errorf("exit code %d, standard output %q, standard error\n%swant\n%s", code, out, errs, want)
	}
	spans := c.take(t, 4)
	root, twig, leaf, other := spans["root"], spans["twig"], spans["leaf"], spans["a root with a name of more than thirty-four characters"]
	if root.StartTimestamp() != 1_700_000_000_000_000_000 || root.EndTimestamp() != 1_700_000_010_000_500_000 || leaf.StartTimestamp() != 1_700_000_001_000_000_001 {
		t.Errorf("root from %d to %d, leaf from %d", root.StartTimestamp(), root.EndTimestamp(), leaf.StartTimestamp())
	}
	if !root.ParentSpanID().IsEmpty() || twig.ParentSpanID() != root.SpanID() || leaf.ParentSpanID() != twig.SpanID() || leaf.TraceID() != root.TraceID() {
		t.Errorf("parents: %v %v %v", root.ParentSpanID(), twig.ParentSpanID(), leaf.ParentSpanID())
	}
	if root.TraceID() == other.TraceID() || root.TraceID().String() == someTrace {
		t.Errorf("roots share a trace, or are in that of the environment: %v %v", root.TraceID(), other.TraceID())
	}
	if c.says("service.name") != "job" || c.says("slurm.job.id") != "42" || c.says("host.name") == "" {
		t.Errorf("the resource is %v", c.resource.AsRaw())
	}
}

// An interval whose end comes before its start is emitted, clamped and marked with the texts as they came.
func TestEmitSpans_inverted(t *testing.T) {
	c := newCollector(t, http.StatusOK)
	code, _, errs := lensWith(t, c.env(), "", "emit-spans", "--service", "job", "--span", "tiny,100.50,100.4999999999", "--span", "big,1e2,1.0",
		"--attr", "inverted.skew=mine", "--attr", "inverted.end_epoch_seconds:=3")
	if code != 0 || errs != "  tiny                                  0.000s\n  big                                   0.000s\n" {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	spans := c.take(t, 2)
	for name, want := range map[string][3]string{"tiny": {"100.50", "100.4999999999", "1E-10"}, "big": {"1e2", "1.0", "99"}} {
		s := spans[name]
		skew, _ := s.Attributes().Get("inverted.skew")
		got := [3]string{attributeOf(s.Attributes(), "inverted.start_epoch_seconds"), attributeOf(s.Attributes(), "inverted.end_epoch_seconds"),
			attributeOf(s.Attributes(), "inverted.delta_seconds")}
		if got != want || skew.Type() != pcommon.ValueTypeBool || !skew.Bool() || s.StartTimestamp() != s.EndTimestamp() {
			t.Errorf("%s: %q, want %q; skew %v; from %d to %d", name, got, want, skew, s.StartTimestamp(), s.EndTimestamp())
		}
	}
}

// Beyond 6.7: what else can be said of a span, lines of JSON, and traces that go on.
func TestEmitSpans_details(t *testing.T) {
	c := newCollector(t, http.StatusOK)
	lines := `{"name":"b","start":1.5,"end":"2","parent":"a","status":"error:no such file","attributes":{"n":1,"own":"b"}}` + "\n\n" +
		`{"name":"c","start":1,"end":2}` + "\n"
	code, out, errs := lensWith(t, c.env(), lines, "emit-spans", "--service", "job", "--attr", "own=all", "--kind", "producer",
		"--span", "a,1,4", "--kind", "client", "--attr", "own=a", "--attr", "list:=[\"x\",\"y\"]", "--attr", "api_key=hush", "--status", "ok", "--link", someRef,
		"--traceparent", someRef, "--print-traceparent", "--stdin")
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, errs)
	}
	spans := c.take(t, 3)
	a, b := spans["a"], spans["b"]
	if a.Kind() != ptrace.SpanKindClient || a.Status().Code() != ptrace.StatusCodeOk || a.Links().Len() != 1 || a.Links().At(0).SpanID().String() != someSpan {
		t.Errorf("a: %v, %v, %d links", a.Kind(), a.Status().Code(), a.Links().Len())
	}
	if got := fmt.Sprint(a.Attributes().AsRaw()); got != "map[api_key:[REDACTED] list:[x y] own:a]" {
		t.Errorf("a has %s", got)
	}
	if b.Kind() != ptrace.SpanKindProducer || b.Status().Message() != "no such file" || b.ParentSpanID() != a.SpanID() || fmt.Sprint(b.Attributes().AsRaw()) != "map[n:1 own:b]" {
		t.Errorf("b: %v, %q, below %v, %v", b.Kind(), b.Status().Message(), b.ParentSpanID(), b.Attributes().AsRaw())
	}
	if a.TraceID().String() != someTrace || a.ParentSpanID().String() != someSpan || spans["c"].ParentSpanID().String() != someSpan {
		t.Errorf("a is in %v below %v", a.TraceID(), a.ParentSpanID())
	}
	want := ""
	for _, name := range []string{"a", "b", "c"} {
		want += "00-" + someTrace + "-" + spans[name].SpanID().String() + "-01\n"
	}
	if out != want {
		t.Errorf("it prints\n%swant\n%s", out, want)
	}
}

// More spans than any queue holds all arrive.
func TestEmitSpans_many(t *testing.T) {
	c := newCollector(t, http.StatusOK)
	const n = 5000
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, `{"name":"s%d","start":%d,"end":%d}`+"\n", i, i, i+1)
	}
	env := append(c.env(), "OTEL_BSP_MAX_QUEUE_SIZE=1024", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE=512")
	code, _, errs := lensWith(t, env, lines.String(), "emit-spans", "--service", "job", "--stdin")
	if code != 0 || strings.Count(errs, "\n") != n {
		t.Errorf("exit code %d, %d lines", code, strings.Count(errs, "\n"))
	}
	c.take(t, n)
}

// A span that is wrong keeps all from being emitted; every problem is told, and nothing is asked of a collector.
func TestEmitSpans_invalid(t *testing.T) {
	c := newCollector(t, http.StatusOK)
	for name, test := range map[string]struct {
		args  []string
		stdin string
		want  []string
	}{
		"the parts":    {[]string{"--span", "good,1,2", "--span", "a,1"}, "", []string{`"a,1": expected NAME,START,END[,PARENT]`}},
		"many":         {[]string{"--span", "a,x,2", "--span", "b,1,nan", "--span", "c,1,2,d"}, "", []string{`"a": its start "x"`, `"b": its end must be finite`, `"c": its parent "d"`}},
		"duplicates":   {[]string{"--span", "a,1,2", "--span", "a,3,4", "--span", "b,1,2,a"}, "", []string{`"a": 2 spans have this name`, `"b": its parent "a" is ambiguous`}},
		"a circle":     {[]string{"--span", "a,1,2,b", "--span", "b,1,2,a"}, "", []string{`"a": it is below itself`, `"b": it is below itself`}},
		"a line":       {[]string{"--span", "a,1,2", "--stdin"}, "{\n", []string{"line 1: it is no JSON"}},
		"no line":      {[]string{"--stdin"}, "\n", []string{"there are no spans"}},
		"details":      {[]string{"--span", "a,1,2", "--kind", "x", "--status", "y", "--attr", "z", "--link", "l"}, "", []string{"kind", "status", "attribute", "link"}},
		"bad parent":   {[]string{"--span", "a,1,2", "--traceparent", "00-1"}, "", []string{"--traceparent"}},
		"milliseconds": {[]string{"--span", "a,1700000000000,1700000000001"}, "", []string{"is it in milliseconds?"}},
	} {
		t.Run(name, func(t *testing.T) {
			// The exporter would be refused too, if it were made.
			env := append(c.env(), "NEMO_LENS_EXPORTER=nonsense")
			code, out, errs := lensWith(t, env, test.stdin, append([]string{"emit-spans", "--service", "job"}, test.args...)...)
			if code != 1 || out != "" {
				t.Errorf("exit code %d, standard output %q", code, out)
			}
			for _, want := range append(test.want, "nothing was emitted, because of invalid span input\n") {
				if !strings.Contains(errs, want) {
					t.Errorf("%q is not in\n%s", want, errs)
				}
			}
			if n := strings.Count(errs, "error: "); n < len(test.want) {
				t.Errorf("%d problems are told, want %d\n%s", n, len(test.want), errs)
			}
		})
	}
	c.take(t, 0)
}

// What keeps spans from leaving is said, with exit code 2.
func TestEmitSpans_not_sent(t *testing.T) {
	refusing := newCollector(t, http.StatusBadRequest)
	release := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	defer silent.Close()
	defer close(release)
	for name, test := range map[string]struct {
		env  []string
		args []string
		want string
	}{
		"refused":               {refusing.env(), nil, "error: failed to export spans: "},
		"no collector":          {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:1"}, nil, "error: failed to export spans: "},
		"no answer":             {[]string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + silent.URL}, []string{"--timeout", "200ms"}, "error: timed out while flushing spans after 200ms"},
		"an exporter that none": {[]string{"NEMO_LENS_EXPORTER=jaeger"}, nil, `"jaeger"`},
		"a bad variable":        {[]string{"NEMO_LENS_TRACES_ENABLED=maybe"}, nil, "NEMO_LENS_TRACES_ENABLED"},
		"switched off":          {append(refusing.env(), "OTEL_SDK_DISABLED=true"), nil, "OTEL_SDK_DISABLED is true"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := lensWith(t, test.env, "", append([]string{"emit-spans", "--service", "job", "--span", "a,1,2", "--print-traceparent"}, test.args...)...)
			if code != 2 || out != "" || !strings.Contains(errs, test.want) || strings.Count(errs, "\n") != 1 {
				t.Errorf("exit code %d, standard output %q\n%swant %s", code, out, errs, test.want)
			}
		})
	}
}

// The sampler is asked, and it is said what it left out.
func TestEmitSpans_sampled(t *testing.T) {
	c := newCollector(t, http.StatusOK)
	env := append(c.env(), "OTEL_TRACES_SAMPLER=always_off")
	code, _, errs := lensWith(t, env, "", "emit-spans", "--service", "job", "--span", "a,1,2", "--span", "b,1,2,a")
	if code != 0 || !strings.Contains(errs, "2 of 2 spans were left out by the sampler") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	c.take(t, 0)
}

func TestEmitSpans_console(t *testing.T) {
	code, out, errs := lensWith(t, []string{"NEMO_LENS_EXPORTER=console"}, "", "emit-spans", "--service", "job", "--span", "a,1,2")
	if code != 0 || !regexp.MustCompile(`^\{"name":"a",.*\}\n$`).MatchString(out) {
		t.Errorf("exit code %d\n%s%s", code, out, errs)
	}
}

func TestEmitSpans_mistakes(t *testing.T) {
	for name, test := range map[string]struct {
		args []string
		want string
	}{
		"no service":   {[]string{"--span", "a,1,2"}, "--service is missing"},
		"no span":      {[]string{"--service", "job"}, "there is no --span"},
		"an argument":  {[]string{"--service", "job", "a,1,2"}, `unknown argument "a,1,2"`},
		"unknown flag": {[]string{"--service", "job", "--spam", "a,1,2"}, "unknown flag: --spam"},
		"no time":      {[]string{"--service", "job", "--span", "a,1,2", "--timeout", "0"}, "--timeout is 0s"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, errs := lens(t, append([]string{"emit-spans"}, test.args...)...)
			if code != 2 || out != "" || !strings.Contains(errs, test.want) || !strings.Contains(errs, "See 'lens emit-spans --help'") {
				t.Errorf("exit code %d\n%s%swant %s", code, out, errs, test.want)
			}
		})
	}
}

// With a spool nothing is lost while the collector is down, and the next call sends what has waited.
func TestEmitSpans_spooled(t *testing.T) {
	c := newCollector(t, http.StatusServiceUnavailable)
	env := append(c.env(), "NEMO_LENS_SPOOL=1", "NEMO_LENS_SPOOL_DIR="+filepath.Join(t.TempDir(), "spool"))
	code, _, errs := lensWith(t, env, "", "emit-spans", "--service", "job", "--span", "a,1,2", "--span", "b,1,2")
	if code != 0 || !strings.Contains(errs, "kept on disk") || !strings.HasSuffix(errs, "  b                                     1.000s\n") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	code, _, errs = lensWith(t, env, "", "exec", "--strict", "--name", "c", "true")
	if code != 0 || !strings.Contains(errs, "kept on disk") {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	c.take(t, 0)
	c.answers(http.StatusOK)
	if code, _, errs = lensWith(t, env, "", "emit-spans", "--service", "job", "--span", "d,1,2"); code != 0 {
		t.Errorf("exit code %d\n%s", code, errs)
	}
	c.take(t, 4)
}
