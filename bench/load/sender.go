package load

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

// Sender sends one request at a time over one connection.
type Sender interface {
	Send(ctx context.Context, body []byte) error
	Encoding() Encoding
	Close()
}

// Protocol is a way in.
type Protocol string

// The ways in.
const (
	HTTPProtobuf Protocol = "http/protobuf"
	HTTPJSON     Protocol = "http/json"
	GRPC         Protocol = "grpc"
)

// Encoding is what a protocol sends.
func (p Protocol) Encoding() Encoding {
	if p == HTTPJSON {
		return JSON
	}
	return Protobuf
}

// Dial makes a sender. The endpoint is a URL, http://127.0.0.1:4318.
func Dial(p Protocol, endpoint string) (Sender, error) {
	if p == GRPC {
		return dialGRPC(endpoint)
	}
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.WriteBufferSize = 64 << 10
	t.DisableCompression = true
	s := &httpSender{client: &http.Client{Transport: t}, url: endpoint + "/v1/traces", encoding: p.Encoding(), contentType: "application/x-protobuf"}
	if p == HTTPJSON {
		s.contentType = "application/json"
	}
	return s, nil
}

type httpSender struct {
	client           *http.Client
	url, contentType string
	encoding         Encoding
}

func (s *httpSender) Encoding() Encoding { return s.encoding }

func (s *httpSender) Close() { s.client.CloseIdleConnections() }

func (s *httpSender) Send(ctx context.Context, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", s.contentType)
	resp, err := s.client.Do(req)
	if err != nil {
		return fmt.Errorf("cannot send: %w", err)
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, 1<<10))
	if err != nil {
		return fmt.Errorf("cannot read the answer: %w", err)
	}
	if resp.StatusCode != http.StatusOK || bytes.Contains(answer, []byte("rejected")) {
		return fmt.Errorf("cannot send: status %d: %s", resp.StatusCode, answer)
	}
	return nil
}

// Raw is a gRPC codec of bytes that are encoded already.
type Raw struct{}

// Name is that of the codec that it stands in for.
func (Raw) Name() string { return "proto" }

// Marshal takes a []byte as it is.
func (Raw) Marshal(v any) ([]byte, error) { return v.([]byte), nil }

// Unmarshal copies into a *[]byte.
func (Raw) Unmarshal(b []byte, v any) error {
	to := v.(*[]byte)
	*to = append((*to)[:0], b...)
	return nil
}

// ExportMethod is OTLP's method for traces.
const ExportMethod = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"

type grpcSender struct{ conn *grpc.ClientConn }

func dialGRPC(endpoint string) (Sender, error) {
	conn, err := grpc.NewClient(strings.TrimPrefix(endpoint, "http://"), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return nil, fmt.Errorf("cannot reach %s: %w", endpoint, err)
	}
	return grpcSender{conn}, nil
}

func (grpcSender) Encoding() Encoding { return Protobuf }

func (s grpcSender) Close() { s.conn.Close() }

func (s grpcSender) Send(ctx context.Context, body []byte) error {
	var answer []byte
	if err := s.conn.Invoke(ctx, ExportMethod, body, &answer, grpc.ForceCodec(Raw{})); err != nil {
		return fmt.Errorf("cannot send: %w", err)
	}
	return nil
}
