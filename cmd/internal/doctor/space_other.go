//go:build !linux && !darwin

package doctor

// freeBytes is not known here.
func freeBytes(string) (free int64, ok bool) { return 0, false }
