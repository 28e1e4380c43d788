package agent_test

import (
	"context"
	"errors"
	"log/slog"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/resources"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/semconv"
)

// broken is an environment whose verification fails.
func broken(in *config.Instance, _ *wire.Client, logger *slog.Logger) (*wire.Server, error) {
	s := resources.New(in, logger)
	resources.Verify(s, func(context.Context, resources.Verification[struct{}]) (float64, struct{}, error) {
		return 0, struct{}{}, errors.New("boom-42")
	})
	return s.Build()
}

// judged is what an environment answers whose judge did.
type judged struct {
	Failure string `json:"_ng_failure_class"`
}

// judgeless is an environment whose judge did not answer.
func judgeless(in *config.Instance, _ *wire.Client, logger *slog.Logger) (*wire.Server, error) {
	s := resources.New(in, logger)
	resources.Verify(s, func(context.Context, resources.Verification[struct{}]) (float64, judged, error) {
		return 0, judged{semconv.FailureJudge}, nil
	})
	return s.Build()
}
