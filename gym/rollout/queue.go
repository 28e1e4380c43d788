package rollout

import (
	"sync"
	"time"
)

// queue holds what is to be run: the tasks in their order, then those that begin again. One goroutine takes, many may put back.
type queue struct {
	tasks []task
	next  int
	began time.Time

	mu    sync.Mutex
	again []offer
}

// offer is a task that may begin.
type offer struct {
	*task
	since time.Time
}

// first is what is to begin next; it stays. ok is false when there is nothing now.
func (q *queue) first() (_ offer, ok bool) {
	if q.next < len(q.tasks) {
		return offer{&q.tasks[q.next], q.began}, true
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.again) == 0 {
		return offer{}, false
	}
	return q.again[0], true
}

// take takes the first one away.
func (q *queue) take() {
	if q.next < len(q.tasks) {
		q.next++
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.again = q.again[1:]
}

// put has a task begin again, as its next attempt.
func (q *queue) put(t *task) {
	t.attempt++
	q.mu.Lock()
	defer q.mu.Unlock()
	q.again = append(q.again, offer{t, time.Now()})
}
