package doctor

import (
	"fmt"
	"os"
	"slices"
	"strings"

	gymtelemetry "github.com/lensgo/lens/gym/telemetry"
	"github.com/lensgo/lens/internal/envlist"
	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/telemetry"
)

// program says what holds for all signals.
func (e *examination) program() {
	e.report.Resource = e.plan.Resource
	e.report.Settings = append(e.report.Settings, e.enabled(), e.service(), e.resource(), e.runID())
	if e.config.SingleTraceID {
		e.report.Settings = append(e.report.Settings, Setting{"one_trace", e.plan.JobTraceID, "ENABLE_SINGLE_TRACEID", "of all roots of the job"})
	}
	e.report.Settings = append(e.report.Settings, e.sampler(), e.propagators())
	if e.gym() {
		e.report.Settings = append(e.report.Settings, e.content())
	}
}

// enabled is the main switch.
func (e *examination) enabled() Setting {
	v := e.variables["ENABLED"]
	s := Setting{Name: "telemetry", Value: "off", From: v.Name}
	variable := e.options.Prefix + "_ENABLED"
	switch {
	case e.plan.Disabled:
		s.From = "OTEL_SDK_DISABLED"
		e.report.add(Problem, "off", "", "Telemetry is off, because OTEL_SDK_DISABLED is true. Unset it.")
	case e.config.Enabled:
		s.Value = "on"
	case v.Name == "":
		s.Why = variable + " is not set"
		e.report.add(Problem, "off", "", "Telemetry is off, because "+variable+" is not set. Set "+variable+"=1."+e.forGym())
	case !e.report.has("variable"):
		e.report.add(Problem, "off", "", fmt.Sprintf("Telemetry is off, because %s is %q. Set %s=1.", v.Name, v.Value, v.Name))
	default:
		s.Why = "a variable cannot be read"
	}
	return s
}

// forGym is for who has switched Gym's telemetry on and asks about another program's.
func (e *examination) forGym() string {
	if e.gym() || strings.TrimSpace(os.Getenv(gymtelemetry.Prefix+"_ENABLED")) == "" {
		return ""
	}
	return fmt.Sprintf(" %[1]s_ENABLED is for Gym alone: 'lens doctor --prefix %[1]s' looks at that.", gymtelemetry.Prefix)
}

// service is the name under which the program is seen.
func (e *examination) service() Setting {
	s := Setting{Name: "service", Value: e.plan.Resource[semconv.ServiceName]}
	switch name := telemetry.ServiceName(""); {
	case name == "":
	case strings.TrimSpace(os.Getenv("OTEL_SERVICE_NAME")) == name:
		s.From = "OTEL_SERVICE_NAME"
	default:
		s.From = "OTEL_RESOURCE_ATTRIBUTES"
	}
	if s.From == "" {
		s.Why = "by default; the program may have a name of its own"
	}
	return s
}

// brief are the attributes that tell programs apart.
var brief = []string{semconv.HostName, semconv.DeploymentEnvironment, semconv.SLURMJobID, semconv.K8sPodName, semconv.NVDLRank}

// resource is who the program says that it is, in brief.
func (e *examination) resource() Setting {
	var parts []string
	for _, key := range brief {
		if value := e.plan.Resource[key]; value != "" {
			parts = append(parts, key+"="+value)
		}
	}
	parts = append(parts, fmt.Sprintf("%d attributes in all", len(e.plan.Resource)))
	s := Setting{Name: "resource", Value: strings.Join(parts, ", ")}
	text := os.Getenv("OTEL_RESOURCE_ATTRIBUTES")
	if strings.TrimSpace(text) == "" {
		return s
	}
	s.From = "OTEL_RESOURCE_ATTRIBUTES"
	seen := map[string]int{}
	for key := range envlist.Pairs(text) {
		if seen[key]++; seen[key] == 2 {
			e.report.add(Note, "resource", "", fmt.Sprintf("OTEL_RESOURCE_ATTRIBUTES names %s more than once; the last one counts.", key))
		}
	}
	for part := range strings.SplitSeq(text, ",") {
		if key, _, ok := strings.Cut(part, "="); strings.TrimSpace(part) != "" && (!ok || strings.TrimSpace(key) == "") {
			e.report.add(Note, "resource", "", fmt.Sprintf("OTEL_RESOURCE_ATTRIBUTES has the part %q, which is no key=value and is passed over. "+
				"Write %%2C for a comma in a value.", strings.TrimSpace(part)))
		}
	}
	return s
}

func (e *examination) runID() Setting {
	s := Setting{Name: "run_id", Value: e.plan.RunID, From: e.variables["RUN_ID"].Name}
	switch {
	case s.Value == "":
		s.Value, s.Why = "none", "each process draws its own"
	case s.From == "":
		s.From = "SLURM_JOB_ID"
	}
	return s
}

// sampler says which part of traces is recorded.
func (e *examination) sampler() Setting {
	s := Setting{Name: "sampler", Value: strings.ToLower(strings.TrimSpace(os.Getenv("OTEL_TRACES_SAMPLER")))}
	if s.Value == "" {
		s.Value, s.Why = "parentbased_always_on", "by default; "
	} else {
		s.From = "OTEL_TRACES_SAMPLER"
	}
	switch {
	case e.plan.Sampled >= 1:
		s.Why += "records every trace that begins here"
	case e.plan.Sampled > 0:
		s.Why += fmt.Sprintf("records about %.2g %% of the traces that begin here", 100*e.plan.Sampled)
	default:
		s.Why += "records none of the traces that begin here"
		if !e.config.TracesEnabled {
			break
		}
		text := "The sampler records no trace that begins here: OTEL_TRACES_SAMPLER is " + s.Value
		if arg := strings.TrimSpace(os.Getenv("OTEL_TRACES_SAMPLER_ARG")); arg != "" {
			text += " with OTEL_TRACES_SAMPLER_ARG " + arg
		}
		if strings.HasPrefix(s.Value, "parentbased_") {
			text += "; only what was called from a recorded trace is"
		}
		e.report.add(Problem, "sampled_out", telemetry.SignalTraces, text+". Unset it to record everything.")
	}
	return s
}

func (e *examination) propagators() Setting {
	s := Setting{Name: "propagators", Value: strings.Join(e.plan.Propagators, ", ")}
	if strings.TrimSpace(os.Getenv("OTEL_PROPAGATORS")) != "" {
		s.From = "OTEL_PROPAGATORS"
	}
	if s.Value == "" {
		s.Value = "none"
	}
	if !slices.Contains(e.plan.Propagators, "tracecontext") {
		e.report.add(Note, "propagators", telemetry.SignalTraces, "No trace context is sent or read, so each process has traces of its own. Add tracecontext to OTEL_PROPAGATORS.")
	}
	return s
}

// content says whether messages are recorded.
func (e *examination) content() Setting {
	s := Setting{Name: "content", Value: "not recorded"}
	for _, variable := range []string{gymtelemetry.Prefix + "_CONTENT", "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"} {
		if s.From == "" && strings.TrimSpace(os.Getenv(variable)) != "" {
			s.From = variable
		}
	}
	on, err := gymtelemetry.ContentFromEnv()
	if on {
		s.Value = "recorded"
		s.Why = "messages, arguments and results of tools are on spans"
	}
	if err != nil {
		e.report.add(Problem, "content", telemetry.SignalTraces, sentence(err.Error()))
	}
	return s
}
