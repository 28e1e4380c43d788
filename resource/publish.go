package resource

import (
	"errors"
	"os"
	"slices"
	"strings"
	"sync"

	"go.opentelemetry.io/otel/attribute"
)

// Set makes OTEL_RESOURCE_ATTRIBUTES of this process say attrs and nothing else, in the form of [Format], for the children that
// it will start. What cannot be carried is left out and named by the error.
func Set(attrs ...attribute.KeyValue) error {
	text, err := Format(attrs...)
	return errors.Join(err, os.Setenv(EnvAttributes, text))
}

// Publish is [Set] for a while: restore puts back what was there before to the byte, also that there was nothing. Calls may
// nest, the inner restored first. restore is never nil, and does something the first time only.
//
// The environment is the process's: two goroutines that publish different attributes at a time see each other's. Give a child
// an environment of its own with [Environ] then.
func Publish(attrs ...attribute.KeyValue) (restore func(), err error) {
	before, there := os.LookupEnv(EnvAttributes)
	err = Set(attrs...)
	return sync.OnceFunc(func() {
		if there {
			os.Setenv(EnvAttributes, before)
		} else {
			os.Unsetenv(EnvAttributes)
		}
	}), err
}

// Environ returns env, which is in the form of [os.Environ], with OTEL_RESOURCE_ATTRIBUTES saying attrs and nothing else. It
// leaves env as it is, and the environment of this process too:
//
//	child.Env, err = resource.Environ(child.Environ(), attrs...)
//
// What cannot be carried is left out and named by the error, beside which the environment is good all the same.
func Environ(env []string, attrs ...attribute.KeyValue) ([]string, error) {
	text, err := Format(attrs...)
	others := slices.DeleteFunc(slices.Clone(env), func(kv string) bool { return strings.HasPrefix(kv, EnvAttributes+"=") })
	return append(others, EnvAttributes+"="+text), err
}
