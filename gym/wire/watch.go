package wire

import (
	"net/http/httptrace"
	"sync"
	"time"
)

// poolNoise is what it takes a busy machine to begin a dial. Below it nobody waited for a connection.
const poolNoise = 100 * time.Microsecond

// watch follows a call through the transport, for its span. The transport calls it from goroutines of its own, also
// after the call has ended.
type watch struct {
	limited bool // connections are bounded, so a call can wait for one

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
	w.waited += w.waiting() // of an attempt that got none
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
	if !info.WasIdle {
		w.waited += w.waiting()
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

// result returns how often the request was sent again, and how long it waited for connections; a wait that still goes on
// counts.
func (w *watch) result() (resent int, waited time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.resent, w.waited + w.waiting()
}
