//go:build !lens_off

package telemetry

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"log/slog"
	"math/rand/v2"

	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens/internal/tracecontext"
	"github.com/lensgo/lens/telemetry/internal/option"
)

// idGenerator draws ids from the generator of the Go runtime: one per thread, seeded by the operating system, and with no
// way for a program to seed it. Trainers give all ranks one seed on purpose; ids must not follow.
type idGenerator struct {
	job trace.TraceID // of all roots, when a whole job is one trace
}

// newIDGenerator returns one that gives all roots the trace id of the job, if there is one.
func newIDGenerator(job option.Job, log *slog.Logger) idGenerator {
	if job.Seed == "" {
		return idGenerator{}
	}
	if job.Drawn {
		log.Warn("telemetry: ENABLE_SINGLE_TRACEID makes one trace of this process only: nothing says which job it belongs to; " +
			"give all processes of the job the same run id (NEMO_LENS_RUN_ID)")
	}
	return idGenerator{job: traceIDOf(sha256.Sum256([]byte(job.Seed)))}
}

// traceIDOf takes the trace id of a job from the hash of its name, as the Python library does.
func traceIDOf(sum [sha256.Size]byte) trace.TraceID {
	id := trace.TraceID(sum[:16])
	if !id.IsValid() {
		id[15] = 1
	}
	return id
}

// NewIDs returns the ids of a root. A trace id that was reserved in ctx is taken, so that the traces of several roots
// below one caller stay one; that of the job wins, in which they are one as well.
func (g idGenerator) NewIDs(ctx context.Context) (trace.TraceID, trace.SpanID) {
	if g.job.IsValid() {
		return g.job, g.newSpanID()
	}
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
