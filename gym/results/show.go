package results

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/internal/printable"
)

// Target is what a user asks to be shown: a rollout, or one attempt of it.
type Target struct {
	Key
	Attempt int // -1: the last
}

// ParseTarget reads 3:1, and the id of a rollout as traces have it: 3-1, or 3-1-a2 for its third attempt.
func ParseTarget(text string) (Target, error) {
	wrong := func() (Target, error) {
		return Target{}, fmt.Errorf("%q names no rollout; write task:rollout, for example 3:1, or 3-1-a2 for an attempt that was repeated", text)
	}
	body, attempt, hasAttempt := strings.Cut(text, "-a")
	task, rollout, ok := strings.Cut(body, ":")
	if !ok {
		task, rollout, ok = strings.Cut(body, "-")
	}
	t := Target{Attempt: -1}
	var errs [3]error
	t.Task, errs[0] = natural(task)
	t.Rollout, errs[1] = natural(rollout)
	if hasAttempt {
		t.Attempt, errs[2] = natural(attempt)
	}
	if !ok || errors.Join(errs[:]...) != nil {
		return wrong()
	}
	return t, nil
}

func natural(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 31)
	return int(n), err
}

// Shown is one rollout with all that its run keeps of it.
type Shown struct {
	Key
	Input    responses.Object   // as it was sent; empty when there are no materialized inputs
	Result   responses.Object   // empty when it has none
	Failures []responses.Object // in order
	Notes    []string
}

// errFound ends a reading early.
var errFound = errors.New("found")

// Load finds a rollout in the files of its run.
func Load(f Files, k Key) (*Shown, error) {
	s := &Shown{Key: k}
	seen := false
	for _, part := range []struct {
		path string
		take func(responses.Object) error
	}{
		{f.Output, func(o responses.Object) error { s.Result = o; return errFound }},
		{f.Materialized, func(o responses.Object) error { s.Input = o; return errFound }},
		{f.Failures, func(o responses.Object) error { s.Failures = append(s.Failures, o); return nil }},
	} {
		path := Find(part.path)
		if path == "" {
			continue
		}
		seen = true
		torn, err := Read(path, func(r Row) error {
			if at, err := r.Key(); err != nil || at != k {
				return err
			}
			return part.take(r.Clone())
		})
		if err != nil && !errors.Is(err, errFound) {
			return nil, err
		}
		if torn != nil {
			s.Notes = append(s.Notes, torn.String())
		}
	}
	switch {
	case !seen:
		return nil, fmt.Errorf("cannot show %s: it does not exist", f.Output)
	case s.Result.Len() == 0 && s.Input.Len() == 0 && len(s.Failures) == 0:
		return nil, fmt.Errorf("cannot show rollout %v: %s has no task %d with rollout %d", k, f.Output, k.Task, k.Rollout)
	}
	return s, nil
}

// attemptOf is which attempt a row is of: what it says, else its place among the failures.
func attemptOf(row responses.Object, place int) int {
	if n, ok := row.Int(keyAttempt); ok {
		return int(n)
	}
	return place
}

// picked is the row that is shown. A result is the last attempt.
type picked struct {
	row     responses.Object
	failed  bool
	attempt int // -1: none was made
}

// pick finds an attempt; -1 asks for the last one.
func (s *Shown) pick(attempt int) (picked, error) {
	tries := make([]picked, 0, len(s.Failures)+1)
	for i, f := range s.Failures {
		tries = append(tries, picked{f, true, attemptOf(f, i)})
	}
	if s.Result.Len() > 0 {
		tries = append(tries, picked{s.Result, false, attemptOf(s.Result, 0)})
	}
	if attempt < 0 && len(tries) == 0 {
		return picked{attempt: -1}, nil
	}
	if attempt < 0 {
		return tries[len(tries)-1], nil
	}
	for _, t := range slices.Backward(tries) {
		if t.attempt == attempt {
			return t, nil
		}
	}
	return picked{}, fmt.Errorf("cannot show attempt %d of rollout %v: %d attempts are on disk", attempt, s.Key, len(tries))
}

// shownText bounds a text that is shown, unless all is asked for.
const shownText = 8 << 10

// WriteText prints the rollout for a reader: what was asked, what was said and called, what it was worth or why it failed. Long
// texts are cut unless full. Nothing in it can control a terminal.
func (s *Shown) WriteText(w io.Writer, attempt int, full bool) error {
	one, err := s.pick(attempt)
	if err != nil {
		return err
	}
	row := one.row
	p := &page{w: w, most: shownText}
	if full {
		p.most = 0
	}
	for _, note := range s.Notes {
		p.linef("note: %s", printable.Line(note))
	}
	s.head(p, one)
	params, _ := s.Input.Sub(keyParams)
	if params.Len() == 0 {
		params, _ = row.Sub(keyParams)
	}
	p.input(params)
	if response, ok := row.Sub(keyResponse); ok {
		p.heading("answer")
		p.output(response)
	}
	p.members(row)
	return p.err
}

// head says what the rollout is and how it ended.
func (s *Shown) head(p *page, one picked) {
	row := one.row
	p.linef("rollout %v", s.Key)
	agent := cmp.Or(agentOf(row), agentOf(s.Input))
	p.linef("agent    %s", printable.Line(cmp.Or(agent, "unknown")))
	if id, ok := row.String(keyID); ok {
		p.linef("id       %s", printable.Line(id))
	}
	if len(s.Failures) > 0 {
		p.linef("attempt  %d", one.attempt)
	}
	switch v, hasReward := row.Get(keyReward); {
	case one.failed:
		p.linef("outcome  failed: %s", printable.Line(failureText(row)))
	case row.Len() == 0:
		p.linef("outcome  no result yet")
	case !hasReward:
		p.linef("outcome  done, without a reward")
	default:
		p.linef("reward   %s", printable.Line(string(v)))
	}
	if response, ok := row.Sub(keyResponse); ok {
		usage, _ := response.Sub("usage")
		in, hasIn := usage.Int("input_tokens")
		out, hasOut := usage.Int("output_tokens")
		if hasIn || hasOut {
			p.linef("tokens   %d in, %d out", in, out)
		}
	}
	for i, f := range s.Failures {
		if n := attemptOf(f, i); !one.failed || n != one.attempt {
			p.linef("failed   attempt %d: %s", n, printable.Line(failureText(f)))
		}
	}
}

// failureText is the class of a failure and what explains it.
func failureText(row responses.Object) string {
	class, _ := row.String(keyFailureClass)
	var b strings.Builder
	b.WriteString(cmp.Or(class, "without a class"))
	for name := range row.All() {
		if strings.HasPrefix(name, "_ng_failure_") && strings.HasSuffix(name, "error") {
			if why, ok := row.String(name); ok {
				b.WriteString(": " + why)
			}
		}
	}
	if terminal, _ := row.Bool(keyTerminal); terminal {
		b.WriteString(" (for good)")
	}
	return b.String()
}
