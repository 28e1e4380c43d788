package telemetry

import "testing"

func TestGather(t *testing.T) {
	for want, env := range map[string]Environ{
		"229376": envOf(),
		"100":    envOf("OTEL_BSP_MAX_QUEUE_SIZE=100"),
	} {
		Gather(env, 7)
		if got, _ := env.LookupEnv("OTEL_BSP_MAX_QUEUE_SIZE"); got != want {
			t.Errorf("the queue is %q, want %q", got, want)
		}
	}
	many := envOf()
	Gather(many, 1000)
	wantEnv(t, many, "OTEL_BSP_MAX_QUEUE_SIZE=524288")
}
