package otlp

import "context"

// Watch is told of each request that leaves in a context.
type Watch struct {
	Replied func(*Reply)        // the answer as it came; not called when there is none, or a success over gRPC
	Done    func(Answer, error) // what became of it; an error is a *[Failure]
}

// watchKey is the key of a [Watch] in a context.
type watchKey struct{}

// In gives a context whose requests w is told of.
func (w Watch) In(ctx context.Context) context.Context { return context.WithValue(ctx, watchKey{}, w) }

// Tell tells who watches a context what became of a request.
func Tell(ctx context.Context, a Answer, err error) {
	if w, ok := ctx.Value(watchKey{}).(Watch); ok {
		w.Done(a, err)
	}
}

// TellReply tells who watches a context what came as an answer. Senders call it.
func TellReply(ctx context.Context, reply func() *Reply) {
	if w, ok := ctx.Value(watchKey{}).(Watch); ok {
		w.Replied(reply())
	}
}
