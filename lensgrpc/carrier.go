package lensgrpc

import (
	"context"

	"google.golang.org/grpc/metadata"

	"github.com/lensgo/lens"
)

// incoming is a lens.Carrier over the metadata of a request. It asks for single keys: taking the metadata out of the context
// copies all of it.
type incoming struct{ ctx context.Context }

func (c incoming) Get(key string) string {
	if v := c.Values(key); len(v) > 0 {
		return v[0]
	}
	return ""
}

func (c incoming) Values(key string) []string { return metadata.ValueFromIncomingContext(c.ctx, key) }

func (c incoming) Keys() []string {
	md, _ := metadata.FromIncomingContext(c.ctx)
	return lens.Header(md).Keys()
}

// Set does nothing: a request is only read.
func (incoming) Set(string, string) {}

// outgoing is a lens.Carrier over the metadata that a call will send. It is taken out of the context at the first use, which
// is a copy, and what the caller put there under the same keys is replaced: a program that passes on the metadata of its own
// request would send two parents otherwise.
type outgoing struct {
	ctx     context.Context
	md      metadata.MD
	changed bool
}

// inject gives ctx with its trace context and baggage in the metadata to send, and ctx itself when there is none.
func inject(ctx context.Context) context.Context {
	c := outgoing{ctx: ctx}
	lens.Inject(ctx, &c)
	if !c.changed {
		return ctx
	}
	return metadata.NewOutgoingContext(ctx, c.md)
}

func (c *outgoing) load() metadata.MD {
	if c.md == nil {
		c.md, _ = metadata.FromOutgoingContext(c.ctx)
		if c.md == nil {
			c.md = make(metadata.MD, 3)
		}
	}
	return c.md
}

func (c *outgoing) Get(key string) string {
	if v := c.Values(key); len(v) > 0 {
		return v[0]
	}
	return ""
}

func (c *outgoing) Values(key string) []string { return c.load().Get(key) }
func (c *outgoing) Keys() []string             { return lens.Header(c.load()).Keys() }

func (c *outgoing) Set(key, value string) {
	c.load().Set(key, value)
	c.changed = true
}

func (c *outgoing) Del(key string) {
	if c.Values(key) != nil {
		c.md.Delete(key)
		c.changed = true
	}
}
