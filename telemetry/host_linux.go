//go:build !lens_off

package telemetry

import (
	"bytes"
	"os"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/lensgo/lens/semconv"
)

// host adds what the kernel knows about the machine: of a container it is the machine around it. What cannot be read is left
// out.
func (c *collected) host(proc string) {
	if m, ok := readMemory(proc + "/meminfo"); ok {
		c.integers(semconv.MetricSystemMemory, "By", "Memory of the host by what it is used for.", []counted{
			{m["MemTotal"] - m.spare(), semconv.MemoryUsed}, {m["MemFree"], semconv.MemoryFree},
			{m["Buffers"], semconv.MemoryBuffers}, {m["Cached"] + m["SReclaimable"], semconv.MemoryCached}})
		c.integers(semconv.MetricSystemMemoryLimit, "By", "Memory of the host.", []counted{{m["MemTotal"], ""}})
		c.integers(semconv.MetricSystemMemoryAvailable, "By", "Memory that a program can get without swapping.", []counted{{m["MemAvailable"], ""}})
	}
	if modes, cpus, ok := readCPU(proc + "/stat"); ok {
		c.modes(semconv.MetricSystemCPUTime, "CPU time of the host, all processors together.", modes)
		c.integers(semconv.MetricSystemCPUs, "{cpu}", "Processors of the host.", []counted{{cpus, ""}})
	}
	if load, ok := readLoad(proc + "/loadavg"); ok {
		c.gauge(semconv.MetricSystemLoad1, "{thread}", "Threads that run or want to, on average over a minute.", load[0])
		c.gauge(semconv.MetricSystemLoad5, "{thread}", "Threads that run or want to, on average over five minutes.", load[1])
		c.gauge(semconv.MetricSystemLoad15, "{thread}", "Threads that run or want to, on average over fifteen minutes.", load[2])
	}
}

// memory is /proc/meminfo, in bytes.
type memory map[string]int64

// spare is what is not used: free, or kept for reading files again.
func (m memory) spare() int64 { return m["MemFree"] + m["Buffers"] + m["Cached"] + m["SReclaimable"] }

func readMemory(path string) (memory, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, false
	}
	m := memory{}
	for line := range bytes.Lines(text) {
		name, rest, _ := bytes.Cut(line, []byte(":"))
		if fields := bytes.Fields(rest); len(fields) == 2 { // a number and kB
			if n, err := strconv.ParseInt(string(fields[0]), 10, 64); err == nil {
				m[string(name)] = n * 1024
			}
		}
	}
	for _, needed := range []string{"MemTotal", "MemFree", "MemAvailable", "Buffers", "Cached"} { // SReclaimable is newer
		if _, there := m[needed]; !there {
			return nil, false
		}
	}
	return m, true
}

// cpuModes names the columns of /proc/stat.
var cpuModes = []string{"user", "nice", "system", "idle", "iowait", "interrupt", "interrupt", "steal"}

// readCPU returns the seconds by mode, and how many processors there are.
func readCPU(path string) (modes map[string]float64, cpus int64, ok bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, 0, false
	}
	modes = map[string]float64{}
	for line := range bytes.Lines(text) {
		fields := bytes.Fields(line)
		if len(fields) <= len(cpuModes) || !bytes.HasPrefix(fields[0], []byte("cpu")) {
			continue
		}
		if len(fields[0]) > len("cpu") { // one of the processors
			cpus++
			continue
		}
		for i, mode := range cpuModes {
			n, err := strconv.ParseInt(string(fields[i+1]), 10, 64)
			if err != nil {
				return nil, 0, false
			}
			modes[mode] += float64(n) / ticks
		}
	}
	return modes, cpus, len(modes) > 0 && cpus > 0
}

func readLoad(path string) (load [3]float64, ok bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return load, false
	}
	fields := bytes.Fields(text)
	if len(fields) < len(load) {
		return load, false
	}
	for i := range load {
		if load[i], err = strconv.ParseFloat(string(fields[i]), 64); err != nil {
			return load, false
		}
	}
	return load, true
}

// counted is a number and the state of memory that it counts, if it is one.
type counted struct {
	n     int64
	state string
}

func (c *collected) integers(name, unit, about string, values []counted) {
	points := make([]metricdata.DataPoint[int64], 0, len(values))
	for _, v := range values {
		set := *attribute.EmptySet()
		if v.state != "" {
			set = attribute.NewSet(attribute.String(semconv.SystemMemoryState, v.state))
		}
		points = append(points, metricdata.DataPoint[int64]{Attributes: set, StartTime: c.began, Time: c.now, Value: v.n})
	}
	c.describe(name, unit, about, metricdata.Sum[int64]{DataPoints: points, Temporality: metricdata.CumulativeTemporality})
}

func (c *collected) modes(name, about string, modes map[string]float64) {
	points := make([]metricdata.DataPoint[float64], 0, len(modes))
	for mode, seconds := range modes {
		points = append(points, metricdata.DataPoint[float64]{Attributes: attribute.NewSet(attribute.String(semconv.CPUMode, mode)),
			StartTime: c.began, Time: c.now, Value: seconds})
	}
	c.describe(name, "s", about, metricdata.Sum[float64]{DataPoints: points, Temporality: metricdata.CumulativeTemporality, IsMonotonic: true})
}

func (c *collected) gauge(name, unit, about string, v float64) {
	c.describe(name, unit, about, metricdata.Gauge[float64]{DataPoints: []metricdata.DataPoint[float64]{{Time: c.now, Value: v}}})
}

func (c *collected) describe(name, unit, about string, data metricdata.Aggregation) {
	c.metrics = append(c.metrics, metricdata.Metrics{Name: name, Description: about, Unit: unit, Data: data})
}
