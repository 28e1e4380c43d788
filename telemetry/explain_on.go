//go:build !lens_off

package telemetry

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"

	sdkresource "go.opentelemetry.io/otel/sdk/resource"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/telemetry/internal/option"
	"github.com/lensgo/lens/telemetry/internal/otlp"
	"github.com/lensgo/lens/telemetry/internal/scrape"
	"github.com/lensgo/lens/telemetry/internal/spool"
)

// setting is what probes need.
type setting struct{ resource *sdkresource.Resource }

func explain(ctx context.Context, c Config) (*Explanation, error) {
	said := &saying{}
	log := slog.New(said)
	x := &Explanation{Disabled: sdkDisabled(log), RunID: cmp.Or(c.RunID, os.Getenv("SLURM_JOB_ID"))}
	job := c.nameJob()
	x.resource = newResource(ctx, c, nil, log)
	x.Resource = map[string]string{}
	for _, kv := range x.resource.Attributes() {
		x.Resource[string(kv.Key)] = kv.Value.String()
	}
	x.Propagators = propagators(log)
	x.trySampler(ctx, job, log)
	c.Spool = true // where it would be is told also when it is off
	x.SpoolDir, x.SpoolBytes = otlpConfig(c, log).SpoolDir, cmp.Or(c.SpoolBytes, spool.DefaultBytes)
	x.Warnings = said.take()
	for _, s := range []struct {
		name   string
		signal otlp.Signal
		on     bool
	}{
		{SignalTraces, otlp.Traces, c.TracesEnabled}, {SignalMetrics, otlp.Metrics, c.MetricsEnabled}, {SignalLogs, otlp.Logs, c.LogsEnabled},
	} {
		r := Route{Signal: s.name, On: s.on}
		r.explain(c, s.signal, log)
		r.Warnings = said.take()
		x.Routes = append(x.Routes, r)
	}
	return x, nil
}

// roots is how many are started to see how many of them are recorded.
const roots = 1000

// trySampler starts roots as a program would, and forgets them.
func (x *Explanation) trySampler(ctx context.Context, job option.Job, log *slog.Logger) {
	t := newTraces(nil, x.resource, option.Set{Job: job}, log)
	defer func() { _ = t.shutdown(ctx) }()
	tracer := t.provider.Tracer(semconv.ScopeLens)
	sampled := 0
	for range roots {
		_, span := tracer.Start(context.Background(), probeSpan)
		if span.SpanContext().IsSampled() {
			sampled++
		}
		if job.Seed != "" {
			x.JobTraceID = span.SpanContext().TraceID().String()
		}
		span.End()
	}
	x.Sampled = float64(sampled) / roots
	saySampler(log)
}

// samplers are those that the SDK knows. Of another one it takes the default, and says so by OpenTelemetry's global handler.
var samplers = []string{"always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"}

// saySampler warns about a sampler that the SDK passes over.
func saySampler(log *slog.Logger) {
	name := strings.ToLower(strings.TrimSpace(os.Getenv("OTEL_TRACES_SAMPLER")))
	part := strings.TrimSpace(os.Getenv("OTEL_TRACES_SAMPLER_ARG"))
	switch n, err := strconv.ParseFloat(part, 64); {
	case name == "":
	case !slices.Contains(samplers, name):
		log.Warn("telemetry: OTEL_TRACES_SAMPLER is none of "+strings.Join(samplers, ", ")+"; everything is recorded", "value", name)
	case strings.HasSuffix(name, "traceidratio") && part != "" && (err != nil || n < 0 || n > 1):
		log.Warn("telemetry: OTEL_TRACES_SAMPLER_ARG is not a number from 0 to 1; everything is recorded", "value", part)
	}
}

// explain resolves the way of a signal as its exporter does.
func (r *Route) explain(c Config, s otlp.Signal, log *slog.Logger) {
	if variable := "OTEL_" + s.Name + "_EXPORTER"; strings.TrimSpace(c.Exporter) == "" && strings.TrimSpace(os.Getenv(variable)) != "" {
		r.ExporterFrom = variable
	}
	switch s.Name {
	case otlp.Traces.Name:
		sayUnusable(traceVariables, log)
	case otlp.Metrics.Name:
		sayUnusable(metricVariables, log)
		interval(log)
	case otlp.Logs.Name:
		sayUnusable(logVariables, log)
	}
	r.Exporters, r.Err = c.exportersFor(s.Name, log)
	if slices.Contains(r.Exporters, exporterPrometheus) {
		host, port, _ := scrape.Where(log)
		r.Scrape = net.JoinHostPort(host, strconv.Itoa(port))
	}
	if !slices.Contains(r.Exporters, ExporterOTLP) {
		return
	}
	t, err := otlp.Resolve(s, log)
	r.Err = err
	r.Target = Target{URL: s.Endpoint(), Protocol: t.Protocol, Gzip: t.Gzip, Timeout: t.Timeout, From: s.Origins()}
	if t.URL != nil {
		r.Target.URL = t.String()
	}
	for _, name := range slices.Sorted(maps.Keys(t.Header)) {
		r.Target.Headers = append(r.Target.Headers, strings.ToLower(name))
	}
}

func lookIntoSpool(dir string) ([]Waiting, error) {
	left, err := spool.Look(dir)
	all := make([]Waiting, 0, len(left))
	for _, l := range left {
		all = append(all, Waiting{
			Signal: strings.ToLower(l.Destination.Signal), URL: l.Destination.URL, Dir: l.Dir,
			Items: l.Items, Bytes: l.Bytes, Living: l.Living, Unread: l.Unread,
		})
	}
	return all, err
}
