package rollout

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/lensgo/lens/gym/internal/jsonl"
	"github.com/lensgo/lens/gym/responses"
)

// before is what a resumed run found.
type before struct {
	resumed  bool
	output   extent
	failures extent
	scored   int
	givenUp  int
}

// extent is how long a JSONL file is: its whole lines, and what follows the last line end.
type extent struct{ whole, torn int64 }

func (e extent) size() int64 { return e.whole + e.torn }

// standing is how the tasks of a resumed run stand, while it is prepared.
type standing struct {
	plan  *Plan
	byKey []int32 // the tasks in the order of their keys
	done  []bool  // those with a result
	over  []bool  // those that failed for good
}

func newStanding(p *Plan) *standing {
	n := len(p.tasks)
	s := &standing{plan: p, byKey: make([]int32, n), done: make([]bool, n), over: make([]bool, n)}
	for i := range s.byKey {
		s.byKey[i] = int32(i)
	}
	slices.SortFunc(s.byKey, func(a, b int32) int {
		return cmp.Or(p.tasks[a].key.compare(p.tasks[b].key), cmp.Compare(a, b))
	})
	return s
}

// twice finds tasks that are the same as one before.
func (s *standing) twice() error {
	bad := &RowsError{File: s.plan.files.Materialized}
	for at, i := range s.byKey {
		if t := &s.plan.tasks[i]; at > 0 && t.key == s.plan.tasks[s.byKey[at-1]].key {
			bad.add(int(t.line), fmt.Sprintf("task %d, rollout %d stands here a second time", t.task, t.rollout))
		}
	}
	return bad.err()
}

// of finds the task that a line on disk belongs to. The text says why there is none.
func (s *standing) of(row responses.Object) (int32, string) {
	k, ok := keyOf(row)
	if !ok {
		return 0, keyed(false)
	}
	at, ok := slices.BinarySearchFunc(s.byKey, k, func(i int32, k key) int { return s.plan.tasks[i].key.compare(k) })
	if !ok {
		return 0, fmt.Sprintf("task %d, rollout %d does not stand in %s: the two files do not belong together",
			k.task, k.rollout, s.plan.files.Materialized)
	}
	return s.byKey[at], ""
}

// prepareResume reads what an earlier run left. It reports false when there is nothing at all.
func (p *Plan) prepareResume() (resumed bool, err error) {
	if _, err := os.Stat(p.files.Materialized); errors.Is(err, fs.ErrNotExist) {
		for _, path := range []string{p.files.Output, p.files.Failures} {
			if info, err := os.Stat(path); err == nil && info.Size() > 0 {
				return false, fmt.Errorf("cannot resume %s: it has results, but %s, which says what they belong to, does not exist; "+
					"put it back, or run without --resume to start over and lose them", p.files.Output, p.files.Materialized)
			}
		}
		return false, nil
	}
	if err := p.sameRun(); err != nil {
		return true, err
	}
	p.before.resumed = true
	if err := p.readMaterialized(); err != nil {
		return true, err
	}
	s := newStanding(p)
	if err := s.twice(); err != nil {
		return true, err
	}
	if err := s.readOutput(); err != nil {
		return true, advised(err)
	}
	if err := s.readFailures(); err != nil {
		return true, advised(err)
	}
	p.expected = len(p.tasks)
	s.choose()
	return true, nil
}

// choose leaves in the plan what is to be run.
func (s *standing) choose() {
	p := s.plan
	b := &p.before
	todo := p.tasks[:0]
	for i, t := range p.tasks {
		switch {
		case s.done[i]:
			b.scored++
		case s.over[i], int(t.attempt) >= p.o.MaxAttempts:
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
	path := p.files.Materialized
	e, err := readRows(path, func(at jsonl.Line, row responses.Object) string {
		f, wrong := check.row(row)
		if wrong != "" {
			return wrong
		}
		k, ok := keyOf(row)
		if !ok {
			return keyed(false)
		}
		p.tasks = append(p.tasks, task{
			key: k, offset: at.Offset, length: int32(len(at.Text)), line: int32(at.Number), agent: p.agentIndex(f.agent),
		})
		return ""
	})
	if err != nil {
		return err
	}
	if e.torn > 0 {
		return fmt.Errorf("cannot resume %s: the last line of %s is torn; run without --resume to start over", p.files.Output, path)
	}
	if len(p.tasks) == 0 && p.o.Shard.whole() {
		return fmt.Errorf("cannot resume %s: %s holds no rows", p.files.Output, path)
	}
	p.tally()
	return nil
}

// advised adds to an error about rows that were written what can be done.
func advised(err error) error {
	if _, rows := errors.AsType[*RowsError](err); !rows {
		return err
	}
	return fmt.Errorf("%w\nNo row is dropped by itself. Take these out of the file, and what they were of is run again", err)
}

func (s *standing) readOutput() (err error) {
	p := s.plan
	p.before.output, err = readRows(p.files.Output, func(_ jsonl.Line, row responses.Object) string {
		i, wrong := s.of(row)
		if wrong != "" || s.done[i] { // of a rollout with two results the first counts
			return wrong
		}
		s.done[i] = true
		reward, hasReward := row.Number(keyReward)
		p.tallies[p.tasks[i].agent].add(reward, hasReward)
		return ""
	})
	p.noteTorn(p.files.Output, p.before.output)
	return err
}

func (s *standing) readFailures() (err error) {
	p := s.plan
	p.before.failures, err = readRows(p.files.Failures, func(_ jsonl.Line, row responses.Object) string {
		i, wrong := s.of(row)
		if wrong != "" {
			return wrong
		}
		p.tasks[i].attempt++
		if terminal, _ := row.Bool(keyTerminal); terminal {
			s.over[i] = true
		}
		return ""
	})
	p.noteTorn(p.files.Failures, p.before.failures)
	return err
}

func (p *Plan) noteTorn(path string, e extent) {
	if e.torn > 0 {
		p.note("the last line of %s was torn: its %d bytes are cut off, as if it had not been written", path, e.torn)
	}
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
