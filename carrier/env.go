package carrier

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"

	"github.com/lensgo/lens"
)

// SetEnv gives a command that has not been started the trace context and the baggage of ctx, in the variables TRACEPARENT,
// TRACESTATE and BAGGAGE. The child sees of these what ctx holds and nothing else, whatever this process was started with;
// the rest of its environment stays as it is. A command whose Env is nil inherits this process's environment, as always.
//
// Call it when Dir is set: package os/exec tells a child its directory in PWD, and does so only for what it inherits.
func SetEnv(ctx context.Context, cmd *exec.Cmd) {
	if cmd == nil {
		return
	}
	env, set := cmd.Environ(), variables(ctx)
	if len(set) == 0 && !slices.ContainsFunc(env, replaced(nil)) {
		return // nothing to say and nothing to take away: Env may stay nil
	}
	cmd.Env = merge(env, set)
}

// Env is SetEnv for what is not started with an exec.Cmd: it returns a copy of env, a list of "name=value", in which the
// variables of a trace are those of ctx. As there, nil stands for this process's environment. An empty list gives the
// variables alone, for a pod, a container or a job's script.
func Env(ctx context.Context, env []string) []string {
	if env == nil {
		env = os.Environ()
	}
	return merge(env, variables(ctx))
}

// FromEnv returns ctx with the trace context and the baggage that this process was started with. Call it once, at the start,
// and let everything else descend from that context. Where the variables are missing or wrong it returns ctx as given.
func FromEnv(ctx context.Context) context.Context { return lens.Extract(ctx, environment{}) }

// environment is this process's environment as a carrier to read from.
type environment struct{}

func (environment) Get(key string) string { return os.Getenv(variable(key)) }

func (environment) Keys() (keys []string) {
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		keys = append(keys, strings.ToLower(name))
	}
	return keys
}

// Set does nothing: a process's own environment says where it comes from, and stays.
func (environment) Set(string, string) {}

// variables are what a child is to be told, by name.
func variables(ctx context.Context) map[string]string {
	headers := lens.Map{}
	lens.Inject(ctx, headers)
	set := make(map[string]string, len(headers))
	for key, value := range headers {
		if !strings.Contains(value, "\x00") { // no process starts with it
			set[variable(key)] = value
		}
	}
	return set
}

// merge returns a copy of env with the variables set in place of all that are about a trace.
func merge(env []string, set map[string]string) []string {
	out := slices.DeleteFunc(slices.Clone(env), replaced(set))
	for _, name := range slices.Sorted(maps.Keys(set)) {
		out = append(out, name+"="+set[name])
	}
	return out
}

// replaced says of an entry of an environment whether it has to go for the variables set. The three of W3C always have to: a
// TRACESTATE or BAGGAGE that stays behind would belong to another trace.
func replaced(set map[string]string) func(entry string) bool {
	return func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		if runtime.GOOS == "windows" {
			name = strings.ToUpper(name) // one variable in any case
		}
		_, ours := set[name]
		return ours || name == "TRACEPARENT" || name == "TRACESTATE" || name == "BAGGAGE"
	}
}

// variable is the name of the variable for a key, as OpenTelemetry has it.
// https://opentelemetry.io/docs/specs/otel/context/env-carriers
func variable(key string) string {
	switch key {
	case "traceparent":
		return "TRACEPARENT"
	case "tracestate":
		return "TRACESTATE"
	case "baggage":
		return "BAGGAGE"
	}
	name := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return r
		}
		return '_'
	}, key)
	if name == "" || '0' <= name[0] && name[0] <= '9' {
		return "_" + name
	}
	return name
}
