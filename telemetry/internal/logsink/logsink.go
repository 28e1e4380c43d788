//go:build !lens_off

// Package logsink is where the handlers of package lensslog find the logs of the process's set-up, which package telemetry
// puts there. It holds nothing while none exports logs.
package logsink

import (
	"context"
	"sync/atomic"

	"go.opentelemetry.io/otel/log"
)

// current is the provider of the set-up.
var current atomic.Pointer[log.LoggerProvider]

// Set makes p the one that logs go to; nil is none.
func Set(p log.LoggerProvider) {
	if p == nil {
		current.Store(nil)
		return
	}
	current.Store(&p)
}

// Get returns it, nil when there is none.
func Get() log.LoggerProvider {
	if p := current.Load(); p != nil {
		return *p
	}
	return nil
}

// ownKey is the key of a context whose records are telemetry's own.
type ownKey struct{}

// Own marks the records of a context as telemetry's own: they are not exported, or an exporter that fails would feed itself.
func Own(ctx context.Context) context.Context { return context.WithValue(ctx, ownKey{}, true) }

// IsOwn reports whether a context is marked.
func IsOwn(ctx context.Context) bool { return ctx.Value(ownKey{}) != nil }
