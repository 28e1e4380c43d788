package sse

import "bytes"

// Event is one event of a stream.
type Event struct {
	// Name is the event's type; "" is the default, message.
	Name string
	// ID is the last id that the stream has set, for a client that wants to resume.
	ID string
	// Data is the data of the event, its lines joined by line feeds. It belongs to the caller.
	Data []byte
}

// AppendEvent appends the event as a server writes it: line feeds, and a data field for each line of its data. Name and
// ID must not hold line breaks; "" leaves the field out.
func AppendEvent(dst []byte, e Event) []byte {
	if e.Name != "" {
		dst = append(dst, "event: "...)
		dst = append(dst, e.Name...)
		dst = append(dst, '\n')
	}
	if e.ID != "" {
		dst = append(dst, "id: "...)
		dst = append(dst, e.ID...)
		dst = append(dst, '\n')
	}
	for data := e.Data; ; {
		n := bytes.IndexAny(data, "\r\n")
		dst = append(dst, "data: "...)
		if n < 0 {
			dst = append(dst, data...)
			return append(dst, "\n\n"...)
		}
		dst = append(dst, data[:n]...)
		dst = append(dst, '\n')
		if bytes.HasPrefix(data[n:], []byte("\r\n")) {
			n++
		}
		data = data[n+1:]
	}
}
