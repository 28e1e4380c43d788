package ingest_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"

	"github.com/lensgo/lens/viewer/ingest"
)

func Example() {
	if err := example(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 1 spans received
	// read back: gym.rollout
}

func example() error {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "ingest")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "traces.jsonl")

	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	r, err := ingest.Start(ctx, ln, ingest.Config{Path: path})
	if err != nil {
		return err
	}
	if err := export(r.Endpoint() + "/v1/traces"); err != nil { // any OTLP exporter
		return err
	}
	if err := r.Shutdown(ctx); err != nil {
		return err
	}
	fmt.Println(r.Stats().Spans, "spans received")
	return ingest.ReadFile(path, func(td ptrace.Traces) error {
		span := td.ResourceSpans().At(0).ScopeSpans().At(0).Spans().At(0)
		fmt.Println("read back:", span.Name())
		return nil
	})
}

func export(url string) error {
	td := ptrace.NewTraces()
	td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty().SetName("gym.rollout")
	body, err := ptraceotlp.NewExportRequestFromTraces(td).MarshalProto()
	if err != nil {
		return err
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Post(url, "application/x-protobuf", bytes.NewReader(body))
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
