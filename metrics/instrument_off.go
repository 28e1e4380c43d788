//go:build lens_off

package metrics

import "context"

// instrument is nothing in a build without telemetry.
type instrument struct{}

func newInstrument(spec) *instrument { return nil }

func (*instrument) on(context.Context) bool                { return false }
func (*instrument) float(context.Context, float64, labels) {}
func (*instrument) int(context.Context, int64, labels)     {}
