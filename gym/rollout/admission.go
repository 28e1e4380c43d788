package rollout

import (
	"bytes"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/lensgo/lens/gym/wire"
)

// admission lets so many rollouts run at a time as it finds right. Safe for concurrent use.
type admission struct {
	mu     sync.Mutex
	active int
	limit  int
	adapt  *adapter      // nil: the limit stays
	freed  chan struct{} // holds a token when something has changed for those who wait
	meter  Meter
}

func newAdmission(o *Options) *admission {
	a := &admission{limit: o.Concurrency, freed: make(chan struct{}, 1), meter: o.Meter}
	if o.Adapt {
		a.adapt = newAdapter(o.Concurrency)
		a.limit = a.adapt.limit()
	}
	a.meter.Limit(a.limit)
	return a
}

// enter takes a place if there is one. The ticket is for learn.
func (a *admission) enter() (ticket int, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.active >= a.limit {
		return 0, false
	}
	a.active++
	if a.adapt == nil {
		return 0, true
	}
	a.adapt.full = a.adapt.full || a.active >= a.limit
	return a.adapt.period, true
}

// learn takes in how a rollout went, as soon as it is known.
func (a *admission) learn(ticket int, out *outcome) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.adapt == nil || out.ending == cancelled {
		return
	}
	a.adapt.ended(ticket, out.duration, out.ending == scored, out.overload)
	if limit := a.adapt.limit(); limit != a.limit {
		a.limit = limit
		a.meter.Limit(limit)
	}
}

// leave gives the place back.
func (a *admission) leave() {
	a.mu.Lock()
	a.active--
	a.mu.Unlock()
	select {
	case a.freed <- struct{}{}:
	default:
	}
}

// idle tells whether nothing runs.
func (a *admission) idle() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.active == 0
}

// places is how many may run at a time now.
func (a *admission) places() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.limit
}

const (
	firstLimit = 32 // where adapting begins
	enough     = 16 // rollouts that a look at durations needs
	// patient is how many times as long as in the best of times rollouts may take before they are taken to wait for each other.
	patient = 3
)

// adapter finds the number of rollouts at a time by trying: more while all goes well, first twice as many, then some; fewer when a server
// says that it has too many, or when rollouts take much longer than they did. It looks once a period, which is as many rollouts as run
// at a time, and answers that were on their way when it cut the number do not cut it again.
type adapter struct {
	size, most float64
	climbing   bool // nothing has gone wrong yet
	full       bool // the limit was reached in this period, so more may be of use
	period     int
	times      []time.Duration // of rollouts scored in this period
	best       time.Duration   // the median of the best period
}

func newAdapter(most int) *adapter {
	return &adapter{size: float64(min(firstLimit, most)), most: float64(most), climbing: true}
}

func (a *adapter) limit() int { return int(a.size) }

// ended learns from a rollout that began in the period of its ticket.
func (a *adapter) ended(ticket int, took time.Duration, scored, overload bool) {
	if overload {
		if ticket == a.period {
			a.cut(0.5)
		}
		return
	}
	if !scored || ticket != a.period {
		return
	}
	if a.times = append(a.times, took); len(a.times) < max(a.limit(), enough) {
		return
	}
	slices.Sort(a.times)
	median := a.times[len(a.times)/2]
	if a.best == 0 || median < a.best {
		a.best = median
	}
	switch slow := median > patient*a.best; {
	case slow && a.size > firstLimit: // with fewer than that, it is the tasks that take long
		a.cut(max(0.8, firstLimit/a.size))
		return
	case !slow && a.full:
		a.raise()
	}
	a.next()
}

// cut takes fewer from now on.
func (a *adapter) cut(to float64) {
	a.size = max(a.size*to, 1)
	a.climbing = false
	a.next()
}

func (a *adapter) raise() {
	const steps = 64 // from nothing to the bound
	if a.climbing {
		a.size *= 2
	} else {
		a.size += max(a.most/steps, 1)
	}
	a.size = min(a.size, a.most)
}

func (a *adapter) next() {
	a.period++
	a.full = false
	a.times = a.times[:0]
}

// statusOverloaded is how some endpoints of models say that they have too much to do.
const statusOverloaded = 529

// signs are how an agent tells that a server behind it had too much to do: in the words of ours and of Python's, whose errors give the
// reason of a status if it has one, and in those of an endpoint.
var signs = [][]byte{
	[]byte("answered 429"), []byte("answered 503"), []byte("answered 529"), []byte("Too Many Requests"), []byte("Service Unavailable"),
	[]byte("529, message="), []byte("overloaded_error"),
}

// overloaded tells whether an answer says that some server has too much to do: the agent, or one behind it.
func overloaded(res *wire.Result) bool {
	switch res.Status {
	case http.StatusTooManyRequests, http.StatusServiceUnavailable, statusOverloaded:
		return true
	}
	return slices.ContainsFunc(signs, func(sign []byte) bool { return bytes.Contains(res.Body, sign) })
}
