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

// A sink gets what a file holds the same way as what comes over the network.
func ExampleLoad() {
	if err := exampleLoad(); err != nil {
		fmt.Println(err)
	}
	// Output:
	// an ExportTraceServiceRequest with 1 span
	// 1 request, 1 span loaded
}

func exampleLoad() error {
	dir, err := os.MkdirTemp("", "ingest")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "traces.jsonl") // or .jsonl.gz, .jsonl.zst
	line := `{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"gym.rollout"}]}]}]}` + "\n"
	if err := os.WriteFile(path, []byte(line), 0o600); err != nil {
		return err
	}
	loaded, err := ingest.Load(context.Background(), path, printer{})
	fmt.Println(loaded.Requests, "request,", loaded.Spans, "span loaded")
	return err
}

// printer is a sink that keeps nothing.
type printer struct{}

func (printer) Traces(_ context.Context, req []byte) (int, string, error) {
	r := ptraceotlp.NewExportRequest()
	if err := r.UnmarshalProto(req); err != nil {
		return 0, "", fmt.Errorf("%w: %w", ingest.ErrInvalid, err)
	}
	fmt.Println("an ExportTraceServiceRequest with", r.Traces().SpanCount(), "span")
	return 0, "", nil
}

func (printer) Metrics(context.Context, []byte) (int, string, error) { return 0, "", nil }
func (printer) Logs(context.Context, []byte) (int, string, error)    { return 0, "", nil }

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
