package metrics

import (
	"context"
	"time"

	"github.com/lensgo/lens/semconv"
)

var (
	poolQueue   = milliseconds(semconv.MetricPoolQueue, "How long a request waited for a connection; only of those that waited.", poolBounds)
	poolConnect = of(kindCounter, semconv.MetricPoolConnect, "{connection}", "New TCP connections.")
)

// PoolObserved reports whether PoolQueued records, for call sites to which knowing the wait costs something.
func (GymMetrics) PoolObserved(ctx context.Context) bool { return poolQueue.on(ctx) }

// PoolQueued records that a request to a server waited for one of the connections that it may have. server is an instance
// of the run, or empty for any other; abandoned says that the request gave up.
func (GymMetrics) PoolQueued(ctx context.Context, server string, abandoned bool, waited time.Duration) {
	outcome := semconv.QueueOK
	if abandoned {
		outcome = semconv.QueueAbandoned
	}
	poolQueue.float(ctx, ms(waited), labels{text(semconv.GymQueueConstraint, semconv.QueuePerHost),
		text(semconv.GymQueueOutcome, outcome), destination(server)})
}

// PoolConnected counts a new connection to a server: an instance of the run, or empty for any other.
func (GymMetrics) PoolConnected(ctx context.Context, server string) {
	poolConnect.int(ctx, 1, labels{destination(server)})
}

func destination(server string) Label {
	if server == "" {
		server = semconv.DestinationExternal
	}
	return text(semconv.GymDestinationServer, server)
}
