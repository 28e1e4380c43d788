package series

// Kind is what a data point was sent as.
type Kind uint8

const (
	Gauge Kind = iota
	Sum
	Histogram
	ExponentialHistogram
	Summary

	kinds = 5
)

// String returns the name that OTLP has for it.
func (k Kind) String() string {
	return [...]string{"gauge", "sum", "histogram", "exponential_histogram", "summary"}[k%kinds]
}

// Shape is what a chart of a metric shows.
type Shape uint8

const (
	Level        Shape = iota // a value
	Rate                      // an increase a second
	Distribution              // p50, p95, p99 of an interval
	Quantiles                 // as the program computed them

	shapes = 4
)

// String returns the word of the API.
func (s Shape) String() string {
	return [...]string{"value", "rate", "distribution", "quantiles"}[s%shapes]
}

// shape is how series of this kind are drawn.
func (d *head) shape() Shape {
	switch {
	case d.kind == Summary:
		return Quantiles
	case d.kind == Histogram || d.kind == ExponentialHistogram:
		return Distribution
	case d.kind == Sum && (d.monotonic || !d.cumulative):
		return Rate
	}
	return Level
}
