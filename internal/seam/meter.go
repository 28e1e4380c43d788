package seam

import (
	"sync/atomic"

	"go.opentelemetry.io/otel/metric"
)

var meters atomic.Pointer[metric.MeterProvider]

// SetMeterProvider makes the instruments of package metrics record to mp from now on. A nil mp returns them to
// OpenTelemetry's global provider. With a no-op provider (metric/noop) they record nothing: that is the state after a
// disabled set-up and after shutdown.
func SetMeterProvider(mp metric.MeterProvider) {
	if mp == nil {
		meters.Store(nil)
		return
	}
	meters.Store(&mp)
}

// MeterProvider returns what SetMeterProvider was given, at an address that is another one after each call of it; nil
// means the global one.
func MeterProvider() *metric.MeterProvider { return meters.Load() }

var watcher func() // written once, by the init of package metrics

// WatchMeters hangs in what wants to know that the provider has changed. Only package metrics calls it, from an init function.
func WatchMeters(changed func()) { watcher = changed }

// MetersChanged is to be called after SetMeterProvider, without a lock held: what package metrics observes is observed for the
// new provider from then on. It may log.
func MetersChanged() {
	if watcher != nil {
		watcher()
	}
}
