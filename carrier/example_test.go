package carrier_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/carrier"
	"github.com/lensgo/lens/carrier/testdata/kgo"
	"github.com/lensgo/lens/carrier/testdata/nats"
)

// inSpan is a context inside a span. A program has one from Start, or from a request.
func inSpan() context.Context {
	span, _ := lens.ParseRef("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "")
	return lens.WithParent(context.Background(), span)
}

// A frame of a protocol that has no headers.
func ExampleBytes() {
	type frame struct {
		Trace []byte
		Body  string
	}
	sent := frame{Trace: carrier.Bytes(inSpan()), Body: "work"}
	fmt.Printf("%s\n", sent.Trace)

	ctx := carrier.FromBytes(context.Background(), sent.Trace) // the other side
	fmt.Println(lens.RefFrom(ctx))
	// Output:
	// {"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}
	// 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
}

func ExampleSetEnv() {
	cmd := exec.CommandContext(inSpan(), "sh", "-c", "echo $TRACEPARENT")
	carrier.SetEnv(inSpan(), cmd)
	out, err := cmd.Output()
	fmt.Print(string(out), err)
	// Output:
	// 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
	// <nil>
}

// An environment for what is not started from here: a job's script, a container.
func ExampleEnv() {
	fmt.Println(carrier.Env(inSpan(), []string{"STEP=120"}))
	// Output: [STEP=120 TRACEPARENT=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01]
}

// A program that may have been started by one with a trace takes it over at its start.
func ExampleFromEnv() {
	os.Setenv("TRACEPARENT", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01") // the parent did
	defer os.Unsetenv("TRACEPARENT")

	ctx := carrier.FromEnv(context.Background())
	fmt.Println(lens.RefFrom(ctx))
	// Output: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
}

// NATS has headers. Lower case is what every reader finds.
func Example_nats() {
	publish := func(ctx context.Context, nc *nats.Conn, row []byte) error {
		msg := nats.NewMsg("rollouts.ready")
		msg.Data = row
		headers := lens.Map{}
		lens.Inject(ctx, headers)
		for key, value := range headers {
			msg.Header.Set(key, value)
		}
		return nc.PublishMsg(msg)
	}
	receive := func(msg *nats.Msg) {
		ctx := lens.Extract(context.Background(), lens.Header(msg.Header))
		fmt.Println(string(msg.Data), lens.RefFrom(ctx))
	}

	fmt.Println(publish(inSpan(), &nats.Conn{Receive: receive}, []byte("row")))
	// Output:
	// row 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
	// <nil>
}

// Kafka has headers, too, and keeps all of one name: those of an earlier hop have to go.
func Example_kafka() {
	inject := func(ctx context.Context, record *kgo.Record) {
		headers := lens.Map{}
		lens.Inject(ctx, headers)
		if len(headers) == 0 {
			return
		}
		record.Headers = slices.DeleteFunc(record.Headers, func(h kgo.RecordHeader) bool {
			return h.Key == "traceparent" || h.Key == "tracestate" || h.Key == "baggage"
		})
		for key, value := range headers {
			record.Headers = append(record.Headers, kgo.RecordHeader{Key: key, Value: []byte(value)})
		}
	}
	extract := func(ctx context.Context, record *kgo.Record) context.Context {
		headers := lens.Header{}
		for _, h := range record.Headers {
			headers[h.Key] = append(headers[h.Key], string(h.Value))
		}
		return lens.Extract(ctx, headers)
	}

	record := &kgo.Record{Topic: "rollouts", Headers: []kgo.RecordHeader{{Key: "traceparent", Value: []byte("of an earlier hop")}}}
	inject(inSpan(), record)
	fmt.Println(len(record.Headers), lens.RefFrom(extract(context.Background(), record)))
	// Output: 1 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
}

// A remote call takes the context as an argument of its own, under the name that Python's Ray helpers have for it.
func Example_remoteCall() {
	type call struct {
		Method string   `json:"method"`
		Args   []any    `json:"args"`
		Trace  lens.Map `json:"_otel_carrier,omitempty"`
	}
	dispatch := func(ctx context.Context, method string, args ...any) ([]byte, error) {
		c := call{Method: method, Args: args, Trace: lens.Map{}}
		lens.Inject(ctx, c.Trace)
		return json.Marshal(c)
	}
	serve := func(ctx context.Context, request []byte) error {
		var c call
		if err := json.Unmarshal(request, &c); err != nil {
			return err
		}
		ctx = lens.Extract(ctx, c.Trace)
		fmt.Println(c.Method, lens.RefFrom(ctx))
		return nil
	}

	request, err := dispatch(inSpan(), "Worker.train", 120)
	fmt.Println(string(request), err)
	fmt.Println(serve(context.Background(), request))
	// Output:
	// {"method":"Worker.train","args":[120],"_otel_carrier":{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}} <nil>
	// Worker.train 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
	// <nil>
}

// world is a communicator of MPI as a binding has it: Bcast is MPI_Bcast with MPI_BYTE.
type world interface {
	Bcast(buf []byte, root int) error
}

// workers makes a Broadcaster of it.
type workers struct{ world }

func (w workers) Broadcast(_ context.Context, buf []byte, root int) error {
	return w.Bcast(buf, root)
}

// single is a world of one process.
type single struct{}

func (single) Bcast([]byte, int) error { return nil }

// MPI has a broadcast. It cannot be interrupted, and need not be: the launcher ends all ranks when one dies.
func Example_mpi() {
	var comm world = single{}
	rank := 0

	ctx, err := carrier.Broadcast(inSpan(), workers{comm}, rank, 0)
	fmt.Println(lens.RefFrom(ctx), err)
	// Output: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 <nil>
}

// store is the key-value store over which workers find each other, as they do with NCCL's unique id.
type store interface {
	Set(key string, value []byte) error
	Get(key string) ([]byte, error) // waits until somebody has set it
}

// memory is a store of one process.
type memory map[string][]byte

func (m memory) Set(key string, value []byte) error { m[key] = value; return nil }
func (m memory) Get(key string) ([]byte, error)     { return m[key], nil }

// NCCL moves what is on GPUs. A trace goes the way that its unique id goes: a store, where rank 0 leaves it for the others.
func Example_nccl() {
	meet := func(ctx context.Context, s store, rank int) (context.Context, error) {
		if rank == 0 {
			return ctx, s.Set("trace", carrier.Bytes(ctx))
		}
		trace, err := s.Get("trace")
		return carrier.FromBytes(ctx, trace), err
	}

	s := memory{}
	_, err := meet(inSpan(), s, 0)
	fmt.Println(err)
	ctx, err := meet(context.Background(), s, 1)
	fmt.Println(lens.RefFrom(ctx), err)
	// Output:
	// <nil>
	// 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 <nil>
}

// A child of a launcher of many: srun and mpirun hand the environment of the caller down.
func Example_launcher() {
	launch := func(ctx context.Context, args ...string) *exec.Cmd {
		cmd := exec.CommandContext(ctx, "srun", append([]string{"--export=ALL"}, args...)...)
		carrier.SetEnv(ctx, cmd)
		return cmd
	}

	cmd := launch(inSpan(), "./train")
	i := slices.IndexFunc(cmd.Env, func(entry string) bool { return strings.HasPrefix(entry, "TRACEPARENT=") })
	fmt.Println(cmd.Env[i])
	// Output: TRACEPARENT=00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
}
