package otlp

import (
	"context"
	"fmt"
	"time"
)

// Sender sends requests to one collector. It may be used by several goroutines at once.
type Sender interface {
	// Send sends one request. An error is a *[Failure]. The end of ctx, and the timeout of the target, end it. The body must
	// not change any more, also when Send has returned: a connection that breaks may still read it.
	Send(ctx context.Context, body []byte) (Answer, error)
	// Close closes what is open. It may come during a Send, which then ends.
	Close()
}

// Answer is what a collector says of a request that it took.
type Answer struct {
	Rejected int64  // items that it did not take
	Message  string // why, or a warning when it took all
}

// Failure is why a request was not taken.
type Failure struct {
	Err   error
	Retry bool          // another try may succeed
	After time.Duration // not before that, when the collector says so
	// Lasting: somebody has to mend something first, so that only who keeps the request should try again.
	Lasting bool
	// MayHaveArrived: the answer was lost, or there was none, so that the same request may arrive twice when it is sent again.
	MayHaveArrived bool
}

func (f *Failure) Error() string { return f.Err.Error() }

func (f *Failure) Unwrap() error { return f.Err }

// refuse is a failure for good.
func refuse(format string, a ...any) *Failure { return &Failure{Err: fmt.Errorf(format, a...)} }

// GRPC is the name of the protocol that a program has to link.
const GRPC = "grpc"

// dialers make senders by protocol.
var dialers = map[string]func(Target) (Sender, error){
	"http/protobuf": newHTTP,
	"http/json":     newHTTP,
}

// Register adds a protocol. It is called by init functions only.
func Register(protocol string, dial func(Target) (Sender, error)) { dialers[protocol] = dial }

// Linked reports whether a protocol is in this program.
func Linked(protocol string) bool { return dialers[protocol] != nil }

// Dial makes the sender of a target. It connects to nothing yet.
func (t Target) Dial() (Sender, error) {
	dial := dialers[t.Protocol]
	if dial == nil {
		return nil, fmt.Errorf("no OTLP over %s in this program", t.Protocol)
	}
	return dial(t)
}
