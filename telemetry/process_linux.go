//go:build !lens_off

package telemetry

import (
	"bytes"
	"os"
	"strconv"

	"github.com/lensgo/lens/semconv"
)

// ticks a second, in which the kernel tells CPU time; Linux has the same everywhere for programs.
const ticks = 100

// process adds what the kernel knows about this process. What cannot be read is left out.
func (c *collected) process() {
	if stat, ok := readStat("/proc/self/stat"); ok {
		c.seconds(semconv.MetricProcessCPUTime, map[string]float64{
			"user": float64(stat.user) / ticks, "system": float64(stat.system) / ticks})
		c.sum(semconv.MetricProcessMemory, "By", false, value{n: stat.resident * int64(os.Getpagesize())})
		c.sum(semconv.MetricProcessThreads, "{thread}", false, value{n: stat.threads})
	}
	if dir, err := os.Open("/proc/self/fd"); err == nil {
		defer dir.Close()
		if names, err := dir.Readdirnames(-1); err == nil {
			c.sum(semconv.MetricProcessFiles, "{file_descriptor}", false, value{n: int64(len(names)) - 1}) // less dir
		}
	}
}

// stat is a part of /proc/<pid>/stat.
type stat struct{ user, system, threads, resident int64 }

func readStat(path string) (s stat, ok bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return s, false
	}
	end := bytes.LastIndexByte(text, ')') // the name before it may have blanks
	fields := bytes.Fields(text[end+1:])
	for at, to := range map[int]*int64{11: &s.user, 12: &s.system, 17: &s.threads, 21: &s.resident} {
		if at >= len(fields) {
			return s, false
		}
		if *to, err = strconv.ParseInt(string(fields[at]), 10, 64); err != nil {
			return s, false
		}
	}
	return s, true
}
