package rollout

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/lensgo/lens/gym/internal/jsonl"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/results"
	"github.com/lensgo/lens/gym/wire"
)

// aggregateTimeout bounds one agent's aggregation: it is arithmetic over numbers, and the results are on disk already.
const aggregateTimeout = 5 * time.Minute

// aggregate asks each agent for the metrics of its results and writes the file. One agent's failure leaves the others.
func (r *run) aggregate(ctx context.Context, s *Summary) error {
	rows, err := r.light()
	if err != nil {
		return err
	}
	var metrics results.Aggregator
	for _, at := range rows.order {
		row, err := responses.ParseObject(rows.text[at.from:at.to])
		if err != nil {
			return fmt.Errorf("cannot aggregate: %w", err) // it was written a moment ago
		}
		metrics.Add(r.agents[at.agent], row)
	}
	wrote, err := metrics.Write(ctx, r.metrics, r.files.aggregate)
	if wrote {
		s.AggregateFile = r.files.aggregate
	}
	return err
}

// lightRows are results without their conversations, as text: parsed, they would be several times as large.
type lightRows struct {
	text  []byte
	order []lightRow
}

// lightRow is where one stands in the text.
type lightRow struct {
	key
	agent, from, to int
}

// light reads the results back from the output, agent by agent, in the order of tasks and rollouts. Of a rollout with
// two results the first counts.
func (r *run) light() (*lightRows, error) {
	rows := &lightRows{}
	seen := map[key]bool{}
	_, err := scanRows(r.files.output, r.journal.reader(), func(_ jsonl.Line, row responses.Object) string {
		k, ok := keyOf(row)
		if !ok || seen[k] {
			return ""
		}
		seen[k] = true
		ref, _ := row.Sub(keyAgent)
		name, _ := ref.String("name")
		i := slices.Index(r.agents, name)
		if i < 0 {
			return fmt.Sprintf("the agent %q is none of this run", name)
		}
		from := len(rows.text)
		rows.text = results.Light(row).AppendTo(rows.text)
		rows.order = append(rows.order, lightRow{k, i, from, len(rows.text)})
		return ""
	})
	if err != nil {
		return nil, fmt.Errorf("cannot aggregate: %w", err)
	}
	slices.SortFunc(rows.order, func(a, b lightRow) int {
		return cmp.Or(cmp.Compare(a.agent, b.agent), cmp.Compare(a.task, b.task), cmp.Compare(a.rollout, b.rollout))
	})
	return rows, nil
}

// metrics has an agent compute the metrics of its results.
func (r *run) metrics(ctx context.Context, agent string, body []byte) ([]byte, error) {
	res, err := r.client.Do(ctx, wire.Call{Server: agent, Path: "/aggregate_metrics", Body: body, Timeout: aggregateTimeout})
	if err != nil {
		return nil, err
	}
	return res.Body, res.Err()
}
