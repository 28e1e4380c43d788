package viewer

import (
	"context"
	"errors"
	"fmt"

	"github.com/lensgo/lens/viewer/ingest"
	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/store"
)

// sink hands what is received to the store.
type sink struct{ store *store.Store }

var _ ingest.Sink = sink{}

func (s sink) Traces(ctx context.Context, req []byte) (rejected int, why string, err error) {
	added, err := s.store.AddTraces(ctx, req)
	return added.Rejected, added.Why, blame(err)
}

func (s sink) Metrics(ctx context.Context, req []byte) (rejected int, why string, err error) {
	return 0, "", blame(s.store.AddMetrics(ctx, req))
}

func (s sink) Logs(ctx context.Context, req []byte) (rejected int, why string, err error) {
	return 0, "", blame(s.store.AddLogs(ctx, req))
}

// blame tells a request that can never be taken from a store that cannot take it now: a sender repeats only the latter.
func blame(err error) error {
	var malformed *otlp.Error
	if errors.Is(err, store.ErrMalformed) || errors.As(err, &malformed) {
		return fmt.Errorf("%w: %w", ingest.ErrInvalid, err)
	}
	return err
}
