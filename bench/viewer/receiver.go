package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"

	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
	"google.golang.org/grpc"

	"github.com/lensgo/lens/bench/load"
)

// Processes that this program starts of itself.
const (
	childReceiver = "receiver"
	childHost     = "host"
)

// The receivers that the viewer is compared with. Null reads a request and says thank you; pdata decodes it too, as the
// OpenTelemetry Collector does, and drops it.
const (
	receiverNull  = "null"
	receiverPdata = "pdata"
)

// receive is such a process. It ends with its standard input.
func receive(ctx context.Context, kind string, stdin io.Reader, stdout io.Writer) error {
	if kind != receiverNull && kind != receiverPdata {
		return fmt.Errorf("there is no receiver %q", kind)
	}
	web, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	rpc, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return errors.Join(err, web.Close())
	}
	s := &http.Server{Handler: handler(kind)}
	g := grpcServer(kind)
	var serving sync.WaitGroup
	serving.Go(func() { s.Serve(web) }) //nolint:errcheck // it ends with Close
	serving.Go(func() { g.Serve(rpc) }) //nolint:errcheck // it ends with Stop
	fmt.Fprintf(stdout, "OTLP/HTTP http://%s\nOTLP/gRPC %s\n", web.Addr(), rpc.Addr())
	untilEOF(ctx, stdin)
	g.Stop()
	err = s.Close()
	serving.Wait()
	return err
}

// untilEOF waits until whoever started this process has gone, or ends it.
func untilEOF(ctx context.Context, stdin io.Reader) {
	gone := make(chan struct{})
	go func() {
		io.Copy(io.Discard, stdin) //nolint:errcheck // either way it is over
		close(gone)
	}()
	select {
	case <-gone:
	case <-ctx.Done():
	}
}

func handler(kind string) http.Handler {
	buffers := sync.Pool{New: func() any { return new([]byte) }}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		buf := buffers.Get().(*[]byte)
		defer buffers.Put(buf)
		if cap(*buf) < int(r.ContentLength) {
			*buf = make([]byte, r.ContentLength)
		}
		body := (*buf)[:r.ContentLength]
		if _, err := io.ReadFull(r.Body, body); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		asked := r.Header.Get("Content-Type")
		w.Header().Set("Content-Type", asked)
		if kind == receiverPdata {
			if err := decode(body, asked); err != nil {
				http.Error(w, err.Error(), http.StatusBadRequest)
				return
			}
		}
		if asked == "application/json" {
			w.Write([]byte("{}")) //nolint:errcheck // the sender notices
		}
	})
}

func decode(body []byte, contentType string) error {
	req := ptraceotlp.NewExportRequest()
	if contentType == "application/json" {
		return req.UnmarshalJSON(body)
	}
	return req.UnmarshalProto(body)
}

func grpcServer(kind string) *grpc.Server {
	if kind == receiverPdata {
		s := grpc.NewServer()
		ptraceotlp.RegisterGRPCServer(s, &dropping{})
		return s
	}
	return grpc.NewServer(grpc.ForceServerCodec(load.Raw{}), grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		var body []byte
		if err := stream.RecvMsg(&body); err != nil {
			return err
		}
		return stream.SendMsg([]byte{})
	}))
}

// dropping is a gRPC service that takes what was decoded, and drops it.
type dropping struct {
	ptraceotlp.UnimplementedGRPCServer
}

func (*dropping) Export(context.Context, ptraceotlp.ExportRequest) (ptraceotlp.ExportResponse, error) {
	return ptraceotlp.NewExportResponse(), nil
}

// receiver starts one.
func (r *run) receiver(kind string) (*program, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return launch(r, 2, self, childReceiver, kind)
}
