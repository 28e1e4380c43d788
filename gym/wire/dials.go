package wire

import (
	"context"
	"sync"
)

// mostDials is how many connections to one address are dialled at a time. Ten thousand rollouts that begin together would
// overflow the accept queue of a server that could well take them one after the other, and what the system drops from a full
// queue is sent again only after seconds, by all at once.
const mostDials = 256

// dials counts dials by their address. Safe for concurrent use.
type dials struct {
	most int

	mu   sync.Mutex
	runs map[string]*dialling // those that have any
}

// dialling are the dials to one address.
type dialling struct {
	slots chan struct{}
	users int // that have or want a slot
}

// begin waits until there is room for a dial to an address. Done gives it back.
func (d *dials) begin(ctx context.Context, addr string) (done func(), err error) {
	d.mu.Lock()
	a := d.runs[addr]
	if a == nil {
		if d.runs == nil {
			d.runs = map[string]*dialling{}
		}
		a = &dialling{slots: make(chan struct{}, d.most)}
		d.runs[addr] = a
	}
	a.users++
	d.mu.Unlock()
	select {
	case a.slots <- struct{}{}:
		return func() { <-a.slots; d.end(addr, a) }, nil
	case <-ctx.Done():
		d.end(addr, a)
		return nil, context.Cause(ctx)
	}
}

func (d *dials) end(addr string, a *dialling) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if a.users--; a.users == 0 {
		delete(d.runs, addr)
	}
}
