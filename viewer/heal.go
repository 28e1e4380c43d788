package viewer

import (
	"context"
	"time"

	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/runs"
	"github.com/lensgo/lens/viewer/store"
)

// healEvery is how often rollouts are completed whose spans came late. It may take a fifth of the time of one core.
const (
	healEvery        = 5 * time.Second
	restAfterHealing = 4
)

// heal completes rollouts in the background, until ctx ends: the model forgets the spans of one that has been quiet, and needs
// them again from the store when more come, after a restart above all.
func heal(ctx context.Context, model *runs.Model, s *store.Store) {
	for {
		began := time.Now()
		healOnce(ctx, model, s)
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(healEvery, restAfterHealing*time.Since(began))):
		}
	}
}

// healOnce completes the rollouts that wait for it.
func healOnce(ctx context.Context, model *runs.Model, s *store.Store) {
	if model.Partial() > 0 {
		// What cannot be loaded is tried again, and damage is told by the store.
		_, _ = model.Heal(ctx, func(_ context.Context, id otlp.TraceID) ([]runs.Span, error) { return load(s, id) })
	}
}

// load reads the spans of a trace as the model wants them.
func load(s *store.Store, id otlp.TraceID) ([]runs.Span, error) {
	t, err := s.Trace(id)
	if err != nil {
		return nil, err
	}
	spans := make([]runs.Span, len(t.Spans))
	for i := range t.Spans {
		spans[i] = runs.Read(t.Resources[t.ResourceOf[i]], t.Scopes[t.ScopeOf[i]], &t.Spans[i])
	}
	return spans, nil
}
