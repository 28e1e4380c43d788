package ingest_test

import (
	"bytes"
	"testing"

	"github.com/lensgo/lens/viewer/ingest"
)

func BenchmarkReceiver(b *testing.B) {
	body := protobuf(b, request(512, "span"))
	for _, bm := range []struct {
		name   string
		body   []byte
		header map[string]string
	}{{"Plain", body, proto}, {"Gzip", gz(b, body), protoGzip}} {
		b.Run(bm.name, func(b *testing.B) {
			r, client, _ := start(b, ingest.Config{})
			b.ReportAllocs()
			for b.Loop() {
				send(b, client, "POST", r.Endpoint()+"/v1/traces", bytes.NewReader(bm.body), bm.header)
			}
			b.ReportMetric(float64(b.N*512)/b.Elapsed().Seconds(), "spans/s")
		})
	}
}
