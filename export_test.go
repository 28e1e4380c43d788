package lens

import "sync/atomic"

// Word shows the tests what a call site sees.
func Word(g *Group) uint32 { return atomic.LoadUint32(&g.word) }
