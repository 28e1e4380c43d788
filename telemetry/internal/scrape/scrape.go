//go:build !lens_off

// Package scrape stands between package telemetry and package prometheus, which a program links or does not.
package scrape

import (
	"context"
	"log/slog"

	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/resource"
)

// Source is what an endpoint serves beside what instruments record.
type Source struct {
	Resource  *resource.Resource
	Producers []sdkmetric.Producer
	Log       *slog.Logger
}

// Endpoint lets Prometheus fetch metrics.
type Endpoint interface {
	// Reader collects them, from the provider that it is given to.
	Reader() sdkmetric.Reader
	// Serve opens it. What keeps it from that is warned about, and no reason to stop a program.
	Serve()
	// Addr is where it listens, as host:port; empty when it does not.
	Addr() string
	// Shutdown closes it. It does not shut the reader down.
	Shutdown(ctx context.Context) error
}

// Maker makes an endpoint.
type Maker func(Source) (Endpoint, error)

var linked Maker

// Register is called by the init function of package prometheus.
func Register(m Maker) { linked = m }

// Linked is the maker that is in this program; nil when there is none.
func Linked() Maker { return linked }
