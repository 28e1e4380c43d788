package sandbox

// Capture is a writer that keeps the first bytes that are written to it, and takes the rest without keeping it: for the
// output of commands. It is not for concurrent use.
type Capture struct {
	Keep int64 // how many

	kept []byte
	cut  bool
}

// Write never fails.
func (c *Capture) Write(b []byte) (int, error) {
	room := c.Keep - int64(len(c.kept))
	if int64(len(b)) > room {
		c.cut = true
	}
	c.kept = append(c.kept, b[:min(int64(len(b)), room)]...)
	return len(b), nil
}

// String is what was kept.
func (c *Capture) String() string { return string(c.kept) }

// Cut tells whether more was written than is kept.
func (c *Capture) Cut() bool { return c.cut }
