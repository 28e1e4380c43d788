package store_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/store"
)

// generator makes requests as exporters of a few servers do: 512 spans of about 300 bytes with 8 attributes, of traces of
// 16 spans, 256 of which run at a time.
type generator struct {
	r     *rand.Rand
	open  [256]genTrace
	clock uint64
	ids   []otlp.TraceID // of traces that are complete
}

type genTrace struct {
	id   otlp.TraceID
	span uint64 // of the root
	left int
}

func newGenerator(seed uint64) *generator {
	return &generator{r: rand.New(rand.NewPCG(seed, 2)), clock: 1_700_000_000_000_000_000}
}

func (g *generator) request(tb testing.TB) []byte {
	td := ptrace.NewTraces()
	rs := td.ResourceSpans().AppendEmpty()
	for k, v := range map[string]string{"service.name": "nemo-gym/policy_model", "service.version": "1.4.2", "host.name": "node-0042", "nemo.run.id": "run-2026-11-30"} {
		rs.Resource().Attributes().PutStr(k, v)
	}
	ss := rs.ScopeSpans().AppendEmpty()
	ss.Scope().SetName("github.com/lensgo/lens/gym")
	for range 512 {
		g.span(ss.Spans().AppendEmpty())
	}
	b, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func (g *generator) span(s ptrace.Span) {
	t := &g.open[g.r.IntN(len(g.open))]
	if t.left == 0 {
		if t.span != 0 {
			g.ids = append(g.ids, t.id)
		}
		binary.BigEndian.PutUint64(t.id[:], g.r.Uint64())
		binary.BigEndian.PutUint64(t.id[8:], g.r.Uint64())
		t.left, t.span = 16, 0
	}
	id := g.r.Uint64()
	var raw [8]byte
	binary.BigEndian.PutUint64(raw[:], id)
	s.SetTraceID(pcommon.TraceID(t.id))
	s.SetSpanID(raw)
	if t.span != 0 {
		binary.BigEndian.PutUint64(raw[:], t.span)
		s.SetParentSpanID(raw)
	} else {
		t.span = id
	}
	t.left--
	g.clock += uint64(g.r.IntN(20_000))
	s.SetName([]string{"gym.rollout", "POST /run", "HTTP POST", "POST /v1/responses", "POST /verify", "POST /get_weather"}[g.r.IntN(6)])
	s.SetKind(ptrace.SpanKind(g.r.IntN(5) + 1))
	s.SetStartTimestamp(pcommon.Timestamp(g.clock))
	s.SetEndTimestamp(pcommon.Timestamp(g.clock + uint64(g.r.IntN(50_000_000))))
	a := s.Attributes()
	a.PutStr("http.request.method", "POST")
	a.PutStr("url.full", fmt.Sprintf("http://127.0.0.1:%d/v1/responses", 40_000+g.r.IntN(4)))
	a.PutInt("http.response.status_code", 200)
	a.PutStr("nemo.gym.rollout.id", fmt.Sprintf("%d-%d", g.r.IntN(1000), g.r.IntN(8)))
	a.PutInt("nemo.gym.task.index", int64(g.r.IntN(1000)))
	a.PutInt("gen_ai.usage.input_tokens", int64(g.r.IntN(4000)))
	a.PutStr("gen_ai.request.model", "synthetic")
	a.PutDouble("nemo.gym.wait.pool_ms", g.r.Float64())
}

// requests makes n requests.
func requests(tb testing.TB, n int) (list [][]byte, g *generator, bytes int) {
	g = newGenerator(1)
	for range n {
		b := g.request(tb)
		bytes += len(b)
		list = append(list, b)
	}
	return list, g, bytes
}

// BenchmarkAdd takes requests of 512 spans. Raw is the same bytes written to one file, for the ratio.
func BenchmarkAdd(b *testing.B) {
	list, _, total := requests(b, 200)
	b.Run("Raw", func(b *testing.B) {
		f, err := os.Create(filepath.Join(b.TempDir(), "raw"))
		if err != nil {
			b.Fatal(err)
		}
		defer f.Close()
		i := 0
		for b.Loop() {
			if _, err := f.Write(list[i%len(list)]); err != nil {
				b.Fatal(err)
			}
			i++
		}
		b.ReportMetric(float64(i*512)/b.Elapsed().Seconds(), "spans/s")
	})
	for _, bm := range []struct {
		name string
		sum  store.Summary
	}{{"Store", nil}, {"StoreAndSummary", nothing{}}} {
		b.Run(bm.name, func(b *testing.B) {
			s := open(b, b.TempDir(), store.Options{Summary: bm.sum})
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				req := list[i%len(list)]
				add(b, s, req)
				i++
				renew(req)
			}
			closeStore(b, s) // what is not sealed yet counts
			b.ReportMetric(float64(i*512)/b.Elapsed().Seconds(), "spans/s")
			st := s.Stats()
			b.ReportMetric(float64(st.Bytes)/float64(i*512), "B/span")
			b.ReportMetric(float64(st.Bytes)/float64(st.Kinds[store.Traces].Raw), "disk/raw")
			b.ReportMetric(float64(total)/float64(len(list)*512), "rawB/span")
		})
	}
}

// renew makes another request of one: its last span gets another trace.
func renew(req []byte) {
	var id []byte
	_ = otlp.WalkTrusted(req, func(_ *otlp.Resource, _ *otlp.Scope, s *otlp.Span) error {
		id = s.Raw()[bytes.Index(s.Raw(), s.TraceID[:]):]
		return nil
	})
	binary.LittleEndian.PutUint64(id, binary.LittleEndian.Uint64(id)+1)
}

// nothing is a Summary that does nothing.
type nothing struct{}

func (nothing) Add(*otlp.Resource, *otlp.Scope, *otlp.Span, store.Ref) {}
func (nothing) Seal() []byte                                           { return nil }
func (nothing) Merge([]byte) error                                     { return nil }
func (nothing) Forget(store.Removed, []byte)                           {}

// filled makes a closed folder, and returns its size and ids of its traces.
func filled(b *testing.B, n int) (dir string, size int64, ids []otlp.TraceID) {
	b.Helper()
	list, g, _ := requests(b, n)
	dir = b.TempDir()
	s := open(b, dir, store.Options{Summary: nothing{}})
	for _, req := range list {
		add(b, s, req)
	}
	closeStore(b, s)
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		size += info.Size()
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return dir, size, g.ids
}

// BenchmarkOpen starts on a folder that was closed.
func BenchmarkOpen(b *testing.B) {
	dir, size, _ := filled(b, 600)
	for b.Loop() {
		if _, err := store.OpenReadOnly(dir, store.Options{Summary: nothing{}}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)*1e9/float64(size), "s/GB")
}

// BenchmarkTrace looks up traces of 16 spans: in memory, and in segments.
func BenchmarkTrace(b *testing.B) {
	dir, _, ids := filled(b, 200)
	for _, bm := range []struct {
		name   string
		memory bool
	}{{"Memory", true}, {"Disk", false}} {
		b.Run(bm.name, func(b *testing.B) {
			s := openReadOnly(b, dir, store.Options{})
			ids := ids
			if bm.memory {
				list, g, _ := requests(b, 60)
				ids = g.ids
				s = open(b, b.TempDir(), store.Options{})
				for _, req := range list {
					add(b, s, req)
				}
			}
			i := 0
			for b.Loop() {
				if _, err := s.Trace(ids[i%len(ids)]); err != nil {
					b.Fatal(err)
				}
				i += 7
			}
		})
	}
}
