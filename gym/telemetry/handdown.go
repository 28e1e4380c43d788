package telemetry

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lensgo/lens/telemetry"
)

// Decision is what handing the settings down came to.
type Decision struct {
	// Enabled says whether telemetry is on, for this process and its children.
	Enabled bool

	// RunID is the one run id of the fleet; empty when telemetry is off.
	RunID string

	// Exporter and Endpoint say where traces go: "otlp" to Endpoint, which is empty when nobody says and the exporter has
	// its own default; or "console"; or "none".
	Exporter, Endpoint string

	// Content says whether what models and tools say is recorded.
	Content bool

	// Warnings are sentences for the log, one for each setting that the environment overrides or that cannot be used.
	Warnings []string
}

// Export writes the settings into env, from where every child process reads them, and this one in [Setup]. Call it once,
// before anything is spawned.
//
// A variable that is there wins over the setting: for what Lens and Gym both know, first the one with Gym's prefix, then
// the one with Lens's. Only what is set and has no variable yet is written; booleans as 1 and 0. Whether telemetry is on is
// decided before anything is written, and nothing is written when it is off. When it is on and nobody names the run,
// Export does, so that all processes of the fleet have one run id.
func (s Settings) Export(env Environ) Decision {
	d := Decision{Enabled: s.enabled(env)}
	if s.problem != "" {
		d.Warnings = append(d.Warnings, s.problem)
	}
	for _, f := range s.fields() {
		f.export(env, &d)
	}
	if d.Enabled {
		d.nameRun(env)
		d.shareContent(env)
		d.sharePort(env)
	}
	d.Exporter, d.Endpoint = destination(env)
	return d
}

// enabled says whether telemetry will be on once the settings are written.
func (s Settings) enabled(env Environ) bool {
	if sdkDisabled(env) {
		return false
	}
	if key, _ := firstSet(env, Prefix+"_ENABLED", FallbackPrefix+"_ENABLED"); key != "" {
		return enabled(env)
	}
	return s.Enabled != nil && *s.Enabled
}

// nameRun makes sure that the environment names the run.
func (d *Decision) nameRun(env Environ) {
	c := telemetry.Config{}
	_, c.RunID = firstSet(env, Prefix+"_RUN_ID", FallbackPrefix+"_RUN_ID")
	if c.RunID == "" {
		c.RunID = value(env, "SLURM_JOB_ID")
	}
	d.RunID = c.EnsureRunID()
	if key, _ := firstSet(env, Prefix+"_RUN_ID", FallbackPrefix+"_RUN_ID"); key == "" {
		d.set(env, Prefix+"_RUN_ID", d.RunID)
	}
}

// sharePort warns when the servers would want the one port from which Prometheus fetches. They say so themselves, where few look: in their logs.
func (d *Decision) sharePort(env Environ) {
	exporters := strings.Split(value(env, "OTEL_METRICS_EXPORTER"), ",")
	wanted := slices.ContainsFunc(exporters, func(name string) bool { return strings.TrimSpace(name) == "prometheus" })
	chosen, _ := firstSet(env, Prefix+"_EXPORTER", FallbackPrefix+"_EXPORTER")
	_, on := firstSet(env, Prefix+"_METRICS_ENABLED", FallbackPrefix+"_METRICS_ENABLED")
	if measured, ok := telemetry.ParseBool(on); !wanted || chosen != "" || ok && !measured {
		return
	}
	if value(env, "NEMO_LENS_PROMETHEUS_TARGETS") == "" && value(env, "OTEL_EXPORTER_PROMETHEUS_PORT") != "0" {
		d.Warnings = append(d.Warnings, "Prometheus finds one process at its port, so the metrics of servers with a process of their own are missing there; "+
			"name a folder in NEMO_LENS_PROMETHEUS_TARGETS, and each lists a port of its own in it")
	}
}

func (d *Decision) set(env Environ, key, text string) {
	if err := env.Setenv(key, text); err != nil {
		d.Warnings = append(d.Warnings, fmt.Sprintf("cannot hand %s down to the servers: %v", key, err))
	}
}

// Note is a sentence that says where traces go.
func (d Decision) Note() string {
	switch {
	case !d.Enabled:
		return "telemetry is off"
	case d.Exporter == telemetry.ExporterConsole:
		return "printed on the standard output of each process"
	case d.Exporter == telemetry.ExporterNone:
		return "not sent, as the exporter none says"
	case d.Endpoint == "":
		return "sent by OTLP to the default endpoint, port 4318 of this host"
	}
	return "sent by OTLP to " + d.Endpoint
}

// field is one setting on its way into the environment.
type field struct {
	name   string   // in the block
	text   string   // as it is written; empty when it is not set
	vars   []string // the first is written; any that is set wins over the setting
	secret bool     // the value stays out of warnings
	// present: a variable that is there and empty also wins. It says "nothing" to OpenTelemetry.
	present bool
}

// fields lists the settings.
func (s Settings) fields() []field {
	own := func(name, text, key string) field { return field{name: name, text: text, vars: []string{Prefix + key}} }
	both := func(name, text, key string) field {
		return field{name: name, text: text, vars: []string{Prefix + key, FallbackPrefix + key}}
	}
	otlp := func(name, text, key string) field {
		return field{name: name, text: text, vars: []string{key}, present: true}
	}
	headers := otlp("otlp_headers", s.OTLPHeaders, envHeaders)
	headers.secret = true
	return []field{
		both("enabled", boolText(s.Enabled), "_ENABLED"),
		{name: "service_name", text: s.ServiceName, vars: []string{envServiceName}},
		own("service_name_per_server", boolText(s.ServiceNamePerServer), "_SERVICE_NAME_PER_SERVER"),
		both("span_groups", s.SpanGroups, "_SPAN_GROUPS"),
		both("traces_enabled", boolText(s.TracesEnabled), "_TRACES_ENABLED"),
		both("metrics_enabled", boolText(s.MetricsEnabled), "_METRICS_ENABLED"),
		both("logs_enabled", boolText(s.LogsEnabled), "_LOGS_ENABLED"),
		both("exporter", s.Exporter, "_EXPORTER"),
		otlp("otlp_endpoint", s.OTLPEndpoint, envEndpoint),
		otlp("otlp_protocol", s.OTLPProtocol, envProtocol),
		headers,
		own("instrument_aiohttp", boolText(s.InstrumentAIOHTTP), "_INSTRUMENT_AIOHTTP"),
		both("run_id", s.RunID, "_RUN_ID"),
		own("content", boolText(s.Content), "_CONTENT"),
		own("memory_profiling.enabled", boolText(s.MemoryProfiling.Enabled), "_MEMORY_PROFILING_ENABLED"),
		own("memory_profiling.interval_seconds", floatText(s.MemoryProfiling.IntervalSeconds),
			"_MEMORY_PROFILING_INTERVAL_SECONDS"),
	}
}

// export writes the field if it is set and the environment does not know better.
func (f field) export(env Environ, d *Decision) {
	if f.text == "" {
		return
	}
	key, v := firstSet(env, f.vars...)
	if key == "" && f.present {
		if _, ok := env.LookupEnv(f.vars[0]); ok {
			key = f.vars[0]
		}
	}
	switch {
	case key == "":
		if d.Enabled {
			d.set(env, f.vars[0], f.text)
		}
	case !sameMeaning(f.text, v):
		d.Warnings = append(d.Warnings, f.overridden(key, v))
	}
}

func (f field) overridden(key, v string) string {
	if f.secret {
		return fmt.Sprintf("telemetry.%s of the configuration is overridden by %s", f.name, key)
	}
	return fmt.Sprintf("telemetry.%s=%s of the configuration is overridden by %s=%s", f.name, f.text, key, v)
}

// sameMeaning compares booleans and numbers by what they say, names without case, and everything without blanks.
func sameMeaning(a, b string) bool {
	a, b = strings.TrimSpace(a), strings.TrimSpace(b)
	if x, ok := telemetry.ParseBool(a); ok {
		if y, ok := telemetry.ParseBool(b); ok {
			return x == y
		}
	}
	if x, err := strconv.ParseFloat(a, 64); err == nil {
		if y, err := strconv.ParseFloat(b, 64); err == nil {
			return x == y
		}
	}
	return a == b
}

func boolText(b *bool) string {
	switch {
	case b == nil:
		return ""
	case *b:
		return "1"
	}
	return "0"
}

func floatText(f *float64) string {
	if f == nil {
		return ""
	}
	return strconv.FormatFloat(*f, 'g', -1, 64)
}
