//go:build !lens_off && linux

package telemetry

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
)

// proc writes files as the kernel has them.
func proc(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// read returns what is collected of a host: by name and attributes the value, and by name the unit.
func read(t *testing.T, dir string) (values map[string]float64, units map[string]string) {
	t.Helper()
	var c collected
	c.host(dir)
	values, units = map[string]float64{}, map[string]string{}
	encode := func(name string, s attribute.Set) string {
		if s.Len() == 0 {
			return name
		}
		return name + "{" + s.Encoded(attribute.DefaultEncoder()) + "}"
	}
	for _, m := range c.metrics {
		units[m.Name] = m.Unit
		if m.Description == "" {
			t.Errorf("nobody says what %s is", m.Name)
		}
		switch d := m.Data.(type) {
		case metricdata.Sum[int64]:
			for _, p := range d.DataPoints {
				values[encode(m.Name, p.Attributes)] = float64(p.Value)
			}
			if d.IsMonotonic || d.Temporality != metricdata.CumulativeTemporality {
				t.Errorf("%s: %+v", m.Name, d)
			}
		case metricdata.Sum[float64]:
			for _, p := range d.DataPoints {
				values[encode(m.Name, p.Attributes)] = p.Value
			}
			if !d.IsMonotonic || d.Temporality != metricdata.CumulativeTemporality {
				t.Errorf("%s: %+v", m.Name, d)
			}
		case metricdata.Gauge[float64]:
			values[encode(m.Name, d.DataPoints[0].Attributes)] = d.DataPoints[0].Value
		}
	}
	return values, units
}

var aHost = map[string]string{
	"meminfo": "MemTotal:       1000 kB\nMemFree:         100 kB\nMemAvailable:    700 kB\nBuffers:          50 kB\nCached:          500 kB\n" +
		"SwapCached:        7 kB\nSReclaimable:     20 kB\nHugePages_Total:       0\n",
	"stat": "cpu  400 20 300 1000 50 1 9 60 0 0\ncpu0 200 10 150 500 25 1 4 30 0 0\ncpu1 200 10 150 500 25 0 5 30 0 0\n" +
		"intr 166788137 0 0 1 2 3 4 5 6 7 8\nctxt 405370892\n",
	"loadavg": "25.51 30.82 33.14 34/372 26352\n",
}

// TestHost: every number of the three files, in the units of the conventions.
func TestHost(t *testing.T) {
	values, units := read(t, proc(t, aHost))
	want := map[string]float64{
		"system.memory.usage{system.memory.state=used}":    330 * 1024,
		"system.memory.usage{system.memory.state=free}":    100 * 1024,
		"system.memory.usage{system.memory.state=buffers}": 50 * 1024,
		"system.memory.usage{system.memory.state=cached}":  520 * 1024,
		"system.memory.limit":                              1000 * 1024,
		"system.memory.linux.available":                    700 * 1024,
		"system.cpu.time{cpu.mode=user}":                   4,
		"system.cpu.time{cpu.mode=nice}":                   0.2,
		"system.cpu.time{cpu.mode=system}":                 3,
		"system.cpu.time{cpu.mode=idle}":                   10,
		"system.cpu.time{cpu.mode=iowait}":                 0.5,
		"system.cpu.time{cpu.mode=interrupt}":              0.1,
		"system.cpu.time{cpu.mode=steal}":                  0.6,
		"system.cpu.logical.count":                         2,
		"system.cpu.load_average.1m":                       25.51,
		"system.cpu.load_average.5m":                       30.82,
		"system.cpu.load_average.15m":                      33.14,
	}
	for name, v := range want {
		if got, ok := values[name]; !ok || got < v-1e-9 || got > v+1e-9 {
			t.Errorf("%s: %v, %v; want %v", name, got, ok, v)
		}
	}
	if len(values) != len(want) {
		t.Errorf("got %v", slices.Sorted(maps.Keys(values)))
	}
	if units["system.memory.usage"] != "By" || units["system.cpu.time"] != "s" || units["system.cpu.logical.count"] != "{cpu}" ||
		units["system.cpu.load_average.1m"] != "{thread}" {
		t.Errorf("units %v", units)
	}
}

// TestHost_unreadable: a file that is not there, or is no such file, costs only what stands in it.
func TestHost_unreadable(t *testing.T) {
	for name, texts := range map[string][]string{
		"meminfo": {"", "MemTotal: 1000 kB\n", "MemTotal: many kB\nMemFree: 1 kB\n"},
		"stat":    {"", "cpu  1 2 3\n", "cpu  400 20 300 1000 50 1 9 60\n", "cpu  a b c d e f g h\ncpu0 1 2 3 4 5 6 7 8\n"},
		"loadavg": {"", "1 2\n", "a b c\n"},
	} {
		whole, _ := read(t, proc(t, aHost))
		files := maps.Clone(aHost)
		delete(files, name)
		without, _ := read(t, proc(t, files))
		if len(without) == 0 || len(without) >= len(whole) {
			t.Errorf("without %s: %v", name, without)
		}
		for _, text := range texts {
			files[name] = text
			if got, _ := read(t, proc(t, files)); !maps.Equal(got, without) {
				t.Errorf("%s of %q: %v", name, text, got)
			}
		}
	}
}
