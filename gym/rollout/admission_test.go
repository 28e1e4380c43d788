package rollout

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
	"github.com/lensgo/lens/semconv"
)

// server is a service that has room for so many at once, takes longer the more there are beyond that, and refuses above a bound.
type server struct{ room, bound int }

func (s server) answer(n int) (took time.Duration, refused bool) {
	return 100 * time.Millisecond * time.Duration(max(n, s.room)) / time.Duration(s.room), n > s.bound
}

// play has an adapter run rollouts in waves as large as it likes, and gives back the limits that it tried.
func play(a *adapter, s server, waves int) (limits []int) {
	for range waves {
		n := a.limit()
		limits = append(limits, n)
		a.full = true
		ticket := a.period
		for i := range n {
			took, refused := s.answer(i + 1)
			a.ended(ticket, took, !refused, refused)
		}
	}
	return limits
}

func TestAdapter(t *testing.T) {
	for name, c := range map[string]struct {
		most        int
		s           server
		least, best int // where the limit stays, after it found it
	}{
		"nothing in the way":   {1024, server{1 << 20, 1 << 20}, 1024, 1024},
		"refused above 200":    {1024, server{1 << 20, 200}, 90, 220},
		"slower above 50":      {1024, server{50, 1 << 20}, 50, 700},
		"a small bound":        {5, server{1 << 20, 1 << 20}, 5, 5},
		"refused at the start": {1024, server{1 << 20, 4}, 1, 24},
	} {
		t.Run(name, func(t *testing.T) {
			limits := play(newAdapter(c.most), c.s, 400)
			settled := limits[100:]
			if least, most := slices.Min(settled), slices.Max(settled); least < c.least || most > c.best {
				t.Errorf("it went from %d to %d, want from %d to %d", least, most, c.least, c.best)
			}
			if c.most == 1024 && limits[1] > 2*firstLimit {
				t.Errorf("it began with %v", limits[:4])
			}
		})
	}
}

// Answers that were on their way when the number was cut do not cut it again.
func TestAdapter_cuts_once(t *testing.T) {
	a := newAdapter(1024)
	for range firstLimit / 2 {
		a.ended(0, time.Second, true, false)
	}
	for range 10 {
		a.ended(0, time.Second, false, true)
	}
	if a.limit() != firstLimit/2 {
		t.Errorf("%d after one wave of refusals, want %d", a.limit(), firstLimit/2)
	}
	for range 20 {
		a.ended(a.period, time.Second, false, true)
	}
	if a.limit() != 1 {
		t.Errorf("%d, want no less than 1", a.limit())
	}
}

// Nobody raises a limit that is not reached: what runs is bounded by something else.
func TestAdapter_idle(t *testing.T) {
	a := newAdapter(1024)
	for range 1000 {
		a.ended(a.period, time.Second, true, false)
	}
	if a.limit() != firstLimit {
		t.Errorf("%d", a.limit())
	}
}

// An agent that refuses what is too much for it gets less, and everything is scored.
func TestRun_adapts(t *testing.T) {
	f := newFixture(t, inputRows(400))
	f.o.Adapt, f.o.Again, f.o.MaxAttempts = true, true, 50
	meter := &countingMeter{lowered: make(chan struct{})}
	f.o.Meter = meter
	a := newAgent(t)
	const room = 8
	places := make(chan struct{}, room)
	a.run = func(w http.ResponseWriter, _ *http.Request, _ responses.Object) {
		select {
		case places <- struct{}{}:
		default:
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		<-meter.lowered // the first wave stands still until a refusal was understood, however slow the machine is
		<-places
		fmt.Fprint(w, `{"reward":1}`)
	}
	s := f.run(a)
	if s.Scored != 400 || s.Failed != 0 || s.Again == 0 {
		t.Errorf("%d scored, %d failed, %d again", s.Scored, s.Failed, s.Again)
	}
	if len(meter.limits) < 2 || meter.limits[0] != firstLimit || meter.limits[1] != firstLimit/2 {
		t.Errorf("limits %v, want %d and then %d", meter.limits, firstLimit, firstLimit/2)
	}
	if meter.offered != 400+s.Again || meter.admitted != meter.offered || meter.resident != 0 || meter.active != 0 {
		t.Errorf("%+v, %d again", meter, s.Again)
	}
	if meter.most < room || meter.most > slices.Max(meter.limits) {
		t.Errorf("%d at a time, limits %v", meter.most, meter.limits)
	}
}

func TestOverloaded(t *testing.T) {
	for name, c := range map[string]struct {
		status int
		body   string
		want   bool
	}{
		"the agent has too much to do":       {http.StatusTooManyRequests, "", true},
		"it is not there for now":            {http.StatusServiceUnavailable, "", true},
		"it passes on what an endpoint says": {529, "", true},
		"a server behind it":                 {http.StatusInternalServerError, `{"detail":"model answered 429 to POST /v1/responses"}`, true},
		"one that is not there for now":      {http.StatusInternalServerError, `{"detail":"model answered 503 to POST /v1/responses"}`, true},
		"one of an overloaded endpoint":      {http.StatusInternalServerError, `{"detail":"model answered 529 to POST /v1/messages"}`, true},
		"in Python's words":                  {http.StatusInternalServerError, "ClientResponseError(429, message='Too Many Requests', url='http://m')", true},
		"a 503 in Python's words":            {http.StatusInternalServerError, "503, message='Service Unavailable', url='http://m'", true},
		"a 529 in Python's words":            {http.StatusInternalServerError, "529, message='', url='http://m'", true},
		"in the words of an endpoint":        {http.StatusBadGateway, `{"type":"error","error":{"type":"overloaded_error"}}`, true},
		"a fault of its own":                 {http.StatusInternalServerError, "KeyError: 'city'", false},
		"a fault of a server behind it":      {http.StatusInternalServerError, `{"detail":"model answered 500 to POST /v1/responses"}`, false},
		"nothing came":                       {http.StatusBadGateway, "", false},
		"it took too long":                   {http.StatusGatewayTimeout, "", false},
		"a number that looks like it":        {http.StatusUnprocessableEntity, `{"detail":"429 of 529 tokens"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := overloaded(&wire.Result{Status: c.status, Body: []byte(c.body)}); got != c.want {
				t.Errorf("%v, want %v", got, c.want)
			}
		})
	}
}

// What a busy server refuses begins again when the number adapts, without restarts allowed, as often as allowed; what fails in another way
// does not, and nothing does when the number stays.
func TestRun_refused(t *testing.T) {
	const busy, broken = 0, 1
	for name, adapt := range map[string]bool{"adapting": true, "not adapting": false} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, inputRows(3))
			f.o.Adapt, f.o.MaxAttempts = adapt, 2
			a := newAgent(t)
			a.run = func(w http.ResponseWriter, _ *http.Request, row responses.Object) {
				attempt, _ := row.Int(keyAttempt)
				switch {
				case n(row) == busy || n(row) == 2 && attempt == 0:
					http.Error(w, "model answered 529 to POST /v1/responses", http.StatusInternalServerError)
				case n(row) == broken:
					http.Error(w, "KeyError", http.StatusInternalServerError)
				default:
					fmt.Fprint(w, `{"reward":1}`)
				}
			}
			s := f.run(a)
			sent, scored := 3, 0
			if adapt {
				sent, scored = 5, 1
			}
			if len(a.bodies()) != sent || s.Scored != scored || s.Failed != 3-scored || s.Again != sent-3 || s.Missing != 0 {
				t.Errorf("%d were sent: %+v", len(a.bodies()), s)
			}
		})
	}
}

type countingMeter struct {
	mu                                        sync.Mutex
	offered, resident, active, admitted, most int
	limits                                    []int

	lowered chan struct{} // when not nil, closed with the second limit
}

func (m *countingMeter) Offered(n int) { m.mu.Lock(); defer m.mu.Unlock(); m.offered += n }
func (m *countingMeter) Active(n int)  { m.mu.Lock(); defer m.mu.Unlock(); m.active += n }
func (m *countingMeter) Limit(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.limits = append(m.limits, n)
	if m.lowered != nil && len(m.limits) == 2 {
		close(m.lowered)
	}
}
func (m *countingMeter) Resident(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.resident += n
	m.most = max(m.most, m.resident)
}

func (m *countingMeter) Admitted(wait time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if wait >= 0 {
		m.admitted++
	}
}

// A rollout whose agent did not answer begins again in the same run, as often as allowed; one that failed in another way does not.
func TestRun_again(t *testing.T) {
	f := newFixture(t, inputRows(3))
	f.o.Again, f.o.MaxAttempts = true, 2
	a := newAgent(t)
	var mu sync.Mutex
	came := map[int64]int{}
	a.run = func(w http.ResponseWriter, _ *http.Request, row responses.Object) {
		mu.Lock()
		came[n(row)]++
		times := came[n(row)]
		mu.Unlock()
		attempt, _ := row.Int(keyAttempt)
		switch {
		case attempt != int64(times-1):
			t.Errorf("row %d comes the %d. time as attempt %d", n(row), times, attempt)
		case n(row) == 0 && times == 1 || n(row) == 1:
			panic(http.ErrAbortHandler)
		case n(row) == 2:
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, `{"reward":1}`)
	}
	s := f.run(a)
	if s.Scored != 1 || s.Failed != 2 || s.Again != 2 || s.Missing != 0 || s.FailureClasses[semconv.FailureAgentRequest] != 1 {
		t.Errorf("%+v", s)
	}
	mu.Lock()
	defer mu.Unlock()
	if came[0] != 2 || came[1] != 2 || came[2] != 1 {
		t.Errorf("they came %v times", came)
	}
	if got := f.keys("out/rollouts_failures.jsonl"); !slices.Equal(got, []string{"0:0", "1:0", "1:0", "2:0"}) {
		t.Errorf("failures %v", got)
	}
	f.o.Resume = true // which counts the attempts of the run before
	if s := f.run(newAgent(t)); s.GivenUp != 1 || s.Scored != 1 {
		t.Errorf("%+v", s)
	}
}

// A drained run does not begin anything again.
func TestRun_again_drained(t *testing.T) {
	f := newFixture(t, inputRows(1))
	f.o.Again = true
	a := newAgent(t)
	p := f.prepare()
	a.run = func(http.ResponseWriter, *http.Request, responses.Object) {
		p.Drain()
		panic(http.ErrAbortHandler)
	}
	s, err := p.Run(t.Context(), a.client(t))
	if err != nil || s.Missing != 1 || s.Failed != 0 || !s.Interrupted || len(a.bodies()) != 1 {
		t.Errorf("%+v, %v", s, err)
	}
}

// captured attaches the rollout's id, and fails for one.
type captured struct{}

func (captured) Attach(_ context.Context, id string, row *responses.Object) error {
	if id == "1-0" {
		return errors.New("boom-17")
	}
	row.SetString("ng_model_call_capture", id)
	return nil
}

func TestRun_captures(t *testing.T) {
	f := newFixture(t, inputRows(4))
	var progress buffer
	f.o.Captures, f.o.Progress = captured{}, &progress
	a := newAgent(t)
	a.run = func(w http.ResponseWriter, _ *http.Request, row responses.Object) {
		if n(row) == 3 {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, `{"reward":1}`)
	}
	if s := f.run(a); s.Scored != 3 {
		t.Errorf("%+v", s)
	}
	text := f.read("out/rollouts.jsonl") + f.read("out/rollouts_failures.jsonl")
	for id, want := range map[string]int{"0-0": 1, "1-0": 0, "2-0": 1, "3-0": 1} {
		if got := strings.Count(text, `"ng_model_call_capture":"`+id+`"`); got != want {
			t.Errorf("%s is attached %d times", id, got)
		}
	}
	if !strings.Contains(progress.String(), "rollout 1-0, nor perhaps of others: boom-17") {
		t.Errorf("progress %q", progress.String())
	}
}
