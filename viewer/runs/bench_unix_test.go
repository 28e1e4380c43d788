//go:build unix

package runs

import (
	"syscall"
	"testing"
	"time"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/store"
)

// cpu is the processor time that the process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkIngest takes traffic into a store: without a model, and with one. The difference is what the model costs.
func BenchmarkIngest(b *testing.B) {
	x := newTraffic(b, 200)
	for _, bm := range []struct {
		name string
		m    *Model
	}{{"Store", nil}, {"Model", NewModel(Options{})}} {
		b.Run(bm.name, func(b *testing.B) {
			o := store.Options{MaxBytes: 1 << 30}
			if bm.m != nil {
				o.Summary = bm.m
			}
			s, err := store.Open(b.TempDir(), o)
			must(b, err)
			b.ReportAllocs()
			began, spans := cpu(), 0
			for b.Loop() {
				for _, req := range x.requests {
					_, err := s.AddTraces(b.Context(), req)
					must(b, err)
				}
				spans += x.spans
				x.next()
			}
			must(b, s.Close(b.Context()))
			b.ReportMetric(float64(cpu()-began)/float64(spans), "cpu-ns/span")
			b.ReportMetric(0, "ns/op")
		})
	}
	b.Run("Alone", func(b *testing.B) {
		m := NewModel(Options{})
		b.ReportAllocs()
		began, spans, bytes := cpu(), 0, 0
		for b.Loop() {
			for _, req := range x.requests {
				_ = otlp.WalkTrusted(req, func(r *otlp.Resource, sc *otlp.Scope, s *otlp.Span) error {
					m.Add(r, sc, s, store.Ref{})
					return nil
				})
				bytes += len(req)
				if bytes > 512<<10 {
					m.Seal()
					bytes = 0
				}
			}
			spans += x.spans
			x.next()
		}
		b.ReportMetric(float64(cpu()-began)/float64(spans), "cpu-ns/span")
		b.ReportMetric(0, "ns/op")
	})
}
