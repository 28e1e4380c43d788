package rollout

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/lensgo/lens/gym/internal/jsonl"
	"github.com/lensgo/lens/gym/responses"
)

// before is what a resumed run found.
type before struct {
	resumed  bool
	output   extent
	failures extent
	planned  map[key]int  // every rollout of the output -> its agent
	done     map[key]bool // those with a result
	attempts map[key]int  // failed ones
	terminal map[key]bool // failed for good
	results  []result
	scored   int
	givenUp  int
}

// extent is how long a JSONL file is: its whole lines, and what follows the last line end.
type extent struct{ whole, torn int64 }

func (e extent) size() int64 { return e.whole + e.torn }

// result is what the summary keeps of one line of the output.
type result struct {
	key
	agent     int
	reward    float64
	hasReward bool
}

// prepareResume reads what an earlier run left. It reports false when there is nothing at all.
func (p *Plan) prepareResume() (resumed bool, err error) {
	if _, err := os.Stat(p.files.materialized); errors.Is(err, fs.ErrNotExist) {
		for _, path := range []string{p.files.output, p.files.failures} {
			if info, err := os.Stat(path); err == nil && info.Size() > 0 {
				return false, fmt.Errorf("cannot resume %s: it has results, but %s, which says what they belong to, does not exist; "+
					"put it back, or run without --resume to start over and lose them", p.files.output, p.files.materialized)
			}
		}
		return false, nil
	}
	if err := p.sameRun(); err != nil {
		return true, err
	}
	p.before = before{resumed: true, done: map[key]bool{}, attempts: map[key]int{}, terminal: map[key]bool{}, planned: map[key]int{}}
	if err := p.readMaterialized(); err != nil {
		return true, err
	}
	if err := p.readOutput(); err != nil {
		return true, err
	}
	if err := p.readFailures(); err != nil {
		return true, err
	}
	p.expected = len(p.tasks)
	p.selectTasks()
	return true, nil
}

// selectTasks leaves in p.tasks what is to be run.
func (p *Plan) selectTasks() {
	b := &p.before
	todo := p.tasks[:0]
	for _, t := range p.tasks {
		t.attempt = b.attempts[t.key]
		switch {
		case b.done[t.key]:
			b.scored++
		case b.terminal[t.key], t.attempt >= p.o.MaxAttempts:
			b.givenUp++
		default:
			todo = append(todo, t)
		}
	}
	p.tasks = todo
}

// readMaterialized reads the rows of the earlier run as tasks.
func (p *Plan) readMaterialized() error {
	check := checker{graph: p.o.Graph, agent: p.o.Agent}
	path := p.files.materialized
	e, err := readRows(path, func(at jsonl.Line, row responses.Object) string {
		f, wrong := check.row(row)
		if wrong != "" {
			return wrong
		}
		k, ok := keyOf(row)
		if !ok {
			return "it has no " + keyTask + " and " + keyRollout
		}
		if _, again := p.before.planned[k]; again {
			return fmt.Sprintf("task %d, rollout %d stands here a second time", k.task, k.rollout)
		}
		agent := p.agentIndex(f.agent)
		p.before.planned[k] = agent
		p.tasks = append(p.tasks, task{key: k, offset: at.Offset, length: len(at.Text), line: at.Number, agent: agent})
		return ""
	})
	if err != nil {
		return err
	}
	if e.torn > 0 {
		return fmt.Errorf("cannot resume %s: the last line of %s is torn; run without --resume to start over", p.files.output, path)
	}
	if len(p.tasks) == 0 && p.o.Shard.whole() {
		return fmt.Errorf("cannot resume %s: %s holds no rows", p.files.output, path)
	}
	return nil
}

func (p *Plan) readOutput() (err error) {
	b := &p.before
	b.output, err = readRows(p.files.output, func(_ jsonl.Line, row responses.Object) string {
		k, agent, wrong := p.known(row)
		if wrong != "" {
			return wrong
		}
		if !b.done[k] { // of a rollout with two results the first counts
			r := result{key: k, agent: agent}
			r.reward, r.hasReward = numeric(row, keyReward)
			b.results = append(b.results, r)
		}
		b.done[k] = true
		return ""
	})
	p.noteTorn(p.files.output, b.output)
	return err
}

func (p *Plan) readFailures() (err error) {
	b := &p.before
	b.failures, err = readRows(p.files.failures, func(_ jsonl.Line, row responses.Object) string {
		k, _, wrong := p.known(row)
		if wrong != "" {
			return wrong
		}
		b.attempts[k]++
		if terminal, _ := row.Bool(keyTerminal); terminal {
			b.terminal[k] = true
		}
		return ""
	})
	p.noteTorn(p.files.failures, b.failures)
	return err
}

func (p *Plan) noteTorn(path string, e extent) {
	if e.torn > 0 {
		p.note("the last line of %s was torn: its %d bytes are cut off, as if it had not been written", path, e.torn)
	}
}

// known finds the task that a line on disk belongs to.
func (p *Plan) known(row responses.Object) (key, int, string) {
	k, ok := keyOf(row)
	if !ok {
		return k, 0, "it has no " + keyTask + " and " + keyRollout
	}
	agent, ok := p.before.planned[k]
	if !ok {
		return k, 0, fmt.Sprintf("task %d, rollout %d does not stand in %s: the two files do not belong together",
			k.task, k.rollout, p.files.materialized)
	}
	return k, agent, ""
}

// readRows goes through a JSONL file that a collector wrote, as scanRows does. A file that does not exist is empty.
func readRows(path string, row func(jsonl.Line, responses.Object) string) (extent, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return extent{}, nil
	}
	if err != nil {
		return extent{}, fmt.Errorf("cannot resume: %w", err)
	}
	defer f.Close()
	return scanRows(path, f, row)
}

// scanRows calls row with each line; the text that row gives back says what is wrong with it. Blank lines are passed
// over; a last line without a line end is not looked at.
func scanRows(path string, r io.Reader, row func(jsonl.Line, responses.Object) string) (e extent, err error) {
	bad := &RowsError{File: path}
	rows := jsonl.NewReader(r)
	for {
		at, err := rows.Next()
		if errors.Is(err, io.EOF) {
			return e, bad.err()
		}
		if err != nil {
			return e, fmt.Errorf("cannot read %s:%d: %w", path, rows.Number()+1, err)
		}
		if at.Torn {
			e.torn = rows.Offset() - e.whole
			return e, bad.err()
		}
		e.whole = rows.Offset()
		if at.Blank {
			continue
		}
		o, err := responses.ParseObject(at.Text)
		if err != nil {
			bad.add(at.Number, notJSON(at.Text, err))
			continue
		}
		if wrong := row(at, o); wrong != "" {
			bad.add(at.Number, wrong)
		}
	}
}

// numeric reads a number or a boolean, which counts as 0 or 1.
func numeric(o responses.Object, name string) (float64, bool) {
	if f, ok := o.Float(name); ok {
		return f, true
	}
	if b, ok := o.Bool(name); ok {
		if b {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}
