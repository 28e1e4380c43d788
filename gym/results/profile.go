package results

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/lensgo/lens/gym/internal/durable"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/score"
)

// ProfileOptions say what to profile.
type ProfileOptions struct {
	Inputs   string // the materialized inputs; "" is what stands beside Rollouts
	Rollouts string // the results
	Partial  bool   // rollouts without a result are fine; tasks without any are left out
}

// Profiled is what [Profile] found and wrote.
type Profiled struct {
	Profile      string // one line a task: its statistics, its input, its rollouts
	AgentMetrics string // one entry an agent: the statistics over all its rollouts
	Tasks        int
	Rollouts     int
	Expected     int
	Notes        []string
}

// Profile writes how each task of a run was rewarded, with the whole row of the task, and the statistics of each agent: the numbers
// of the aggregate metrics without what environments add, computed from the files. When one task went to several agents, each of them
// has a line, with its agent_ref.
func Profile(o ProfileOptions) (_ *Profiled, err error) {
	files := FilesOf(o.Rollouts)
	if o.Inputs == "" {
		if o.Inputs = Find(files.Materialized); o.Inputs == "" {
			return nil, fmt.Errorf("cannot profile %s: %s does not exist; name the materialized inputs", o.Rollouts, files.Materialized)
		}
	}
	p := profiler{o: o, byAgent: map[string]*score.Rows{}}
	if p.inputs, err = Open(o.Inputs); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, p.inputs.Close()) }()
	if n := len(p.inputs.notes); n > 0 {
		return nil, fmt.Errorf("cannot profile %s: %s", o.Rollouts, strings.Join(p.inputs.notes, "; "))
	}
	if err := p.read(); err != nil {
		return nil, err
	}
	out := &Profiled{Profile: files.Profile, AgentMetrics: files.AgentMetrics, Rollouts: len(p.done), Expected: p.inputs.Len(), Notes: p.notes}
	if out.Tasks, err = p.write(files); err != nil {
		return nil, fmt.Errorf("cannot write the profile of %s: %w", o.Rollouts, err)
	}
	return out, nil
}

// profiler is one call of Profile.
type profiler struct {
	o       ProfileOptions
	inputs  *Set
	done    map[Key]int // with a result -> its line
	byAgent map[string]*score.Rows
	notes   []string
}

// shownKeys bounds how many rollouts an error names.
const shownKeys = 10

// read gathers the numbers of the results and checks them against the inputs.
func (p *profiler) read() error {
	p.done = make(map[Key]int, p.inputs.Len())
	var extra []Key
	torn, err := Read(p.o.Rollouts, func(r Row) error {
		k, err := r.Key()
		if err != nil {
			return err
		}
		if before, again := p.done[k]; again {
			return fmt.Errorf("cannot profile %s: task %d, rollout %d stands in it twice (lines %d and %d)", p.o.Rollouts, k.Task, k.Rollout, before, r.Line)
		}
		p.done[k] = r.Line
		input := p.inputs.of(k)
		if len(input) == 0 {
			extra = append(extra, k)
			return nil
		}
		agent := p.inputs.agents[input[0].agent]
		if p.byAgent[agent] == nil {
			p.byAgent[agent] = &score.Rows{}
		}
		p.byAgent[agent].Add(r.Object)
		return nil
	})
	if err != nil {
		return err
	}
	if torn != nil {
		p.notes = append(p.notes, torn.String())
	}
	if len(extra) > 0 {
		return fmt.Errorf("cannot profile %s: %d of its results do not stand in %s (%s): the two files do not belong together",
			p.o.Rollouts, len(extra), p.o.Inputs, listed(extra))
	}
	return p.missing()
}

// missing finds rollouts without a result.
func (p *profiler) missing() error {
	var missing []Key
	for k := range p.inputs.Keys() {
		if _, ok := p.done[k]; !ok {
			missing = append(missing, k)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	if !p.o.Partial {
		return fmt.Errorf("cannot profile %s: %d of %d rollouts have no result (%s); run them with --resume, or profile what is there with --allow-partial-rollouts",
			p.o.Rollouts, len(missing), p.inputs.Len(), listed(missing))
	}
	p.notes = append(p.notes, fmt.Sprintf("%d of %d rollouts have no result", len(missing), p.inputs.Len()))
	return nil
}

func listed(keys []Key) string {
	texts := make([]string, 0, shownKeys+1)
	for _, k := range keys[:min(len(keys), shownKeys)] {
		texts = append(texts, k.String())
	}
	if len(keys) > shownKeys {
		texts = append(texts, "...")
	}
	return strings.Join(texts, ", ")
}

// run is a task of an agent.
type run struct {
	task  int64
	agent string
}

// line is one line of the profile, still without its input.
type line struct {
	run
	group score.Group
}

// write writes both files and returns the number of lines of the profile.
func (p *profiler) write(files Files) (int, error) {
	var lines []line
	var metrics []responses.Object
	for _, agent := range slices.Sorted(maps.Keys(p.byAgent)) {
		report := p.byAgent[agent].Report()
		p.byAgent[agent] = nil
		for _, g := range report.Groups {
			lines = append(lines, line{run{g.Task, agent}, g})
		}
		entry, err := entryOf(agent, report.Agent)
		if err != nil {
			return 0, err
		}
		metrics = append(metrics, entry)
	}
	slices.SortStableFunc(lines, func(a, b line) int { return int(a.task - b.task) }) // agents are sorted
	err := durable.Replace(files.Profile, func(w *bufio.Writer) error { return p.writeLines(w, lines) })
	if err != nil {
		return 0, err
	}
	return len(lines), writeList(files.AgentMetrics, metrics)
}

func entryOf(agent string, m score.Metrics) (o responses.Object, err error) {
	text, err := json.Marshal(m)
	if err != nil {
		return o, err
	}
	if o, err = responses.ParseObject(text); err != nil {
		return o, err
	}
	return o, setAgent(&o, agent)
}

func setAgent(o *responses.Object, name string) error {
	var ref responses.Object
	ref.SetString("name", name)
	return o.SetAny(keyAgent, ref)
}

// writeLines writes the groups with their inputs.
func (p *profiler) writeLines(w *bufio.Writer, lines []line) error {
	first, expected := map[run]Key{}, map[run]int{}
	agents, fanOut := map[int64]int{}, false // of a task, also those without a result
	for _, e := range p.inputs.entries {
		r := run{int64(e.Task), p.inputs.agents[e.agent]}
		if expected[r]++; expected[r] == 1 {
			agents[r.task]++
			fanOut = fanOut || agents[r.task] > 1
		}
		if _, done := p.done[e.Key]; done {
			if _, ok := first[r]; !ok {
				first[r] = e.Key
			}
		}
	}
	for _, l := range lines {
		inputs, err := p.inputs.Get(first[l.run])
		if err != nil {
			return err
		}
		sample := inputs[0]
		sample.Delete(keyTask)
		sample.Delete(keyRollout)
		l.group.Sample, l.group.Expected = sample, expected[l.run]
		if fanOut {
			if err := setAgent(&l.group.More, l.agent); err != nil {
				return err
			}
		}
		if err := json.MarshalWrite(w, l.group); err != nil {
			return err
		}
		if err := w.WriteByte('\n'); err != nil {
			return err
		}
	}
	return nil
}
