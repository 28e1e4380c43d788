// Package prometheus lets Prometheus fetch the metrics of a program that imports it:
//
//	import _ "github.com/lensgo/lens/telemetry/export/prometheus"
//
// With OTEL_METRICS_EXPORTER=prometheus, alone or in a list such as otlp,prometheus, [telemetry.Setup] then opens
// http://localhost:9464/metrics; without the import it warns and names it. The package is apart because of the
// client library, which makes a program more than a megabyte larger.
//
// OTEL_EXPORTER_PROMETHEUS_HOST and OTEL_EXPORTER_PROMETHEUS_PORT say where to listen; port 0 is any free one, which the log and
// [telemetry.Handle.PrometheusAddr] name. NEMO_LENS_PROMETHEUS_TARGETS is a folder in which each process lists its address for
// Prometheus' file-based service discovery, and with which the port is 0 unless it is set. A port that is taken is one warning,
// and the program goes on.
//
// A program that serves HTTP already mounts a [Handler] instead.
//
// Names, units, labels and target_info follow OpenTelemetry's rules for Prometheus: mylib.step.duration in s is
// mylib_step_duration_seconds. To who asks for OpenMetrics, exemplars have the ids of trace and span. Everything is safe for
// concurrent use, and in a build with the tag lens_off nothing is served.
package prometheus
