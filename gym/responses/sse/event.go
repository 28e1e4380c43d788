package sse

// Event is one event of a stream.
type Event struct {
	// Name is the event's type; "" is the default, message.
	Name string
	// ID is the last id that the stream has set, for a client that wants to resume.
	ID string
	// Data is the data of the event, its lines joined by line feeds. It may be kept.
	Data []byte
}

// AppendEvent appends the event as a server writes it, with line feeds, and with a data field for each line of its data.
func AppendEvent(dst []byte, e Event) []byte { return dst }
