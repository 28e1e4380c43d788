package web

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lensgo/lens/semconv"
	"github.com/lensgo/lens/viewer/otlp"
	"github.com/lensgo/lens/viewer/runs"
	"github.com/lensgo/lens/viewer/store"
)

// Flags of a row.
const (
	flagError     = 1 << iota // status ERROR, and not truncated
	flagOpen                  // has no end
	flagTruncated             // was closed by the sender's end, not by its work
	flagGhost                 // stands for a parent that never arrived
	flagOrphan                // its parent is a ghost
	flagSameID                // another span with other content has the same id
	flagCycle                 // was cut from its parents, which lead back to it
	flagSkew                  // starts before its parent
	flagEvents
	flagRollout // an outermost gym.rollout
	flagResent  // was sent more than once
	flagLinks
)

// Roles of Gym's processes.
const (
	roleDriver    = "driver"
	roleAgent     = "agent"
	roleModel     = "model"
	roleResources = "resources"
)

const (
	maxServices = 64
	colours     = 8
)

// view is a trace as the page draws it: rows in drawing order, a parent before its children. It is not changed once made.
type view struct {
	trace    *store.Trace
	version  string
	start    uint64
	end      uint64
	rows     []row
	rowOf    []int32 // by index of the span
	services []TraceService
	groups   []string
	root     int // row, -1 when there is none
	path     int64
	open     bool
	rollouts []runs.RolloutAnalysis // by start

	errors, truncated, orphans, cycles, skewed, sameID int
}

// row is a span, or a ghost: the place of a parent that never arrived.
type row struct {
	span    int32 // index of the span, -1 for a ghost
	parent  int32 // row, -1 for a top row
	depth   int32
	service int32 // -1 for a ghost
	group   int32 // -1 for none
	flags   int32
	copy    int32 // which of several spans with one id
	turn    int32 // which model call of its rollout, from 1; 0 for other spans
	id      otlp.SpanID
	start   int64 // nanoseconds from the start of the trace
	end     int64 // -1 without an end
	skew    int64 // nanoseconds by which it starts before its parent, negative; 0 else
	path    int64 // its part of the critical path
}

// newView lays out a trace. Its cost is linear but for the sorting of siblings, which come nearly sorted.
func newView(t *store.Trace) *view {
	v := &view{trace: t, root: -1}
	v.bounds()
	v.place()
	v.identify()
	v.mark()
	v.version = strconv.Itoa(len(t.Spans)) + "-" + strconv.FormatUint(v.digest(), 36)
	return v
}

// digest changes when spans come or go, also when as many come as go.
func (v *view) digest() uint64 {
	d := uint64(v.trace.Copies) + 1
	for i := range v.trace.Spans {
		s := &v.trace.Spans[i]
		d = (d ^ s.Start ^ s.End<<1) * 1099511628211
		d ^= uint64(s.SpanID[0])<<56 | uint64(s.SpanID[3])<<24 | uint64(s.SpanID[7])
	}
	return d
}

func (v *view) bounds() {
	for i := range v.trace.Spans {
		s := &v.trace.Spans[i]
		if i == 0 || s.Start < v.start {
			v.start = s.Start
		}
		v.end = max(v.end, s.Start, s.End)
	}
}

// ended is the end of a span from the trace's start; ok is false when it has none, or one before its start.
func (v *view) ended(s *otlp.Span) (end int64, ok bool) {
	if s.End == 0 {
		return -1, false
	}
	return gap(max(s.End, s.Start), v.start), true
}

// place puts the spans, and a ghost for each parent that never arrived, in drawing order.
func (v *view) place() {
	spans := v.trace.Spans
	n := len(spans)
	parent := make([]int32, n, n+8) // by node: spans, then ghosts
	nodes := make([]row, n, n+8)
	ghosts := map[otlp.SpanID]int32{}
	for i := range spans {
		s := &spans[i]
		end, _ := v.ended(s)
		nodes[i] = row{span: int32(i), id: s.SpanID, start: gap(s.Start, v.start), end: end}
		parent[i] = v.trace.ParentOf[i]
		if v.trace.Marks[i]&store.Orphan == 0 {
			continue
		}
		g, ok := ghosts[s.Parent]
		if !ok {
			g = int32(len(nodes))
			ghosts[s.Parent] = g
			nodes = append(nodes, row{span: -1, id: s.Parent, service: -1, group: -1, flags: flagGhost, start: nodes[i].start, end: -1})
			parent = append(parent, -1)
		}
		parent[i] = g
		ghost := &nodes[g]
		ghost.start = min(ghost.start, nodes[i].start)
		ghost.end = max(ghost.end, nodes[i].start, end)
	}
	first, list := childLists(parent, nodes)

	v.rows = make([]row, 0, len(nodes))
	v.rowOf = make([]int32, n)
	at := make([]int32, len(nodes)) // row of a node
	var stack []int32
	push := func(of int32) {
		kids := list[first[of+1]:first[of+2]]
		for _, k := range slices.Backward(kids) {
			stack = append(stack, k)
		}
	}
	push(-1)
	for len(stack) > 0 {
		node := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		r := nodes[node]
		r.parent = -1
		if p := parent[node]; p >= 0 {
			r.parent = at[p]
			r.depth = v.rows[at[p]].depth + 1
		}
		at[node] = int32(len(v.rows))
		if r.span >= 0 {
			v.rowOf[r.span] = at[node]
		}
		v.rows = append(v.rows, r)
		push(node)
	}
}

// childLists returns the children of every node by start: those of node i are list[first[i+1]:first[i+2]], the top ones
// those of node -1.
func childLists(parent []int32, nodes []row) (first, list []int32) {
	first = make([]int32, len(nodes)+2)
	for _, p := range parent {
		first[p+2]++
	}
	for i := 1; i < len(first); i++ {
		first[i] += first[i-1]
	}
	list = make([]int32, len(nodes))
	next := slices.Clone(first)
	for i, p := range parent {
		list[next[p+1]] = int32(i)
		next[p+1]++
	}
	for i := -1; i < len(nodes); i++ {
		slices.SortStableFunc(list[first[i+1]:first[i+2]], func(a, b int32) int {
			return cmp.Or(cmp.Compare(nodes[a].start, nodes[b].start), cmp.Compare(nodes[b].end, nodes[a].end), slices.Compare(nodes[a].id[:], nodes[b].id[:]))
		})
	}
	return first, list
}

// identify finds the process and the group of each row.
func (v *view) identify() {
	t := v.trace
	serviceOf := make([]int32, len(t.Resources))
	known := map[string]int32{}
	for i := range t.Resources {
		name := serviceName(t.Resources[i])
		n, ok := known[name]
		if !ok {
			n = int32(len(v.services))
			known[name] = n
			role := roleOf(t.Resources[i])
			v.services = append(v.services, TraceService{Name: name, Role: role, Label: cmp.Or(role, name)})
		}
		serviceOf[i] = n
	}
	groupOf := make([]int32, len(t.Scopes))
	groups := map[string]int32{}
	for i := range t.Scopes {
		groupOf[i] = -1
		name, ok := t.Scopes[i].Attr(semconv.LensGroup)
		if !ok {
			continue
		}
		g, ok := groups[name.Str()]
		if !ok {
			g = int32(len(v.groups))
			groups[name.Str()] = g
			v.groups = append(v.groups, name.Str())
		}
		groupOf[i] = g
	}
	for i := range v.rows {
		if r := &v.rows[i]; r.span >= 0 {
			r.service, r.group = serviceOf[t.ResourceOf[r.span]], groupOf[t.ScopeOf[r.span]]
			v.services[r.service].Spans++
		}
	}
	v.order()
}

// order puts the processes in the order of their colours: driver, agent, model, resources, then others by first sight.
func (v *view) order() {
	rank := map[string]int{roleDriver: 1, roleAgent: 2, roleModel: 3, roleResources: 4}
	sight := make([]int, len(v.services))
	for i := range sight {
		sight[i] = len(v.rows)
	}
	for i := range v.rows {
		if s := v.rows[i].service; s >= 0 {
			sight[s] = min(sight[s], i)
		}
	}
	by := make([]int32, len(v.services))
	for i := range by {
		by[i] = int32(i)
	}
	slices.SortFunc(by, func(a, b int32) int {
		ra, rb := cmp.Or(rank[v.services[a].Role], 9), cmp.Or(rank[v.services[b].Role], 9)
		return cmp.Or(cmp.Compare(ra, rb), cmp.Compare(sight[a], sight[b]))
	})
	taken := 0 // colours of roles that are there
	for _, s := range v.services {
		taken |= 1 << rank[s.Role]
	}
	sorted, to, colour := make([]TraceService, 0, len(by)), make([]int32, len(by)), 0
	for _, old := range by {
		s := v.services[old]
		if s.Colour = rank[s.Role]; s.Colour == 0 {
			for colour++; colour <= colours && taken&(1<<colour) != 0; colour++ {
			}
			s.Colour = colour
			if colour > colours {
				s.Colour = 1
			}
		}
		if len(sorted) == maxServices {
			last := &sorted[maxServices-1]
			last.Name, last.Label, last.Role, last.Colour = "others", "others", "", 1
			last.Spans += s.Spans
		} else {
			sorted = append(sorted, s)
		}
		to[old] = int32(len(sorted) - 1)
	}
	v.services = sorted
	for i := range v.rows {
		if r := &v.rows[i]; r.service >= 0 {
			r.service = to[r.service]
		}
	}
}

// mark sets the flags, finds the root and numbers the turns of each rollout.
func (v *view) mark() {
	copies := map[otlp.SpanID]int32{}
	inRollout := make([]int32, len(v.rows)) // row of the outermost gym.rollout around a row, itself included; -1 for none
	inModel := make([]bool, len(v.rows))    // below a model call
	turns := map[int32]int32{}
	for i := range v.rows {
		r := &v.rows[i]
		inRollout[i] = -1
		if r.parent >= 0 {
			inRollout[i], inModel[i] = inRollout[r.parent], inModel[r.parent]
		}
		if r.span < 0 {
			v.open = true
			continue
		}
		s := &v.trace.Spans[r.span]
		v.flag(r, s)
		if r.flags&flagSameID != 0 {
			r.copy = copies[s.SpanID]
			copies[s.SpanID]++
		}
		if s.Name == semconv.SpanGymRollout && inRollout[i] < 0 {
			inRollout[i] = int32(i)
			r.flags |= flagRollout
		}
		if !inModel[i] && v.isModelCall(r, s) {
			inModel[i] = true
			turns[inRollout[i]]++
			r.turn = turns[inRollout[i]]
		}
		if r.parent < 0 && v.root < 0 && s.Parent.IsZero() {
			v.root = i
		}
	}
	if v.root < 0 && len(v.rows) > 0 {
		v.root = 0
	}
}

// length is how long a row lasts; one without an end lasts until the end of the trace.
func (v *view) length(i int) int64 {
	r := &v.rows[i]
	if r.end < 0 {
		return gap(v.end, v.start) - r.start
	}
	return r.end - r.start
}

func (v *view) flag(r *row, s *otlp.Span) {
	mark := v.trace.Marks[r.span]
	if s.End == 0 {
		r.flags |= flagOpen
		v.open = true
	}
	if t, ok := s.Attr(semconv.SpanTruncated); ok && t.Bool() {
		r.flags |= flagTruncated
		v.truncated++
	} else if s.Status == otlp.StatusError {
		r.flags |= flagError
		v.errors++
	}
	if mark&store.Orphan != 0 {
		r.flags |= flagOrphan
		v.orphans++
	}
	if mark&store.SameID != 0 {
		r.flags |= flagSameID
		v.sameID++
	}
	if mark&store.Cycle != 0 {
		r.flags |= flagCycle
		v.cycles++
	}
	if r.parent >= 0 && r.flags&flagOrphan == 0 && r.start < v.rows[r.parent].start {
		r.flags |= flagSkew
		r.skew = r.start - v.rows[r.parent].start
		v.skewed++
	}
	if n, ok := s.Attr(semconv.HTTPRequestResendCount); ok && n.Int() > 0 {
		r.flags |= flagResent
	}
	for range s.Events() {
		r.flags |= flagEvents
		break
	}
	for range s.Links() {
		r.flags |= flagLinks
		break
	}
}

// isModelCall tells whether a span is a call of a model as the model's process saw it, or, in programs that have no such
// process, as the caller did.
func (v *view) isModelCall(r *row, s *otlp.Span) bool {
	role := v.services[r.service].Role
	if role == roleModel {
		return s.Kind == otlp.KindServer && (strings.HasSuffix(s.Name, "/responses") || strings.HasSuffix(s.Name, "/chat/completions") ||
			strings.HasSuffix(s.Name, "/messages"))
	}
	if role != "" {
		return false
	}
	op, _ := s.Attr("gen_ai.operation.name")
	switch op.Str() {
	case "chat", "text_completion", "generate_content":
		return true
	}
	return false
}

// notes says in a few words what a row's attributes add to its name.
func (v *view) notes(r *row) string {
	if r.span < 0 {
		return "parent never arrived"
	}
	s := &v.trace.Spans[r.span]
	var parts []string
	if rank, ok := v.rankFrom(r); ok {
		parts = append(parts, "rank "+rank)
	}
	if r.turn > 0 {
		parts = append(parts, fmt.Sprintf("turn %d", r.turn))
	}
	if n, ok := v.outputTokens(r); ok {
		parts = append(parts, fmt.Sprintf("%d tok", n))
	}
	if code, ok := s.Attr(semconv.HTTPResponseStatusCode); ok && code.Int() >= 400 {
		parts = append(parts, fmt.Sprintf("answered %d", code.Int()))
	}
	if n, ok := s.Attr(semconv.HTTPRequestResendCount); ok && n.Int() == 1 {
		parts = append(parts, "retried once")
	} else if ok && n.Int() > 1 {
		parts = append(parts, fmt.Sprintf("retried %d times", n.Int()))
	}
	if r.flags&flagTruncated != 0 {
		why, _ := s.Attr(semconv.SpanTruncatedReason)
		parts = append(parts, strings.TrimSuffix("truncated, "+clip(otlp.Text(why.Str()), 80), ", "))
	}
	if r.flags&flagCycle != 0 {
		parts = append(parts, "its parents lead back to it")
	}
	return strings.Join(parts, ", ")
}

// rankFrom gives the rank of a row's process in a distributed job, where it is not the one of the row above. All workers of a job
// are one service, and their spans have the same names.
func (v *view) rankFrom(r *row) (string, bool) {
	above := ""
	if r.parent >= 0 && v.rows[r.parent].span >= 0 {
		parent := v.rows[r.parent].span
		if v.trace.ResourceOf[parent] == v.trace.ResourceOf[r.span] {
			return "", false
		}
		above = v.rankOf(parent)
	}
	own := v.rankOf(r.span)
	return own, own != "" && own != above
}

func (v *view) rankOf(span int32) string {
	rank, ok := v.trace.Resources[v.trace.ResourceOf[span]].Attr("nv.dl.rank")
	if !ok {
		return ""
	}
	return clip(otlp.Text(rank.String()), 20)
}

// outputTokens are the tokens that a model call wrote. They may stand on a span inside of it.
func (v *view) outputTokens(r *row) (int64, bool) {
	if r.turn == 0 {
		return 0, false
	}
	first := v.rowOf[r.span]
	for i := int(first); i < len(v.rows) && (i == int(first) || v.rows[i].depth > r.depth); i++ {
		if span := v.rows[i].span; span >= 0 {
			if n, ok := v.trace.Spans[span].Attr(semconv.GenAIUsageOutputTokens); ok {
				return n.Int(), true
			}
		}
	}
	return 0, false
}

// find returns the row of a span: of several with the same id the nth copy.
func (v *view) find(id otlp.SpanID, nth int) (r *row, copies int) {
	for i := range v.rows {
		if c := &v.rows[i]; c.id == id && c.span >= 0 {
			if int(c.copy) == nth {
				r = c
			}
			copies++
		}
	}
	return r, copies
}

func serviceName(r *otlp.Resource) string {
	name, ok := r.Attr(semconv.ServiceName)
	if !ok || name.Str() == "" {
		return "unknown service"
	}
	return clip(otlp.Text(name.Str()), 200)
}

func roleOf(r *otlp.Resource) string {
	kind, _ := r.Attr(semconv.GymServerType)
	switch kind.Str() {
	case "supervisor":
		return roleDriver
	case "responses_api_agents":
		return roleAgent
	case "responses_api_models":
		return roleModel
	case "resources_servers", "environment_servers":
		return roleResources
	}
	return ""
}
