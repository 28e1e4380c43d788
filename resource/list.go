package resource

import (
	"os"

	"go.opentelemetry.io/otel/attribute"
)

// list collects attributes out of variables. What is empty is left out.
type list []attribute.KeyValue

func (l *list) text(key, value string) {
	if value != "" {
		*l = append(*l, attribute.String(key, value))
	}
}

func (l *list) integer(key, value string) {
	if n, ok := integer(value); ok {
		*l = append(*l, attribute.Int64(key, n))
	}
}

// first returns the first of the variables that is not empty.
func first(variables ...string) string {
	for _, name := range variables {
		if value := os.Getenv(name); value != "" {
			return value
		}
	}
	return ""
}
