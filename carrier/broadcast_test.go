package carrier_test

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/carrier"
)

// network makes the workers of a job, the first of which is the root.
type network func(t *testing.T, workers int) []carrier.Broadcaster

var networks = map[string]network{"in this process": overPipes, "over TCP": overTCP}

// overPipes connects the root with each of the others in memory.
func overPipes(t *testing.T, workers int) []carrier.Broadcaster {
	return connect(t, workers, func() (net.Conn, net.Conn) { return net.Pipe() })
}

// overTCP connects the root with each of the others over the loopback interface.
func overTCP(t *testing.T, workers int) []carrier.Broadcaster {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return connect(t, workers, func() (net.Conn, net.Conn) {
		worker, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		root, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		return root, worker
	})
}

func connect(t *testing.T, workers int, pair func() (root, worker net.Conn)) []carrier.Broadcaster {
	t.Helper()
	all, root := make([]carrier.Broadcaster, workers), star{rank: 0}
	for rank := 1; rank < workers; rank++ {
		r, w := pair()
		t.Cleanup(func() { r.Close(); w.Close() })
		root.conns = append(root.conns, r)
		all[rank] = star{rank, []net.Conn{w}}
	}
	all[0] = root
	return all
}

// outcome is what one worker got.
type outcome struct {
	ctx context.Context
	err error
}

// together has all workers broadcast, each with its own context.
func together(ctxs []context.Context, workers []carrier.Broadcaster) []outcome {
	out := make([]outcome, len(workers))
	var wait sync.WaitGroup
	for rank, b := range workers {
		wait.Go(func() {
			ctx, err := carrier.Broadcast(ctxs[rank], b, rank, 0)
			out[rank] = outcome{ctx, err}
		})
	}
	wait.Wait()
	return out
}

func TestBroadcast(t *testing.T) {
	for name, network := range networks {
		t.Run(name, func(t *testing.T) {
			workers := network(t, 8)
			ctxs := make([]context.Context, len(workers))
			for round := range 3 { // the workers stay in step
				ctxs[0] = traced(t)
				for rank := 1; rank < len(ctxs); rank++ {
					ctxs[rank] = t.Context()
				}
				ctxs[1] = lens.WithParent(t.Context(), mustParse(t, other)) // its own trace gives way
				if round == 1 {
					ctxs[0] = t.Context() // nothing to send
				}
				checkRound(t, ctxs, together(ctxs, workers))
			}
		})
	}
}

func checkRound(t *testing.T, ctxs []context.Context, got []outcome) {
	t.Helper()
	nothing := len(headers(ctxs[0])) == 0
	for rank, o := range got {
		switch {
		case o.err != nil:
			t.Errorf("rank %d: %v", rank, o.err)
		case rank == 0 || nothing:
			if o.ctx != ctxs[rank] {
				t.Errorf("rank %d: the context is not as given", rank)
			}
		default:
			if diff := cmp.Diff(headers(ctxs[0]), headers(o.ctx)); diff != "" {
				t.Errorf("rank %d sends on (-root +rank):\n%s", rank, diff)
			}
			if ref := lens.RefFrom(o.ctx); !ref.Remote || ref.String() != lens.RefFrom(ctxs[0]).String() || ref != lens.RefFrom(got[2].ctx) {
				t.Errorf("rank %d has the reference %v", rank, ref)
			}
		}
	}
}

func TestBroadcastAlone(t *testing.T) {
	ctx := traced(t)
	if got, err := carrier.Broadcast(ctx, nil, 0, 0); got != ctx || err != nil {
		t.Errorf("without a Broadcaster the context is not as given, or %v", err)
	}
	if got, err := carrier.Broadcast(none, star{}, 0, 0); got != context.Background() || err != nil {
		t.Errorf("without a context there is %v, %v", got, err)
	}
}

// scripted hands out, as one call after the other, what a root would have sent, and remembers with which root it was called.
type scripted struct {
	calls [][]byte
	roots []int
	fail  error
}

func (s *scripted) Broadcast(_ context.Context, buf []byte, root int) error {
	s.roots = append(s.roots, root)
	if len(s.calls) == 0 {
		return s.fail
	}
	if len(buf) != len(s.calls[0]) {
		return errors.New("the lengths of the buffers differ")
	}
	copy(buf, s.calls[0])
	s.calls = s.calls[1:]
	return nil
}

func size(n int64) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(n)) }

// TestBroadcastWire holds the protocol of Python: an int64 and a JSON object, as its ranks send them.
func TestBroadcastWire(t *testing.T) {
	text := `{"traceparent": "` + traceparent + `", "baggage": "k=v"}`
	s := &scripted{calls: [][]byte{size(int64(len(text))), []byte(text)}}
	ctx, err := carrier.Broadcast(t.Context(), s, 2, 5)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(lens.Map{"traceparent": traceparent, "baggage": "k=v"}, headers(ctx)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{5, 5}, s.roots); diff != "" {
		t.Errorf("the calls name the roots (-want +got):\n%s", diff)
	}
}

func TestBroadcastUnusable(t *testing.T) {
	for name, text := range unusable() {
		if len(text) > carrier.MaxBytes {
			continue
		}
		t.Run(name, func(t *testing.T) {
			ctx := traced(t)
			got, err := carrier.Broadcast(ctx, &scripted{calls: [][]byte{size(int64(len(text))), []byte(text)}}, 1, 0)
			if got != ctx || err != nil {
				t.Errorf("the context is not as given, or %v", err)
			}
		})
	}
}

func TestBroadcastFails(t *testing.T) {
	broken := errors.New("a link is down")
	for name, s := range map[string]*scripted{
		"at once":               {fail: broken},
		"half way":              {fail: broken, calls: [][]byte{size(4)}},
		"a negative length":     {calls: [][]byte{size(-1)}},
		"a length too large":    {calls: [][]byte{size(carrier.MaxBytes + 1)}},
		"a length out of range": {calls: [][]byte{size(-1 << 63)}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx := traced(t)
			got, err := carrier.Broadcast(ctx, s, 1, 0)
			if got != ctx || err == nil || s.fail != nil && !errors.Is(err, broken) {
				t.Errorf("the context is not as given, or the error is %v", err)
			}
		})
	}
}

// TestBroadcastCancelled: nobody waits longer than the context says, on the root and on the others.
func TestBroadcastCancelled(t *testing.T) {
	for name, network := range networks {
		for rank, waits := range []string{"the root", "a worker"} {
			if rank == 0 && name == "over TCP" {
				continue // the kernel takes so few bytes without a reader
			}
			t.Run(name+"/"+waits, func(t *testing.T) {
				workers := network(t, 2)
				ctx, cancel := context.WithCancelCause(traced(t))
				why := errors.New("the job is over")
				done := make(chan outcome)
				go func() {
					got, err := carrier.Broadcast(ctx, workers[rank], rank, 0) // the other one never comes
					done <- outcome{got, err}
				}()
				cancel(why)
				if o := <-done; o.ctx != ctx || !errors.Is(o.err, why) {
					t.Errorf("the context is not as given, or the error is %v", o.err)
				}
			})
		}
	}
}

// TestBroadcastWorkerDies: the others hear of it, and go on with what they had.
func TestBroadcastWorkerDies(t *testing.T) {
	for name, network := range networks {
		t.Run(name, func(t *testing.T) {
			workers := network(t, 2)
			workers[0].(star).conns[0].Close()
			ctx := t.Context()
			got, err := carrier.Broadcast(ctx, workers[1], 1, 0)
			if got != ctx || !errors.Is(err, io.EOF) {
				t.Errorf("the context is not as given, or the error is %v", err)
			}
		})
	}
}

func FuzzBroadcast(f *testing.F) {
	f.Add(int64(4), []byte(`{"a"`))
	f.Add(int64(-1), []byte(nil))
	f.Add(int64(carrier.MaxBytes+1), []byte("x"))
	f.Fuzz(func(t *testing.T, announced int64, payload []byte) {
		ctx := t.Context()
		got, err := carrier.Broadcast(ctx, &scripted{calls: [][]byte{size(announced), payload}}, 1, 0)
		if err != nil && got != ctx {
			t.Error("after an error the context is not as given")
		}
		if wrong := announced < 0 || announced > carrier.MaxBytes || announced > 0 && announced != int64(len(payload)); wrong != (err != nil) {
			t.Errorf("%d bytes announced, %d sent: %v", announced, len(payload), err)
		}
	})
}
