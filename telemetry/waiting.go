package telemetry

// Waiting is what a spool holds for one destination.
type Waiting struct {
	Signal string
	URL    string
	Dir    string
	Items  uint64
	Bytes  int64 // of its files
	Living int   // processes that keep something there now
	Unread int   // files that cannot be read
}

// LookIntoSpool says what waits in a spool, and changes nothing there. Its error is why the folder could not be one, which may come beside
// what it holds.
func LookIntoSpool(dir string) ([]Waiting, error) { return lookIntoSpool(dir) }
