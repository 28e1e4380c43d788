package rollout

import (
	"bytes"
	"cmp"
	"slices"
)

// number gives each row without a task index one: rows of the same text share it, in the order of their first row,
// passing over the indexes that other rows brought along.
func (p *Plan) number() {
	var taken []int
	for _, in := range p.inputs {
		if in.task >= 0 {
			taken = append(taken, in.task)
		}
	}
	slices.Sort(taken)
	first := firsts(len(p.inputs), func(a, b int32) int { return bytes.Compare(p.inputs[a].sum[:], p.inputs[b].sum[:]) })
	next := 0
	for i := range p.inputs {
		in := &p.inputs[i]
		switch {
		case in.task >= 0:
			continue
		case int(first[i]) < i: // of the same text, so it brought no index either
			in.task = p.inputs[first[i]].task
			continue
		}
		for len(taken) > 0 && taken[0] <= next {
			if taken[0] == next {
				next++
			}
			taken = taken[1:]
		}
		in.task = next
		next++
	}
}

// numberRollouts gives each row the indexes of its rollouts, which go on where those of the task's row before end, and counts them all.
func (p *Plan) numberRollouts() {
	first := p.firstOfTask()
	next := make([]int32, len(first)) // of the tasks that begin with a row
	for i := range p.inputs {
		in := &p.inputs[i]
		n := p.repeats(in.agent)
		in.rollout = next[first[i]]
		next[first[i]] += int32(n)
		p.expected += n
	}
}

// firstOfTask is the first row of each row's task.
func (p *Plan) firstOfTask() []int32 {
	return firsts(len(p.inputs), func(a, b int32) int { return cmp.Compare(p.inputs[a].task, p.inputs[b].task) })
}

// firsts gives for each of n things the first one that is the same. A map would take several times as much memory.
func firsts(n int, compare func(a, b int32) int) []int32 {
	order, first := make([]int32, n), make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Or(compare(a, b), cmp.Compare(a, b)) })
	for at, i := range order {
		first[i] = i
		if at > 0 && compare(order[at-1], i) == 0 {
			first[i] = first[order[at-1]]
		}
	}
	return first
}
