package ingest_test

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/lensgo/lens/viewer/ingest"
)

// ask sends a request with the headers of a browser.
func ask(t *testing.T, client *http.Client, method, url, host string, header map[string]string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(""))
	must(t, err)
	req.Host = host
	for k, v := range header {
		req.Header.Set(k, v)
	}
	resp, err := client.Do(req)
	must(t, err)
	must(t, resp.Body.Close())
	return answer{status: resp.StatusCode, header: resp.Header}
}

// With DNS rebinding a page talks to this machine by a name of its own.
func TestHost(t *testing.T) {
	r, client, _ := start(t, ingest.Config{Sink: &shelf{}, Hosts: []string{"Trainer.example"}})
	port := r.Endpoint()[strings.LastIndexByte(r.Endpoint(), ':'):]
	for host, status := range map[string]int{
		"127.0.0.1" + port:             200,
		"127.0.0.1":                    200,
		"127.1.2.3" + port:             200,
		"localhost" + port:             200,
		"LOCALHOST":                    200,
		"localhost." + port:            200,
		"viewer.localhost" + port:      200,
		"[::1]" + port:                 200,
		"[::1]":                        200,
		"trainer.example" + port:       200,
		"TRAINER.EXAMPLE.":             200,
		"evil.example" + port:          403,
		"evil.trainer.example":         403,
		"trainer.example.evil.example": 403,
		"localhost.evil.example":       403,
		"127.0.0.1.evil.example":       403,
		"93.184.216.34" + port:         403,
		"0.0.0.0" + port:               403,
		"[::]":                         403,
		"2130706433":                   403, // 127.0.0.1 to some
	} {
		a := ask(t, client, "POST", r.Endpoint()+"/v1/traces", host, proto)
		if a.status != status {
			t.Errorf("host %s: status %d, want %d", host, a.status, status)
		}
	}
	if a := ask(t, client, "GET", r.Endpoint()+"/", "evil.example", nil); a.status != 403 {
		t.Errorf("another path: status %d, want 403", a.status)
	}
}

// A receiver that others reach is called by the address that they reach.
func TestHost_own_address(t *testing.T) {
	ln, err := net.Listen("tcp4", "0.0.0.0:0")
	must(t, err)
	r, err := ingest.Start(t.Context(), ln, ingest.Config{Sink: &shelf{}})
	must(t, err)
	defer func() { must(t, r.Shutdown(t.Context())) }()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	url := strings.Replace(r.Endpoint(), "127.0.0.1", "127.0.0.2", 1) + "/v1/traces"
	for host, status := range map[string]int{"127.0.0.2": 200, "10.1.2.3": 403} {
		if a := ask(t, client, "POST", url, host, proto); a.status != status {
			t.Errorf("host %s: status %d, want %d", host, a.status, status)
		}
	}
}

func TestOrigin(t *testing.T) {
	const page = "http://127.0.0.1:4319"
	r, client, _ := start(t, ingest.Config{Sink: &shelf{}, Origins: []string{page + "/"}})
	url, host := r.Endpoint()+"/v1/traces", strings.TrimPrefix(r.Endpoint(), "http://")
	with := func(origin string, more ...string) map[string]string {
		h := map[string]string{"Content-Type": "application/json", "Origin": origin}
		for i := 0; i < len(more); i += 2 {
			h[more[i]] = more[i+1]
		}
		return h
	}
	question := []string{"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "content-type"}
	for _, tt := range []struct {
		name, method string
		header       map[string]string
		status       int
		allowed      string // Access-Control-Allow-Origin
	}{
		{"no origin", "POST", asJSON, 400, ""},
		{"the page", "POST", with(page), 400, page},
		{"the page asks", "OPTIONS", with(page, question...), 204, page},
		{"another site", "POST", with("https://evil.example"), 403, ""},
		{"another site asks", "OPTIONS", with("https://evil.example", question...), 403, ""},
		{"another port", "POST", with("http://127.0.0.1:4320"), 403, ""},
		{"another scheme", "POST", with("https://127.0.0.1:4319"), 403, ""},
		{"a longer name", "POST", with(page + ".evil.example"), 403, ""},
		{"a sandboxed frame", "POST", with("null"), 403, ""},
		{"OPTIONS of a program", "OPTIONS", nil, 405, ""},
		{"OPTIONS that asks nothing", "OPTIONS", with(page), 405, page},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := ask(t, client, tt.method, url, host, tt.header) // the body is empty: 400 in JSON
			if a.status != tt.status || a.header.Get("Access-Control-Allow-Origin") != tt.allowed {
				t.Errorf("status %d, allowed %q; want %d, %q", a.status, a.header.Get("Access-Control-Allow-Origin"), tt.status, tt.allowed)
			}
			if a.header.Get("Access-Control-Allow-Credentials") != "" {
				t.Error("credentials are allowed")
			}
			if a.header.Get("Vary") != "Origin" {
				t.Errorf("Vary is %q, want Origin", a.header.Get("Vary"))
			}
			if tt.status == 204 && (a.header.Get("Access-Control-Allow-Methods") != "POST" ||
				a.header.Get("Access-Control-Allow-Headers") != "Content-Type, Content-Encoding") {
				t.Errorf("allowed %v", a.header)
			}
		})
	}
}

// Without a page nobody's page may send.
func TestOrigin_none_configured(t *testing.T) {
	r, client, _ := start(t, ingest.Config{Sink: &shelf{}})
	a := ask(t, client, "POST", r.Endpoint()+"/v1/traces", "localhost", map[string]string{"Content-Type": "application/x-protobuf", "Origin": "http://localhost"})
	if a.status != 403 || a.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("status %d, want 403", a.status)
	}
	if got := r.Stats(); got.Refused != 1 {
		t.Errorf("stats %+v, want one refused", got)
	}
}
