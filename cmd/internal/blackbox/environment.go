package blackbox

import (
	"os"
	"slices"
	"strings"
)

// Environment is that of this process and more, without what would make a program do something else on one machine than on another:
// settings of telemetry, a trace to go on with, folders.
func Environment(more ...string) []string {
	own := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return slices.ContainsFunc([]string{"OTEL_", "NEMO_", "TRACE", "BAGGAGE=", "XDG_"}, func(prefix string) bool { return strings.HasPrefix(kv, prefix) })
	})
	return append(own, more...)
}
