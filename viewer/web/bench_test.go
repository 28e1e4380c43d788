package web_test

import (
	"fmt"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"

	"github.com/lensgo/lens/viewer/web"
)

// BenchmarkTrace opens a trace: the header and the first rows of one that nobody looked at before, the pages after that, a span.
func BenchmarkTrace(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		v := newBench(b, web.Options{})
		tr := newTrace(1)
		root := tr.span(driver, "rollout", "gym.rollout", ptrace.SpanKindInternal, pcommon.SpanID{}, 0, float64(n), nil)
		for i := range n / 2 {
			tr.call(agent, resources, fmt.Sprintf("/step_%d", i%5), root.SpanID(), float64(2*i), float64(2*i+1), nil)
		}
		v.add(tr.td)
		path := "/api/v1/traces/" + tr.id.String()
		b.Run(fmt.Sprintf("first/%d", n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				other := newTrace(2) // makes what is kept old
				other.span(driver, "", "x", ptrace.SpanKindInternal, pcommon.SpanID{}, 0, 1, nil)
				v.add(other.td)
				b.StartTimer()
				v.get(path)
				v.get(path+"/spans", header("Accept-Encoding", "gzip"))
			}
		})
		b.Run(fmt.Sprintf("page/%d", n), func(b *testing.B) {
			for b.Loop() {
				v.get(path+"/spans?from=5000", header("Accept-Encoding", "gzip"))
			}
		})
		b.Run(fmt.Sprintf("span/%d", n), func(b *testing.B) {
			for b.Loop() {
				v.get(path + "/spans/" + root.SpanID().String())
			}
		})
	}
}
