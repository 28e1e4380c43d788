package model

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

// EndpointError says that a model's endpoint gave no answer that could be used, however often it was asked.
type EndpointError struct {
	// Status is what the model server answers: the endpoint's own status from 400 on; 502 when there was no answer, or one
	// that is none; 504 when the time was up.
	Status int
	// Tries is how often the endpoint was asked.
	Tries int
	// Err is what was wrong with the last answer; the endpoint's key is blotted out of it.
	Err error

	lost bool // no answer came
}

func (e *EndpointError) Error() string {
	if e.Tries > 1 {
		return fmt.Sprintf("%v (asked %d times)", e.Err, e.Tries)
	}
	return e.Err.Error()
}

func (e *EndpointError) Unwrap() error { return e.Err }

// fault is what was wrong with one try.
type fault struct {
	err    error
	status int           // for the caller
	again  bool          // asking again may help
	after  time.Duration // how long the endpoint says to wait; 0 when it does not
	lost   bool          // no answer came
}

func (f *fault) error(tries int) error {
	return &EndpointError{Status: f.status, Tries: tries, Err: f.err, lost: f.lost}
}

// retried are the statuses after which asking again may help: too many requests, and trouble that is not the request's.
// 529 is how some endpoints say that they are overloaded.
func retried(status int) bool {
	switch status {
	case http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
		http.StatusServiceUnavailable, http.StatusGatewayTimeout, 520, 529:
		return true
	}
	return false
}

// lostFault is the fault of a try to which no answer came. A question to a model changes nothing, so it may be asked again
// even when it has arrived; a name that does not exist, a certificate that is wrong and an answer without end stay so.
func lostFault(ctx context.Context, err error) *fault {
	f := &fault{status: http.StatusBadGateway, again: true, lost: true, err: fmt.Errorf("the endpoint of the model gave no answer: %w", err)}
	if errors.Is(err, context.DeadlineExceeded) {
		f.status = http.StatusGatewayTimeout
	}
	if ctx.Err() != nil {
		f.again = false
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		f.again = false
	}
	if _, ok := errors.AsType[*wire.BodyTooLargeError](err); ok {
		f.again, f.lost = false, false
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		f.again = false
	}
	return f
}

// statusFault is the fault of an answer that is no 2xx.
func statusFault(err error, res *wire.Result) *fault {
	f := &fault{err: fmt.Errorf("the endpoint of the model refused: %w", err), status: res.Status, again: retried(res.Status), after: retryAfter(res.Header)}
	if res.Status < 400 || res.Status > 599 {
		f.status = http.StatusBadGateway
	}
	return f
}

// beginning shows what an answer is that is no JSON object, for instance the page of a proxy. What a model said is not shown.
func (s secrets) beginning(body []byte) string {
	const enough, cleaned = 80, 4096 // a secret is found before it is cut
	text := bytes.TrimSpace(body)
	if len(text) == 0 || text[0] == '{' || bytes.HasPrefix(text, []byte("data:")) || bytes.HasPrefix(text, []byte("event:")) {
		return ""
	}
	shown := s.clean(string(text[:min(len(text), cleaned)]))
	return fmt.Sprintf(", which begins with %q", shown[:min(len(shown), enough)])
}

// answerFault is the fault of an answer with a 2xx that says that there is none, stops in the middle, or is something else.
func answerFault(err error, answered string) *fault {
	if up, ok := errors.AsType[*responses.UpstreamError](err); ok {
		return &fault{err: err, status: up.Status, again: retried(up.Status)}
	}
	f := &fault{status: http.StatusBadGateway,
		err: fmt.Errorf("the endpoint of the model answered with something else than an answer: %s: %w", answered, err)}
	if errors.Is(err, responses.ErrTruncated) {
		f.again, f.lost = true, true
	}
	return f
}

// callTimeoutError is the cause of a call's end by call_timeout_seconds.
type callTimeoutError time.Duration

func (e callTimeoutError) Error() string {
	return fmt.Sprintf("no answer within call_timeout_seconds, which is %v", time.Duration(e))
}
func (e callTimeoutError) Unwrap() error { return context.DeadlineExceeded }

// replyError is an error as the server base turns it into a reply: with the status that tells the caller most.
func replyError(name string, err error) error {
	status := 0
	if e, ok := errors.AsType[*EndpointError](err); ok {
		status = e.Status
	} else if _, ok := errors.AsType[*responses.UnsupportedError](err); ok {
		status = http.StatusNotImplemented
	}
	if status == 0 {
		return err
	}
	return &wire.HTTPError{Status: status, Detail: fmt.Sprintf("%s cannot answer: %v", name, err)}
}

// badAnswer is the error of an answer that cannot be converted. It is the endpoint's fault and not the request's, unless the
// caller's dialect has no words for it.
func badAnswer(err error) error {
	if _, ok := errors.AsType[*responses.UnsupportedError](err); ok {
		return err
	}
	status := http.StatusBadGateway
	if up, ok := errors.AsType[*responses.UpstreamError](err); ok {
		status = up.Status
	}
	return &EndpointError{Status: status, Tries: 1, Err: fmt.Errorf("the model gave an answer that cannot be used: %w", err)}
}
