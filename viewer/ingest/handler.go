package ingest

import (
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strconv"
	"strings"
)

const (
	protobufType = "application/x-protobuf"
	jsonType     = "application/json"
)

// handler answers OTLP over HTTP.
func (r *Receiver) handler() http.Handler {
	mux := http.NewServeMux()
	for _, s := range signals {
		mux.HandleFunc("/v1/"+s.name, func(w http.ResponseWriter, req *http.Request) { r.answer(w, req, s) })
	}
	g := newGuard(r.cfg.Hosts, r.cfg.Origins)
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if bad := g.check(w, req); bad != nil {
			r.count(bad)
			bad.write(w, req)
			return
		}
		mux.ServeHTTP(w, req)
	})
}

// answer answers one request in the encoding that it came in.
func (r *Receiver) answer(w http.ResponseWriter, req *http.Request, s *signal) {
	if isPreflight(req) {
		preflight(w)
		return
	}
	took, bad := r.accept(w, req, s)
	if bad != nil {
		r.count(bad)
		bad.write(w, req)
		return
	}
	if mediaType(req) == jsonType {
		write(w, http.StatusOK, jsonType, took.json(s))
	} else {
		write(w, http.StatusOK, protobufType, took.appendProto(nil))
	}
}

// accept reads one request and hands it on.
func (r *Receiver) accept(w http.ResponseWriter, req *http.Request, s *signal) (receipt, *refusal) {
	if bad := checkHead(req); bad != nil {
		return receipt{}, bad
	}
	// The body first, so that a sender that stalls keeps nobody from being worked on.
	if bad := enter(req.Context(), r.bodies); bad != nil {
		return receipt{}, bad
	}
	defer func() { <-r.bodies }()
	body, bad := readBody(w, req, r.cfg)
	if bad != nil {
		return receipt{}, bad
	}
	if bad := enter(req.Context(), r.slots); bad != nil {
		return receipt{}, bad
	}
	defer func() { <-r.slots }()
	if body, bad = decompress(req, body, r.cfg); bad != nil {
		return receipt{}, bad
	}
	if mediaType(req) != jsonType {
		return r.take(req.Context(), s, body)
	}
	o, err := outlineOf(body)
	if err == nil {
		body, err = s.fromJSON(o, body, r.cfg.MaxDecoded)
	}
	if err != nil {
		return receipt{}, refusalOf(err)
	}
	took, bad := r.take(req.Context(), s, body)
	if took.why == "" {
		took.why = s.hint(o)
	}
	return took, bad
}

// checkHead refuses what can be refused without reading the body.
func checkHead(req *http.Request) *refusal {
	if req.Method != http.MethodPost {
		return refuse(http.StatusMethodNotAllowed, "method is %s, must be POST", req.Method)
	}
	if t := mediaType(req); t != protobufType && t != jsonType {
		return refuse(http.StatusUnsupportedMediaType, "content type is %q, must be %s or %s", t, protobufType, jsonType)
	}
	switch e := encoding(req); e {
	case "", "identity", "gzip":
		return nil
	default:
		return refuse(http.StatusUnsupportedMediaType, "content encoding is %q, must be gzip or none", e)
	}
}

func mediaType(req *http.Request) string {
	t, _, err := mime.ParseMediaType(req.Header.Get("Content-Type"))
	if err != nil {
		return req.Header.Get("Content-Type")
	}
	return t // in lower case
}

func encoding(req *http.Request) string {
	return strings.ToLower(strings.TrimSpace(strings.Join(req.Header.Values("Content-Encoding"), ", ")))
}

// refusal is an answer that is not 200.
type refusal struct {
	status int // of HTTP
	err    error
}

func (e *refusal) Error() string { return e.err.Error() }

func refuse(status int, format string, args ...any) *refusal {
	return &refusal{status, fmt.Errorf(format, args...)}
}

// refusalOf says whose fault an error is.
func refusalOf(err error) *refusal {
	switch {
	case errors.Is(err, ErrInvalid):
		return &refusal{http.StatusBadRequest, err}
	case errors.Is(err, ErrTooLarge):
		return &refusal{http.StatusRequestEntityTooLarge, err}
	}
	return &refusal{http.StatusServiceUnavailable, err}
}

// bodyError turns an error of reading a body into an answer.
func bodyError(err error) *refusal {
	if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return refuse(http.StatusRequestEntityTooLarge, "body is larger than %d bytes", tooLarge.Limit)
	}
	return refuse(http.StatusBadRequest, "cannot read body: %w", err)
}

// write answers with a google.rpc.Status, as the OTLP specification wants it. A sender that used the wrong method, type
// or host may not speak OTLP, so it gets plain text.
func (e *refusal) write(w http.ResponseWriter, req *http.Request) {
	h := w.Header()
	switch e.status {
	case http.StatusMethodNotAllowed:
		h.Set("Allow", http.MethodPost)
		http.Error(w, e.Error(), e.status)
		return
	case http.StatusUnsupportedMediaType:
		h.Set("Accept", protobufType+", "+jsonType)
		h.Set("Accept-Encoding", "gzip")
		http.Error(w, e.Error(), e.status)
		return
	case http.StatusForbidden:
		http.Error(w, e.Error(), e.status)
		return
	case http.StatusServiceUnavailable:
		h.Set("Retry-After", "1")
	}
	if mediaType(req) == jsonType {
		write(w, e.status, jsonType, jsonStatus(rpcCode(e.status), e.Error()))
	} else {
		write(w, e.status, protobufType, appendStatus(nil, rpcCode(e.status), e.Error()))
	}
}

func write(w http.ResponseWriter, status int, contentType string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // a sender that has left needs no answer
}
