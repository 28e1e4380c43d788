package viewer

import (
	"context"
	"sync/atomic"

	"github.com/lensgo/lens/viewer/ingest"
)

// intake counts what a receiver brings that is not the viewer's own: the page says what comes in, whoever listens.
type intake struct {
	sink
	requests, spans, rejected, metrics, logs atomic.Int64
}

var _ ingest.Sink = (*intake)(nil)

func (i *intake) Traces(ctx context.Context, req []byte) (rejected int, why string, err error) {
	added, err := i.store.AddTraces(ctx, req)
	if err == nil {
		i.requests.Add(1)
		i.spans.Add(int64(added.Spans))
		i.rejected.Add(int64(added.Rejected))
	}
	return added.Rejected, added.Why, blame(err)
}

func (i *intake) Metrics(ctx context.Context, req []byte) (rejected int, why string, err error) {
	rejected, why, err = i.sink.Metrics(ctx, req)
	if err == nil {
		i.requests.Add(1)
		i.metrics.Add(1)
	}
	return rejected, why, err
}

func (i *intake) Logs(ctx context.Context, req []byte) (rejected int, why string, err error) {
	rejected, why, err = i.sink.Logs(ctx, req)
	if err == nil {
		i.requests.Add(1)
		i.logs.Add(1)
	}
	return rejected, why, err
}
