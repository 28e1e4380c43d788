package export

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/lensgo/lens/viewer/store"
)

// maxLanes is the distance between the thread ids of two processes. Thread ids must be unique in the file, and none may be the id of a
// process, whose main thread it would be.
const maxLanes = 1_000_000

// process is a service in the file.
type process struct {
	pid   int64
	busy  []int64 // until when each lane is taken
	named int     // lanes that have a name
}

// take finds the first lane that is free from a time on, and takes it until another.
func (p *process) take(from, to int64) int {
	for i := range p.busy {
		if p.busy[i] <= from {
			p.busy[i] = to
			return i
		}
	}
	p.busy = append(p.busy, to)
	return len(p.busy) - 1
}

// lanePlace is a lane by its process and thread id.
type lanePlace struct{ pid, tid int64 }

// layout is where the spans of a trace are drawn.
type layout struct {
	t          *store.Trace
	order      []int // by start, those around others first
	start, end []int64
	process    []*process
	at         []lanePlace
	out, in    map[int][]arrow // ends of arrows, by span
}

// arrow is one end of an arrow between two slices.
type arrow struct {
	id   int64
	name string
	ts   int64
}

// lay places the spans of a trace in lanes.
func (c *chrome) lay(t *store.Trace) *layout {
	n := len(t.Spans)
	l := &layout{t: t, order: make([]int, n), start: make([]int64, n), end: make([]int64, n), process: make([]*process, n), at: make([]lanePlace, n)}
	c.times(l)
	depth := depths(t)
	for i := range l.order {
		l.order[i] = i
		l.process[i] = c.process(t.Resources[t.ResourceOf[i]])
	}
	slices.SortFunc(l.order, func(a, b int) int {
		return cmp.Or(cmp.Compare(l.start[a], l.start[b]), cmp.Compare(l.end[b], l.end[a]), cmp.Compare(depth[a], depth[b]), cmp.Compare(a, b))
	})
	c.place(l)
	c.calls(l)
	return l
}

// times puts the spans on the file's scale. One that runs lasts as long as the trace is known to; none ends before it starts.
func (c *chrome) times(l *layout) {
	var last int64
	for i := range l.t.Spans {
		s := &l.t.Spans[i]
		l.start[i] = c.since(s.Start)
		l.end[i] = max(l.start[i], c.since(s.End))
		last = max(last, l.end[i])
	}
	for i := range l.t.Spans {
		if l.t.Spans[i].End == 0 {
			l.end[i] = last
		}
	}
}

// depths counts the ancestors of each span.
func depths(t *store.Trace) []int32 {
	depth := make([]int32, len(t.Spans)) // +1; 0: not known yet
	var path []int32
	for i := range t.Spans {
		path = path[:0]
		at := int32(i)
		for ; at >= 0 && depth[at] == 0; at = t.ParentOf[at] {
			path = append(path, at)
		}
		above := int32(0)
		if at >= 0 {
			above = depth[at]
		}
		for _, below := range slices.Backward(path) {
			above++
			depth[below] = above
		}
	}
	return depth
}

// lane is a row of slices of one trace and process, each inside the one before it in the stack, or behind it.
type lane struct {
	stack       []int // spans that are open
	first, last int64
	spans       []int
}

// packer puts the spans of one process into lanes.
type packer struct {
	lanes []*lane
	idle  intHeap
	busy  busyHeap
}

// place finds a lane for each span: that of its parent when the parent is the innermost there and goes on for as long, else an empty one.
// So spans are drawn inside their callers, and never inside strangers.
func (c *chrome) place(l *layout) {
	packers := map[*process]*packer{}
	var order []*process
	lanes := make([]*lane, len(l.order))
	for _, i := range l.order {
		p := packers[l.process[i]]
		if p == nil {
			p = &packer{}
			packers[l.process[i]] = p
			order = append(order, l.process[i])
		}
		var parent *lane
		if up := l.t.ParentOf[i]; up >= 0 && l.process[up] == l.process[i] {
			parent = lanes[up]
		}
		lanes[i] = p.put(l, i, parent)
	}
	for _, p := range order {
		for _, lane := range packers[p].lanes {
			at := c.thread(p, p.take(lane.first, lane.last))
			for _, i := range lane.spans {
				l.at[i] = at
			}
		}
	}
}

func (p *packer) put(l *layout, i int, parent *lane) *lane {
	if parent != nil {
		parent.close(l, l.start[i])
		if n := len(parent.stack); n > 0 && parent.stack[n-1] == int(l.t.ParentOf[i]) && l.end[i] <= l.end[parent.stack[n-1]] {
			parent.add(l, i)
			return parent
		}
	}
	for len(p.busy) > 0 && p.busy[0].until <= l.start[i] {
		heap.Push(&p.idle, heap.Pop(&p.busy).(busyLane).lane)
	}
	if len(p.idle) == 0 {
		p.lanes = append(p.lanes, &lane{first: l.start[i]})
		heap.Push(&p.idle, len(p.lanes)-1)
	}
	at := heap.Pop(&p.idle).(int)
	heap.Push(&p.busy, busyLane{l.end[i], at})
	p.lanes[at].stack = p.lanes[at].stack[:0]
	p.lanes[at].add(l, i)
	return p.lanes[at]
}

// close takes from the stack what has ended.
func (a *lane) close(l *layout, now int64) {
	for len(a.stack) > 0 && l.end[a.stack[len(a.stack)-1]] <= now {
		a.stack = a.stack[:len(a.stack)-1]
	}
}

func (a *lane) add(l *layout, i int) {
	a.stack = append(a.stack, i)
	a.spans = append(a.spans, i)
	a.last = max(a.last, l.end[i])
}

// intHeap gives the least first.
type intHeap []int

func (h intHeap) Len() int           { return len(h) }
func (h intHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h intHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *intHeap) Push(x any)        { *h = append(*h, x.(int)) }
func (h *intHeap) Pop() any          { x := (*h)[len(*h)-1]; *h = (*h)[:len(*h)-1]; return x }

// busyLane is a lane that is taken until a time.
type busyLane struct {
	until int64
	lane  int
}

// busyHeap gives the lane that is free first.
type busyHeap []busyLane

func (h busyHeap) Len() int           { return len(h) }
func (h busyHeap) Less(i, j int) bool { return h[i].until < h[j].until }
func (h busyHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *busyHeap) Push(x any)        { *h = append(*h, x.(busyLane)) }
func (h *busyHeap) Pop() any          { x := (*h)[len(*h)-1]; *h = (*h)[:len(*h)-1]; return x }
