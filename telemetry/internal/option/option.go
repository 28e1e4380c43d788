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
	Reinit     bool
	Logger     *slog.Logger // nil: slog.Default() at the time of the message
	Runtime    bool         // metrics of the Go runtime too
	Unreported bool         // the program says itself what became of its spans
	Job        Job          // whose trace all roots are in
	Foreign                 // what names OpenTelemetry types
}

// Job is what a job gets its one trace id from. The zero Job gives none.
type Job struct {
	Seed  string // what all processes of the job know it by
	Drawn bool   // this process has made the seed up, so no other one knows it
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
