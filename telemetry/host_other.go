//go:build !lens_off && !linux

package telemetry

// host adds nothing: only Linux tells about the machine by files.
func (c *collected) host(string) {}
