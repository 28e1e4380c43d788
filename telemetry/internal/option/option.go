// Package option carries the options of telemetry.Setup between package telemetry, whose exported names mention no
// OpenTelemetry type, and package otelopt, whose options do.
//
// In a build with lens_off a [Set] has only what names none, so that package telemetry links no OpenTelemetry.
//
// The package is internal, so nobody outside this module can name [Set], and the interface [Option] is sealed.
package option

import "log/slog"

// Set is what the options of one Setup say together.
type Set struct {
	Reinit  bool
	Logger  *slog.Logger // nil: slog.Default() at the time of the message
	Runtime bool         // metrics of the Go runtime too
	Foreign              // what names OpenTelemetry types
}

// Option changes one thing in a [Set].
type Option interface{ Apply(*Set) }

// Func makes an [Option] of a function.
type Func func(*Set)

// Apply calls f.
func (f Func) Apply(s *Set) { f(s) }

// Collect applies opts in order. Nil options are skipped.
func Collect(opts []Option) Set {
	var s Set
	for _, o := range opts {
		if o != nil {
			o.Apply(&s)
		}
	}
	return s
}
