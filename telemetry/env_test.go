package telemetry_test

import (
	"strings"
	"testing"
	"time"

	"github.com/lensgo/lens/telemetry"
)

// setenv sets variables of the form KEY=value, one a line, so that values may hold blanks.
func setenv(t *testing.T, vars ...string) {
	for _, kv := range vars {
		k, v, _ := strings.Cut(kv, "=")
		t.Setenv(k, v)
	}
}

func TestFromEnv_defaults(t *testing.T) {
	got, err := telemetry.FromEnv("NEMO_LENS")
	if err != nil {
		t.Fatal(err)
	}
	want := telemetry.Config{
		ServiceName: "nemo", TracesEnabled: true, MetricsEnabled: true, SpanGroups: "default",
	}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got != telemetry.Default() {
		t.Errorf("Default() is %+v", telemetry.Default())
	}
}

// Start records are in the spool, so they turn it on where nobody has turned it off.
func TestFromEnv_start_records(t *testing.T) {
	for name, c := range map[string]struct {
		vars           []string
		records, spool bool
	}{
		"neither":         {nil, false, false},
		"records":         {[]string{"MY_START_RECORDS=1"}, true, true},
		"records of Lens": {[]string{"NEMO_LENS_START_RECORDS=on"}, true, true},
		"no spool":        {[]string{"MY_START_RECORDS=1", "NEMO_LENS_SPOOL=0"}, true, false},
		"only the spool":  {[]string{"MY_START_RECORDS=0", "NEMO_LENS_START_RECORDS=1", "MY_SPOOL=1"}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			setenv(t, c.vars...)
			got, err := telemetry.FromEnv("MY", "NEMO_LENS")
			if err != nil || got.StartRecords != c.records || got.Spool != c.spool {
				t.Errorf("%v, %v, %v", got.StartRecords, got.Spool, err)
			}
		})
	}
}

// TestFromEnv_booleans: EN-05 and the words of the specification.
func TestFromEnv_booleans(t *testing.T) {
	for text, want := range map[string]bool{
		"1": true, "true": true, "yes": true, "on": true, "True": true, "YES": true, " Yes ": true, "ON": true,
		"0": false, "false": false, "no": false, "off": false, "FALSE": false, "": false, "  ": false,
	} {
		t.Run(text, func(t *testing.T) {
			t.Setenv("NEMO_LENS_ENABLED", text)
			c, err := telemetry.FromEnv("NEMO_LENS")
			if err != nil || c.Enabled != want {
				t.Errorf("Enabled %v, %v; want %v", c.Enabled, err, want)
			}
		})
	}
	for _, text := range []string{"2", "enabled", "tru", "1 1"} {
		t.Run(text, func(t *testing.T) {
			t.Setenv("NEMO_LENS_ENABLED", text)
			c, err := telemetry.FromEnv("NEMO_LENS")
			if err == nil {
				t.Fatal("no error")
			}
			contains(t, err.Error(), "NEMO_LENS_ENABLED", text, "1, true, yes, on", "0, false, no, off")
			if c.Enabled {
				t.Error("enabled beside an error")
			}
		})
	}
}

func TestFromEnv_table(t *testing.T) {
	with := func(change func(*telemetry.Config)) telemetry.Config {
		c := telemetry.Default()
		change(&c)
		return c
	}
	for _, c := range []struct {
		name string
		env  []string
		want telemetry.Config
	}{
		{"every key", []string{
			"P_ENABLED=1", "P_TRACES_ENABLED=off", "P_METRICS_ENABLED=no", "P_LOGS_ENABLED=yes", "P_SPAN_GROUPS= a,b ",
			"P_EXPORTER=console", "P_RUN_ID=r", "P_USER_ID=u", "WANDB_ENTITY= e ", "WANDB_PROJECT=p", "ENABLE_SINGLE_TRACEID=true",
		}, telemetry.Config{
			Enabled: true, ServiceName: "nemo", LogsEnabled: true, SpanGroups: "a,b", Exporter: "console", RunID: "r",
			UserID: "u", WandbEntity: " e ", WandbProject: "p", SingleTraceID: true,
		}},
		{"spool", []string{"P_SPOOL=on", "P_SPOOL_DIR=/var/spool/lens", "P_SPOOL_BYTES=64MiB"}, with(func(c *telemetry.Config) {
			c.Spool, c.SpoolDir, c.SpoolBytes = true, "/var/spool/lens", 64<<20
		})},
		{"spool of the fallback in bytes", []string{"F_SPOOL_BYTES=1000000"},
			with(func(c *telemetry.Config) { c.SpoolBytes = 1_000_000 })},
		{"another prefix is not read", []string{"Q_ENABLED=1"}, telemetry.Default()},
		{"the fallback is read when the primary is unset", []string{"F_SPAN_GROUPS=x"},
			with(func(c *telemetry.Config) { c.SpanGroups = "x" })},
		{"the primary wins", []string{"F_SPAN_GROUPS=x", "P_SPAN_GROUPS=y"},
			with(func(c *telemetry.Config) { c.SpanGroups = "y" })},
		{"a blank primary does not hide the fallback", []string{"F_SPAN_GROUPS=x", "P_SPAN_GROUPS=  "},
			with(func(c *telemetry.Config) { c.SpanGroups = "x" })},
		{"an unknown exporter is no error here", []string{"P_EXPORTER=zipkin"},
			with(func(c *telemetry.Config) { c.Exporter = "zipkin" })},
		{"service name", []string{"OTEL_SERVICE_NAME= trainer "},
			with(func(c *telemetry.Config) { c.ServiceName = "trainer" })},
		{"blank service name", []string{"OTEL_SERVICE_NAME=  "}, telemetry.Default()},
		// EN-03: we follow OpenTelemetry, the Python system says nemo.
		{"service name among the resource attributes", []string{"OTEL_RESOURCE_ATTRIBUTES=service.name=trainer"},
			with(func(c *telemetry.Config) { c.ServiceName = "trainer" })},
		{"OTEL_SERVICE_NAME over the resource attributes",
			[]string{"OTEL_RESOURCE_ATTRIBUTES=service.name=trainer", "OTEL_SERVICE_NAME=judge"},
			with(func(c *telemetry.Config) { c.ServiceName = "judge" })},
	} {
		t.Run(c.name, func(t *testing.T) {
			setenv(t, c.env...)
			got, err := telemetry.FromEnv("P", "F")
			if err != nil || got != c.want {
				t.Errorf("got %+v, %v\nwant %+v", got, err, c.want)
			}
		})
	}
}

// A bad value of the fallback is reported under the primary's name, and says where it stands.
func TestFromEnv_errors(t *testing.T) {
	setenv(t, "F_ENABLED=maybe", "P_LOGS_ENABLED=2", "ENABLE_SINGLE_TRACEID=perhaps", "P_SPOOL_BYTES=-4")
	_, err := telemetry.FromEnv("P", "F")
	if err == nil {
		t.Fatal("no error")
	}
	contains(t, err.Error(), "P_ENABLED (set as F_ENABLED)", "maybe", "P_LOGS_ENABLED", "ENABLE_SINGLE_TRACEID", "perhaps", "P_SPOOL_BYTES", `"-4"`, "256MiB")
}

func TestFromEnv_sizes_that_are_none(t *testing.T) {
	for _, text := range []string{"0", "-1", "1.5GiB", "many", "9223372036854775807KiB", "1 KB", "MiB"} {
		setenv(t, "P_SPOOL_BYTES="+text)
		if c, err := telemetry.FromEnv("P"); err == nil {
			t.Errorf("%q is read as %d", text, c.SpoolBytes)
		}
	}
}

func TestConfig_EnsureRunID(t *testing.T) {
	t.Setenv("SLURM_JOB_ID", "")
	given := telemetry.Config{RunID: "mine"}
	if id := given.EnsureRunID(); id != "mine" {
		t.Errorf("a given id became %q", id)
	}
	minted := telemetry.Config{}
	id := minted.EnsureRunID()
	if len(id) != 12 || strings.Trim(id, "0123456789abcdef") != "" || minted.RunID != id || minted.EnsureRunID() != id {
		t.Errorf("minted %q, kept %q", id, minted.RunID)
	}
	t.Setenv("SLURM_JOB_ID", "4711")
	if id := (&telemetry.Config{}).EnsureRunID(); id != "4711" {
		t.Errorf("in a SLURM job: %q", id)
	}
}

func TestFromEnv_detect_timeout(t *testing.T) {
	for text, want := range map[string]time.Duration{"": 0, "  ": 0, "1": time.Millisecond, " 2500 ": 2500 * time.Millisecond} {
		setenv(t, "MY_DETECT_TIMEOUT=", "NEMO_LENS_DETECT_TIMEOUT="+text)
		if c, err := telemetry.FromEnv("MY", "NEMO_LENS"); err != nil || c.DetectTimeout != want {
			t.Errorf("%q: %v, %v, want %v", text, c.DetectTimeout, err, want)
		}
	}
	for _, text := range []string{"0", "-1", "500ms", "0.5", "x", "9999999999"} {
		setenv(t, "NEMO_LENS_ENABLED=1", "NEMO_LENS_DETECT_TIMEOUT="+text)
		c, err := telemetry.FromEnv("MY", "NEMO_LENS")
		if err == nil || c.Enabled || c.DetectTimeout != 0 {
			t.Errorf("%q: %v, enabled %v, %v", text, err, c.Enabled, c.DetectTimeout)
			continue
		}
		contains(t, err.Error(), "MY_DETECT_TIMEOUT", "NEMO_LENS_DETECT_TIMEOUT", text, "milliseconds above 0")
	}
}

// Variables says where each value of FromEnv comes from, also which it reads and nobody has set.
func TestVariables(t *testing.T) {
	setenv(t, "MYAPP_OTEL_ENABLED= on ", "NEMO_LENS_ENABLED=0", "NEMO_LENS_SPAN_GROUPS=all", "MYAPP_OTEL_SPAN_GROUPS= ")
	got := map[string]telemetry.Variable{}
	for _, v := range telemetry.Variables("MYAPP_OTEL", "NEMO_LENS") {
		if _, twice := got[v.Key]; twice {
			t.Errorf("%s is there twice", v.Key)
		}
		got[v.Key] = v
	}
	for _, want := range []telemetry.Variable{
		{Key: "ENABLED", Name: "MYAPP_OTEL_ENABLED", Value: "on"},
		{Key: "SPAN_GROUPS", Name: "NEMO_LENS_SPAN_GROUPS", Value: "all"},
		{Key: "RUN_ID"}, {Key: "SPOOL_BYTES"}, {Key: "DETECT_TIMEOUT"},
	} {
		if got[want.Key] != want {
			t.Errorf("%+v, want %+v", got[want.Key], want)
		}
	}
}
