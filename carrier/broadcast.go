package carrier

import (
	"context"
	"encoding/binary"
	"fmt"
)

// Broadcaster is what [Broadcast] needs of a job's workers: a collective like MPI_Bcast, ncclBroadcast or
// torch.distributed.broadcast, over bytes.
type Broadcaster interface {
	// Broadcast fills buf, on every worker, with what it holds on the worker whose rank is root. All of them call it, with
	// buffers of one length, and each call may wait for the others. It returns when ctx is done, so that a worker that is
	// gone does not leave the rest waiting; one that cannot (MPI_Bcast) is for jobs that end when a worker does.
	Broadcast(ctx context.Context, buf []byte, root int) error
}

// Broadcast gives all workers of a job the trace of one of them: every worker calls it with its own rank and with the rank of
// the one whose context counts, and each gets its ctx with the trace context and the baggage of that one. [lens.RefFrom] then
// names the same span on every worker. On the root itself it is ctx as given, since the span is open there; so it is on all
// of them when the root's context holds nothing.
//
// With a nil Broadcaster there is no other worker, and it returns ctx. After an error, too, it returns ctx as given, and the
// program may go on; but a collective that broke off may have left the workers out of step, and what the Broadcaster's
// documentation says of that holds. How long it waits is for ctx to say: give it a deadline. A job makes its collective calls
// one after the other, and this is two of them, or one when there is nothing to send.
//
// The first carries the number of bytes, an int64 in little-endian order, the second these bytes, as [Bytes] writes them.
func Broadcast(ctx context.Context, b Broadcaster, rank, root int) (context.Context, error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if b == nil {
		return ctx, nil
	}
	var payload []byte
	if rank == root {
		payload = Bytes(ctx)
	}
	payload, err := exchange(ctx, b, payload, root)
	switch {
	case err != nil:
		return ctx, fmt.Errorf("cannot broadcast trace context from rank %d to rank %d: %w", root, rank, err)
	case rank == root:
		return ctx, nil
	}
	return FromBytes(ctx, payload), nil
}

// exchange makes the two calls, and returns what the root has sent.
func exchange(ctx context.Context, b Broadcaster, payload []byte, root int) ([]byte, error) {
	var header [8]byte
	binary.LittleEndian.PutUint64(header[:], uint64(len(payload)))
	if err := b.Broadcast(ctx, header[:], root); err != nil {
		return nil, err
	}
	size := int64(binary.LittleEndian.Uint64(header[:]))
	switch {
	case size == 0:
		return nil, nil
	case size < 0 || size > MaxBytes:
		return nil, fmt.Errorf("it announces %d bytes, and 0 to %d may be: the workers are out of step, or their root is another program",
			size, MaxBytes)
	case payload == nil:
		payload = make([]byte, size)
	}
	return payload, b.Broadcast(ctx, payload, root)
}
