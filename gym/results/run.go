package results

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/lensgo/lens/gym/internal/durable"
	"github.com/lensgo/lens/gym/responses"
)

// RunVersion is the version of the file that says what a run is of.
const RunVersion = 1

// Run says what results are of. It stands beside them, in [Files].Run; more members than these belong to the collector.
type Run struct {
	Version     int      `json:"version"`
	ID          string   `json:"run_id"`         // one for all shards
	Shard       string   `json:"shard,omitzero"` // i/n; empty of a whole run
	Data        RunData  `json:"data"`
	OptionsHash string   `json:"options_sha256"`  // of options and configuration
	ConfigHash  string   `json:"config_sha256"`   // of the configuration, without secrets
	Forced      []string `json:"forced,omitzero"` // what a resume went on with in spite of it, in words
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

// ReadRun reads what results are of; nil when nothing says it.
func ReadRun(path string) (*Run, error) {
	b, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var r Run
	if err == nil {
		err = json.Unmarshal(b, &r)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read %s, which says what results are of: %w", path, err)
	}
	return &r, nil
}

// shardRuns are the runs of shards that are merged.
type shardRuns struct {
	first *Run // nil when a shard does not say what it is of
	path  string
	notes []string
}

// runs reads what the shards are of, and notes when they are not all there, or not of one run.
func (s *Shards) runs() (*shardRuns, error) {
	out := &shardRuns{}
	there := map[string]bool{}
	for i, path := range s.paths {
		at := FilesOf(path).Run
		r, err := ReadRun(at)
		if err != nil {
			return nil, err
		}
		if r == nil || i > 0 && out.first == nil {
			return &shardRuns{}, nil // files of another collector, or cut by hand
		}
		if i == 0 {
			out.first, out.path = r, at
		}
		there[r.Shard] = true
		if r.ID != out.first.ID || r.OptionsHash != out.first.OptionsHash || r.Data.Hash != out.first.Data.Hash {
			out.notes = append(out.notes, fmt.Sprintf("%s is of another run (%s) than %s (%s), or of other data or options", path, r.ID, s.paths[0], out.first.ID))
			out.path = ""
		}
	}
	if out.first == nil {
		return out, nil
	}
	_, count, _ := strings.Cut(out.first.Shard, "/")
	n, _ := strconv.Atoi(cmp.Or(count, "0"))
	for i := range n {
		if shard := fmt.Sprintf("%d/%d", i, n); !there[shard] {
			out.notes = append(out.notes, fmt.Sprintf("shard %s is not among the files: its rollouts are not counted", shard))
		}
	}
	return out, nil
}

// write says what the merged results are of: what the shards are of.
func (r *shardRuns) write(path string) (bool, error) {
	if r.path == "" || sameFile(r.path, path) {
		return false, nil
	}
	b, err := os.ReadFile(r.path)
	if err != nil {
		return false, fmt.Errorf("cannot say what the merged results are of: %w", err)
	}
	o, err := responses.ParseObject(b)
	if err != nil {
		return false, fmt.Errorf("cannot say what the merged results are of: %w", err)
	}
	o.Delete("shard")
	err = durable.Replace(path, func(w *bufio.Writer) error {
		_, err := w.Write(o.AppendLine(nil))
		return err
	})
	return err == nil, err
}
