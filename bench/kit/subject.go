package main

import (
	"context"
	"database/sql/driver"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/XSAM/otelsql"
	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc"
	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/trace"
	"google.golang.org/grpc/stats"

	"github.com/lensgo/lens/bench/sides"
)

// subjects are instrumented packages.
var subjects = []sides.Subject[trace.TracerProvider]{
	{Name: "otelhttp", Open: openHTTP}, {Name: "otelgrpc", Open: openGRPC}, {Name: "otelsql", Open: openSQL},
}

func openHTTP(tp trace.TracerProvider) (func(context.Context) error, func() error) {
	client := http.Client{Transport: otelhttp.NewTransport(echo{}, otelhttp.WithTracerProvider(tp))}
	return func(ctx context.Context) error {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://service.example/path", nil)
		if err != nil {
			return err
		}
		resp, err := client.Do(req)
		if err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			return err
		}
		return resp.Body.Close()
	}, func() error { return nil }
}

// echo answers with the traceparent that came.
type echo struct{}

func (echo) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{
		StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: http.Header{}, Request: r,
		Body: io.NopCloser(strings.NewReader(r.Header.Get("Traceparent"))),
	}, nil
}

// openGRPC gives the handler of a client what gRPC reports of a unary call.
func openGRPC(tp trace.TracerProvider) (func(context.Context) error, func() error) {
	h := otelgrpc.NewClientHandler(otelgrpc.WithTracerProvider(tp))
	info := &stats.RPCTagInfo{FullMethodName: "/service.Example/Call"}
	return func(ctx context.Context) error {
		begin := time.Now()
		ctx = h.TagRPC(ctx, info)
		h.HandleRPC(ctx, &stats.Begin{Client: true, BeginTime: begin})
		h.HandleRPC(ctx, &stats.OutHeader{Client: true, FullMethod: info.FullMethodName})
		h.HandleRPC(ctx, &stats.OutPayload{Client: true, Length: 10})
		h.HandleRPC(ctx, &stats.InPayload{Length: 10})
		h.HandleRPC(ctx, &stats.End{Client: true, BeginTime: begin, EndTime: time.Now()})
		return nil
	}, func() error { return nil }
}

func openSQL(tp trace.TracerProvider) (func(context.Context) error, func() error) {
	db := otelsql.OpenDB(connector{}, otelsql.WithTracerProvider(tp))
	return func(ctx context.Context) error {
		var one int
		return db.QueryRowContext(ctx, "select 1").Scan(&one)
	}, db.Close
}

// connector is a database in which every query has one row, and in it the number 1.
type connector struct{}

func (connector) Connect(context.Context) (driver.Conn, error) { return conn{}, nil }
func (connector) Driver() driver.Driver                        { return nil }

type conn struct{}

func (conn) Prepare(string) (driver.Stmt, error) { return nil, driver.ErrSkip }
func (conn) Close() error                        { return nil }
func (conn) Begin() (driver.Tx, error)           { return nil, driver.ErrSkip }
func (conn) QueryContext(context.Context, string, []driver.NamedValue) (driver.Rows, error) {
	return &rows{}, nil
}

type rows struct{ read bool }

func (*rows) Columns() []string { return []string{"one"} }
func (*rows) Close() error      { return nil }
func (r *rows) Next(row []driver.Value) error {
	if r.read {
		return io.EOF
	}
	r.read = true
	row[0] = int64(1)
	return nil
}

var (
	_ http.RoundTripper     = echo{}
	_ driver.QueryerContext = conn{}
)
