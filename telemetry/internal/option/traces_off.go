//go:build lens_off

package option

// Traces is what options say about the pipeline of spans: there is none.
type Traces struct{}
