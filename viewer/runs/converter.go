package runs

import "slices"

// converter turns the numbers of one table into those of another.
type converter struct {
	from, to *table

	processes, scopes, shapes, teams, sets []uint32 // 1 + the number there, by the one here
}

// known returns the place of what is known of a number.
func known(list *[]uint32, i uint32) *uint32 {
	if int(i) >= len(*list) {
		*list = append(*list, make([]uint32, int(i)+1-len(*list))...)
	}
	return &(*list)[i]
}

func (c *converter) process(i uint32) uint32 {
	at := known(&c.processes, i)
	if *at == 0 {
		*at = 1 + c.to.processOf(&c.from.processes[i])
	}
	return *at - 1
}

func (c *converter) scope(i uint32) uint32 {
	at := known(&c.scopes, i)
	if *at == 0 {
		*at = 1 + c.to.scopeOf(c.from.scopes[i])
	}
	return *at - 1
}

func (c *converter) shape(i uint32) uint32 {
	at := known(&c.shapes, i)
	if *at == 0 {
		s := &c.from.shapes[i]
		*at = 1 + c.to.intern(shape{c.process(s.process), c.scope(s.scope), s.kind, s.class, s.name})
	}
	return *at - 1
}

// shapeOf is that of the root of a trace that has one.
func (c *converter) shapeOf(r *traceRow) uint32 {
	if r.spans <= 0 {
		return 0
	}
	return c.shape(r.root.shape)
}

// team is a set of processes, set one of shapes.
func (c *converter) team(i uint32) uint32 { return c.members(&c.teams, i, c.process) }
func (c *converter) set(i uint32) uint32  { return c.members(&c.sets, i, c.shape) }

func (c *converter) members(list *[]uint32, i uint32, convert func(uint32) uint32) uint32 {
	at := known(list, i)
	if *at == 0 {
		out := make([]uint32, 0, len(c.from.sets[i]))
		for _, x := range c.from.sets[i] {
			out = append(out, convert(x))
		}
		slices.Sort(out)
		*at = 1 + c.to.setOf(slices.Compact(out))
	}
	return *at - 1
}
