//go:build lens_off

package page

// compiledOut says that the tests are built without telemetry.
const compiledOut = true
