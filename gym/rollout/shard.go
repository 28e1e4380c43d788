package rollout

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
)

// Shard is the part of the tasks that one process of several runs. The zero value is everything.
//
// A task, with all of its rollouts, belongs to exactly one shard, and has the indexes in it that it has without shards; so the results of
// all shards together are those of one run.
type Shard struct {
	Index int // from 0
	Count int // 0 and 1: everything
}

// Variables that say which shard a process is.
const (
	envSlurmTask  = "SLURM_ARRAY_TASK_ID"
	envSlurmCount = "SLURM_ARRAY_TASK_COUNT"
	envSlurmMin   = "SLURM_ARRAY_TASK_MIN"
	envSlurmStep  = "SLURM_ARRAY_TASK_STEP"
	envSlurmJob   = "SLURM_ARRAY_JOB_ID"
	envKubeIndex  = "JOB_COMPLETION_INDEX"
	envShardCount = "NEMO_GYM_SHARD_COUNT" // Kubernetes does not tell a pod how many there are
)

// ParseShard reads i/n, for instance 0/4 to 3/4.
func ParseShard(text string) (Shard, error) {
	index, count, ok := strings.Cut(text, "/")
	i, errIndex := strconv.Atoi(strings.TrimSpace(index))
	n, errCount := strconv.Atoi(strings.TrimSpace(count))
	if !ok || errIndex != nil || errCount != nil || n < 1 {
		return Shard{}, fmt.Errorf("cannot read the shard %q: it must be i/n, for instance 0/4 for the first of four", text)
	}
	s := Shard{Index: i, Count: n}
	return s, s.check()
}

// ShardFromEnv reads the shard from what SLURM sets for the tasks of an array, or Kubernetes for the pods of an indexed job. From is the
// variable that says it; "" when there is none.
func ShardFromEnv(getenv func(string) string) (s Shard, from string, err error) {
	switch {
	case getenv(envSlurmTask) != "":
		s, err = slurmShard(getenv)
		return s, envSlurmTask, err
	case getenv(envKubeIndex) != "":
		s, err = kubeShard(getenv)
		return s, envKubeIndex, err
	}
	return Shard{}, "", nil
}

// RunIDFromEnv is a name that all shards of an array have in common and no other run has; "" when there is none.
func RunIDFromEnv(getenv func(string) string) string { return getenv(envSlurmJob) }

func slurmShard(getenv func(string) string) (Shard, error) {
	var id, count, least int
	step := 1
	for _, v := range []struct {
		name string
		to   *int
		need bool
	}{{envSlurmTask, &id, true}, {envSlurmCount, &count, true}, {envSlurmMin, &least, true}, {envSlurmStep, &step, false}} {
		if err := number(getenv, v.name, v.to, v.need); err != nil {
			return Shard{}, err
		}
	}
	if step < 1 {
		return Shard{}, fmt.Errorf("cannot tell the shard: %s is %d; it must be 1 or more", envSlurmStep, step)
	}
	s := Shard{Index: (id - least) / step, Count: count}
	if (id-least)%step != 0 || s.Index < 0 || s.Index >= s.Count {
		return Shard{}, fmt.Errorf("cannot tell the shard: %s is %d, of %d tasks from %d in steps of %d; number the array without gaps, or give --shard i/n",
			envSlurmTask, id, count, least, step)
	}
	return s, nil
}

func kubeShard(getenv func(string) string) (s Shard, err error) {
	if err := number(getenv, envKubeIndex, &s.Index, true); err != nil {
		return Shard{}, err
	}
	if getenv(envShardCount) == "" {
		return Shard{}, fmt.Errorf("cannot tell the shard: %s is %d, and nothing says of how many: set %s to the completions of the job, "+
			"or give --shard i/n (0/1 runs everything)", envKubeIndex, s.Index, envShardCount)
	}
	if err := number(getenv, envShardCount, &s.Count, true); err != nil {
		return Shard{}, err
	}
	return s, s.check()
}

func number(getenv func(string) string, name string, to *int, need bool) error {
	text := strings.TrimSpace(getenv(name))
	if text == "" && !need {
		return nil
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return fmt.Errorf("cannot tell the shard: %s is %q; it must be a whole number, or give --shard i/n", name, text)
	}
	*to = n
	return nil
}

func (s Shard) check() error {
	if s == (Shard{}) || s.Count >= 1 && s.Index >= 0 && s.Index < s.Count {
		return nil
	}
	return fmt.Errorf("the shard is %d/%d; the number before the stroke must be from 0 to one less than that behind it", s.Index, s.Count)
}

// whole tells whether the shard is everything.
func (s Shard) whole() bool { return s.Count <= 1 }

// String is i/n; "" of everything.
func (s Shard) String() string {
	if s.whole() {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.Index, s.Count)
}

// Output is the name of the shard's own output: of results.jsonl, results-shard-0-of-4.jsonl. Names sort as shards do.
func (s Shard) Output(path string) string {
	if s.whole() {
		return path
	}
	ext := filepath.Ext(path)
	if filepath.Base(path) == ext { // ".jsonl" is a name, not a suffix
		ext = ""
	}
	width := len(strconv.Itoa(s.Count - 1))
	return fmt.Sprintf("%s-shard-%0*d-of-%d%s", strings.TrimSuffix(path, ext), width, s.Index, s.Count, ext)
}
