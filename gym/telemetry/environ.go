package telemetry

import (
	"os"
	"strings"
)

// Environ is an environment that settings are read from and written to: [OS], or a test's own.
type Environ interface {
	LookupEnv(key string) (value string, ok bool)
	Setenv(key, value string) error
	Unsetenv(key string) error
}

// OS is the environment of this process, which its children inherit.
var OS Environ = osEnviron{}

type osEnviron struct{}

func (osEnviron) LookupEnv(key string) (string, bool) { return os.LookupEnv(key) }
func (osEnviron) Setenv(key, value string) error      { return os.Setenv(key, value) }
func (osEnviron) Unsetenv(key string) error           { return os.Unsetenv(key) }

// value returns a variable without the blanks around it. A blank one is as good as unset.
func value(env Environ, key string) string {
	v, _ := env.LookupEnv(key)
	return strings.TrimSpace(v)
}

// firstSet returns the first of the variables that is not blank, and its value.
func firstSet(env Environ, keys ...string) (key, v string) {
	for _, key := range keys {
		if v := value(env, key); v != "" {
			return key, v
		}
	}
	return "", ""
}
