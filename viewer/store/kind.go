package store

// Kind is one of the three signals. Each has segments of its own.
type Kind uint8

const (
	Traces Kind = iota
	Metrics
	Logs

	kinds = 3
)

// String returns the plural noun that file names begin with.
func (k Kind) String() string {
	return [...]string{"traces", "metrics", "logs"}[k%kinds]
}
