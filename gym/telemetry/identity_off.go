//go:build lens_off

package telemetry

import "github.com/lensgo/lens/telemetry"

// options are none: nothing is exported that could carry the identity, and OpenTelemetry's types stay out of the program.
func (Identity) options(string) []telemetry.Option { return nil }
