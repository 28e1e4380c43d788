package doctor

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/lensgo/lens/internal/printable"
	"github.com/lensgo/lens/telemetry"
)

// mostSkew is how far two clocks may be apart before somebody looks for spans where they are not.
const mostSkew = 5 * time.Minute

// probe sends something to each endpoint at once, and says what became of it in the order of the signals.
func (e *examination) probe(ctx context.Context) {
	outcomes := make([]telemetry.Outcome, len(e.report.Signals))
	var wg sync.WaitGroup
	for i, s := range e.report.Signals {
		if e.probes(s) {
			wg.Go(func() { outcomes[i] = e.plan.Probe(ctx, s.Signal) })
		}
	}
	wg.Wait()
	now := e.machine.now()
	for i := range e.report.Signals {
		s := &e.report.Signals[i]
		if !e.probes(*s) {
			continue
		}
		s.Probe = probed(outcomes[i])
		e.diagnose(ctx, e.plan.Route(s.Signal), outcomes[i])
		e.compareClocks(outcomes[i], now)
	}
}

// probes reports whether there is an endpoint to try.
func (e *examination) probes(s Signal) bool {
	r := e.plan.Route(s.Signal)
	return s.On && r.Err == nil && by(r, telemetry.ExporterOTLP)
}

func probed(o telemetry.Outcome) *Probe {
	p := &Probe{
		Taken: o.Err == nil && o.Rejected == 0, TraceID: o.TraceID,
		Milliseconds: float64(o.Took.Round(10*time.Microsecond)) / float64(time.Millisecond),
	}
	if o.Err != nil {
		p.Error = printable.Line(o.Err.Error())
	}
	if r := o.Reply; r != nil {
		p.Status, p.GRPCCode = r.Status, r.Code
	}
	return p
}

// compareClocks looks at what a collector says of the time.
func (e *examination) compareClocks(o telemetry.Outcome, now time.Time) {
	if o.Reply == nil || o.Reply.Date.IsZero() {
		return
	}
	ahead := now.Sub(o.Reply.Date).Round(time.Minute)
	word := "ahead of"
	if ahead < 0 {
		word = "behind"
	}
	if ahead.Abs() > mostSkew {
		e.report.add(Problem, "clock", "", fmt.Sprintf("This machine's clock is %s %s that of the collector: what is sent shows at another time than you look for it. Set the clock, for example by NTP.",
			strings.TrimSuffix(ahead.Abs().String(), "0s"), word))
	}
}

// setting is the line of a probe.
func (p *Probe) setting(item string) Setting {
	s := Setting{Name: "tried", Value: fmt.Sprintf("one %s, taken in %v", item, time.Duration(p.Milliseconds*float64(time.Millisecond)).Round(100*time.Microsecond))}
	if p.TraceID != "" {
		s.Why = "trace " + p.TraceID
	}
	if !p.Taken {
		s.Value, s.Why = "one "+item+", not taken", ""
	}
	return s
}
