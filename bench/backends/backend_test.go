package backends_test

import (
	"bytes"
	"compress/gzip"
	"encoding/pem"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/pmetric/pmetricotlp"
	"go.opentelemetry.io/collector/pdata/ptrace/ptraceotlp"
)

// wanted is a request that a real backend takes.
type wanted struct {
	url     string            // https://host/path
	headers map[string]string // that it looks at
	gzip    bool
	status  int // what it answers; 0 is 200

	resource map[string]string // attributes that it looks at
	deltas   bool              // it takes no other counters and histograms
}

// backends stand in for hosts, each by a server on this machine that holds the requests against what its host wants.
type backends struct {
	t       *testing.T
	want    map[string]wanted // by signal: traces, metrics, logs
	came    chan string       // a signal for each request that came
	secured []byte            // PEM: whom to trust

	mu    sync.Mutex
	hosts map[string]*httptest.Server // by scheme://host
	got   map[string]int              // requests by signal
}

func newBackends(t *testing.T, want map[string]wanted) *backends {
	return &backends{t: t, want: want, came: make(chan string, 100), hosts: map[string]*httptest.Server{}, got: map[string]int{}}
}

// stand makes the URL of a server on this machine out of one of a backend: same path, other host.
func (b *backends) stand(endpoint string) string {
	b.t.Helper()
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" {
		b.t.Fatalf("%q is no URL of an endpoint (%v)", endpoint, err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	host := u.Scheme + "://" + u.Host
	s := b.hosts[host]
	if s == nil {
		take := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { b.take(host, w, r) })
		if u.Scheme == "https" {
			s = httptest.NewTLSServer(take)
			b.secured = append(b.secured, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})...)
		} else {
			s = httptest.NewServer(take)
		}
		b.t.Cleanup(s.Close)
		b.hosts[host] = s
	}
	return s.URL + u.Path
}

// trust is a file with the certificates of the servers, "" when none has one.
func (b *backends) trust() string {
	if b.secured == nil {
		return ""
	}
	file := filepath.Join(b.t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, b.secured, 0o600); err != nil {
		b.t.Fatal(err)
	}
	return file
}

// take answers a request, and says what a real backend would have against it.
func (b *backends) take(host string, w http.ResponseWriter, r *http.Request) {
	signal, want, ok := b.find(host + r.URL.Path)
	if !ok {
		b.t.Errorf("%s %s%s: nobody is to send there", r.Method, host, r.URL.Path)
		http.Error(w, "nothing here", http.StatusNotFound)
		return
	}
	if err := want.check(signal, r); err != nil {
		b.t.Errorf("%s%s: %v", host, r.URL.Path, err)
	}
	w.Header().Set("Content-Type", "application/x-protobuf")
	if want.status != 0 {
		w.WriteHeader(want.status)
	}
	b.mu.Lock()
	b.got[signal]++
	b.mu.Unlock()
	select {
	case b.came <- signal:
	default: // more than anybody waits for
	}
}

func (b *backends) find(url string) (string, wanted, bool) {
	for signal, w := range b.want {
		if w.url == url {
			return signal, w, true
		}
	}
	return "", wanted{}, false
}

// all says which signals did not come.
func (b *backends) all() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, signal := range slices.Sorted(maps.Keys(b.want)) {
		if b.got[signal] == 0 {
			b.t.Errorf("no %s came to %s", signal, b.want[signal].url)
		}
	}
}

func (w wanted) check(signal string, r *http.Request) error {
	if r.Method != http.MethodPost {
		return fmt.Errorf("the method is %s", r.Method)
	}
	if t := r.Header.Get("Content-Type"); t != "application/x-protobuf" {
		return fmt.Errorf("the content type is %q", t)
	}
	for name, value := range w.headers {
		if got := r.Header.Values(name); !slices.Equal(got, []string{value}) {
			return fmt.Errorf("the header %s is %q, want %q", name, got, value)
		}
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if encoding := r.Header.Get("Content-Encoding"); (encoding == "gzip") != w.gzip {
		return fmt.Errorf("the content encoding is %q", encoding)
	}
	if w.gzip {
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return err
		}
		if body, err = io.ReadAll(z); err != nil {
			return err
		}
	}
	return w.checkBody(signal, body)
}

func (w wanted) checkBody(signal string, body []byte) error {
	switch signal {
	case "traces":
		q := ptraceotlp.NewExportRequest()
		if err := q.UnmarshalProto(body); err != nil || q.Traces().SpanCount() == 0 {
			return fmt.Errorf("it has no spans (%w)", err)
		}
		return w.checkResource(q.Traces().ResourceSpans().At(0).Resource().Attributes().AsRaw())
	case "metrics":
		q := pmetricotlp.NewExportRequest()
		if err := q.UnmarshalProto(body); err != nil || q.Metrics().DataPointCount() == 0 {
			return fmt.Errorf("it has no data points (%w)", err)
		}
		return w.checkTemporality(q.Metrics())
	}
	q := plogotlp.NewExportRequest()
	if err := q.UnmarshalProto(body); err != nil || q.Logs().LogRecordCount() == 0 {
		return fmt.Errorf("it has no log records (%w)", err)
	}
	return w.checkResource(q.Logs().ResourceLogs().At(0).Resource().Attributes().AsRaw())
}

func (w wanted) checkResource(attributes map[string]any) error {
	for key, value := range w.resource {
		if attributes[key] != value {
			return fmt.Errorf("the resource says %s is %v, want %s", key, attributes[key], value)
		}
	}
	return nil
}

func (w wanted) checkTemporality(m pmetric.Metrics) error {
	want := pmetric.AggregationTemporalityCumulative
	if w.deltas {
		want = pmetric.AggregationTemporalityDelta
	}
	var wrong []string
	for _, r := range m.ResourceMetrics().All() {
		for _, s := range r.ScopeMetrics().All() {
			for _, m := range s.Metrics().All() {
				switch {
				case m.Type() == pmetric.MetricTypeSum && m.Sum().IsMonotonic() && m.Sum().AggregationTemporality() != want,
					m.Type() == pmetric.MetricTypeHistogram && m.Histogram().AggregationTemporality() != want:
					wrong = append(wrong, m.Name())
				}
			}
		}
	}
	if wrong != nil {
		return fmt.Errorf("these are not %v: %s", want, strings.Join(wrong, ", "))
	}
	return nil
}
