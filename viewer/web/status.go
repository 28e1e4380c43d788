package web

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/lensgo/lens/viewer/store"
)

// Status is the state of the viewer.
type Status struct {
	API       int           `json:"api"`
	Version   string        `json:"version"`
	Now       Instant       `json:"now"`
	Started   Instant       `json:"started"`
	Receiving *Receiving    `json:"receiving"`
	Requests  RequestCounts `json:"requests"`
	Spans     SpanCounts    `json:"spans"`
	Reasons   []Reason      `json:"reasons"`
	Metrics   SignalCounts  `json:"metrics"`
	Logs      SignalCounts  `json:"logs"`
	Store     StoreStatus   `json:"store"`
	Listening []Listener    `json:"listening"`
	Results   ResultsStatus `json:"results"`
	Runs      RunsStatus    `json:"runs"`
}

// Receiving is how much comes in now.
type Receiving struct {
	SpansPerSecond float64 `json:"spans_per_s"`
	Processes      int     `json:"processes"`
	Window         int64   `json:"window_ns"`
}

// RequestCounts counts OTLP requests.
type RequestCounts struct {
	Received int64 `json:"received"`
	Refused  int64 `json:"refused"`
}

// SpanCounts counts spans by what became of them.
type SpanCounts struct {
	Received   int64 `json:"received"`
	Stored     int64 `json:"stored"`
	Duplicates int64 `json:"duplicates"`
	Dropped    int64 `json:"dropped"`
	Refused    int64 `json:"refused"`
	Truncated  int64 `json:"truncated"`
}

// Reason says why spans are missing.
type Reason struct {
	What  string `json:"what"`
	Why   string `json:"why"`
	Spans int64  `json:"spans"`
}

// SignalCounts counts requests of a signal, and the data points or log records that are stored.
type SignalCounts struct {
	Received int64 `json:"received"`
	Stored   int64 `json:"stored"`
}

// StoreStatus is the state of the store.
type StoreStatus struct {
	Bytes    int64    `json:"bytes"`
	MaxBytes *int64   `json:"max_bytes"`
	MaxAge   *int64   `json:"max_age_ns"`
	Oldest   *Instant `json:"oldest"`
	Newest   *Instant `json:"newest"`
	Traces   int      `json:"traces"`
	ReadOnly bool     `json:"read_only"`
	Data     *string  `json:"data"` // for --data, null when commands find it without
	Problems []string `json:"problems"`
}

// Listener is an open port.
type Listener struct {
	What    string `json:"what"`
	Address string `json:"address"`
}

// ResultsStatus is the state of the results file.
type ResultsStatus struct {
	Known   bool    `json:"known"`
	Rows    int     `json:"rows"`
	Reading bool    `json:"reading"`
	Problem *string `json:"problem"`
}

// RunsStatus counts runs.
type RunsStatus struct {
	Total   int `json:"total"`
	Running int `json:"running"`
}

func (h *Handler) getStatus(*http.Request, *params) (any, error) {
	return new(h.status()), nil
}

func (h *Handler) status() Status {
	all, kept := h.model.sums(), h.o.Store.Stats()
	traces := kept.Kinds[store.Traces]
	s := Status{
		API: 1, Version: h.o.Version, Now: Instant(h.now().UnixNano()), Started: Instant(h.started.UnixNano()),
		Metrics: SignalCounts{Stored: kept.Kinds[store.Metrics].Spans}, Logs: SignalCounts{Stored: kept.Kinds[store.Logs].Spans},
		Spans: SpanCounts{Stored: traces.Spans, Truncated: all.truncated, Duplicates: all.copies + traces.Repeated},
		Store: StoreStatus{Bytes: kept.Bytes, Oldest: clockOf(kept.Oldest), Newest: clockOf(kept.Newest), Traces: all.traces, ReadOnly: true,
			Problems: problemsOf(kept)},
		Results: h.results.status(),
		Runs:    RunsStatus{Total: all.runs, Running: all.running},
	}
	if h.o.Data != "" {
		s.Store.Data = &h.o.Data
	}
	if h.o.MaxBytes > 0 {
		s.Store.MaxBytes = new(h.o.MaxBytes)
	}
	if h.o.MaxAge > 0 {
		s.Store.MaxAge = new(int64(h.o.MaxAge))
	}
	if h.o.Received == nil {
		return s
	}
	got := h.o.Received()
	s.Store.ReadOnly = false
	s.Receiving = &Receiving{SpansPerSecond: all.spansPerSecond, Processes: all.processes, Window: int64(rateWindow)}
	s.Requests = RequestCounts{Received: got.Requests, Refused: got.Refused}
	s.Spans.Received, s.Spans.Dropped, s.Spans.Refused = got.Spans, got.DroppedSpans, got.RefusedSpans
	s.Reasons = got.Reasons[:min(len(got.Reasons), 20)]
	s.Metrics.Received, s.Logs.Received = got.Metrics, got.Logs
	s.Listening = got.Listening
	return s
}

// problemsOf says in sentences what is wrong with the store.
func problemsOf(s store.Stats) (list []string) {
	if s.Damaged > 0 {
		list = append(list, count(s.Damaged, "part of the store is", "parts of the store are")+" damaged and left out.")
	}
	if s.Torn > 0 {
		list = append(list, count(s.Torn, "byte", "bytes")+" at the end of files belonged to nothing whole. They are kept in the folder quarantine.")
	}
	return list
}

func count(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return commas(n) + " " + many
}

// commas writes a number with a comma between thousands.
func commas(n int64) string {
	digits := strconv.FormatInt(n, 10)
	var b strings.Builder
	for i, c := range digits {
		if i > 0 && digits[i-1] != '-' && (len(digits)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}
