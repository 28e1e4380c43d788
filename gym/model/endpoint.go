package model

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"mime"
	"net/http"
	"net/url"

	"github.com/lensgo/lens/gym/wire"
)

// Caller makes calls: a [wire.Client].
type Caller interface {
	Do(ctx context.Context, call wire.Call) (*wire.Result, error)
}

// endpoint is what a model server asks: one or several base URLs of the same service, with what every call to them has
// in common. It is safe for concurrent use.
type endpoint struct {
	caller  Caller
	bases   []*url.URL
	header  http.Header
	secrets secrets
	retry   retry
	slots   chan struct{} // nil: any number of calls at once
}

// newEndpoint returns the endpoint for settings that were checked.
func newEndpoint(caller Caller, bases []*url.URL, header http.Header, hidden secrets, s EndpointSettings) *endpoint {
	e := &endpoint{caller: caller, bases: bases, header: header, secrets: hidden, retry: s.retry()}
	if s.MaxConcurrent != nil {
		e.slots = make(chan struct{}, *s.MaxConcurrent)
	}
	return e
}

// query is one question to an endpoint.
type query struct {
	session string // the caller's session, which stays with one base URL
	path    string // below the base URL
	body    []byte
	header  http.Header                // further headers, which lose against the endpoint's
	read    func(r *wire.Result) error // takes an answer of 2xx; its error is that the answer is none
}

// ask asks until there is an answer that q.read takes, or asking again is of no use. It waits, as long as ctx lasts, while
// max_concurrent_requests others are under way; a call keeps its place while it waits to be sent again, so that an endpoint
// that is asked too much is asked less. The error is an [*EndpointError], or that ctx has ended.
func (e *endpoint) ask(ctx context.Context, q query) error {
	if err := e.enter(ctx); err != nil {
		return err
	}
	defer e.leave()
	limited, cancel := e.retry.limit(ctx)
	defer cancel()
	base := e.sticky(q.session)
	for try := 1; ; try++ {
		f := e.try(limited, e.bases[base%len(e.bases)], q)
		if f == nil {
			return nil
		}
		if !e.retry.wait(limited, try, f) {
			if ctx.Err() != nil {
				return fmt.Errorf("cannot wait for the endpoint of the model: %w", context.Cause(ctx))
			}
			return f.error(try)
		}
		if f.lost {
			base++
		}
	}
}

// try asks once. It returns nil when the answer was taken.
func (e *endpoint) try(ctx context.Context, base *url.URL, q query) *fault {
	res, err := e.caller.Do(ctx, wire.Call{
		URL: base.JoinPath(q.path).String(), Body: q.body, Header: e.headers(q.header), Timeout: e.retry.tryTimeout,
	})
	if err != nil {
		return lostFault(ctx, err)
	}
	if err := res.Err(); err != nil {
		return statusFault(e.secrets.blot(err), res)
	}
	if err := q.read(res); err != nil {
		at := url.URL{Scheme: base.Scheme, Host: base.Host, Path: base.JoinPath(q.path).Path}
		return answerFault(e.secrets.blot(err), fmt.Sprintf("%s answered %d%s", &at, res.Status, e.secrets.beginning(res.Body)))
	}
	return nil
}

func (e *endpoint) headers(more http.Header) http.Header {
	if len(more) == 0 {
		return e.header
	}
	h := more.Clone()
	maps.Copy(h, e.header)
	return h
}

// sticky is the index of the base URL that a session stays with, so that the server behind it finds the conversation so
// far in its cache. The rule is Python's.
func (e *endpoint) sticky(session string) int {
	if len(e.bases) == 1 {
		return 0
	}
	sum := sha256.Sum256([]byte(session))
	return int(binary.BigEndian.Uint64(sum[:8]) % uint64(len(e.bases)))
}

func (e *endpoint) enter(ctx context.Context) error {
	if e.slots == nil {
		return nil
	}
	select {
	case e.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("cannot ask the endpoint of the model while %d requests are under way: %w", cap(e.slots), context.Cause(ctx))
	}
}

func (e *endpoint) leave() {
	if e.slots != nil {
		<-e.slots
	}
}

const eventStream = "text/event-stream"

// isStream reports whether an answer is an event stream. Some endpoints stream whether they were asked to or not.
func isStream(r *wire.Result) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == eventStream
}

// sessionOf is the session that a request belongs to; requests without one share a base URL.
func sessionOf(r *wire.Request) string {
	if r == nil {
		return ""
	}
	return r.Session
}

// baseURL parses the base URL of an endpoint. The error does not hold the text, which may have a password in it.
func baseURL(key, text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, errors.New(key + " must be a URL like https://host/v1")
	}
	return u, nil
}

// checkModel reports that a setting does not name the model.
func checkModel(key, name string) error {
	if name == "" {
		return errors.New(key + " is missing: name the model to ask for")
	}
	return nil
}
