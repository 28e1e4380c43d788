package query

import "strings"

// others are names that people try, with the field they mean.
var others = map[string]string{
	"duration": "dur", "time": "dur", "failed": "outcome", "environment": "env", "score": "reward", "state": "outcome", "result": "outcome",
	"tool_calls": "calls", "tokens": "tok.out", "errors": "error", "attempts": "attempt", "tasks": "task", "span": "name",
	"date": "since", "begin": "started", "start": "started", "failure_class": "failure", "traceid": "trace", "trace_id": "trace",
}

// nearest returns the field's name in a list that a person most likely meant, or "".
func nearest(name string, l List) string {
	name = strings.ToLower(name)
	if f, ok := Lookup(others[name]); ok && f.In(l) {
		return f.Name
	}
	best, least := "", len(name)/2+1
	for _, f := range fields {
		if !f.In(l) {
			continue
		}
		if d := distance(name, f.Name); d < least {
			best, least = f.Name, d
		}
	}
	return best
}

// distance counts the letters to put in, take out, replace, or swap with their neighbour, to make b of a.
func distance(a, b string) int {
	if len(a) > 32 {
		return len(a)
	}
	before, last, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			next[j+1] = min(last[j+1]+1, next[j]+1, last[j]+cost)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, last, next = last, next, before
	}
	return last[len(b)]
}
