package telemetry

import (
	"net/url"
	"strings"

	"github.com/lensgo/lens/telemetry"
)

// Variables of OpenTelemetry's OTLP exporters.
const (
	otlpPrefix  = "OTEL_EXPORTER_OTLP"
	envEndpoint = otlpPrefix + "_ENDPOINT"
	envProtocol = otlpPrefix + "_PROTOCOL"
	envHeaders  = otlpPrefix + "_HEADERS"
	envDelay    = "OTEL_BSP_SCHEDULE_DELAY"
	envInterval = "OTEL_METRIC_EXPORT_INTERVAL"
)

// freshness is how old spans may get before they leave for a receiver of the run's own, in milliseconds. OpenTelemetry's five
// seconds spare a network; here somebody may be watching. Metrics, whose default is ten seconds, send all series again and may
// be twice as old.
const (
	freshness        = "1000"
	metricsFreshness = "2000"
)

// otlpKeys are what, beside the endpoint, could keep a signal from reaching an endpoint on this host: TLS settings make
// exporters speak TLS to it or refuse it, and a receiver need not know every compression.
var otlpKeys = []string{"_ENDPOINT", "_PROTOCOL", "_HEADERS", "_INSECURE", "_CERTIFICATE", "_CLIENT_CERTIFICATE",
	"_CLIENT_KEY", "_COMPRESSION"}

var signals = []string{"TRACES", "METRICS", "LOGS"}

// Receive turns telemetry on in env and sends it to a receiver of the run's own at endpoint (http://host:port), whatever env
// says about endpoint, protocol, headers and exporter, in general or for one signal. It is for a run that was asked for
// its traces; call it before [Settings.Export], which then finds everything decided and leaves the rest to the settings.
//
// It also switches on what is switched off: telemetry, its traces, the SDK. A signal whose exporter is "none" stays off,
// unless it is traces. Spans leave each second and metrics every other, unless env says how often. Sampling is left alone.
//
// Receive returns a description of each variable whose value it replaced, for the log. Values that may be secret are not
// among them.
func Receive(env Environ, endpoint string) (replaced []string) {
	r := rewrite{env: env}
	for _, signal := range signals {
		for _, key := range otlpKeys {
			r.unset(otlpPrefix + "_" + signal + key)
		}
		r.exporter("OTEL_"+signal+"_EXPORTER", signal == "TRACES")
	}
	for _, key := range otlpKeys[3:] {
		r.unset(otlpPrefix + key)
	}
	r.set(envEndpoint, strings.TrimSuffix(endpoint, "/"))
	r.set(envProtocol, "http/protobuf")
	r.set(envHeaders, "") // there, and empty: a setting of the configuration must not fill it
	r.set(Prefix+"_EXPORTER", telemetry.ExporterOTLP)
	r.set(Prefix+envSpool, "0")                             // the receiver is of this run: nobody would come for what is left
	r.disable(Prefix+envRecords, FallbackPrefix+envRecords) // they would be in the spool
	r.enable(Prefix+"_ENABLED", FallbackPrefix+"_ENABLED")
	r.enable(Prefix+"_TRACES_ENABLED", FallbackPrefix+"_TRACES_ENABLED")
	if sdkDisabled(env) {
		r.set("OTEL_SDK_DISABLED", "false")
	}
	if value(env, envDelay) == "" {
		r.set(envDelay, freshness)
	}
	if value(env, envInterval) == "" {
		r.set(envInterval, metricsFreshness)
	}
	return r.replaced
}

// rewrite changes an environment and keeps account of what it replaced.
type rewrite struct {
	env      Environ
	replaced []string
}

func (r *rewrite) note(key, old string) {
	switch {
	case old == "":
	case strings.HasSuffix(key, "_ENDPOINT"):
		r.replaced = append(r.replaced, key+"="+redacted(old))
	case strings.HasSuffix(key, "_HEADERS"), strings.HasSuffix(key, "_KEY"):
		r.replaced = append(r.replaced, key)
	default:
		r.replaced = append(r.replaced, key+"="+old)
	}
}

func (r *rewrite) set(key, text string) {
	if old := value(r.env, key); old != text {
		r.note(key, old)
	}
	_ = r.env.Setenv(key, text) // fails on a bad name or a NUL only
}

func (r *rewrite) unset(key string) {
	if _, ok := r.env.LookupEnv(key); !ok {
		return
	}
	r.note(key, value(r.env, key))
	_ = r.env.Unsetenv(key)
}

// exporter makes the signal leave by OTLP.
func (r *rewrite) exporter(key string, always bool) {
	if old := value(r.env, key); always || old != "" && !strings.EqualFold(old, "none") {
		r.set(key, telemetry.ExporterOTLP)
	}
}

// enable switches something on. Only a value that says otherwise was replaced.
func (r *rewrite) enable(key, fallback string) {
	if k, v := firstSet(r.env, key, fallback); k != "" {
		if on, _ := telemetry.ParseBool(v); !on {
			r.note(k, v)
		}
	}
	_ = r.env.Setenv(key, "1")
}

// disable switches something off that is on.
func (r *rewrite) disable(key, fallback string) {
	k, v := firstSet(r.env, key, fallback)
	if on, _ := telemetry.ParseBool(v); on {
		r.note(k, v)
		_ = r.env.Setenv(key, "0")
	}
}

// destination says where traces go by env.
func destination(env Environ) (exporter, endpoint string) {
	_, exporter = firstSet(env, Prefix+"_EXPORTER", FallbackPrefix+"_EXPORTER", "OTEL_TRACES_EXPORTER")
	if exporter = strings.ToLower(exporter); exporter == "" {
		exporter = telemetry.ExporterOTLP
	}
	if exporter == telemetry.ExporterOTLP {
		_, endpoint = firstSet(env, otlpPrefix+"_TRACES_ENDPOINT", envEndpoint)
		if _, protocol := firstSet(env, otlpPrefix+"_TRACES_PROTOCOL", envProtocol); endpoint == "" && protocol == "grpc" {
			endpoint = "http://localhost:4317"
		}
	}
	return exporter, redacted(endpoint)
}

// redacted hides the password of a URL.
func redacted(text string) string {
	if u, err := url.Parse(text); err == nil {
		return u.Redacted()
	}
	if i := strings.LastIndex(text, "@"); i >= 0 {
		return "xxxxx" + text[i:]
	}
	return text
}

// sdkDisabled follows the OpenTelemetry specification: only "true", in any case, disables.
func sdkDisabled(env Environ) bool { return strings.EqualFold(value(env, "OTEL_SDK_DISABLED"), "true") }
