package store

import "sync"

// cache keeps the content of the sealed chunks that were read last: who looks at a trace mostly looks at its neighbours next, and to
// unpack a chunk is most of the cost. The zero value keeps nothing until it has room.
type cache struct {
	mu          sync.Mutex
	room, bytes int64
	entries     map[*chunk]*cached
	first, last *cached // the most and the least recently read
}

type cached struct {
	chunk        *chunk
	data         []byte
	newer, older *cached
}

// get returns the content of a chunk, nil when it is not here.
func (c *cache) get(k *chunk) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	e := c.entries[k]
	if e == nil {
		return nil
	}
	c.unlink(e)
	c.push(e)
	return e.data
}

// put keeps the content of a chunk, and lets go of what was not read for longest.
func (c *cache) put(k *chunk, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[k] != nil || int64(len(data)) > c.room/2 {
		return
	}
	if c.entries == nil {
		c.entries = make(map[*chunk]*cached)
	}
	e := &cached{chunk: k, data: data}
	c.entries[k] = e
	c.push(e)
	for c.bytes += int64(len(data)); c.bytes > c.room; {
		c.drop(c.last)
	}
}

// forget lets go of the chunks of a segment that is gone.
func (c *cache) forget(chunks []*chunk) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, k := range chunks {
		if e := c.entries[k]; e != nil {
			c.drop(e)
		}
	}
}

func (c *cache) drop(e *cached) {
	c.unlink(e)
	delete(c.entries, e.chunk)
	c.bytes -= int64(len(e.data))
}

func (c *cache) push(e *cached) {
	e.newer, e.older = nil, c.first
	if c.first != nil {
		c.first.newer = e
	} else {
		c.last = e
	}
	c.first = e
}

func (c *cache) unlink(e *cached) {
	if e.newer != nil {
		e.newer.older = e.older
	} else {
		c.first = e.older
	}
	if e.older != nil {
		e.older.newer = e.newer
	} else {
		c.last = e.newer
	}
}
