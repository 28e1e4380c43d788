package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Files are the files of a run.
type Files struct {
	Output       string // one line a scored rollout
	Materialized string // one line a rollout, as it was sent
	Failures     string // one line a failure
	Aggregate    string // metrics, one entry an agent
	Run          string // what the results are of, see [Run]
	Profile      string // one line a task, see [Profile]
	AgentMetrics string // its numbers, one entry an agent
}

// packed are the suffixes of files that somebody compressed after the run.
var packed = []string{".gz", ".zst"}

// FilesOf names the files of the run with that output, which need not be there.
func FilesOf(output string) Files {
	stem := output
	for _, suffix := range packed {
		stem = strings.TrimSuffix(stem, suffix)
	}
	if ext := filepath.Ext(stem); filepath.Base(stem) != ext { // ".jsonl" is a name, not a suffix
		stem = strings.TrimSuffix(stem, ext)
	}
	return Files{
		Output:       output,
		Materialized: stem + "_materialized_inputs.jsonl",
		Failures:     stem + "_failures.jsonl",
		Aggregate:    stem + "_aggregate_metrics.json",
		Run:          stem + "_run.json",
		Profile:      stem + "_reward_profiling.jsonl",
		AgentMetrics: stem + "_agent_metrics.json",
	}
}

// Find is the file with that name, or the one that it was compressed to; "" when there is none.
func Find(path string) string {
	for _, suffix := range append([]string{""}, packed...) {
		if info, err := os.Stat(path + suffix); err == nil && !info.IsDir() {
			return path + suffix
		}
	}
	return ""
}

// Locate finds a run by what a user types: its output, or a folder that holds one run.
func Locate(path string) (Files, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if found := Find(path); found != "" {
			return FilesOf(found), nil
		}
		// A run whose rollouts all failed has no results, but inputs.
		if f := FilesOf(path); Find(f.Materialized) != "" {
			return f, nil
		}
	}
	if err != nil {
		return Files{}, fmt.Errorf("cannot find results: %w", err)
	}
	if !info.IsDir() {
		return FilesOf(path), nil
	}
	inputs, err := filepath.Glob(filepath.Join(escape(path), "*_materialized_inputs.jsonl*"))
	if err != nil {
		return Files{}, fmt.Errorf("cannot find results in %s: %w", path, err)
	}
	if len(inputs) == 0 {
		return Files{}, fmt.Errorf("cannot find results in %s: it has no *_materialized_inputs.jsonl, so no run wrote here; name the file with the results", path)
	}
	if len(inputs) > 1 {
		return Files{}, fmt.Errorf("cannot choose results in %s: %d runs wrote there; name the file with the results", path, len(inputs))
	}
	stem, _, _ := strings.Cut(inputs[0], "_materialized_inputs.jsonl")
	if found := Find(stem + ".jsonl"); found != "" {
		return FilesOf(found), nil
	}
	return FilesOf(stem + ".jsonl"), nil
}

// escape keeps the characters of a folder's name from being patterns.
func escape(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
