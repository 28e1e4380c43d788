package results

import (
	"fmt"
)

// RunVersion is the version of the file that says what a run is of.
const RunVersion = 1

// Run says what results are of. It stands beside them, in Files.Run; more members than these belong to the collector.
type Run struct {
	Version     int      `json:"version"`
	ID          string   `json:"run_id"` // one for all shards
	Shard       string   `json:"shard,omitzero"`
	Data        RunData  `json:"data"`
	OptionsHash string   `json:"options_sha256"` // of options and configuration
	ConfigHash  string   `json:"config_sha256"`  // of the configuration, without secrets
	Forced      []string `json:"forced,omitzero"`
}

// RunData says which rows a run is about; of a shard, all rows, not only its own.
type RunData struct {
	Path string `json:"path"`
	Rows int    `json:"rows"`
	Hash string `json:"sha256"` // of the rows' texts
}

// String is rows, file and the beginning of the hash.
func (d RunData) String() string {
	const letters = 12
	return fmt.Sprintf("%d rows of %s (sha256 %.*s)", d.Rows, d.Path, letters, d.Hash)
}
