package web_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/lensgo/lens/viewer/web"
)

const token = "s3cret-token"

func TestHost(t *testing.T) {
	b := newBench(t, web.Options{Hosts: []string{"login1.cluster"}})
	for host, want := range map[string]int{
		"127.0.0.1:4319": 200, "localhost:4319": 200, "lens.localhost": 200, "[::1]:4319": 200, "10.1.2.3:80": 200, "LOGIN1.cluster:4319": 200,
		"localhost.": 200, "evil.example:4319": 403, "127.0.0.1.evil.example": 403, "localhost.evil.example": 403, "": 403,
	} {
		w := b.get("/api/v1/status", func(r *http.Request) { r.Host = host })
		if w.Code != want {
			t.Errorf("Host %q: got %d, want %d: %s", host, w.Code, want, w.Body)
		}
	}
}

func TestOtherSites(t *testing.T) {
	b := newBench(t, web.Options{})
	tests := []struct {
		name, path         string
		site, mode, origin string
		want               int
	}{
		{"the page", "/api/v1/status", "same-origin", "cors", "", 200},
		{"typed", "/runs", "none", "navigate", "", 200},
		{"a link elsewhere", "/runs", "cross-site", "navigate", "", 200},
		{"a link elsewhere to the API", "/api/v1/status", "cross-site", "navigate", "", 403},
		{"fetch elsewhere", "/api/v1/status", "cross-site", "no-cors", "", 403},
		{"fetch on another port", "/api/v1/status", "same-site", "cors", "", 403},
		{"an image elsewhere", "/runs", "cross-site", "no-cors", "", 403},
		{"old browser", "/api/v1/status", "", "", "http://evil.example", 403},
		{"old browser, own page", "/api/v1/status", "", "", "http://127.0.0.1:4319", 200},
		{"no browser", "/api/v1/status", "", "", "", 200},
		{"opaque origin", "/api/v1/status", "", "", "null", 403},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := b.get(tt.path, func(r *http.Request) {
				for name, v := range map[string]string{"Sec-Fetch-Site": tt.site, "Sec-Fetch-Mode": tt.mode, "Origin": tt.origin} {
					if v != "" {
						r.Header.Set(name, v)
					}
				}
			})
			if w.Code != tt.want {
				t.Errorf("got %d, want %d", w.Code, tt.want)
			}
			if got := w.Header().Get("Access-Control-Allow-Origin"); got != "" {
				t.Errorf("Access-Control-Allow-Origin: %s", got)
			}
		})
	}
}

func TestMethods(t *testing.T) {
	b := newBench(t, web.Options{Received: func() web.Received {
		return web.Received{Listening: []web.Listener{{What: "OTLP over HTTP, protobuf and JSON", Address: "127.0.0.1:4318"}}}
	}})
	for _, method := range []string{"POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT"} {
		w := b.get("/api/v1/status", func(r *http.Request) { r.Method = method })
		if w.Code != 405 || w.Header().Get("Allow") != "GET, HEAD" {
			t.Errorf("%s: got %d, Allow %q", method, w.Code, w.Header().Get("Allow"))
		}
	}
	w := b.get("/v1/traces", func(r *http.Request) { r.Method = "POST" })
	if w.Code != 405 || !strings.Contains(w.Body.String(), "Send OTLP over HTTP to 127.0.0.1:4318.") {
		t.Errorf("OTLP sent to the page: got %d %s", w.Code, w.Body)
	}
	w = b.get("/api/v1/status", func(r *http.Request) { r.Method = "HEAD" })
	if w.Code != 200 || w.Body.Len() != 0 || w.Header().Get("ETag") == "" {
		t.Errorf("HEAD: got %d with %d bytes", w.Code, w.Body.Len())
	}
}

func TestBounds(t *testing.T) {
	b := newBench(t, web.Options{})
	for path, want := range map[string]int{
		"/api/v1/runs?x=" + strings.Repeat("a", 9<<10):    414,
		"/" + strings.Repeat("a", 5<<10):                  414,
		"/api/v1/runs?q=" + strings.Repeat("a", 3<<10):    400,
		"/api/v1/runs?limit=0":                            400,
		"/api/v1/runs?limit=201":                          400,
		"/api/v1/runs?limit=1e2":                          400,
		"/api/v1/runs?sort=nothing":                       400,
		"/api/v1/runs?cursor=nonsense":                    400,
		"/api/v1/runs?%zz":                                400,
		"/api/v1/runs?unknown=parameter":                  200,
		"/api/v1/traces/nonsense":                         400,
		"/api/v1/traces/00112233445566778899aabbccddeeff": 404,
		"/api/v1/nothing":                                 404,
		"/api/v2/status":                                  404,
		"/nothing":                                        404,
		"/static/0/nothing.js":                            404,
		"/static/0/../web.go":                             307, // cleaned by the mux
		"/static/0/index.html":                            404,
	} {
		w := b.get(path)
		if w.Code != want {
			t.Errorf("%.60s: got %d, want %d: %.200s", path, w.Code, want, w.Body)
		}
		if w.Code >= 400 && !strings.HasPrefix(w.Body.String(), `{"error":{"code":"`) {
			t.Errorf("%.60s: no error body: %.100s", path, w.Body)
		}
	}
}

func TestHeaders(t *testing.T) {
	b := newBench(t, web.Options{})
	for _, path := range []string{"/", "/runs", "/api/v1/status", "/api/v1/nothing", "/nothing"} {
		h := b.get(path).Header()
		for name, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY", "Cross-Origin-Resource-Policy": "same-origin",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", path, name, got, want)
			}
		}
		policy := h.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"} {
			if !strings.Contains(policy, part) {
				t.Errorf("%s: the policy has no %q", path, part)
			}
		}
		if strings.Contains(policy, "unsafe") {
			t.Errorf("%s: the policy allows something unsafe: %s", path, policy)
		}
	}
}

// A file that is dropped on the page goes to the receiver: the page may speak to that address, and to no other.
func TestPolicyOfReceiver(t *testing.T) {
	b := newBench(t, web.Options{Received: func() web.Received {
		return web.Received{Listening: []web.Listener{{What: "OTLP over HTTP, protobuf and JSON", Address: "127.0.0.1:4318"}, {What: "OTLP over gRPC", Address: "127.0.0.1:4317"}}}
	}})
	if got := b.get("/").Header().Get("Content-Security-Policy"); !strings.Contains(got, "connect-src 'self' http://127.0.0.1:4318;") || strings.Contains(got, "4317") {
		t.Errorf("got %q", got)
	}
	b = newBench(t, web.Options{})
	if got := b.get("/").Header().Get("Content-Security-Policy"); !strings.Contains(got, "connect-src 'self';") {
		t.Errorf("without a receiver: %q", got)
	}
}

// TestToken walks the whole way: refused, let in by the printed address, a link without the token.
func TestToken(t *testing.T) {
	b := newBench(t, web.Options{Token: token})
	for _, path := range []string{"/", "/runs", "/api/v1/status", "/api/v1/events", "/static/0/js/app.js", "/nothing", "/runs?token=wrong", "/runs?token="} {
		if w := b.get(path); w.Code != 401 || strings.Contains(w.Body.String(), token) || w.Header().Get("Set-Cookie") != "" {
			t.Errorf("%s without the token: got %d", path, w.Code)
		}
	}
	w := b.get("/traces/3a?x=1&token=" + token + "&y=a%26b")
	if w.Code != 303 || w.Header().Get("Location") != "/traces/3a?x=1&y=a%26b" {
		t.Fatalf("with the token: got %d to %q", w.Code, w.Header().Get("Location"))
	}
	set := w.Header().Get("Set-Cookie")
	for _, part := range []string{"lens-token-4319=", "HttpOnly", "SameSite=Strict", "Path=/", "Max-Age="} {
		if !strings.Contains(set, part) {
			t.Errorf("the cookie %q has no %s", set, part)
		}
	}
	if strings.Contains(set, token) {
		t.Error("the cookie holds the token itself")
	}
	cookie, _, _ := strings.Cut(set, ";")
	for _, path := range []string{"/runs", "/api/v1/status"} {
		if w := b.get(path, header("Cookie", cookie)); w.Code != 200 {
			t.Errorf("%s with the cookie: got %d", path, w.Code)
		}
		if w := b.get(path, header("Cookie", cookie[:len(cookie)-1]+"x")); w.Code != 401 {
			t.Errorf("%s with a wrong cookie: got %d", path, w.Code)
		}
	}
	if w := b.get("/api/v1/status", header("Authorization", "Bearer "+token)); w.Code != 200 {
		t.Errorf("with the header: got %d", w.Code)
	}
	if w := b.get("/api/v1/status", header("Authorization", "Basic "+token)); w.Code != 401 {
		t.Errorf("with another scheme: got %d", w.Code)
	}
	if w := b.get("/api/v1/status?token=" + token); w.Code != 401 {
		t.Errorf("the API takes the token in an address, where it would be logged: got %d", w.Code)
	}
	if w := b.get("/runs", header("Cookie", cookie), func(r *http.Request) { r.Host = "127.0.0.1:5000" }); w.Code != 401 {
		t.Errorf("the cookie of one port at another: got %d", w.Code)
	}
}

// TestTokenRedirect looks for a way to use the redirect to lead elsewhere.
func TestTokenRedirect(t *testing.T) {
	b := newBench(t, web.Options{Token: token})
	for _, path := range []string{"//evil.example/?token=" + token, "/\\evil.example?token=" + token, "///evil.example/x?token=" + token} {
		r := httptest.NewRequest("GET", "http://127.0.0.1:4319/", nil)
		r.URL.Path, r.URL.RawQuery, _ = strings.Cut(path, "?")
		w := httptest.NewRecorder()
		b.web.ServeHTTP(w, r)
		if to := w.Header().Get("Location"); w.Code != 303 || len(to) < 2 || to[0] != '/' || to[1] == '/' || to[1] == '\\' {
			t.Errorf("%s leads to %q", path, to)
		}
	}
}

// TestLinkElsewhere: the strict cookie does not come along when a link on another site is followed, so that the page asks
// again as its own.
func TestLinkElsewhere(t *testing.T) {
	b := newBench(t, web.Options{Token: token})
	w := b.get("/runs", header("Sec-Fetch-Site", "cross-site"), header("Sec-Fetch-Mode", "navigate"))
	if w.Code != 401 || !strings.Contains(w.Body.String(), `http-equiv="refresh"`) {
		t.Errorf("got %d: %s", w.Code, w.Body)
	}
	if w := b.get("/runs", header("Sec-Fetch-Site", "same-origin")); strings.Contains(w.Body.String(), "refresh") {
		t.Error("the page would load itself for ever")
	}
}

func TestGzip(t *testing.T) {
	b := newBench(t, web.Options{})
	b.fill()
	plain := b.get("/api/v1/runs/" + runID + "/rollouts")
	zipped := b.get("/api/v1/runs/"+runID+"/rollouts", header("Accept-Encoding", "br, gzip"))
	if zipped.Header().Get("Content-Encoding") != "gzip" || zipped.Body.Len() >= plain.Body.Len() {
		t.Fatalf("not compressed: %d of %d bytes", zipped.Body.Len(), plain.Body.Len())
	}
	z, err := gzip.NewReader(zipped.Body)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := io.ReadAll(z); !bytes.Equal(got, plain.Body.Bytes()) {
		t.Error("another answer")
	}
	if got := zipped.Header().Get("Vary"); got != "Accept-Encoding" {
		t.Errorf("Vary: %q", got)
	}
	if w := b.get("/api/v1/runs/"+runID+"/rollouts", header("Accept-Encoding", "gzip;q=0")); w.Header().Get("Content-Encoding") != "" {
		t.Error("compressed for a client that refuses it")
	}
}

func TestETag(t *testing.T) {
	b := newBench(t, web.Options{})
	b.fill()
	path := "/api/v1/runs/" + runID
	first := b.get(path)
	tag := first.Header().Get("ETag")
	if first.Code != 200 || tag == "" || first.Header().Get("Cache-Control") != "private, no-cache" {
		t.Fatalf("got %d, ETag %q, %q", first.Code, tag, first.Header().Get("Cache-Control"))
	}
	if w := b.get(path, header("If-None-Match", `"other", `+tag)); w.Code != 304 || w.Body.Len() != 0 {
		t.Errorf("unchanged: got %d with %d bytes", w.Code, w.Body.Len())
	}
	b.add(rollout(7, 5, 0, 1, "").td)
	if w := b.get(path, header("If-None-Match", tag)); w.Code != 200 {
		t.Errorf("changed: got %d", w.Code)
	}
}

func TestStatic(t *testing.T) {
	files := fstest.MapFS{
		"index.html":    {Data: []byte(`<script src="/static/HASH/js/app.js"></script>`)},
		"js/app.js":     {Data: []byte(strings.Repeat("export const a = 1;\n", 100))},
		"test/app.js":   {Data: []byte("secret")},
		".hidden":       {Data: []byte("secret")},
		"fonts/x.woff2": {Data: []byte("font")},
		"js/NOTES.md":   {Data: []byte("secret")},
	}
	b := newBench(t, web.Options{Files: files})
	page := b.get("/runs/some%2Frun?tab=tasks")
	_, rest, _ := strings.Cut(page.Body.String(), `src="`)
	src, _, _ := strings.Cut(rest, `"`)
	if page.Code != 200 || strings.Contains(src, "HASH") || page.Header().Get("Cache-Control") != "no-cache" {
		t.Fatalf("page: got %d, %s", page.Code, page.Body)
	}
	js := b.get(src, header("Accept-Encoding", "gzip"))
	if js.Code != 200 || js.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" || js.Header().Get("Content-Encoding") != "gzip" ||
		js.Header().Get("Content-Type") != "text/javascript; charset=utf-8" {
		t.Errorf("%s: got %d, %v", src, js.Code, js.Header())
	}
	base := strings.TrimSuffix(src, "js/app.js")
	if w := b.get("/static/0123456789abcdef/js/app.js"); w.Code != 200 || w.Header().Get("Cache-Control") != "no-cache" {
		t.Errorf("with an old hash: got %d, %q", w.Code, w.Header().Get("Cache-Control"))
	}
	for _, path := range []string{"test/app.js", ".hidden", "js/NOTES.md", "js/", "js"} {
		if w := b.get(base + path); w.Code != 404 {
			t.Errorf("%s: got %d", path, w.Code)
		}
	}
	if w := b.get(base + "fonts/x.woff2"); w.Header().Get("Content-Type") != "font/woff2" {
		t.Errorf("font: %v", w.Header())
	}
	files["js/app.js"].Data = []byte("export const a = 2;")
	if other := newBench(t, web.Options{Files: files}).get("/runs").Body.String(); strings.Contains(other, base) {
		t.Error("the prefix stays the same when a file changes")
	}
}

// TestPageFiles holds the real page to its rules: the names in index.html exist, nothing is inline, nothing comes from elsewhere, and
// the first load is small.
func TestPageFiles(t *testing.T) {
	b := newBench(t, web.Options{})
	page := b.get("/runs").Body.String()
	if strings.Contains(page, "/static/HASH/") || strings.Contains(page, "://") || strings.Contains(page, "style=") {
		t.Error("index.html names another site, has inline style or a placeholder left")
	}
	total := 0
	for part := range strings.SplitSeq(page, `"`) {
		if !strings.HasPrefix(part, "/static/") {
			continue
		}
		w := b.get(part, header("Accept-Encoding", "gzip"))
		if w.Code != 200 || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: got %d", part, w.Code)
		}
		total += w.Body.Len()
	}
	if total > 300_000 {
		t.Errorf("the first load is %d bytes, more than 300 kB", total)
	}
}
