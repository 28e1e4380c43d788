package blackbox

import (
	"os"
	"slices"
	"strings"
)

// Environment is that of this process and more, without what would make a program do something else on one machine than on another:
// settings of telemetry, a trace to go on with, folders. Nothing is left in a spool, from where a later program would send it on.
func Environment(more ...string) []string {
	own := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return slices.ContainsFunc([]string{"OTEL_", "NEMO_", "TRACE", "BAGGAGE=", "XDG_"}, func(prefix string) bool { return strings.HasPrefix(kv, prefix) })
	})
	// On a busy machine detectors may need longer than programs wait for them, and programs say so.
	return append(append(own, "NEMO_LENS_SPOOL=0", "NEMO_LENS_DETECT_TIMEOUT=60000"), more...)
}
