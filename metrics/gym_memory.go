package metrics

import (
	"context"

	"github.com/lensgo/lens/semconv"
)

// ServerMemory is what a server and the processes that it started use, in bytes, and the most that was sampled so far.
type ServerMemory struct {
	Server, Type string // instance and its type
	PID          int
	Processes    int
	RSS, PeakRSS int64
	PSS, PeakPSS int64 // below 0: not known
}

// HostMemory is what the machine has, in bytes.
type HostMemory struct{ Used, Available, Total, PeakUsed int64 }

var (
	serverMemory    = of(kindGauge, semconv.MetricServerMemory, "By", "Memory of a server and the processes that it started.")
	serverPeak      = of(kindGauge, semconv.MetricServerMemoryPeak, "By", "The most memory of a server that was sampled.")
	serverProcesses = of(kindGauge, semconv.MetricServerProcesses, "{process}", "Processes of a server.")
	hostUsed        = of(kindGauge, semconv.MetricHostMemory, "By", "Memory of the host that is in use: the total less what is available.")
	hostAvailable   = of(kindGauge, semconv.MetricHostMemoryAvailable, "By", "Memory of the host that is available.")
	hostTotal       = of(kindGauge, semconv.MetricHostMemoryTotal, "By", "Memory of the host.")
	hostPeak        = of(kindGauge, semconv.MetricHostMemoryPeak, "By", "The most memory of the host in use that was sampled.")
)

// ServerMemory records a sample of a server's memory.
func (GymMetrics) ServerMemory(ctx context.Context, m ServerMemory) {
	l := labels{text(semconv.GymServerName, m.Server), optional(semconv.GymServerType, m.Type), number(semconv.ProcessPID, int64(m.PID))}
	serverProcesses.int(ctx, int64(m.Processes), l)
	for _, v := range [...]struct {
		kind      string
		now, peak int64
	}{{semconv.MemoryRSS, m.RSS, m.PeakRSS}, {semconv.MemoryPSS, m.PSS, m.PeakPSS}} {
		l[3] = text(semconv.MemoryType, v.kind)
		if v.now >= 0 {
			serverMemory.int(ctx, v.now, l)
		}
		if v.peak >= 0 {
			serverPeak.int(ctx, v.peak, l)
		}
	}
}

// HostMemory records a sample of the host's memory.
func (GymMetrics) HostMemory(ctx context.Context, m HostMemory) {
	hostUsed.int(ctx, m.Used, labels{})
	hostAvailable.int(ctx, m.Available, labels{})
	hostTotal.int(ctx, m.Total, labels{})
	hostPeak.int(ctx, m.PeakUsed, labels{})
}
