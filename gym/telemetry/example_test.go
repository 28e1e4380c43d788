package telemetry_test

import (
	"fmt"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/telemetry"
)

// The settings of a run on their way to its servers: what the environment says wins, the rest is written into it.
func ExampleSettings_Export() {
	settings := telemetry.ParseSettings(jsontext.Value(
		`{"enabled": true, "span_groups": "default,verify", "otlp_endpoint": "http://collector:4318", "run_id": "run-7"}`))
	env := environ{"NEMO_LENS_SPAN_GROUPS": "all"} // a real run uses telemetry.OS

	decision := settings.Export(env)
	fmt.Println(decision.Enabled, decision.RunID, decision.Endpoint)
	for _, warning := range decision.Warnings {
		fmt.Println(warning)
	}
	for _, key := range slices.Sorted(maps.Keys(env)) {
		fmt.Println(key + "=" + env[key])
	}
	// Output:
	// true run-7 http://collector:4318
	// telemetry.span_groups=default,verify of the configuration is overridden by NEMO_LENS_SPAN_GROUPS=all
	// NEMO_GYM_OTEL_ENABLED=1
	// NEMO_GYM_OTEL_RUN_ID=run-7
	// NEMO_LENS_SPAN_GROUPS=all
	// OTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318
}

// environ is an environment in a map.
type environ map[string]string

func (e environ) LookupEnv(key string) (string, bool) { v, ok := e[key]; return v, ok }
func (e environ) Setenv(key, value string) error      { e[key] = value; return nil }
func (e environ) Unsetenv(key string) error           { delete(e, key); return nil }
