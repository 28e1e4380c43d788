//go:build lens_off

package lens

import "time"

// record is what a Span points to in a build with telemetry. Here no Span points to one.
type record struct{}

func (*record) recording() bool                { return false }
func (*record) ref() Ref                       { return Ref{} }
func (*record) str(string, string)             {}
func (*record) int64(string, int64)            {}
func (*record) float(string, float64)          {}
func (*record) bool(string, bool)              {}
func (*record) strs(string, []string)          {}
func (*record) time(string, time.Time)         {}
func (*record) duration(string, time.Duration) {}
func (*record) set([]Attr)                     {}
func (*record) event(string, []Attr)           {}
func (*record) link(Ref, []Attr)               {}
func (*record) rename(string)                  {}
func (*record) ok()                            {}
func (*record) fail(string)                    {}
func (*record) err(error)                      {}
func (*record) panicked(any)                   {}
func (*record) end(time.Time)                  {}
