package results

import (
	"bufio"
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/internal/durable"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/score"
)

// heavy are members that aggregation does not need and that make up most of a result.
var heavy = []string{keyResponse, keyParams, "ng_agent_observations", "ng_model_call_capture", "ng_trajectory"}

// Light takes the conversation from a result and keeps its token counts: a row of /aggregate_metrics.
func Light(row responses.Object) responses.Object {
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

// Ask has the metrics of one agent's results computed: it hands a body for /aggregate_metrics to whoever answers that.
type Ask func(ctx context.Context, agent string, body []byte) (answer []byte, err error)

// Statistics is an [Ask] that needs no server: it computes the statistics that every run has, and nothing of what an environment
// would add.
func Statistics(_ context.Context, _ string, body []byte) ([]byte, error) {
	var doc struct {
		Rows []responses.Object `json:"verify_responses"`
	}
	if err := json.Unmarshal(body, &doc); err != nil {
		return nil, err
	}
	return json.Marshal(score.Aggregate(doc.Rows))
}

// Aggregator gathers results, asks for the metrics of each agent, and writes them to a file. The zero value is ready.
type Aggregator struct {
	agents []string
	bodies map[string][]byte
}

// Add takes the next result of an agent. Of the row only what [Light] keeps is copied.
func (a *Aggregator) Add(agent string, row responses.Object) {
	if a.bodies == nil {
		a.bodies = map[string][]byte{}
	}
	body, known := a.bodies[agent]
	if !known {
		a.agents = append(a.agents, agent)
		body = []byte(`{"verify_responses":[`)
	} else {
		body = append(body, ',')
	}
	a.bodies[agent] = Light(row).AppendTo(body)
}

// Write asks for each agent's metrics, in the order of their first results, and writes the file. One agent's failure leaves the
// others. wrote is false when there was nothing to write.
func (a *Aggregator) Write(ctx context.Context, ask Ask, path string) (wrote bool, err error) {
	return WriteMetrics(path, a.agents, func(agent string) ([]byte, error) {
		body := a.bodies[agent]
		delete(a.bodies, agent)
		return ask(ctx, agent, append(body, "]}"...))
	})
}

// WriteMetrics asks for each agent's metrics, which are an answer of /aggregate_metrics, and writes them to a file. One agent's failure
// leaves the others. wrote is false when there was nothing to write.
func WriteMetrics(path string, agents []string, ask func(agent string) (answer []byte, err error)) (wrote bool, err error) {
	var errs []error
	var entries []responses.Object
	for _, agent := range agents {
		answer, err := ask(agent)
		if err != nil {
			errs = append(errs, fmt.Errorf("cannot aggregate the results of agent %s: %w", agent, err))
			continue
		}
		entry, err := metricsEntry(agent, answer)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		entries = append(entries, entry)
	}
	if len(entries) == 0 {
		return false, errors.Join(errs...)
	}
	if err := writeList(path, entries); err != nil {
		return false, errors.Join(append(errs, fmt.Errorf("cannot write the aggregates: %w", err))...)
	}
	return true, errors.Join(errs...)
}

// metricsEntry makes an agent's entry of the file from the answer of /aggregate_metrics.
func metricsEntry(agent string, answer []byte) (entry responses.Object, err error) {
	report, err := responses.ParseObject(answer)
	if err != nil {
		return entry, fmt.Errorf("cannot aggregate the results of agent %s: the answer is not one JSON object: %w", agent, err)
	}
	var ref responses.Object
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

// writeList writes objects as one indented list.
func writeList(path string, entries []responses.Object) error {
	text := []byte("[")
	for i, e := range entries {
		if i > 0 {
			text = append(text, ',')
		}
		text = e.AppendTo(text)
	}
	v := jsontext.Value(append(text, ']'))
	if err := v.Indent(jsontext.WithIndent("  ")); err != nil {
		return err
	}
	return durable.Replace(path, func(w *bufio.Writer) error {
		_, err := w.Write(append(v, '\n'))
		return err
	})
}
