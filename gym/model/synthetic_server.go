package model

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/internal/backoff"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

// BuildSynthetic returns the server of a synthetic_model instance. It makes no calls, so client may be nil.
func BuildSynthetic(in *config.Instance, _ *wire.Client, logger *slog.Logger) (*wire.Server, error) {
	if err := in.DecodeSettings(new(syntheticBlock)); err != nil {
		return nil, err // it says where
	}
	settings, err := ParseSyntheticSettings(in.Settings)
	if err != nil {
		return nil, err
	}
	s, err := NewSynthetic(settings)
	if err != nil {
		return nil, err
	}
	return NewServer(in, s, logger)
}

// Respond answers after the wait that the settings draw for this request. It returns early, with the context's error,
// when ctx ends.
func (s *Synthetic) Respond(ctx context.Context, r *Request) (*wire.Reply, error) {
	return replyTo(ctx, s, r)
}

func (s *Synthetic) answer(ctx context.Context, r *Request) (responses.Response, error) {
	a, err := s.Answer(r.Params)
	if err != nil {
		return responses.Response{}, err
	}
	if err := backoff.Wait(ctx, a.Wait); err != nil {
		return responses.Response{}, err
	}
	if a.Status != http.StatusOK {
		return responses.Response{}, &wire.HTTPError{Status: a.Status, Detail: fmt.Sprintf("synthetic failure with status %d", a.Status)}
	}
	return a.Response, nil
}
