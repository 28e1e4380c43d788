package rollout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/internal/jsonl"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

// aggregateTimeout bounds one agent's aggregation: it is arithmetic over numbers, and the results are on disk already.
const aggregateTimeout = 5 * time.Minute

// heavy are members that aggregation does not need and that make up most of a result.
var heavy = []string{keyResponse, keyParams, "ng_agent_observations", "ng_model_call_capture", "ng_trajectory"}

// aggregate asks each agent for the metrics of its results and writes the file. One agent's failure leaves the others.
func (r *run) aggregate(ctx context.Context, s *Summary) error {
	rows, err := r.light()
	if err != nil {
		return err
	}
	var errs []error
	var entries []responses.Object
	for i, of := range rows {
		if len(of) == 0 {
			continue
		}
		entry, err := r.metrics(ctx, r.agents[i], of)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		entries = append(entries, entry)
	}
	if len(entries) > 0 {
		if err := writeAggregates(r.files.aggregate, entries); err != nil {
			errs = append(errs, err)
		} else {
			s.AggregateFile = r.files.aggregate
		}
	}
	return errors.Join(errs...)
}

// lightRow is a result without its conversation.
type lightRow struct {
	key
	text []byte
}

// light reads the results back from the output, agent by agent, in the order of tasks and rollouts. Of a rollout with
// two results the first counts.
func (r *run) light() ([][]lightRow, error) {
	rows := make([][]lightRow, len(r.agents))
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
		rows[i] = append(rows[i], lightRow{k, strip(row).AppendTo(nil)})
		return ""
	})
	if err != nil {
		return nil, fmt.Errorf("cannot aggregate: %w", err)
	}
	for _, of := range rows {
		slices.SortFunc(of, func(a, b lightRow) int {
			return cmp.Or(cmp.Compare(a.task, b.task), cmp.Compare(a.rollout, b.rollout))
		})
	}
	return rows, nil
}

// strip takes the conversation from a result and keeps its token counts.
func strip(row responses.Object) responses.Object {
	var usage jsontext.Value
	if response, ok := row.Sub(keyResponse); ok {
		usage, _ = response.Get("usage")
	}
	for _, name := range heavy {
		row.Delete(name)
	}
	if usage != nil && usage.Kind() != 'n' {
		var response responses.Object
		response.Set("usage", usage)
		row.Set(keyResponse, response.AppendTo(nil))
	}
	return row
}

// metrics posts one agent's results and makes its entry of the file.
func (r *run) metrics(ctx context.Context, agent string, rows []lightRow) (responses.Object, error) {
	body := []byte(`{"verify_responses":[`)
	for i, row := range rows {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, row.text...)
		rows[i].text = nil
	}
	body = append(body, "]}"...)
	var entry, ref responses.Object
	res, err := r.client.Do(ctx, wire.Call{Server: agent, Path: "/aggregate_metrics", Body: body, Timeout: aggregateTimeout})
	if err == nil {
		err = res.Err()
	}
	if err != nil {
		return entry, fmt.Errorf("cannot aggregate the results of agent %s: %w", agent, err)
	}
	report, err := responses.ParseObject(res.Body)
	if err != nil {
		return entry, fmt.Errorf("cannot aggregate the results of agent %s: its answer is not one JSON object: %w", agent, err)
	}
	ref.SetString("name", agent)
	entry.Set(keyAgent, ref.AppendTo(nil))
	for _, m := range []struct{ name, empty string }{
		{"agent_metrics", "{}"}, {"key_metrics", "{}"}, {"group_level_metrics", "[]"},
	} {
		v, ok := report.Get(m.name)
		if !ok || v.Kind() == 'n' {
			v = jsontext.Value(m.empty)
		}
		entry.Set(m.name, v)
	}
	return entry, nil
}

func writeAggregates(path string, entries []responses.Object) error {
	text := []byte("[")
	for i, e := range entries {
		if i > 0 {
			text = append(text, ',')
		}
		text = e.AppendTo(text)
	}
	v := jsontext.Value(append(text, ']'))
	if err := v.Indent(jsontext.WithIndent("  ")); err != nil {
		return fmt.Errorf("cannot write the aggregates: %w", err)
	}
	if err := os.WriteFile(path, append(v, '\n'), 0o666); err != nil {
		return fmt.Errorf("cannot write the aggregates: %w", err)
	}
	return nil
}
