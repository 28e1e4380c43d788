//go:build !lens_off

package telemetry

import (
	"context"
	"encoding/binary"
	"math/rand/v2"

	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens/internal/tracecontext"
)

// idGenerator draws ids from the generator of the Go runtime: one per thread, seeded by the operating system, and with no
// way for a program to seed it. Trainers give all ranks one seed on purpose; ids must not follow.
type idGenerator struct{}

// NewIDs returns the ids of a root. A trace id that was reserved in ctx is taken, so that the traces of several roots
// below one caller stay one.
func (g idGenerator) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if id, ok := tracecontext.Reserved(ctx); ok {
		return id, g.newSpanID()
	}
	var id trace.TraceID
	for !id.IsValid() {
		binary.NativeEndian.PutUint64(id[:8], rand.Uint64())
		binary.NativeEndian.PutUint64(id[8:], rand.Uint64())
	}
	return id, g.newSpanID()
}

// NewSpanID returns the id of a span in the trace.
func (g idGenerator) NewSpanID(context.Context, trace.TraceID) trace.SpanID { return g.newSpanID() }

func (idGenerator) newSpanID() trace.SpanID {
	var id trace.SpanID
	for !id.IsValid() {
		binary.NativeEndian.PutUint64(id[:], rand.Uint64())
	}
	return id
}
