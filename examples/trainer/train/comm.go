package train

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/lensgo/lens/examples/trainer/train/telemetry"
)

// Comm is the connections of one worker: rank 0 is connected to all others, each other only to rank 0. Its collectives are called by
// all workers in the same order. They do not look at the context: when a worker is gone its connection breaks, and that is an
// error on the others.
type Comm struct {
	Rank  int
	Peers []io.ReadWriter // of rank 0: those of rank 1, 2, ...; of another: that of rank 0
	Ranks int             // how many workers there are, this one among them
}

// Size is how many workers there are.
func (c *Comm) Size() int { return max(c.Ranks, 1) }

// Broadcast is that of [github.com/lensgo/lens/carrier.Broadcaster], from rank 0.
func (c *Comm) Broadcast(_ context.Context, buf []byte, root int) error {
	if root != 0 {
		return fmt.Errorf("cannot broadcast from rank %d: only rank 0 is connected to all", root)
	}
	for i, peer := range c.Peers {
		var err error
		if c.Rank == 0 {
			_, err = peer.Write(buf)
		} else {
			_, err = io.ReadFull(peer, buf)
		}
		if err != nil {
			return fmt.Errorf("cannot broadcast %d bytes on rank %d, connection %d: %w", len(buf), c.Rank, i, err)
		}
	}
	return nil
}

// Sum replaces the values on every worker by their sums over all workers.
func (c *Comm) Sum(ctx context.Context, values []float64) (err error) {
	_, span := telemetry.Communication.Start(ctx, "trainer.all_reduce")
	defer span.EndErr(&err)
	span.Int("values", len(values)).Int("rank", c.Rank)
	if c.Rank > 0 {
		if err := binary.Write(c.Peers[0], binary.LittleEndian, values); err != nil {
			return fmt.Errorf("cannot send the gradient of rank %d: %w", c.Rank, err)
		}
		if err := binary.Read(c.Peers[0], binary.LittleEndian, values); err != nil {
			return fmt.Errorf("cannot get the sum on rank %d: %w", c.Rank, err)
		}
		return nil
	}
	theirs := make([]float64, len(values))
	for i, peer := range c.Peers { // in the order of ranks, since sums of floats depend on it
		if err := binary.Read(peer, binary.LittleEndian, theirs); err != nil {
			return fmt.Errorf("cannot get the gradient of rank %d: %w", i+1, err)
		}
		for j, v := range theirs {
			values[j] += v
		}
	}
	for i, peer := range c.Peers {
		if err := binary.Write(peer, binary.LittleEndian, values); err != nil {
			return fmt.Errorf("cannot send the sum to rank %d: %w", i+1, err)
		}
	}
	return nil
}
