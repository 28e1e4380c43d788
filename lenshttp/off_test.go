//go:build lens_off

package lenshttp_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lenshttp"
)

// TestOffChain: a service that is built without telemetry stands between two that are not, and their trace stays one.
func TestOffChain(t *testing.T) {
	sent := http.Header{
		"Traceparent": {"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-03"},
		"Tracestate":  {"foo@=1", "lens=r"},
		"Baggage":     {"nemo.gym.rollout.id=7-2;p=1, tenant=blue"},
	}
	var got http.Header
	last := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header }))
	defer last.Close()

	groups := lens.NewRegistry()
	groups.SetSpec("all")
	client := &http.Client{Transport: lenshttp.Transport(groups.NewGroup("http_client"), last.Client().Transport)}
	middle := httptest.NewServer(lenshttp.Handler(groups.NewGroup("server"),
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if v := lens.Baggage(r.Context(), "tenant"); v != "blue" {
				t.Errorf("the handler reads baggage %q", v)
			}
			out, err := http.NewRequestWithContext(r.Context(), http.MethodPost, last.URL, nil)
			if err != nil {
				t.Error(err)
				return
			}
			resp, err := client.Do(out)
			if err != nil {
				t.Error(err)
				return
			}
			_ = resp.Body.Close()
			if len(out.Header) != 0 {
				t.Errorf("the caller's request was changed: %v", out.Header)
			}
		})))
	defer middle.Close()

	in, err := http.NewRequestWithContext(t.Context(), http.MethodGet, middle.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	in.Header = sent
	resp, err := middle.Client().Do(in)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	for key, want := range map[string]string{
		"Traceparent": sent.Get("Traceparent"), "Tracestate": "foo@=1,lens=r", "Baggage": sent.Get("Baggage"),
	} {
		if v := got[key]; len(v) != 1 || v[0] != want {
			t.Errorf("%s is %q, want %q", key, v, want)
		}
	}
}

// TestOffHandsOn: with nothing in the headers the request and the writer are the caller's own.
func TestOffHandsOn(t *testing.T) {
	in, w := httptest.NewRequest(http.MethodGet, "/x", nil), httptest.NewRecorder()
	lenshttp.Handler(lens.NewGroup("server"), http.HandlerFunc(func(got http.ResponseWriter, r *http.Request) {
		if got != w || r != in {
			t.Error("the handler sees another request or writer")
		}
	})).ServeHTTP(w, in)
}
