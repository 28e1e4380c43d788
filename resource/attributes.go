package resource

import (
	"os"

	"go.opentelemetry.io/otel/attribute"

	"github.com/lensgo/lens/internal/envlist"
)

// EnvAttributes is the variable that [FromEnv] reads.
const EnvAttributes = "OTEL_RESOURCE_ATTRIBUTES"

// FromEnv returns what OTEL_RESOURCE_ATTRIBUTES says, by [Parse].
func FromEnv() []attribute.KeyValue { return Parse(os.Getenv(EnvAttributes)) }

// Parse reads the text form "key=value,key=value" of resource attributes. Keys and values are trimmed; the value, and
// only the value, is percent-decoded, and a plus stays a plus. All values are strings. A key that is named twice keeps
// its place and takes its last value.
//
// Parse takes whatever it is given: a part without "=" or without a key is skipped, and a value that does not decode
// stays as it is.
func Parse(text string) []attribute.KeyValue {
	var attrs []attribute.KeyValue
	at := map[string]int{}
	for key, value := range envlist.Pairs(text) {
		kv := attribute.String(key, value)
		if i, seen := at[key]; seen {
			attrs[i] = kv
			continue
		}
		at[key] = len(attrs)
		attrs = append(attrs, kv)
	}
	return attrs
}
