package metrics

// scopeGym is the instrumentation scope of Gym's metrics, the one of its spans.
const scopeGym = "nemo_gym"

// kind is what an instrument does with its samples.
type kind uint8

const (
	kindHistogram kind = iota // of float64
	kindCounter               // of int64
	kindUpDown                // of int64
	kindGauge                 // of int64
	kindLevel                 // a gauge of float64
	kindSum                   // a counter of float64
	kindUpDownSum             // an up-down counter of float64
)

// spec says which instrument.
type spec struct {
	kind              kind
	scope, version    string // of the instrumentation; without a scope it is Gym's
	name, unit, about string
	bounds            []float64 // of a histogram; nil leaves them to the provider
}
