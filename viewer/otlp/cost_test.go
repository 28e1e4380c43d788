package otlp

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// batch is a request of n spans as an SDK sends those of a Gym server: eight attributes, one resource, one scope. It is
// written by hand because pdata writes values before keys, which SDKs do not.
func batch(n int) []byte {
	text := func(s string) []byte { return pb(1, s) }
	scope := pb(1, pb(1, "github.com/lensgo/lens"))
	for i := range n {
		start := 1_700_000_000_000_000_000 + uint64(i)*1000
		scope = append(scope, pb(2, join(
			pb(1, append([]byte("trace id of n "), byte(i>>12), byte(i>>4))), pb(2, append([]byte("span n"), byte(i>>8), byte(i))),
			pb(4, "parent n"), pb(5, "POST /v1/responses"), vi(6, uint64(KindServer)), f64(7, start), f64(8, start+5e8),
			attr("http.request.method", text("POST")),
			attr("http.route", text("/v1/responses")),
			attr("http.response.status_code", vi(3, 200)),
			attr("nemo.gym.server.name", text("policy_model")),
			attr("nemo.gym.rollout.id", text(fmt.Sprintf("multi_step/%d/%d", i/16, i%16))),
			attr("nemo.gym.task.index", vi(3, uint64(i/16))),
			attr("nemo.gym.reward", f64(4, math.Float64bits(0.25))),
			attr("nemo.gym.cached", vi(2, 0)),
			pb(15, ""), f32(16, 0x101),
		))...)
	}
	resource := join(member("service.name", text("nemo-gym/agent")), member("nemo.run.id", text("0123456789abcdef")))
	return pb(1, join(pb(1, resource), pb(2, scope)))
}

// everything looks at all that a request says, and returns something that depends on it.
func everything(req []byte) (sum uint64, err error) {
	err = WalkTraces(req, func(r *Resource, _ *Scope, s *Span) error {
		sum += s.End - s.Start + uint64(len(s.Name))
		for key, v := range s.Attributes() {
			sum += uint64(len(key)) + look(v)
		}
		for e := range s.Events() {
			for key, v := range e.Attributes() {
				sum += e.Time + uint64(len(key)) + look(v)
			}
		}
		for l := range s.Links() {
			for key, v := range l.Attributes() {
				sum += uint64(len(l.State)+len(key)) + look(v)
			}
		}
		if v, ok := s.Attr("nemo.gym.reward"); ok {
			sum += math.Float64bits(v.Float())
		}
		return nil
	})
	return sum, err
}

// look looks at a value, and at what is in it.
func look(v Value) (sum uint64) {
	switch v.Kind() {
	case ValueStr:
		return uint64(len(v.Str()))
	case ValueInt:
		return uint64(v.Int())
	case ValueFloat:
		return math.Float64bits(v.Float())
	case ValueBool:
		return 1
	case ValueBytes:
		return uint64(len(v.Bytes()))
	case ValueList:
		for item := range v.List() {
			sum += look(item)
		}
	case ValueMap:
		for key, member := range v.Map() {
			sum += uint64(len(key)) + look(member)
		}
	}
	return sum
}

// headers looks at what a span says without its attributes.
func headers(req []byte) (sum uint64, err error) {
	err = WalkTraces(req, func(_ *Resource, _ *Scope, s *Span) error {
		sum += s.End - s.Start + uint64(len(s.Name))
		return nil
	})
	return sum, err
}

func decodePdata(req []byte) (uint64, error) {
	r := ptraceotlp.NewExportRequest()
	err := r.UnmarshalProto(req)
	return uint64(r.Traces().ResourceSpans().Len()), err
}

// TestWalkAllocates holds that spans cost nothing: a request allocates the same few things whether it has one span or many.
func TestWalkAllocates(t *testing.T) {
	measure := func(req []byte) float64 {
		return testing.AllocsPerRun(100, func() {
			if _, err := everything(req); err != nil {
				t.Fatal(err)
			}
		})
	}
	one, many := measure(batch(1)), measure(batch(512))
	if one != many || one > 6 {
		t.Errorf("%v allocations for one span, %v for 512; want the same, and at most 6", one, many)
	}
	td := ptrace.NewTraces() // all that a span may have, in one group
	spans := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	fullSpan(spans.AppendEmpty(), 1)
	one = measure(marshal(td))
	for i := range 100 {
		fullSpan(spans.AppendEmpty(), byte(i))
	}
	if many := measure(marshal(td)); one != many {
		t.Errorf("%v allocations for one full span, %v for 101; want the same", one, many)
	}
}

// TestWalkPartsCost holds that a resource in very many parts is not copied for each of them: 64 MB of them would take hours.
func TestWalkPartsCost(t *testing.T) {
	part := pb(1, member("k", vi(3, 1)))
	req := pb(1, join(join(slices.Repeat([][]byte{part}, 10_000)...), pb(2, pb(2, ""))))
	if n := testing.AllocsPerRun(10, func() {
		if _, err := everything(req); err != nil {
			t.Fatal(err)
		}
	}); n > 60 {
		t.Errorf("%v allocations for 10,000 parts, want those of a buffer that grows", n)
	}
}

func TestValidateAllocates(t *testing.T) {
	req := full()
	if n := testing.AllocsPerRun(100, func() {
		if err := Validate(req); err != nil {
			t.Fatal(err)
		}
	}); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func TestAppendJSONAllocates(t *testing.T) {
	req, dst := full(), make([]byte, 0, 4096)
	var s *Span
	if err := WalkTraces(req, func(_ *Resource, _ *Scope, got *Span) error {
		s = got.Clone()
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() { dst = AppendJSONObject(dst[:0], s.Attributes()) }); n > 1 {
		t.Errorf("%v allocations, want at most that of the iterator", n)
	}
}

func BenchmarkWalk(b *testing.B) {
	const spans = 512
	req := batch(spans)
	var builder Builder
	for _, bm := range []struct {
		name string
		run  func() error
	}{
		{"Headers", func() error { _, err := headers(req); return err }},
		{"Everything", func() error { _, err := everything(req); return err }},
		{"Validate", func() error { return Validate(req) }},
		{"Trusted", func() error { return WalkTrusted(req, func(*Resource, *Scope, *Span) error { return nil }) }},
		{"Builder", func() error {
			builder.Reset()
			return WalkTrusted(req, func(r *Resource, sc *Scope, s *Span) error { builder.Add(r, sc, s); return nil })
		}},
		{"Pdata", func() error { _, err := decodePdata(req); return err }},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(req)))
			for b.Loop() {
				if err := bm.run(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*spans), "ns/span")
		})
	}
}

// BenchmarkAgainstPdata takes turns with pdata, so that both see the same machine, and reports what part of its time a walk
// takes. pdata only decodes; the walk looks at everything too.
func BenchmarkAgainstPdata(b *testing.B) {
	req := batch(512)
	var walk, header, pdata time.Duration
	timed := func(sum *time.Duration, run func([]byte) (uint64, error)) {
		start := time.Now()
		if _, err := run(req); err != nil {
			b.Fatal(err)
		}
		*sum += time.Since(start)
	}
	for b.Loop() {
		timed(&walk, everything)
		timed(&header, headers)
		timed(&pdata, decodePdata)
	}
	b.ReportMetric(float64(walk)/float64(pdata), "everything/pdata")
	b.ReportMetric(float64(header)/float64(pdata), "headers/pdata")
}
