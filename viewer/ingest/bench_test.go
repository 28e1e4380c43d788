package ingest_test

import (
	"bytes"
	"context"
	"net"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/lensgo/lens/viewer/ingest"
)

// nowhere is a sink that costs nothing.
type nowhere struct{}

func (nowhere) Traces(context.Context, []byte) (int, string, error)  { return 0, "", nil }
func (nowhere) Metrics(context.Context, []byte) (int, string, error) { return 0, "", nil }
func (nowhere) Logs(context.Context, []byte) (int, string, error)    { return 0, "", nil }

func BenchmarkReceiver(b *testing.B) {
	spans := request(512, "span")
	body := protobuf(b, spans)
	text, err := spans.MarshalJSON()
	must(b, err)
	for _, bm := range []struct {
		name   string
		body   []byte
		header map[string]string
		c      ingest.Config
	}{
		{"Sink/Protobuf", body, proto, ingest.Config{Sink: nowhere{}}},
		{"Sink/ProtobufGzip", gz(b, body), protoGzip, ingest.Config{Sink: nowhere{}}},
		{"Sink/JSON", text, asJSON, ingest.Config{Sink: nowhere{}}},
		{"File/Protobuf", body, proto, ingest.Config{}},
		{"File/ProtobufGzip", gz(b, body), protoGzip, ingest.Config{}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			r, client, _ := start(b, bm.c)
			b.ReportAllocs()
			for b.Loop() {
				send(b, client, "POST", r.Endpoint()+"/v1/traces", bytes.NewReader(bm.body), bm.header)
			}
			b.ReportMetric(float64(b.N*512)/b.Elapsed().Seconds(), "spans/s")
		})
	}
	b.Run("Sink/GRPC", func(b *testing.B) {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		must(b, err)
		r, _, _ := start(b, ingest.Config{Sink: nowhere{}, GRPC: ln})
		client := ptraceotlp.NewGRPCClient(dial(b, r))
		b.ReportAllocs()
		for b.Loop() {
			_, err := client.Export(b.Context(), spans)
			must(b, err)
		}
		b.ReportMetric(float64(b.N*512)/b.Elapsed().Seconds(), "spans/s")
	})
}

func BenchmarkLoad(b *testing.B) {
	text, err := request(512, "span").MarshalJSON()
	must(b, err)
	path := file(b, string(text)+"\n")
	for b.Loop() {
		_, err := ingest.Load(b.Context(), path, nowhere{})
		must(b, err)
	}
	b.ReportMetric(float64(b.N*512)/b.Elapsed().Seconds(), "spans/s")
}
