//go:build !lens_off

package metrics

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"strings"
	"sync"
)

// fault is something to say once: what went wrong with which key of which group.
type fault struct{ what, group, key string }

// The faults there are.
const (
	unregistered   = "metrics: nobody has registered this group, so that nothing is recorded; register it before the first value"
	uncreated      = "metrics: cannot create the instrument, so that nothing is recorded with it"
	unknownKey     = "metrics: the group has no metric with this key, so that the value is dropped"
	observableKey  = "metrics: the metric is observed by its callback, so that the value is dropped"
	badValue       = "metrics: the value is dropped: only a gauge takes what is not finite, and a counter nothing below 0"
	badLabels      = "metrics: recorded without its labels: they are more than eight, or one has no key, or the group has had more than 32 keys"
	failedRecord   = "metrics: cannot record the value"
	lateCallback   = "metrics: the callback is late: nobody waits for it, and what it says goes out with the next collection"
	brokenCallback = "metrics: the callback panicked, so that what it observed is dropped"
)

// mostFaults bounds the memory of what was said. Keys are often made by programs; who has read a thousand warnings needs no more.
const mostFaults = 1000

var said struct {
	mu     sync.Mutex
	faults map[fault]bool
}

// warn says a fault, unless it has been said. It must not be called with a lock held.
func warn(f fault, cause any) {
	if !first(f) {
		return
	}
	attrs := []slog.Attr{slog.String("group", f.group)}
	if f.key != "" {
		attrs = append(attrs, slog.String("key", f.key))
	}
	if cause != nil {
		attrs = append(attrs, slog.String("error", fmt.Sprint(cause)))
	}
	log(slog.LevelWarn, f.what, attrs...)
}

func first(f fault) bool {
	said.mu.Lock()
	defer said.mu.Unlock()
	if said.faults[f] || len(said.faults) >= mostFaults {
		return false
	}
	if said.faults == nil {
		said.faults = map[fault]bool{}
	}
	said.faults[fault{f.what, strings.Clone(f.group), strings.Clone(f.key)}] = true
	return true
}

// forget makes the faults of a group news again.
func forget(group string) {
	said.mu.Lock()
	defer said.mu.Unlock()
	maps.DeleteFunc(said.faults, func(f fault, _ bool) bool { return f.group == group })
}

// log hands a message to whoever wants it. A logger that breaks is none of the caller's business.
func log(level slog.Level, text string, attrs ...slog.Attr) {
	defer func() { _ = recover() }()
	l := logger.Load()
	if l == nil {
		l = slog.Default()
	}
	l.LogAttrs(context.Background(), level, text, attrs...)
}
