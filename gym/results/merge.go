package results

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/lensgo/lens/gym/internal/durable"
	"github.com/lensgo/lens/gym/responses"
)

// MergeOptions say which shards make up a run.
type MergeOptions struct {
	// Patterns name the files of results, as [Expand] reads them.
	Patterns []string
	// Output names the files that are written: what is merged, and the metrics beside it.
	Output string
	// MetricsOnly writes the metrics and merges nothing.
	MetricsOnly bool
}

// Merged is what [Merge] found and wrote.
type Merged struct {
	Shards    []string // the files of results that were read
	Rollouts  int      // results
	Failed    int      // rollouts with failures and without a result
	Expected  int      // rollouts that were to be run, by the materialized inputs; 0 when there are none
	Agents    []string
	Written   []string // files
	Aggregate string   // of them the metrics; "" when there were no results
	Notes     []string
}

// Shards are the opened results of a run. Make them with [OpenShards], so that all that is wrong with the files is known before a
// server is started, and close them.
type Shards struct {
	o     MergeOptions
	out   Files
	paths []string
	set   *Set
}

// sidecars are the ends of names of files that stand beside results and match their patterns.
var sidecars = []string{"_failures", "_materialized_inputs", "_reward_profiling", "_traces"}

// Expand lists the files that patterns match: each pattern may be several, with commas between; each file comes once, those of a
// pattern sorted; files that a run keeps beside its results are left out. A pattern without a match is an error.
func Expand(patterns ...string) ([]string, error) {
	var out []string
	var infos []os.FileInfo
	for pattern := range strings.SplitSeq(strings.Join(patterns, ","), ",") {
		if pattern = strings.TrimSpace(pattern); pattern == "" {
			continue
		}
		matches, err := filepath.Glob(pattern)
		if err != nil {
			return nil, fmt.Errorf("cannot read the pattern %q: %w", pattern, err)
		}
		if matches = slices.DeleteFunc(matches, isSidecar); len(matches) == 0 {
			return nil, fmt.Errorf("cannot find results: no file matches %q", pattern)
		}
		slices.Sort(matches)
		for _, path := range matches {
			info, err := os.Stat(path)
			if err != nil {
				return nil, fmt.Errorf("cannot read results: %w", err)
			}
			if info.IsDir() || slices.ContainsFunc(infos, func(i os.FileInfo) bool { return os.SameFile(i, info) }) {
				continue
			}
			out, infos = append(out, path), append(infos, info)
		}
	}
	if len(out) == 0 {
		return nil, errors.New("cannot find results: no file was named")
	}
	return out, nil
}

// CheckOutput refuses a name that ends as those of files do that stand beside results: results there would take the place of another
// run's inputs or failures, and no pattern would find them. It refuses that of a compressed file, which a line cannot be added to.
func CheckOutput(path string) error {
	if ext := filepath.Ext(path); slices.Contains(packed, ext) {
		return fmt.Errorf("cannot write results to %s: they are not compressed while they are written; name it %s", path, strings.TrimSuffix(path, ext))
	}
	if !isSidecar(path) {
		return nil
	}
	return fmt.Errorf("cannot write results to %s: names that end in %s are for what stands beside results; choose another", path, strings.Join(sidecars, ", "))
}

func isSidecar(path string) bool {
	stem, _ := strings.CutSuffix(FilesOf(path).Failures, "_failures.jsonl")
	return slices.ContainsFunc(sidecars, func(end string) bool { return strings.HasSuffix(stem, end) })
}

// OpenShards finds and indexes the files.
func OpenShards(o MergeOptions) (*Shards, error) {
	if o.Output == "" {
		return nil, errors.New("cannot aggregate: no output file was given")
	}
	if err := CheckOutput(o.Output); err != nil && !o.MetricsOnly {
		return nil, err
	}
	paths, err := Expand(o.Patterns...)
	if err != nil {
		return nil, err
	}
	s := &Shards{o: o, out: FilesOf(o.Output), paths: paths}
	switch at := slices.IndexFunc(paths, func(path string) bool { return sameFile(path, o.Output) }); {
	case len(paths) == 1 && at == 0:
		s.o.MetricsOnly = true // there is nothing to merge
	case at >= 0 && !o.MetricsOnly:
		s.paths = slices.Delete(paths, at, at+1) // merged by an earlier call; checked below
	}
	if s.set, err = Open(s.paths...); err != nil {
		return nil, err
	}
	for i, e := range s.set.entries {
		if s.set.agents[e.agent] == "" {
			return nil, errors.Join(fmt.Errorf("cannot aggregate %s: it has no %s, which says whose result it is", s.set.place(s.set.entries[i]), keyAgent), s.Close())
		}
	}
	if err := s.replaceable(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// replaceable refuses an output that holds results which no shard has: it would be lost.
func (s *Shards) replaceable() error {
	if s.o.MetricsOnly || Find(s.o.Output) != s.o.Output {
		return nil
	}
	before, err := Open(s.o.Output)
	if err != nil {
		return fmt.Errorf("cannot merge into %s: something else stands there: %w", s.o.Output, err)
	}
	for k := range before.Keys() {
		if !s.set.Has(k) {
			err = fmt.Errorf("cannot merge into %s: it has a result of task %d, rollout %d, which no shard has; name another output", s.o.Output, k.Task, k.Rollout)
			break
		}
	}
	return errors.Join(err, before.Close())
}

func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// Agents are the agents that results name, sorted.
func (s *Shards) Agents() []string { return slices.Sorted(slices.Values(s.set.agents)) }

// Close closes the files.
func (s *Shards) Close() error { return s.set.Close() }

// Merge writes the metrics over the union of the shards and, unless it is to leave that, the union itself: results, materialized inputs
// and failures, each sorted by task and rollout, so that whatever reads a run reads this one. Written files replace what was there.
// Ask computes the metrics of each agent; nil: [Statistics].
func (s *Shards) Merge(ctx context.Context, ask Ask) (*Merged, error) {
	m := &Merged{Shards: s.paths, Rollouts: s.set.Len(), Agents: s.Agents(), Notes: s.set.Notes()}
	if err := s.merge(m); err != nil {
		return m, err
	}
	var a Aggregator
	err := s.set.Each(func(_ Key, agent string, row responses.Object) error {
		a.Add(agent, row)
		return nil
	})
	if err != nil {
		return m, err
	}
	if ask == nil {
		ask = Statistics
	}
	wrote, err := a.Write(ctx, ask, s.out.Aggregate)
	if wrote {
		m.Aggregate = s.out.Aggregate
		m.Written = append(m.Written, s.out.Aggregate)
	}
	return m, err
}

// merge writes the union of the results and of what stands beside them, and counts.
func (s *Shards) merge(m *Merged) (err error) {
	inputs, err := OpenInputs(s.beside(func(f Files) string { return f.Materialized })...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, inputs.Close()) }()
	failures, err := OpenFailures(s.beside(func(f Files) string { return f.Failures })...)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, failures.Close()) }()
	runs, err := s.runs()
	if err != nil {
		return err
	}
	m.Notes = append(m.Notes, runs.notes...)
	m.Expected = inputs.Len()
	m.Failed = failed(failures, s.set)
	m.Notes = append(append(m.Notes, inputs.Notes()...), failures.Notes()...)
	if s.o.MetricsOnly {
		return nil
	}
	for _, part := range []struct {
		path string
		set  *Set
	}{{s.out.Output, s.set}, {s.out.Materialized, inputs}, {s.out.Failures, failures}} {
		if part.set.Len() == 0 && part.set != s.set {
			continue
		}
		if err := writeSet(part.path, part.set); err != nil {
			return err
		}
		m.Written = append(m.Written, part.path)
	}
	wrote, err := runs.write(s.out.Run)
	if wrote {
		m.Written = append(m.Written, s.out.Run)
	}
	return err
}

// beside finds a file of each shard, where there is one.
func (s *Shards) beside(which func(Files) string) (out []string) {
	for _, path := range s.paths {
		if found := Find(which(FilesOf(path))); found != "" {
			out = append(out, found)
		}
	}
	return out
}

// failed counts the rollouts that have failures and no result.
func failed(failures, results *Set) (n int) {
	last := Key{-1, -1}
	for k := range failures.Keys() {
		if k != last && !results.Has(k) {
			n++
		}
		last = k
	}
	return n
}

func writeSet(path string, s *Set) error {
	err := durable.Replace(path, func(w *bufio.Writer) error {
		_, err := s.WriteTo(w)
		return err
	})
	if err != nil {
		return fmt.Errorf("cannot merge into %s: %w", path, err)
	}
	return nil
}

var _ io.WriterTo = (*Set)(nil)
