package telemetry

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lensgo/lens/internal/envlist"
	"github.com/lensgo/lens/semconv"
)

// FromEnv reads a Config from the environment variables that begin with prefix and an underscore: ENABLED,
// TRACES_ENABLED, METRICS_ENABLED, LOGS_ENABLED, SPAN_GROUPS, EXPORTER, RUN_ID, USER_ID, DETECT_TIMEOUT, SPOOL, START_RECORDS
// (which turns SPOOL on that is unset), SPOOL_DIR and SPOOL_BYTES (a number, or one with KiB, MiB or GiB behind it). A variable that is unset or
// blank is looked for under each fallback prefix in turn and else has the value of [Default], so a variable cannot
// blank out the one it falls back to. An empty prefix means NEMO_LENS.
//
// Beside them it reads OTEL_SERVICE_NAME (blank: the service.name of OTEL_RESOURCE_ATTRIBUTES, else
// [DefaultServiceName]), WANDB_ENTITY, WANDB_PROJECT and ENABLE_SINGLE_TRACEID. The OTEL_* variables of exporters, of the
// sampler and of the batch processor are read where they apply, at [Setup].
//
// Booleans are 1, true, yes, on and 0, false, no, off in any case; DETECT_TIMEOUT is a whole number of milliseconds above 0.
// Anything else is an error that names the variable under its primary prefix. All errors come joined, and the Config beside an error is disabled: a caller that wants to go on
// without telemetry can hand it to Setup as it is.
func FromEnv(prefix string, fallback ...string) (Config, error) {
	e := newEnvironment(prefix, fallback)
	c := e.config()
	if err := errors.Join(e.errs...); err != nil {
		c.Enabled = false
		return c, err
	}
	return c, nil
}

// Variable is one that [FromEnv] reads.
type Variable struct {
	Key   string // what stands behind the prefix, such as ENABLED
	Name  string // the one that holds the value, such as NEMO_LENS_ENABLED; empty when none does
	Value string // without blanks around it
}

// Variables says which prefixed variables [FromEnv] reads for the same arguments, and where each value comes from.
func Variables(prefix string, fallback ...string) []Variable {
	e := newEnvironment(prefix, fallback)
	e.config()
	return e.read
}

func newEnvironment(prefix string, fallback []string) *environment {
	if prefix == "" {
		prefix = "NEMO_LENS"
	}
	return &environment{prefixes: slices.Concat([]string{prefix}, fallback)}
}

// config reads all variables.
func (e *environment) config() Config {
	c := Default()
	e.boolean("ENABLED", &c.Enabled)
	e.boolean("TRACES_ENABLED", &c.TracesEnabled)
	e.boolean("METRICS_ENABLED", &c.MetricsEnabled)
	e.boolean("LOGS_ENABLED", &c.LogsEnabled)
	e.text("SPAN_GROUPS", &c.SpanGroups)
	e.text("EXPORTER", &c.Exporter)
	e.text("RUN_ID", &c.RunID)
	e.text("USER_ID", &c.UserID)
	e.boolean("SPOOL", &c.Spool)
	e.boolean("START_RECORDS", &c.StartRecords)
	if spool, _ := e.lookup("SPOOL"); spool == "" {
		c.Spool = c.StartRecords
	}
	e.text("SPOOL_DIR", &c.SpoolDir)
	e.bytes("SPOOL_BYTES", &c.SpoolBytes)
	e.milliseconds("DETECT_TIMEOUT", &c.DetectTimeout)
	c.ServiceName = ServiceName(DefaultServiceName)
	c.WandbEntity = os.Getenv("WANDB_ENTITY")
	c.WandbProject = os.Getenv("WANDB_PROJECT")
	e.parse("ENABLE_SINGLE_TRACEID", "ENABLE_SINGLE_TRACEID", os.Getenv("ENABLE_SINGLE_TRACEID"), &c.SingleTraceID)
	return c
}

// ParseBool reads a boolean as [FromEnv] does. ok is false for text that is none of the eight words, blank included.
func ParseBool(text string) (value, ok bool) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "1", "true", "yes", "on":
		return true, true
	case "0", "false", "no", "off":
		return false, true
	}
	return false, false
}

// ServiceName returns the service name that the environment gives this process, by the rules of OpenTelemetry:
// OTEL_SERVICE_NAME, else service.name of OTEL_RESOURCE_ATTRIBUTES, else fallback.
func ServiceName(fallback string) string {
	if name := strings.TrimSpace(os.Getenv("OTEL_SERVICE_NAME")); name != "" {
		return name
	}
	if name := envlist.Last(os.Getenv("OTEL_RESOURCE_ATTRIBUTES"), semconv.ServiceName); name != "" {
		return name
	}
	return fallback
}

// environment reads prefixed variables and collects what is wrong with them.
type environment struct {
	prefixes []string   // the primary first
	read     []Variable // so far
	errs     []error
}

// lookup returns the first value under a prefix that is not blank, trimmed, and the variable that held it.
func (e *environment) lookup(key string) (value, variable string) {
	defer func() {
		if !slices.ContainsFunc(e.read, func(v Variable) bool { return v.Key == key }) {
			e.read = append(e.read, Variable{Key: key, Name: variable, Value: value})
		}
	}()
	for _, prefix := range e.prefixes {
		variable = prefix + "_" + key
		if value = strings.TrimSpace(os.Getenv(variable)); value != "" {
			return value, variable
		}
	}
	return "", ""
}

func (e *environment) text(key string, to *string) {
	if value, _ := e.lookup(key); value != "" {
		*to = value
	}
}

func (e *environment) boolean(key string, to *bool) {
	value, variable := e.lookup(key)
	e.parse(e.prefixes[0]+"_"+key, variable, value, to)
}

// bytes reads a size.
func (e *environment) bytes(key string, to *int64) {
	value, variable := e.lookup(key)
	if value == "" {
		return
	}
	n, ok := parseBytes(value)
	if ok {
		*to = n
		return
	}
	e.errs = append(e.errs, fmt.Errorf("cannot read %s: %q is no size above 0; use for example 268435456 or 256MiB", variable, value))
}

// parseBytes reads a number of bytes, KiB, MiB or GiB.
func parseBytes(text string) (n int64, ok bool) {
	unit := int64(1)
	for suffix, u := range map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30} {
		if number, found := strings.CutSuffix(text, suffix); found {
			text, unit = strings.TrimSpace(number), u
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 || n > math.MaxInt64/unit {
		return 0, false
	}
	return n * unit, true
}

func (e *environment) parse(name, variable, value string, to *bool) {
	if strings.TrimSpace(value) == "" {
		return
	}
	b, ok := ParseBool(value)
	if ok {
		*to = b
		return
	}
	e.refuse(name, variable, value, "is not a boolean; use 1, true, yes, on or 0, false, no, off")
}

func (e *environment) milliseconds(key string, to *time.Duration) {
	value, variable := e.lookup(key)
	if value == "" {
		return
	}
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil || n <= 0 {
		e.refuse(e.prefixes[0]+"_"+key, variable, value, "is not a number of milliseconds above 0, such as 500")
		return
	}
	*to = time.Duration(n) * time.Millisecond
}

// refuse says what is wrong with the value of a variable, which has a name under the primary prefix.
func (e *environment) refuse(name, variable, value, why string) {
	from := ""
	if variable != name {
		from = " (set as " + variable + ")"
	}
	e.errs = append(e.errs, fmt.Errorf("cannot read %s%s: %q %s", name, from, value, why))
}
