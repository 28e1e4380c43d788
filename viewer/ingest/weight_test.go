package ingest

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// What is done for each request, whatever its size, allocates nothing.
func TestWeight_allocates_nothing(t *testing.T) {
	request := ptraceotlp.NewExportRequest()
	spans := request.Traces().ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans()
	for range 100 {
		spans.AppendEmpty().Attributes().PutStr("k", "v")
	}
	req, err := request.MarshalProto()
	if err != nil {
		t.Fatal(err)
	}
	if n := testing.AllocsPerRun(100, func() {
		if items, err := traces.inspect(req, 1<<20); items != 100 || err != nil {
			t.Fatal(items, err)
		}
	}); n != 0 {
		t.Errorf("%g allocations to inspect a request, want 0", n)
	}
	if n := testing.AllocsPerRun(100, func() { traceSchema.weight(req) }); n != 0 {
		t.Errorf("%g allocations to weigh a request, want 0", n)
	}
}

// The look over a JSON text allocates for its result, and not for each object.
func TestOutline_allocations(t *testing.T) {
	text := func(n int) []byte {
		return []byte(`{"resourceSpans":[{"scopeSpans":[{"spans":[` + strings.Repeat(`{"name":"x"},`, n) + `{}]}]}]}`)
	}
	allocs := func(text []byte) float64 {
		return testing.AllocsPerRun(20, func() {
			if _, err := outlineOf(text); err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocs(text(1)), allocs(text(1000)); many > few+10 { // the standard library has a pool
		t.Errorf("%g allocations for 1000 spans, %g for one", many, few)
	}
}

// The weight of JSON is near that of the same request in protobuf, or above.
func TestOutline_weighs_like_protobuf(t *testing.T) {
	for i, name := range []string{"trace", "metrics", "logs"} {
		s := signals[i]
		text, err := os.ReadFile(filepath.Join("testdata", "opentelemetry-proto", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		o, err := outlineOf(text)
		if err != nil {
			t.Fatal(err)
		}
		req, err := s.fromJSON(o, text, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		if w := s.schema.weigh(req, 0); o.weight < w/2 || o.weight > 3*w {
			t.Errorf("%s weighs %d in JSON, %d in protobuf", name, o.weight, w)
		}
	}
}

// Fields that hide messages from a look that takes them for something else.
func TestWeight_disguises(t *testing.T) {
	spans := bytes.Repeat([]byte{2<<3 | 2, 0}, 50)
	scope := append([]byte{2<<3 | 2, byte(len(spans))}, spans...)
	deprecated := append([]byte{0xC2, 0x3E, byte(len(spans))}, spans...)
	wide := append([]byte{0x92, 0x80, 0x80, 0x80, 0x80, 0x01, byte(len(spans))}, spans...) // field 2 + 2^32
	for name, resource := range map[string][]byte{"plain": scope, "deprecated": deprecated, "wide": wide} {
		req := append([]byte{1<<3 | 2, byte(len(resource))}, resource...)
		if n, open := countSpans(req); n != 50 || open {
			t.Errorf("%s: %d spans, want 50", name, n)
		}
		if w := traceSchema.weight(req); w < 50*spanWeight {
			t.Errorf("%s: weight %d, want that of 50 spans", name, w)
		}
		decoded := ptraceotlp.NewExportRequest()
		if err := decoded.UnmarshalProto(req); err != nil || decoded.Traces().SpanCount() != 50 {
			t.Errorf("%s: the reference has %d spans, error %v", name, decoded.Traces().SpanCount(), err)
		}
	}
	numbers := bytes.Repeat([]byte{1}, 100) // packed numbers of exponential buckets
	buckets := append([]byte{2<<3 | 2, byte(len(numbers))}, numbers...)
	point := append([]byte{8<<3 | 2, byte(len(buckets))}, buckets...)
	b := point
	for _, field := range []byte{1, 10, 2, 2, 1} {
		b = append([]byte{field<<3 | 2, byte(len(b))}, b...)
	}
	if w := metricSchema.weight(b); w < 8*100 {
		t.Errorf("weight %d, want more than that of the numbers", w)
	}
}
