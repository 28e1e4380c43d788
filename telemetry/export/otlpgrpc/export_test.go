//go:build !lens_off

package otlpgrpc

import (
	"context"

	"google.golang.org/grpc/connectivity"

	"github.com/lensgo/lens/telemetry/internal/otlp"
)

// AwaitConnection waits until the connection of a sender is in another state, unless there is one.
func AwaitConnection(ctx context.Context, s otlp.Sender) bool {
	conn := s.(*sender).conn
	state := conn.GetState()
	return state == connectivity.Ready || conn.WaitForStateChange(ctx, state)
}
