// Package sse reads and writes server-sent events, the form in which model endpoints stream.
//
//	s := sse.NewReader(body, sse.Options{})
//	for {
//		e, err := s.Next()
//		if err == io.EOF {
//			break
//		}
//		...
//	}
//
// The reader takes what endpoints and the proxies before them send: lines that end with CR LF, LF or CR, comments that keep
// a connection alive, a byte order mark, characters that are torn between two reads, lines of any length up to a bound,
// and a stream that ends without the empty line after its last event. It keeps bytes: whether the data is UTF-8, and what it
// means, is for the caller.
//
// Memory is bounded by [Options]: one event at a time is held, and a line without an end becomes an error.
package sse
