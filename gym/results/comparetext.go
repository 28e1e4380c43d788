package results

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/internal/printable"
)

// WriteText prints the comparison for a person: both runs, the agents, and the tasks, the worst regression first; at most limit of
// them, 0 is all.
func (c *Comparison) WriteText(w io.Writer, limit int) error {
	for _, note := range c.Notes {
		fmt.Fprintf(w, "note: %s\n", printable.Line(note))
	}
	c.A.writeText(w, "a")
	c.B.writeText(w, "b")
	switch {
	case c.OtherInput > 0:
		fmt.Fprintf(w, "note: %d %s another input in b than in a: task indexes do not mean the same there (marked with *)\n", c.OtherInput, plural(c.OtherInput, "task has", "tasks have"))
	case c.InputUnknown:
		fmt.Fprintln(w, "note: a run has no materialized inputs, so tasks are matched by index alone")
	}
	for _, n := range []struct {
		n    int
		name string
	}{{c.OnlyA, "a"}, {c.OnlyB, "b"}} {
		if n.n > 0 {
			fmt.Fprintf(w, "%d %s only in %s\n", n.n, plural(n.n, "task is", "tasks are"), n.name)
		}
	}
	fmt.Fprintln(w)
	if err := c.writeAgents(w); err != nil {
		return err
	}
	fmt.Fprintln(w)
	return c.writeTasks(w, limit)
}

func (c Compared) writeText(w io.Writer, name string) {
	fmt.Fprintf(w, "%s  %s: %d %s, %d scored, %d failed, mean reward %s\n", name, printable.Line(c.File), c.Tasks, plural(c.Tasks, "task", "tasks"), c.Scored, c.Failed, short(c.Mean))
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// pass names pass@K in a heading.
func (c *Comparison) pass() string {
	if c.K == 0 {
		return "pass"
	}
	return fmt.Sprintf("pass@%d", c.K)
}

func (c *Comparison) writeAgents(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "agent\ttasks\tmean a\tmean b\tchange\t%[1]s a\t%[1]s b\tchange\tworse\tbetter\n", c.pass())
	agents := c.Agents
	if len(agents) != 1 {
		agents = append([]Difference{c.All}, agents...)
	}
	for i, d := range agents {
		name := printable.Line(d.Agent)
		if i == 0 && len(c.Agents) != 1 {
			name = "all"
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\n", name, d.Tasks, short(d.AMean), short(d.BMean), signed(d.Difference),
			short(d.APass), short(d.BPass), signed(d.PassDifference), d.Worse, d.Better)
	}
	return t.Flush()
}

func (c *Comparison) writeTasks(w io.Writer, limit int) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(t, "task\tagent\tmean a\tmean b\tchange\t%[1]s a\t%[1]s b\tchange\tscored a\tscored b\tfailed a\tfailed b\n", c.pass())
	shown := c.Tasks
	if limit > 0 && limit < len(shown) {
		shown = shown[:limit]
	}
	for _, d := range shown {
		mark := ""
		if d.OtherInput {
			mark = "*"
		}
		fmt.Fprintf(t, "%d%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\n", d.Task, mark, printable.Line(d.Agent), short(d.AMean), short(d.BMean), signed(d.Difference),
			short(d.APass), short(d.BPass), signed(d.PassDifference), d.AN, d.BN, d.AFailed, d.BFailed)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if more := len(c.Tasks) - len(shown); more > 0 {
		_, err := fmt.Fprintf(w, "and %d more (--limit 0 shows all)\n", more)
		return err
	}
	return nil
}

// WriteJSON prints the comparison as one JSON document with every task.
func (c *Comparison) WriteJSON(w io.Writer) error {
	if err := json.MarshalWrite(w, c, jsontext.WithIndent("  "), json.Deterministic(true)); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}
