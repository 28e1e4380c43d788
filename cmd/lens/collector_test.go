//go:build !lens_off

package main_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// collector takes spans over OTLP/HTTP and keeps them.
type collector struct {
	*httptest.Server

	mu       sync.Mutex
	status   int                    // of its answers
	spans    map[string]ptrace.Span // by name
	resource pcommon.Map            // of the last request
	other    []string               // paths of what is no traces
}

func newCollector(t *testing.T, status int) *collector {
	c := &collector{status: status, spans: map[string]ptrace.Span{}}
	c.Server = httptest.NewServer(c)
	t.Cleanup(c.Close)
	return c
}

// env is the environment of a program that sends to it.
func (c *collector) env() []string { return []string{"OTEL_EXPORTER_OTLP_ENDPOINT=" + c.URL} }

func (c *collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	request := ptraceotlp.NewExportRequest()
	if err == nil {
		err = request.UnmarshalProto(body)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnsupportedMediaType)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.status == http.StatusServiceUnavailable {
		w.WriteHeader(c.status)
		return
	}
	if r.URL.Path != "/v1/traces" {
		c.other = append(c.other, r.URL.Path)
	}
	for _, rs := range request.Traces().ResourceSpans().All() {
		c.resource = rs.Resource().Attributes()
		for _, ss := range rs.ScopeSpans().All() {
			for _, s := range ss.Spans().All() {
				c.spans[s.Name()] = s
			}
		}
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
	w.WriteHeader(c.status)
}

// answers changes the status of its answers.
func (c *collector) answers(status int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.status = status
}

// take returns what has come, of which there must be n.
func (c *collector) take(t *testing.T, n int) map[string]ptrace.Span {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.spans) != n || len(c.other) > 0 {
		t.Errorf("%d spans came, want %d, and %q", len(c.spans), n, c.other)
	}
	return c.spans
}

// says returns an attribute of the resource.
func (c *collector) says(key string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return attributeOf(c.resource, key)
}

func attributeOf(m pcommon.Map, key string) string {
	v, ok := m.Get(key)
	if !ok {
		return ""
	}
	return v.AsString()
}
