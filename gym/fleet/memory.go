package fleet

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/metrics"
)

// profiler samples the memory of the servers and of the host for metrics: at once, every interval, and a last time when it
// stops. A nil profiler is none.
type profiler struct {
	fs      procfs
	servers func() []served
	peaks   map[string]usage // by server: the most of each
	host    int64            // the most that was in use

	once sync.Once
	quit chan struct{}
	done chan struct{}
}

// served is a server and the process that it is in now; 0 when it is in none.
type served struct {
	name, kind string
	pid        int
}

// profile starts a profiler when telemetry.memory_profiling asks for one. Only Linux tells what it needs.
func (f *Fleet) profile() *profiler {
	interval, err := telemetry.Profiling()
	if err != nil {
		f.o.Notice(fmt.Sprintf("Memory is not profiled: %v", err))
		return nil
	}
	if interval == 0 || !telemetry.Enabled() || runtime.GOOS != "linux" {
		return nil
	}
	p := newProfiler("/proc", f.served)
	go p.run(interval)
	return p
}

// served lists the servers that have a process of their own.
func (f *Fleet) served() (list []served) {
	for _, c := range f.children {
		list = append(list, served{c.in.Name, c.in.Type, c.pid()})
	}
	return list
}

func newProfiler(fs procfs, servers func() []served) *profiler {
	return &profiler{fs: fs, servers: servers, peaks: map[string]usage{}, quit: make(chan struct{}), done: make(chan struct{})}
}

func (p *profiler) run(interval time.Duration) {
	defer close(p.done)
	tick := time.NewTicker(interval)
	defer tick.Stop()
	p.sample()
	for {
		select {
		case <-tick.C:
			p.sample()
		case <-p.quit:
			p.sample()
			return
		}
	}
}

// stop takes the last sample and returns when it is taken. It may be called again.
func (p *profiler) stop() {
	if p == nil {
		return
	}
	p.once.Do(func() { close(p.quit) })
	<-p.done
}

func (p *profiler) sample() {
	ctx := context.Background()
	for _, s := range p.servers() {
		if s.pid == 0 {
			continue
		}
		u := p.fs.tree(s.pid)
		peak, seen := p.peaks[s.name]
		if !seen {
			peak.pss = -1
		}
		peak.rss, peak.pss = max(peak.rss, u.rss), max(peak.pss, u.pss)
		p.peaks[s.name] = peak
		metrics.Gym.ServerMemory(ctx, metrics.ServerMemory{
			Server: s.name, Type: s.kind, PID: s.pid, Processes: u.processes,
			RSS: u.rss, PeakRSS: peak.rss, PSS: u.pss, PeakPSS: peak.pss,
		})
	}
	if total, available, ok := p.fs.host(); ok {
		p.host = max(p.host, total-available)
		metrics.Gym.HostMemory(ctx, metrics.HostMemory{Used: total - available, Available: available, Total: total, PeakUsed: p.host})
	}
}
