package telemetry

import "github.com/lensgo/lens/internal/version"

// Version returns the version of the Gym module in the program that runs; "(devel)" when it was built from a checkout and says no more.
func Version() string { return version.Of("github.com/lensgo/lens/gym") }
