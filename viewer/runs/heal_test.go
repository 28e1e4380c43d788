package runs

import (
	"context"
	"testing"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/query"
)

// TestHealTooEarly: the store shows a span before the model is told. A trace that is loaded in between waits; else the span would
// be a copy of itself when it comes.
func TestHealTooEarly(t *testing.T) {
	spans := ours()
	footer := NewModel(Options{}).sealed(spans[2:]...)
	load := func(context.Context, otlp.TraceID) ([]Span, error) { return ours(), nil }
	for name, meanwhile := range map[string]func(*Model){
		"not told yet":        func(*Model) {},
		"told while it loads": func(m *Model) { m.take(spans[0]) },
	} {
		m := NewModel(Options{})
		must(t, m.Merge(footer))
		m.take(spans[1])
		n, err := m.Heal(t.Context(), func(ctx context.Context, id otlp.TraceID) ([]Span, error) {
			list, err := load(ctx, id)
			meanwhile(m)
			return list, err
		})
		if n != 0 || err != nil || m.Partial() != 1 {
			t.Errorf("%s: healed %d, %v; %d wait", name, n, err, m.Partial())
		}
		if name == "not told yet" {
			m.take(spans[0])
		}
		if n, err = m.Heal(t.Context(), load); n != 1 || err != nil || m.Partial() != 0 {
			t.Errorf("%s: then healed %d, %v; %d wait", name, n, err, m.Partial())
		}
		row, _ := m.Trace(spans[0].Trace)
		rows, err := m.Rollouts("r1", query.Query{}, Page{})
		must(t, err)
		if row.Spans != 14 || row.Copies != 0 || m.Totals().Copies != 0 || row.Root != "gym.rollout" || len(rows.Rows) != 1 || rows.Rows[0].Spans != 14 {
			t.Errorf("%s: %+v", name, row)
		}
	}
}
