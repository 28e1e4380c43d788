package metrics

import "context"

// Kind is what a metric does with its values. The zero Kind is [Gauge].
type Kind uint8

// The kinds. Values of the observable ones come from a [Callback], those of the others from [Record].
const (
	Gauge                   Kind = iota // keeps the last value
	Histogram                           // keeps how many values fell into which bucket, and their sum
	Counter                             // adds values, none of them below 0
	UpDownCounter                       // adds values of any sign
	ObservableGauge                     // is what the callback says
	ObservableCounter                   // is what the callback says: a total that never falls
	ObservableUpDownCounter             // is what the callback says: a total that may fall
	kinds                               // how many there are
)

var kindNames = [kinds]string{"gauge", "histogram", "counter", "up_down_counter",
	"observable_gauge", "observable_counter", "observable_up_down_counter"}

// String returns the name that the kind has in the Python library.
func (k Kind) String() string {
	if k >= kinds {
		return "unknown"
	}
	return kindNames[k]
}

func (k Kind) observable() bool { return k >= ObservableGauge && k < kinds }

// Metric declares one metric of a [Group].
type Metric struct {
	// Key is what [Values] call the metric. It is its own in the group.
	Key string
	// Name is what it is called outside: a letter, and then at most 254 letters, digits and _ . - /.
	Name string
	Kind Kind
	// Unit as UCUM writes it, for instance "ms", "By" or "{token}/s"; may be empty.
	Unit        string
	Description string
	// Bounds are the upper ends of a histogram's buckets, each above the one before; nil leaves them to the provider.
	Bounds []float64
	// Callback says the values of an observable kind, which needs one; the others have none.
	Callback Callback
}

// Callback observes a metric, once for each collection. Whatever it observed when it returns is exported.
//
// It runs in a goroutine of its own, beside other callbacks but never twice at a time, and does not hold the collection up for
// more than a second: what is late goes out with the next collection, one that never returns is not waited for again, and one
// that panics observes nothing that time. ctx ends with the collection.
type Callback func(ctx context.Context, observe Observe)

// Observe says a value of an observable metric. Several values of one callback differ in their labels. It is safe for
// concurrent use, and does nothing once the callback has returned.
type Observe func(value float64, labels ...Label)

// Group declares the metrics of a library, or of a part of it.
type Group struct {
	// Name is what [Record] calls the group, and the instrumentation scope of its metrics; it must not be blank.
	Name string
	// Version of the library, for the instrumentation scope; may be empty.
	Version string
	Metrics []Metric
	// Override replaces an earlier registration of the name as a whole.
	Override bool
}

// Values are what [Record] is told, by the keys of metrics. What is not known is left out.
type Values map[string]float64

// Register adds a group, usually from an init function. It may come before telemetry is set up or after: a group's observable
// metrics are observed from then on by whichever provider there is.
//
// What is wrong with the declaration is an error that names all of it, and nothing is registered: a name or key that is empty,
// a key that is there twice, no metrics at all, an unknown kind, an observable kind without a Callback or another with one,
// bounds that do not rise, and a group whose name is taken, unless Override is set. In a build with lens_off Register does
// nothing.
func Register(g Group) error { return register(g) }

// MustRegister is Register for init functions. It panics when the declaration is wrong. A name that is taken it logs at error
// level and leaves the group out: two versions of one library in a binary are no reason for it not to start.
func MustRegister(g Group) { mustRegister(g) }

// Unregister removes a group: its values are dropped from here on, and its callbacks not called any more. A group that nobody
// has registered is an error.
func Unregister(name string) error { return unregister(name) }

// Groups returns the registered groups by their names. It is a copy.
func Groups() map[string]Group { return registeredGroups() }

// Record records values of a registered group, all with the same labels.
//
// It never fails, and one value does not cost another: an unknown group or key, a value for a metric that is observed, a value
// that a kind does not take (a gauge takes all, also those that are not finite, for a loss that is NaN is worth seeing; the others
// take finite ones only, and counters none below 0) and an instrument that cannot be made or breaks are each dropped and said
// once in the log, once for each group and key. The same goes for labels that cannot be: more than eight, or one without a key.
// The values are then recorded without.
//
// Labels make series, and series must have an end: of each key the first 100 values of a group pass, those of at most 128
// bytes, and all others are "other".
//
// Without telemetry nothing is recorded, which costs a few nanoseconds for each value. With and without, a call allocates nothing
// after the first with the same labels, as long as values is a literal of at most eight.
func Record(ctx context.Context, group string, values Values, labels ...Label) {
	record(ctx, group, values, labels)
}
