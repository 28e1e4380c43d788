package wire

import (
	"context"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/lensgo/lens/metrics"
)

// poolNoise is what it takes a busy machine to begin a dial. Below it nobody waited for a connection.
const poolNoise = 100 * time.Microsecond

// watch follows a call through the transport, for its span and the metrics of the pool. The transport calls it from goroutines of its own, also
// after the call has ended.
type watch struct {
	ctx     context.Context // of the call, for metrics
	limited bool            // connections are bounded, so a call can wait for one
	server  string          // an instance of the run, or empty

	mu      sync.Mutex
	asked   time.Time // for a connection; zero once it is there
	dialled time.Time // since asked
	waited  time.Duration
	begun   bool // there was an attempt
	written bool // the attempt was sent whole
	resent  int  // how often the request was sent again, by us or by the transport
}

// attempt says that the request is about to be sent, for the first time or again. A nil watch takes no notice.
func (w *watch) attempt() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.begun {
		w.resent++
	}
	w.begun, w.written = true, false
}

func (w *watch) trace() *httptrace.ClientTrace {
	t := &httptrace.ClientTrace{WroteRequest: w.wroteRequest}
	if w.limited {
		t.GetConn = w.getConn
		t.DNSStart = func(httptrace.DNSStartInfo) { w.dialling() }
		t.ConnectStart = func(string, string) { w.dialling() }
		t.GotConn = w.gotConn
	}
	return t
}

func (w *watch) getConn(string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.settle() // of an attempt that got none
	w.asked, w.dialled = time.Now(), time.Time{}
}

func (w *watch) dialling() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.dialled.IsZero() {
		w.dialled = time.Now()
	}
}

// gotConn counts the time until there was room to dial, or until another call gave its connection back. A connection
// that lay idle was there at once.
func (w *watch) gotConn(info httptrace.GotConnInfo) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if info.WasIdle {
		w.asked = time.Time{}
		return
	}
	if w.dialled.IsZero() {
		w.dialled = time.Now() // another call's connection: the wait was not for nothing
	}
	w.settle()
}

// settle ends a wait, if there is one. It was for nothing when neither a dial began nor a connection came.
func (w *watch) settle() {
	if d := w.waiting(); d > 0 {
		w.waited += d
		metrics.Gym.PoolQueued(w.ctx, w.server, w.dialled.IsZero(), d)
	}
	w.asked = time.Time{}
}

// waiting is the time from the question for a connection to the dial, or to now.
func (w *watch) waiting() time.Duration {
	if w.asked.IsZero() {
		return 0
	}
	until := w.dialled
	if until.IsZero() {
		until = time.Now()
	}
	if d := until.Sub(w.asked); d >= poolNoise {
		return d
	}
	return 0
}

// wroteRequest counts what the transport sends again by itself, within an attempt.
func (w *watch) wroteRequest(info httptrace.WroteRequestInfo) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if info.Err != nil {
		return
	}
	if w.written {
		w.resent++
	}
	w.written = true
}

// result returns how often the request was sent again, and how long it waited for connections. A wait that still goes on
// counts, and ends: the call is over.
func (w *watch) result() (resent int, waited time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.settle()
	return w.resent, w.waited
}
