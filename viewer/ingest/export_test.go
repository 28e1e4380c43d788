package ingest

// Running is how many requests are being read or worked on; all places are taken after Shutdown.
func (r *Receiver) Running() int { return len(r.bodies) }

// BodiesPerSlot is how many senders it takes to fill a receiver with MaxConcurrent 1.
const BodiesPerSlot = bodiesPerSlot

// RawCodec lets a test send bytes over gRPC that are no message.
var RawCodec = rawCodec{}
