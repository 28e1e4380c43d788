package query

// Record is what a query is matched against: a run, a rollout, a trace.
//
// The methods that take a function call it with each value they have until it returns true, and tell whether it did; a
// field that the record does not have has no values. The function must not be kept.
type Record interface {
	// Number returns the value of a number field: counts and ratios as they are, durations in nanoseconds, [Since] as the start in
	// nanoseconds since 1970. It returns false when there is none.
	Number(f Field) (float64, bool)

	// Text gives the values of a text field.
	Text(f Field, match func(string) bool) bool

	// Attribute gives the values of an attribute, as text.
	Attribute(key string, match func(string) bool) bool

	// Search gives everything that a search looks through.
	Search(match func(string) bool) bool
}
