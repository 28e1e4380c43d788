//go:build !lens_off

package telemetry

import (
	"log/slog"

	"github.com/lensgo/lens/telemetry/export"
	"github.com/lensgo/lens/telemetry/internal/spool"
)

// otlpConfig is what c says to exporters of OTLP.
func otlpConfig(c Config, log *slog.Logger) export.OTLPConfig {
	o := export.OTLPConfig{Logger: log, SpoolBytes: c.SpoolBytes, StartRecords: c.StartRecords}
	if !c.Spool {
		return o
	}
	if o.SpoolDir = c.SpoolDir; o.SpoolDir != "" {
		return o
	}
	dir, err := spool.DefaultRoot()
	if err != nil {
		log.Warn("telemetry: there is no spool, so what a collector does not take is lost", "error", err)
	}
	o.SpoolDir = dir
	return o
}

func (p pipeline) stats() Stats {
	if p.batch == nil {
		return Stats{}
	}
	if p.otlp == nil {
		b := p.batch.Stats()
		return Stats{Ended: b.Ended, Exported: b.Exported, Dropped: b.Dropped, Failed: b.Failed}
	}
	d := p.otlp.Stats() // first: what the batch has handed over since then waits
	b := p.batch.Stats()
	return Stats{
		Ended:     b.Ended,
		Exported:  d.Sent,
		Spooled:   d.Spooled,
		Dropped:   b.Dropped + d.Overflowed + d.Damaged,
		Failed:    d.Rejected + d.Refused + d.Unsent,
		Repeated:  d.Repeated,
		Recovered: d.Recovered,

		Truncated:  d.Truncated,
		Unrecorded: d.Unrecorded,
	}
}

// report says at the end what became of the spans, unless all of them simply arrived.
func (p pipeline) report() {
	if p.unreported {
		return
	}
	s := p.stats()
	if s == (Stats{Ended: s.Ended, Exported: s.Ended}) {
		return
	}
	log := p.log.Info
	if s.Dropped+s.Failed > 0 {
		log = p.log.Warn
	}
	log("telemetry: what became of the spans", "ended", s.Ended, "sent", s.Exported, "on_disk", s.Spooled,
		"dropped", s.Dropped, "failed", s.Failed, "sent_twice_at_most", s.Repeated, "recovered", s.Recovered,
		"found_open", s.Truncated, "without_record", s.Unrecorded)
}
