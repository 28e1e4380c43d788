package ingest

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

const (
	protobufType = "application/x-protobuf"
	jsonType     = "application/json"
)

func (r *Receiver) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/v1/traces", r.traces)
	mux.HandleFunc("/v1/metrics", func(w http.ResponseWriter, req *http.Request) { r.drop(w, req, &r.n.metrics) })
	mux.HandleFunc("/v1/logs", func(w http.ResponseWriter, req *http.Request) { r.drop(w, req, &r.n.logs) })
	return mux
}

// refusal is an answer that is not 200.
type refusal struct {
	status int
	err    error
}

func (e *refusal) Error() string { return e.err.Error() }

func refuse(status int, format string, args ...any) *refusal {
	return &refusal{status, fmt.Errorf(format, args...)}
}

// traces answers /v1/traces.
func (r *Receiver) traces(w http.ResponseWriter, req *http.Request) {
	bad := r.accept(w, req)
	if bad == nil {
		w.Header().Set("Content-Type", protobufType)
		w.Header().Set("Content-Length", "0") // an ExportTraceServiceResponse with nothing set has no bytes
		w.WriteHeader(http.StatusOK)
		return
	}
	if bad.status >= 500 {
		r.n.writeErrors.Add(1)
		if !r.failing.Swap(true) { // senders try again and again: a full disk is said once
			r.cfg.Logger.Error("cannot keep trace requests; senders are asked to try again", "error", bad.err)
		}
	} else {
		r.n.refused.Add(1)
	}
	bad.write(w)
}

// accept reads, decodes and writes one trace request.
func (r *Receiver) accept(w http.ResponseWriter, req *http.Request) *refusal {
	if bad := checkHead(req); bad != nil {
		return bad
	}
	// The body first, so that a sender that stalls keeps nobody from being worked on.
	if bad := enter(req, r.bodies); bad != nil {
		return bad
	}
	defer func() { <-r.bodies }()
	body, bad := readBody(w, req, r.cfg)
	if bad != nil {
		return bad
	}
	if bad := enter(req, r.slots); bad != nil {
		return bad
	}
	defer func() { <-r.slots }()
	if body, bad = decompress(req, body, r.cfg); bad != nil {
		return bad
	}
	if size := weight(body); size/maxWeight > r.cfg.MaxDecoded {
		return refuse(http.StatusRequestEntityTooLarge, "body of %d bytes would take about %d in memory, must be at most %d",
			len(body), size, maxWeight*r.cfg.MaxDecoded)
	}
	traces := ptraceotlp.NewExportRequest()
	if err := traces.UnmarshalProto(body); err != nil {
		return refuse(http.StatusBadRequest, "cannot decode %d bytes as ExportTraceServiceRequest: %w", len(body), err)
	}
	spans := traces.Traces().SpanCount()
	var size int
	if traces.Traces().ResourceSpans().Len() > 0 {
		line, err := encodeLine(traces)
		if err != nil {
			return refuse(http.StatusBadRequest, "cannot write request as JSON: %w", err)
		}
		if err := r.file.write(line); err != nil {
			return &refusal{http.StatusServiceUnavailable, err}
		}
		r.failing.Store(false)
		size = len(line)
	}
	r.n.requests.Add(1)
	r.n.spans.Add(int64(spans))
	r.n.bytes.Add(int64(size))
	return nil
}

// enter waits for a place.
func enter(req *http.Request, places chan struct{}) *refusal {
	select {
	case places <- struct{}{}:
		return nil
	case <-req.Context().Done():
		return refuse(http.StatusServiceUnavailable, "cannot take request: %w", req.Context().Err())
	}
}

// checkHead refuses what can be refused without reading the body.
func checkHead(req *http.Request) *refusal {
	if req.Method != http.MethodPost {
		return refuse(http.StatusMethodNotAllowed, "method is %s, must be POST", req.Method)
	}
	if t := mediaType(req); t != protobufType {
		return refuse(http.StatusUnsupportedMediaType, "content type is %q, must be %s", t, protobufType)
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

// drop acknowledges a signal that is not kept, in the sender's encoding.
func (r *Receiver) drop(w http.ResponseWriter, req *http.Request, n interface{ Add(int64) int64 }) {
	if req.Method != http.MethodPost {
		r.n.refused.Add(1)
		refuse(http.StatusMethodNotAllowed, "method is %s, must be POST", req.Method).write(w)
		return
	}
	if _, err := io.Copy(io.Discard, http.MaxBytesReader(w, req.Body, r.cfg.MaxBody)); err != nil {
		r.n.refused.Add(1)
		bodyError(err).write(w)
		return
	}
	n.Add(1)
	reply := ""
	w.Header().Set("Content-Type", protobufType)
	if mediaType(req) == jsonType {
		reply = "{}"
		w.Header().Set("Content-Type", jsonType)
	}
	w.Header().Set("Content-Length", strconv.Itoa(len(reply)))
	w.WriteHeader(http.StatusOK)
	_, _ = io.WriteString(w, reply) // a sender that has left needs no answer
}

// bodyError turns an error of reading a body into an answer.
func bodyError(err error) *refusal {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return refuse(http.StatusRequestEntityTooLarge, "body is larger than %d bytes", tooLarge.Limit)
	}
	return refuse(http.StatusBadRequest, "cannot read body: %w", err)
}

// write answers with a google.rpc.Status, as the OTLP specification wants it. A sender that used the wrong method or
// type may not speak protobuf, so it gets plain text.
func (e *refusal) write(w http.ResponseWriter) {
	h := w.Header()
	switch e.status {
	case http.StatusMethodNotAllowed:
		h.Set("Allow", http.MethodPost)
		http.Error(w, e.Error(), e.status)
		return
	case http.StatusUnsupportedMediaType:
		h.Set("Accept-Encoding", "gzip")
		http.Error(w, e.Error(), e.status)
		return
	case http.StatusServiceUnavailable:
		h.Set("Retry-After", "1")
	}
	body := appendStatus(nil, rpcCode(e.status), e.Error())
	h.Set("Content-Type", protobufType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(e.status)
	_, _ = w.Write(body)
}
