package export

import (
	"sync/atomic"

	"github.com/lensgo/lens/telemetry/internal/otlp"
)

// DeliveryStats counts the items of one signal, which are spans, data points or log records, on their way to a collector.
// What exports took is the sum of Sent, Rejected, Refused, Unsent, Spooled, Overflowed and Damaged, and of the one request
// that may be under way.
type DeliveryStats struct {
	Sent       uint64 // the collector took them
	Rejected   uint64 // it took their request without them (partial success)
	Refused    uint64 // it refused their request for good
	Unsent     uint64 // nothing took them in time, and there was no spool, or it could not be written
	Spooled    uint64 // they wait on disk
	Overflowed uint64 // dropped on disk for newer ones
	Damaged    uint64 // dropped on disk because their record was

	// Repeated counts those that were sent again because a request got no answer: some may have arrived twice.
	Repeated uint64
	// RepeatedRequests is how many requests that were.
	RepeatedRequests uint64
	// Recovered counts those that an earlier process had left on disk and that the collector has taken now.
	Recovered uint64
	// Truncated counts what an earlier process had open when it was killed, and this one has found and marked.
	Truncated uint64
	// Unrecorded counts the spans of this process of which there is no start record, or none of their end, for want of room.
	Unrecorded uint64
	// SpooledRequests is how many requests were written to the disk.
	SpooledRequests uint64
}

// deliveryCounts are those that a delivery keeps itself.
type deliveryCounts struct {
	sent, rejected, refused, unsent, repeated, repeatedRequests, recovered, kept atomic.Uint64
}

// count adds a request that was taken.
func (d *delivery) count(a otlp.Answer, items int, takenOver, again bool) {
	rejected := uint64(min(max(a.Rejected, 0), int64(items)))
	taken := uint64(items) - rejected
	if takenOver {
		d.stats.recovered.Add(taken)
	} else {
		d.stats.sent.Add(taken)
		d.stats.rejected.Add(rejected)
	}
	if again {
		d.stats.repeated.Add(uint64(items))
		d.stats.repeatedRequests.Add(1)
	}
	if rejected > 0 || a.Message != "" {
		d.said.rejected.Do(func() {
			d.log.Warn("telemetry: the collector says something of what it took; this is said once, Stats counts what it rejected",
				"signal", d.target.Signal.Name, "endpoint", d.target.String(), "rejected", rejected, "message", cutText(d.target.Quote(a.Message)))
		})
	}
}

// Stats returns the counts so far.
func (d *delivery) Stats() DeliveryStats {
	s := DeliveryStats{
		Sent: d.stats.sent.Load(), Rejected: d.stats.rejected.Load(), Refused: d.stats.refused.Load(), Unsent: d.stats.unsent.Load(),
		Repeated: d.stats.repeated.Load(), RepeatedRequests: d.stats.repeatedRequests.Load(), Recovered: d.stats.recovered.Load(),
		SpooledRequests: d.stats.kept.Load(),
	}
	if d.spool != nil {
		st := d.spool.Stats()
		c := st.Own
		s.Spooled, s.Overflowed, s.Damaged = c.Waiting, c.Overflowed, c.Damaged
		s.Truncated = st.Truncated
	}
	return s
}
