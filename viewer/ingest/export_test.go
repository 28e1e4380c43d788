package ingest

// Running is how many requests are being worked on.
func (r *Receiver) Running() int { return len(r.slots) }
