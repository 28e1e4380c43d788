package resource

import (
	"os"
	"runtime"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
)

// Host returns host.name, host.arch and os.type. host.name is left out when the kernel does not tell it.
func Host() []attribute.KeyValue {
	attrs := make([]attribute.KeyValue, 0, 3)
	if name, err := os.Hostname(); err == nil && name != "" {
		attrs = append(attrs, semconv.HostName(name))
	}
	return append(attrs,
		semconv.HostArchKey.String(arch(runtime.GOARCH)),
		semconv.OSTypeKey.String(osType(runtime.GOOS)),
	)
}

// arch maps a GOARCH to the well-known value of host.arch; an architecture that the conventions do not know keeps its
// Go name, as they ask.
func arch(goarch string) string {
	switch goarch {
	case "386":
		return semconv.HostArchX86.Value.AsString()
	case "arm":
		return semconv.HostArchARM32.Value.AsString()
	case "ppc64le":
		return semconv.HostArchPPC64.Value.AsString()
	}
	return goarch
}

// osType maps a GOOS to the well-known value of os.type.
func osType(goos string) string {
	if goos == "dragonfly" {
		return semconv.OSTypeDragonflyBSD.Value.AsString()
	}
	return goos
}
