package rollout

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/lensgo/lens/gym/internal/jsonl"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/results"
)

// Plan is a run that is ready to start. Prepare makes it, Run uses it up.
type Plan struct {
	o     Options
	files results.Files

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
	p := &Plan{o: o, files: results.FilesOf(o.Output), drain: make(chan struct{})}
	if p.run, err = o.runFile(); err != nil {
		return nil, err
	}
	if err := probeLock(p.files.Output); err != nil {
		return nil, err
	}
	if o.Resume {
		resumed, err := p.prepareResume()
		if resumed || err != nil {
			return p, err
		}
		p.note("nothing to resume: %s does not exist; the run starts from the beginning", p.files.Materialized)
	}
	if o.Input == "" {
		return nil, fmt.Errorf("cannot collect rollouts: there is nothing to resume at %s and no input file was given", o.Output)
	}
	if err := p.clash(); err != nil {
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

// clash finds a file of the run that is the input.
func (p *Plan) clash() error {
	in, err := os.Stat(p.o.Input)
	if err != nil {
		return nil // reading will say it
	}
	for _, path := range p.Files() {
		if out, err := os.Stat(path); err == nil && os.SameFile(in, out) {
			return fmt.Errorf("cannot collect from %s into %s: the run would overwrite its own input with %s", p.o.Input, p.o.Output, path)
		}
	}
	return nil
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
	return []string{p.files.Output, p.files.Materialized, p.files.Failures, p.files.Aggregate, p.files.Run}
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
