package doctor

import (
	"context"
	"net"
	"os"
	"time"
)

// machine is what an examination asks of where it runs.
type machine struct {
	now       func() time.Time
	listens   func(ctx context.Context, address string) bool // somebody takes connections there
	container bool
}

var theMachine = machine{now: time.Now, listens: listens, container: inContainer()}

// patience is what a second look at this machine's own ports may take.
const patience = 500 * time.Millisecond

func listens(ctx context.Context, address string) bool {
	d := net.Dialer{Timeout: patience}
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return false
	}
	_ = conn.Close()
	return true
}

// inContainer reports whether localhost is a container and not its host.
func inContainer() bool {
	if os.Getenv("KUBERNETES_SERVICE_HOST") != "" {
		return true
	}
	_, err := os.Stat("/.dockerenv")
	return err == nil
}
