package resource

import (
	"os"
	"path/filepath"
	"runtime"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
)

// Process returns process.pid, process.executable.name, process.runtime.name and process.runtime.version.
//
// The command line and the executable's path are not among them: both often hold what should not leave the machine.
func Process() []attribute.KeyValue {
	attrs := append(make([]attribute.KeyValue, 0, 4), semconv.ProcessPID(os.Getpid()))
	if path, err := os.Executable(); err == nil {
		attrs = append(attrs, semconv.ProcessExecutableName(filepath.Base(path)))
	}
	return append(attrs,
		semconv.ProcessRuntimeName("go"),
		semconv.ProcessRuntimeVersion(runtime.Version()),
	)
}
