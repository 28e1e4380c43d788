package resource

import "go.opentelemetry.io/otel/attribute"

// Detect returns what is known about this host and this process: [Host], then [Process]. No key appears twice.
func Detect() []attribute.KeyValue {
	return append(Host(), Process()...)
}
