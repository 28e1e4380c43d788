package results

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/internal/printable"
)

// List prints one line for each rollout of a run: what it was worth, or why it failed. At most limit of them, 0 is all.
func List(w io.Writer, f Files, limit int) error {
	l, err := openList(f)
	if err != nil {
		return err
	}
	return errors.Join(l.write(w, limit), l.close())
}

// list is a run that is listed.
type list struct {
	results, failures, inputs *Set
}

func openList(f Files) (_ *list, err error) {
	l := &list{}
	defer func() {
		if err != nil {
			err = errors.Join(err, l.close())
		}
	}()
	seen := false
	for _, part := range []struct {
		path string
		open func(...string) (*Set, error)
		set  **Set
	}{{f.Output, Open, &l.results}, {f.Failures, OpenFailures, &l.failures}, {f.Materialized, OpenInputs, &l.inputs}} {
		var paths []string
		if found := Find(part.path); found != "" {
			paths, seen = append(paths, found), true
		}
		if *part.set, err = part.open(paths...); err != nil {
			return nil, err
		}
	}
	if !seen {
		return nil, fmt.Errorf("cannot show %s: it does not exist", f.Output)
	}
	return l, nil
}

func (l *list) close() error {
	var errs []error
	for _, s := range []*Set{l.results, l.failures, l.inputs} {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}

// keys are the rollouts of all three files, each once.
func (l *list) keys() []Key {
	var keys []Key
	for _, s := range []*Set{l.results, l.failures, l.inputs} {
		keys = slices.AppendSeq(keys, s.Keys())
	}
	slices.SortFunc(keys, Key.compare)
	return slices.Compact(keys)
}

func (l *list) write(w io.Writer, limit int) error {
	for _, s := range []*Set{l.results, l.failures, l.inputs} {
		for _, note := range s.Notes() {
			fmt.Fprintf(w, "note: %s\n", printable.Line(note))
		}
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "rollout\tagent\treward\tcalls\ttokens in\ttokens out\toutcome")
	keys := l.keys()
	shown := keys
	if limit > 0 && limit < len(shown) {
		shown = shown[:limit]
	}
	for _, k := range shown {
		if err := l.row(t, k); err != nil {
			return err
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if more := len(keys) - len(shown); more > 0 {
		fmt.Fprintf(w, "and %d more (--limit 0 shows all)\n", more)
	}
	_, err := fmt.Fprintf(w, "%d %s, %d scored, %d failed\n", len(keys), plural(len(keys), "rollout", "rollouts"), l.results.Len(), failed(l.failures, l.results))
	return err
}

// outcomeText bounds the text of a failure in a list.
const outcomeText = 80

func (l *list) row(w io.Writer, k Key) error {
	rows, err := l.results.Get(k)
	if err != nil {
		return err
	}
	failures, err := l.failures.Get(k)
	if err != nil {
		return err
	}
	outcome := "not run"
	var row responses.Object
	switch n := len(failures); {
	case len(rows) > 0:
		row, outcome = rows[0], "scored"
		if n > 0 {
			outcome = fmt.Sprintf("scored, failed %d before", n)
		}
	case n > 0:
		row, outcome = failures[n-1], "failed: "+failureText(failures[n-1])
	}
	agent := agentOf(row)
	if agent == "" {
		agent, _ = l.inputs.Agent(k)
	}
	response, _ := row.Sub(keyResponse)
	usage, _ := response.Sub("usage")
	_, err = fmt.Fprintf(w, "%v\t%s\t%s\t%d\t%s\t%s\t%s\n", k, printable.Line(cmp.Or(agent, "-")), memberText(row, keyReward), calls(response),
		memberText(usage, "input_tokens"), memberText(usage, "output_tokens"), printable.Line(firstLine(outcome)))
	return err
}

// calls counts the tool calls of an answer.
func calls(response responses.Object) (n int) {
	items, _ := response.Array("output")
	for _, v := range items {
		if it, err := responses.ParseItem(v); err == nil && it.Type() == responses.TypeFunctionCall {
			n++
		}
	}
	return n
}

func memberText(o responses.Object, name string) string {
	v, ok := o.Get(name)
	if !ok || v.Kind() == 'n' {
		return "-"
	}
	return printable.Line(string(v))
}

// firstLine is a text that fits a column.
func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	if runes := []rune(s); len(runes) > outcomeText {
		return string(runes[:outcomeText-1]) + "…"
	}
	return s
}
