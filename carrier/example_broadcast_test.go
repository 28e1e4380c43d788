package carrier_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/carrier"
)

// star is a Broadcaster over connections: rank 0 has one to each of the others, and these have the one to rank 0.
type star struct {
	rank  int
	conns []net.Conn
}

func (s star) Broadcast(ctx context.Context, buf []byte, root int) error {
	if root != 0 {
		return fmt.Errorf("rank %d cannot be the root of a star, 0 can", root)
	}
	for _, conn := range s.conns {
		// A worker that is done waiting closes the line, in effect: what follows on it fails, too.
		stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
		err := s.pass(conn, buf)
		stop()
		switch {
		case err != nil && ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return err
		}
	}
	return nil
}

func (s star) pass(conn net.Conn, buf []byte) (err error) {
	if s.rank == 0 {
		_, err = conn.Write(buf)
	} else {
		_, err = io.ReadFull(conn, buf)
	}
	return err
}

// Three workers go on under the span of rank 0, whichever of them does what.
func ExampleBroadcast() {
	root := star{rank: 0}
	workers := []carrier.Broadcaster{nil}
	for rank := 1; rank < 3; rank++ {
		here, there := net.Pipe() // in a job of several machines: net.Listen and net.Dial
		root.conns = append(root.conns, here)
		workers = append(workers, star{rank, []net.Conn{there}})
	}
	workers[0] = root

	got := make([]lens.Ref, len(workers))
	var job sync.WaitGroup
	for rank, comm := range workers {
		job.Go(func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			if rank == 0 { // stands for the span of a training step
				step, _ := lens.ParseRef("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "")
				ctx = lens.WithParent(ctx, step)
			}
			ctx, err := carrier.Broadcast(ctx, comm, rank, 0)
			if err != nil {
				fmt.Println(err) // the step goes on, in a trace of its own
			}
			got[rank] = lens.RefFrom(ctx)
		})
	}
	job.Wait()
	for rank, ref := range got {
		fmt.Println(rank, ref)
	}
	// Output:
	// 0 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
	// 1 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
	// 2 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
}
