//go:build !lens_off

package telemetry

import (
	"go.opentelemetry.io/otel/attribute"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/otelopt"
)

// options puts the identity on the resource.
func (id Identity) options(base string) []telemetry.Option {
	return []telemetry.Option{otelopt.WithResourceAttributes(id.attributes(base)...)}
}

// attributes returns what the resource says about the process beside its service name.
func (id Identity) attributes(base string) []attribute.KeyValue {
	attrs := []attribute.KeyValue{
		attribute.String(semconv.GymServiceGroup, base),
		attribute.String(semconv.GymVersion, Version()),
	}
	if id.Server != "" {
		attrs = append(attrs, attribute.String(semconv.GymServerName, id.Server))
	}
	if id.Type != "" {
		attrs = append(attrs, attribute.String(semconv.GymServerType, id.Type))
	}
	return attrs
}
