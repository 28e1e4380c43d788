//go:build lens_off

package option

// Foreign is what options say in OpenTelemetry's types: nothing.
type Foreign struct{}
