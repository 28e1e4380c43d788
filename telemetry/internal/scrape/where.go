//go:build !lens_off

package scrape

import (
	"errors"
	"log/slog"
	"os"
	"strconv"
	"strings"
)

// Variables, the first two of the OpenTelemetry specification.
const (
	EnvHost    = "OTEL_EXPORTER_PROMETHEUS_HOST"
	EnvPort    = "OTEL_EXPORTER_PROMETHEUS_PORT"
	EnvTargets = "NEMO_LENS_PROMETHEUS_TARGETS"
)

// Their defaults.
const (
	defaultHost = "localhost"
	defaultPort = 9464
)

// Where reads the environment: where to listen, and the folder in which that is told. What cannot be used is warned about, and the
// default taken.
func Where(log *slog.Logger) (host string, port int, targets string) {
	host, port, targets = defaultHost, defaultPort, strings.TrimSpace(os.Getenv(EnvTargets))
	if text := strings.TrimSpace(os.Getenv(EnvHost)); text != "" {
		host = strings.Trim(text, "[]")
	}
	if targets != "" {
		port = 0 // Prometheus is told
	}
	text := strings.TrimSpace(os.Getenv(EnvPort))
	if text == "" {
		return host, port, targets
	}
	n, err := strconv.Atoi(text)
	if err == nil && (n < 0 || n > 65535) {
		err = errors.New("out of range")
	}
	if err != nil {
		log.Warn("telemetry: "+EnvPort+" is no port from 0 to 65535; the default stands", "value", text, "default", port)
		return host, port, targets
	}
	return host, n, targets
}
