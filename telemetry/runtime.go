//go:build !lens_off

package telemetry

import (
	"context"
	"math"
	"runtime/metrics"
	"sort"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/instrumentation"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/lensgo/lens/semconv"
)

// latencyBounds are the buckets, in seconds, into which those of the runtime are joined: it has more than a hundred.
var latencyBounds = []float64{0.00001, 0.0001, 0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5}

// What is read of the Go runtime, in this order.
const (
	memoryTotal = iota
	memoryReleased
	memoryStacks
	memoryLimit
	allocatedBytes
	allocatedObjects
	gcGoal
	gcCycles
	goroutines
	processors
	scheduleLatency
	gcPause
	runtimeSamples
)

// goRuntime reads the Go runtime and the process whenever metrics are collected: the conventions' go.* and process.*.
type goRuntime struct {
	began   time.Time
	samples []metrics.Sample
}

var _ sdkmetric.Producer = (*goRuntime)(nil)

func newRuntime() *goRuntime {
	r := &goRuntime{began: time.Now(), samples: make([]metrics.Sample, runtimeSamples)}
	for i, name := range map[int]string{
		memoryTotal:      "/memory/classes/total:bytes",
		memoryReleased:   "/memory/classes/heap/released:bytes",
		memoryStacks:     "/memory/classes/heap/stacks:bytes",
		memoryLimit:      "/gc/gomemlimit:bytes",
		allocatedBytes:   "/gc/heap/allocs:bytes",
		allocatedObjects: "/gc/heap/allocs:objects",
		gcGoal:           "/gc/heap/goal:bytes",
		gcCycles:         "/gc/cycles/total:gc-cycles",
		goroutines:       "/sched/goroutines:goroutines",
		processors:       "/sched/gomaxprocs:threads",
		scheduleLatency:  "/sched/latencies:seconds",
		gcPause:          "/sched/pauses/total/gc:seconds",
	} {
		r.samples[i].Name = name
	}
	return r
}

// Produce is called by one reader, one call at a time.
func (r *goRuntime) Produce(context.Context) ([]metricdata.ScopeMetrics, error) {
	metrics.Read(r.samples)
	list := collected{began: r.began, now: time.Now()}
	stacks := r.integer(memoryStacks)
	list.sum(semconv.MetricGoMemoryUsed, "By", false,
		numbered(stacks, attribute.String(semconv.GoMemoryType, "stack")),
		numbered(r.integer(memoryTotal)-r.integer(memoryReleased)-stacks, attribute.String(semconv.GoMemoryType, "other")))
	if limit := r.integer(memoryLimit); limit != math.MaxInt64 {
		list.sum(semconv.MetricGoMemoryLimit, "By", false, value{n: limit})
	}
	list.sum(semconv.MetricGoMemoryAllocated, "By", true, value{n: r.integer(allocatedBytes)})
	list.sum(semconv.MetricGoAllocations, "{allocation}", true, value{n: r.integer(allocatedObjects)})
	list.sum(semconv.MetricGoGCGoal, "By", false, value{n: r.integer(gcGoal)})
	list.sum(semconv.MetricGoGCCycles, "{cycle}", true, value{n: r.integer(gcCycles)})
	list.sum(semconv.MetricGoGoroutines, "{goroutine}", false, value{n: r.integer(goroutines)})
	list.sum(semconv.MetricGoProcessors, "{thread}", false, value{n: r.integer(processors)})
	list.histogram(semconv.MetricGoSchedule, r.samples[scheduleLatency].Value)
	list.histogram(semconv.MetricGoGCPause, r.samples[gcPause].Value)
	list.process()
	list.host("/proc")
	scope := instrumentation.Scope{Name: semconv.ScopeLens}
	return []metricdata.ScopeMetrics{{Scope: scope, Metrics: list.metrics}}, nil
}

// integer is a sample as a number; one that this version of Go does not have is 0.
func (r *goRuntime) integer(i int) int64 {
	if v := r.samples[i].Value; v.Kind() == metrics.KindUint64 {
		return int64(min(v.Uint64(), math.MaxInt64))
	}
	return 0
}

// collected is the metrics of one collection.
type collected struct {
	began, now time.Time
	metrics    []metricdata.Metrics
}

// value is a number and the attributes that tell it from its like, if there are any.
type value struct {
	n     int64
	attrs []attribute.KeyValue
}

// numbered is a number with attributes.
func numbered(n int64, attrs ...attribute.KeyValue) value { return value{n, attrs} }

// abouts describes what is collected.
var abouts = map[string]string{
	semconv.MetricSDKQueueSize:     "Spans that wait to be exported.",
	semconv.MetricSDKQueueCapacity: "Spans that may wait to be exported.",
	semconv.MetricSDKProcessed:     "Spans that the batch processor is done with.",
	semconv.MetricSDKSpans:         "Spans that are done with at the exporter.",
	semconv.MetricSDKPoints:        "Data points that are done with at the exporter.",
	semconv.MetricSDKLogs:          "Log records that are done with at the exporter.",
	semconv.MetricSpoolItems:       "What is kept on disk until the collector takes it.",
	semconv.MetricRepeatedItems:    "What was sent again because a request got no answer.",

	semconv.MetricGoMemoryUsed:      "Memory that the Go runtime uses.",
	semconv.MetricGoMemoryLimit:     "The limit for it, where one is set.",
	semconv.MetricGoMemoryAllocated: "Memory that the program has allocated on the heap.",
	semconv.MetricGoAllocations:     "Allocations on the heap.",
	semconv.MetricGoGCGoal:          "Size of the heap at which the garbage collector begins.",
	semconv.MetricGoGCCycles:        "Garbage collections.",
	semconv.MetricGoGoroutines:      "Goroutines.",
	semconv.MetricGoProcessors:      "Threads that may run Go code at once.",
	semconv.MetricGoSchedule:        "How long goroutines were ready before they ran.",
	semconv.MetricGoGCPause:         "How long the garbage collector stopped the program.",
	semconv.MetricProcessCPUTime:    "CPU time of the process.",
	semconv.MetricProcessMemory:     "Resident memory of the process.",
	semconv.MetricProcessThreads:    "Threads of the process.",
	semconv.MetricProcessFiles:      "Open file descriptors of the process.",
}

func (c *collected) add(name, unit string, data metricdata.Aggregation) {
	c.metrics = append(c.metrics, metricdata.Metrics{Name: name, Description: abouts[name], Unit: unit, Data: data})
}

func (c *collected) sum(name, unit string, monotonic bool, values ...value) {
	points := make([]metricdata.DataPoint[int64], 0, len(values))
	for _, v := range values {
		points = append(points, metricdata.DataPoint[int64]{Attributes: attribute.NewSet(v.attrs...), StartTime: c.began, Time: c.now, Value: v.n})
	}
	c.add(name, unit, metricdata.Sum[int64]{DataPoints: points, Temporality: metricdata.CumulativeTemporality, IsMonotonic: monotonic})
}

// histogram joins the runtime's buckets into ours, each by its lower bound. The runtime keeps no sum; the middles of its
// buckets, which are narrow, make one.
func (c *collected) histogram(name string, v metrics.Value) {
	if v.Kind() != metrics.KindFloat64Histogram {
		return
	}
	h := v.Float64Histogram()
	p := metricdata.HistogramDataPoint[float64]{StartTime: c.began, Time: c.now, Bounds: latencyBounds,
		BucketCounts: make([]uint64, len(latencyBounds)+1)}
	for i, n := range h.Counts {
		if n == 0 {
			continue
		}
		low, high := h.Buckets[i], h.Buckets[i+1]
		if math.IsInf(low, -1) {
			low = 0
		}
		if math.IsInf(high, 1) {
			high = low
		}
		p.BucketCounts[sort.SearchFloat64s(latencyBounds, low)] += n
		p.Count += n
		p.Sum += float64(n) * (low + high) / 2
	}
	c.add(name, "s", metricdata.Histogram[float64]{DataPoints: []metricdata.HistogramDataPoint[float64]{p},
		Temporality: metricdata.CumulativeTemporality})
}

// seconds adds a counter of seconds by mode.
func (c *collected) seconds(name string, values map[string]float64) {
	var points []metricdata.DataPoint[float64]
	for mode, s := range values {
		points = append(points, metricdata.DataPoint[float64]{Attributes: attribute.NewSet(attribute.String(semconv.CPUMode, mode)),
			StartTime: c.began, Time: c.now, Value: s})
	}
	c.add(name, "s", metricdata.Sum[float64]{DataPoints: points, Temporality: metricdata.CumulativeTemporality, IsMonotonic: true})
}
