package rollout

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/internal/jsonl"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/viewer/ingest"
)

// Plan is a run that is ready to start. Prepare makes it, Run uses it up.
type Plan struct {
	o     Options
	files files

	// Of a fresh run: the rows of the input, to be materialized.
	input  source
	inputs []inputRow

	agents   []string // the names that tasks point to, in the order of their first row
	tasks    []task   // what Run dispatches; of a fresh run filled when the rows are materialized
	tallies  []tally  // by agent; filled with tasks
	expected int      // rollouts of the whole output
	before   before   // what a resumed run found done
	notes    []string

	progress atomic.Pointer[progress] // while the plan runs
	run      runFile                  // what the output is of
	rewrite  bool                     // the run file, because a resumed run was forced

	drain     chan struct{}
	drainOnce sync.Once
	started   atomic.Bool
}

// inputRow is a row of the input: where it is and what it belongs to, but not its text. There are as many in memory as the input has rows,
// so their numbers are as small as they may be.
type inputRow struct {
	task    int // -1 until numbered
	line    int32
	agent   int32
	rollout int32 // the index of its first rollout
	sum     sum
}

// sum tells texts apart.
type sum [16]byte

func sumOf(text []byte) sum {
	whole := sha256.Sum256(text)
	return sum(whole[:len(sum{})])
}

// task is one rollout to do; its row is read from the materialized file when it begins. As with rows, there are many.
type task struct {
	key
	offset  int64
	length  int32
	line    int32 // of the input, or of the materialized file in a resumed run: what messages name
	agent   int32
	attempt int32
}

// Prepare reads and checks everything that can be checked before a server runs: the options, every row, and for a
// resumed run what is on disk. It changes nothing on disk. All bad rows come in one *[RowsError].
func Prepare(o Options) (_ *Plan, err error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	p := &Plan{o: o, files: filesOf(o.Output), drain: make(chan struct{})}
	if p.run, err = o.runFile(); err != nil {
		return nil, err
	}
	if err := probeLock(p.files.output); err != nil {
		return nil, err
	}
	if o.Resume {
		resumed, err := p.prepareResume()
		if resumed || err != nil {
			return p, err
		}
		p.note("nothing to resume: %s does not exist; the run starts from the beginning", p.files.materialized)
	}
	if o.Input == "" {
		return nil, fmt.Errorf("cannot collect rollouts: there is nothing to resume at %s and no input file was given", o.Output)
	}
	if err := p.files.clash(o.Input); err != nil {
		return nil, err
	}
	if err := p.readInput(); err != nil {
		return nil, err
	}
	p.number()
	p.takeShard()
	if err := p.checkRepeats(); err != nil {
		return nil, err
	}
	p.numberRollouts()
	p.run.nameRun(o.RunID)
	return p, nil
}

// repeats is how often each row of an agent is run.
func (p *Plan) repeats(agent int32) int {
	if p.o.Repeats > 0 {
		return p.o.Repeats
	}
	if n, ok := p.o.AgentRepeats[p.agents[agent]]; ok {
		return n
	}
	return p.o.AgentRepeats[defaultAgent]
}

// checkRepeats wants a number for each agent, and notes numbers for agents that no row names.
func (p *Plan) checkRepeats() error {
	if len(p.o.AgentRepeats) == 0 {
		return nil
	}
	var without []string
	for i, agent := range p.agents {
		if p.repeats(int32(i)) == 0 {
			without = append(without, strconv.Quote(agent))
		}
	}
	if len(without) > 0 {
		return fmt.Errorf("cannot collect rollouts: num_repeats has no entry for %s; add one, or %s for all others", strings.Join(without, ", "), defaultAgent)
	}
	for _, agent := range slices.Sorted(maps.Keys(p.o.AgentRepeats)) {
		if agent != defaultAgent && !slices.Contains(p.agents, agent) {
			p.note("num_repeats has an entry for %q, which no row names", agent)
		}
	}
	return nil
}

// takeShard leaves the rows whose task belongs to the shard. Tasks go round, in the order of their first rows.
func (p *Plan) takeShard() {
	if p.o.Shard.whole() {
		return
	}
	first := p.firstOfTask()
	place := make([]int32, len(first)) // of the tasks that begin with a row
	tasks := 0
	mine := p.inputs[:0]
	for i, in := range p.inputs {
		if int(first[i]) == i {
			place[i] = int32(tasks)
			tasks++
		}
		if int(place[first[i]])%p.o.Shard.Count == p.o.Shard.Index {
			mine = append(mine, in)
		}
	}
	p.inputs = mine
	p.note("shard %s: %d of %d tasks", p.o.Shard, (tasks+p.o.Shard.Count-1-p.o.Shard.Index)/p.o.Shard.Count, tasks)
}

func (p *Plan) note(format string, args ...any) {
	p.notes = append(p.notes, fmt.Sprintf(format, args...))
}

// Notes are things that a user should know before the run: a resumed run that ignores options, a line that was torn.
func (p *Plan) Notes() []string { return slices.Clone(p.notes) }

// Expected is the number of rollouts that the output is to hold in the end.
func (p *Plan) Expected() int { return p.expected }

// RunID is the name of the run. A resumed run has the one that it began with.
func (p *Plan) RunID() string { return p.run.ID }

// Agents are the agents that rows name.
func (p *Plan) Agents() []string { return slices.Clone(p.agents) }

// Files are what Run may write: the output and what stands beside it.
func (p *Plan) Files() []string {
	return []string{p.files.output, p.files.materialized, p.files.failures, p.files.aggregate, p.files.run}
}

// Trace says how the run is traced, for callers who know it only after Prepare. It must not be called during Run.
func (p *Plan) Trace(traced, singleTrace bool) {
	p.o.Traced, p.o.SingleTrace = traced, singleTrace
}

// Print writes a line to Options.Progress; while there is a bar, above it, where it stays. It may be called at any time
// from any goroutine.
func (p *Plan) Print(text string) {
	if running := p.progress.Load(); running != nil {
		running.print(text)
	} else if p.o.Progress != nil {
		fmt.Fprintln(p.o.Progress, text)
	}
}

// Drain lets nothing new begin; rollouts that are running go on, and Run returns when they have ended. It may be called
// at any time, again too.
func (p *Plan) Drain() {
	p.drainOnce.Do(func() { close(p.drain) })
}

func (p *Plan) draining() bool {
	select {
	case <-p.drain:
		return true
	default:
		return false
	}
}

// agentIndex interns an agent's name.
func (p *Plan) agentIndex(name string) int32 {
	if i := slices.Index(p.agents, name); i >= 0 {
		return int32(i)
	}
	p.agents = append(p.agents, name)
	return int32(len(p.agents) - 1)
}

// readInput goes once through the input and checks each row.
func (p *Plan) readInput() (err error) {
	if p.input, err = openSource(p.o.Input); err != nil {
		return fmt.Errorf("cannot read the tasks: %w", err)
	}
	src, err := p.input.open()
	if err != nil {
		return fmt.Errorf("cannot read the tasks: %w", err)
	}
	defer func() { err = errors.Join(err, src.Close()) }()
	digest := newDigest(p.o.Input)
	bad := &RowsError{File: p.o.Input}
	rows := jsonl.NewReader(src)
	check := checker{graph: p.o.Graph, agent: p.o.Agent, over: p.o.Params, prompt: p.o.Prompt, seed: p.o.AddSeed}
	blank := 0 // a blank line that is the last is no row
	for p.o.Limit == 0 || len(p.inputs)+bad.Total < p.o.Limit {
		at, err := rows.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("cannot read the tasks at %s:%d: %w", p.o.Input, rows.Number()+1, err)
		}
		if at.Blank {
			blank = cmp.Or(blank, at.Number)
			continue
		}
		if blank > 0 {
			bad.add(blank, "it is blank; only the end of the file may be")
			blank = 0
		}
		digest.add(at.Text)
		p.inputRow(at, &check, bad)
	}
	if err := bad.err(); err != nil {
		return err
	}
	if len(p.inputs) == 0 {
		return fmt.Errorf("cannot collect rollouts: %s holds no rows", p.o.Input)
	}
	p.run.Data = digest.data()
	return nil
}

func (p *Plan) inputRow(at jsonl.Line, check *checker, bad *RowsError) {
	row, err := responses.ParseObject(at.Text)
	if err != nil {
		bad.add(at.Number, notJSON(at.Text, err))
		return
	}
	f, wrong := check.row(row)
	if wrong != "" {
		bad.add(at.Number, wrong)
		return
	}
	p.inputs = append(p.inputs, inputRow{
		line: int32(at.Number), task: f.task, agent: p.agentIndex(f.agent), sum: sumOf(at.Text),
	})
}

// number gives each row without a task index one: rows of the same text share it, in the order of their first row,
// passing over the indexes that other rows brought along.
func (p *Plan) number() {
	var taken []int
	for _, in := range p.inputs {
		if in.task >= 0 {
			taken = append(taken, in.task)
		}
	}
	slices.Sort(taken)
	first := firsts(len(p.inputs), func(a, b int32) int { return bytes.Compare(p.inputs[a].sum[:], p.inputs[b].sum[:]) })
	next := 0
	for i := range p.inputs {
		in := &p.inputs[i]
		switch {
		case in.task >= 0:
			continue
		case int(first[i]) < i: // of the same text, so it brought no index either
			in.task = p.inputs[first[i]].task
			continue
		}
		for len(taken) > 0 && taken[0] <= next {
			if taken[0] == next {
				next++
			}
			taken = taken[1:]
		}
		in.task = next
		next++
	}
}

// numberRollouts gives each row the indexes of its rollouts, which go on where those of the task's row before end, and counts them all.
func (p *Plan) numberRollouts() {
	first := p.firstOfTask()
	next := make([]int32, len(first)) // of the tasks that begin with a row
	for i := range p.inputs {
		in := &p.inputs[i]
		n := p.repeats(in.agent)
		in.rollout = next[first[i]]
		next[first[i]] += int32(n)
		p.expected += n
	}
}

// firstOfTask is the first row of each row's task.
func (p *Plan) firstOfTask() []int32 {
	return firsts(len(p.inputs), func(a, b int32) int { return cmp.Compare(p.inputs[a].task, p.inputs[b].task) })
}

// firsts gives for each of n things the first one that is the same. A map would take several times as much memory.
func firsts(n int, compare func(a, b int32) int) []int32 {
	order, first := make([]int32, n), make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Or(compare(a, b), cmp.Compare(a, b)) })
	for at, i := range order {
		first[i] = i
		if at > 0 && compare(order[at-1], i) == 0 {
			first[i] = first[order[at-1]]
		}
	}
	return first
}

// source is the input, readable twice: a file is opened again, anything else (a pipe, an example that the program carries)
// is kept.
type source struct {
	path string
	data []byte // nil of a file
}

// OpenTasks opens a file of tasks as [Prepare] does: decompressed.
func OpenTasks(path string) (io.ReadCloser, error) {
	s, err := openSource(path)
	if err != nil {
		return nil, err
	}
	return s.open()
}

func openSource(path string) (source, error) {
	info, err := os.Stat(path)
	if data, ok := config.BuiltinData(path); ok && errors.Is(err, fs.ErrNotExist) {
		return source{path: path, data: data}, nil
	}
	if err != nil {
		return source{}, plainPathError(err)
	}
	if info.IsDir() {
		return source{}, fmt.Errorf("%s is a folder; a JSONL file is needed", path)
	}
	s := source{path: path}
	if info.Mode().IsRegular() {
		return s, nil
	}
	r, err := s.open()
	if err != nil {
		return source{}, err
	}
	s.data, err = io.ReadAll(r)
	return s, errors.Join(err, r.Close())
}

func plainPathError(err error) error {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("%s: %w", pe.Path, pe.Err)
	}
	return err
}

// open reads the text from its beginning, decompressed.
func (s source) open() (io.ReadCloser, error) {
	if s.data != nil {
		return io.NopCloser(bytes.NewReader(s.data)), nil
	}
	r, err := ingest.OpenFile(s.path)
	if err != nil {
		return nil, plainPathError(err)
	}
	return r, nil
}
