package wire

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/responses"
)

func TestNewServerRefusesNames(t *testing.T) {
	for _, name := range []string{"", "a b", "a;b", "a=b", "a,b", `a"b`, "naïve", "a\tb", "a/b", "a\x00"} {
		if _, err := NewServer(ServerOptions{Name: name}); err == nil {
			t.Errorf("%q is taken as a name", name)
		} else if !strings.Contains(err.Error(), fmt.Sprintf("%q", name)) {
			t.Errorf("the error does not name %q: %v", name, err)
		}
	}
	for _, name := range []string{"counter", "example_multi_step", "a.b-c", "A1!#$%&'*+^`|~"} {
		if _, err := NewServer(ServerOptions{Name: name}); err != nil {
			t.Error(err)
		}
	}
}

func TestHandlePanics(t *testing.T) {
	nop := func(context.Context, *Request) (*Reply, error) { return nil, nil }
	for _, pattern := range []string{"", "/verify", "POST", "post /verify", "POST verify", "POST /taken"} {
		func() {
			s := newServer(t, ServerOptions{})
			s.Handle("POST /taken", nop)
			defer func() {
				if v := recover(); v == nil || !strings.Contains(fmt.Sprint(v), pattern) {
					t.Errorf("%q: panic value %v", pattern, v)
				}
			}()
			s.Handle(pattern, nop)
		}()
	}
}

// answers are the shapes of a server's replies, spec by spec.
func TestServerAnswers(t *testing.T) {
	s := newServer(t, ServerOptions{Name: "counter", MaxBody: 64})
	reply := func(r *Reply, err error) HandlerFunc {
		return func(context.Context, *Request) (*Reply, error) { return r, err }
	}
	inner := &StatusError{Server: "judge", Path: "/verify", Status: 500, Body: []byte(`"boom-42"`)}
	s.Handle("POST /echo", func(_ context.Context, r *Request) (*Reply, error) { return &Reply{Body: r.Body}, nil })
	s.Handle("POST /text", reply(&Reply{Status: 201, ContentType: "text/plain", Body: []byte("hi")}, nil))
	s.Handle("POST /nil", reply(nil, nil))
	s.Handle("POST /empty", reply(&Reply{Status: 200}, nil))
	s.Handle("POST /nothing", reply(&Reply{Status: 204}, nil))
	s.Handle("POST /nonsense", reply(&Reply{Status: 99}, nil))
	s.Handle("POST /fields", reply(nil, fmt.Errorf("wrapped: %w", responses.FieldErrors{
		responses.Missing(jsontext.Value("{}"), "body", "input"),
	})))
	s.Handle("POST /teapot", reply(nil, &HTTPError{Status: 418, Detail: "short and stout"}))
	s.Handle("POST /list", reply(nil, &HTTPError{Status: 400, Detail: []int{1, 2}}))
	s.Handle("POST /inner", reply(nil, fmt.Errorf("cannot verify: %w", inner)))
	s.Handle("POST /other", reply(nil, errors.New("bad \"luck\"\n\xff")))
	s.Handle("POST /panic", func(context.Context, *Request) (*Reply, error) { panic("oh no") })
	s.Handle("GET /only", reply(&Reply{Body: []byte(`"got"`)}, nil))
	s.Handle("PUT /only", reply(nil, nil))
	c := newClient(t, ClientOptions{}, "counter", start(t, s))

	for _, tt := range []struct {
		name, method, path, body string
		status                   int
		want                     string // of the body
		header                   string // name: value
	}{
		{"echo", "POST", "/echo", `{"a":1}`, 200, `{"a":1}`, "Content-Type: application/json"},
		{"text", "POST", "/text", "", 201, "hi", "Content-Type: text/plain"},
		{"nil reply", "POST", "/nil", "", 200, "null", ""},
		{"empty 200", "POST", "/empty", "", 200, "", "Content-Length: 0"},
		{"no content", "POST", "/nothing", "", 204, "", ""},
		{"status that is none", "POST", "/nonsense", "", 500, `"counter cannot answer with status 99"`, ""},
		{"unknown path", "POST", "/nowhere", "", 404, `{"detail":"Not Found"}`, ""},
		{"malformed prefix", "POST", "/ng-rollout/-/echo", "", 404, `{"detail":"Not Found"}`, ""},
		{"wrong method", "POST", "/only", "", 405, `{"detail":"Method Not Allowed"}`, "Allow: GET, PUT"},
		{"wrong fields", "POST", "/fields", "", 422,
			`{"detail":[{"type":"missing","loc":["body","input"],"msg":"Field required","input":{}}]}`, ""},
		{"chosen status", "POST", "/teapot", "", 418, `{"detail":"short and stout"}`, ""},
		{"chosen detail", "POST", "/list", "", 400, `{"detail":[1,2]}`, ""},
		{"inner error", "POST", "/inner", "", 500,
			`"counter cannot serve POST /inner: cannot verify: judge answered 500 to POST /verify: boom-42"`, ""},
		{"other error", "POST", "/other", "", 500, `"counter cannot serve POST /other: bad \"luck\"\n` + "\uFFFD" + `"`, ""},
		{"panic", "POST", "/panic", "", 500, `"counter cannot serve POST /panic: panic: oh no"`, ""},
		{"body at the bound", "POST", "/echo", strings.Repeat("x", 64), 200, strings.Repeat("x", 64), ""},
		{"body over the bound", "POST", "/echo", strings.Repeat("x", 65), 413,
			`{"detail":"The request body is larger than 64 bytes"}`, ""},
		{"get", "GET", "/only", "", 200, `"got"`, ""},
		{"head", "HEAD", "/only", "", 200, "", "Content-Length: 5"},
		{"health", "GET", "/", "", 200, `{"status":"ok"}`, "Content-Type: application/json"},
		{"health", "GET", "/health", "", 200, `{"status":"ok"}`, ""},
		{"health", "GET", "/healthz", "", 200, `{"status":"ok"}`, ""},
		{"health", "GET", "/livez", "", 200, `{"status":"ok"}`, ""},
		{"health", "GET", "/readyz", "", 200, `{"status":"ok"}`, ""},
		{"health by POST", "POST", "/health", "", 405, `{"detail":"Method Not Allowed"}`, "Allow: GET"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			res := do(t, c, Call{Server: "counter", Method: tt.method, Path: tt.path, Body: []byte(tt.body)})
			if res.Status != tt.status || string(res.Body) != tt.want {
				t.Errorf("got %d %s\nwant %d %s", res.Status, res.Body, tt.status, tt.want)
			}
			if name, value, ok := strings.Cut(tt.header, ": "); ok && res.Header.Get(name) != value {
				t.Errorf("%s is %q, want %q", name, res.Header.Get(name), value)
			}
			if _, ok := res.Cookies.Get("Gym___counter"); !ok {
				t.Errorf("no session on the reply: %q", res.Header["Set-Cookie"])
			}
		})
	}
}

// The body of a request without a length is bounded too.
func TestServerBoundsChunkedBodies(t *testing.T) {
	s := newServer(t, ServerOptions{MaxBody: 8})
	s.Handle("POST /echo", func(_ context.Context, r *Request) (*Reply, error) { return &Reply{Body: r.Body}, nil })
	url := start(t, s)
	for body, want := range map[string]int{"12345678": 200, "123456789": 413} {
		r, err := http.NewRequest("POST", url+"/echo", struct{ *strings.Reader }{strings.NewReader(body)})
		if err != nil {
			t.Fatal(err)
		}
		tr := &http.Transport{}
		res, err := tr.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		tr.CloseIdleConnections()
		if res.StatusCode != want {
			t.Errorf("%d bytes: status %d, want %d", len(body), res.StatusCode, want)
		}
	}
}

func TestServerHealthMayBeReplaced(t *testing.T) {
	s := newServer(t, ServerOptions{})
	s.Handle("GET /readyz", func(context.Context, *Request) (*Reply, error) { return &Reply{Status: 503}, nil })
	s.Handle("POST /health", func(context.Context, *Request) (*Reply, error) { return JSON("tool") })
	c := newClient(t, ClientOptions{}, "counter", start(t, s))
	if res := do(t, c, Call{Server: "counter", Method: "GET", Path: "/readyz"}); res.Status != 503 {
		t.Errorf("readyz answers %d", res.Status)
	}
	if res := do(t, c, Call{Server: "counter", Path: "/health"}); string(res.Body) != `"tool"` {
		t.Errorf("a tool named health answers %s", res.Body)
	}
}

// GY-07: a counter that lives in the session, through a seed, three tool calls and a verify, each call with the cookies
// of the reply before it and no others.
func TestSessionSurvivesEveryHop(t *testing.T) {
	counts := map[string]int{}
	s := newServer(t, ServerOptions{Name: "counter"})
	s.Handle("POST /seed_session", func(_ context.Context, r *Request) (*Reply, error) {
		counts[r.Session] = 0
		return &Reply{Body: []byte("{}")}, nil
	})
	s.Handle("POST /increment", func(_ context.Context, r *Request) (*Reply, error) {
		if _, ok := counts[r.Session]; !ok {
			return nil, errors.New("unknown session")
		}
		counts[r.Session]++
		return nil, nil
	})
	s.Handle("POST /verify", func(_ context.Context, r *Request) (*Reply, error) { return JSON(counts[r.Session]) })
	c := newClient(t, ClientOptions{}, "counter", start(t, s))

	var cookies Cookies
	var last *Result
	for _, path := range []string{"/seed_session", "/increment", "/increment", "/nowhere", "/increment", "/verify"} {
		last = do(t, c, Call{Server: "counter", Path: path, Cookies: cookies})
		if len(last.Cookies) != 1 {
			t.Fatalf("%s sets %q", path, last.Cookies)
		}
		cookies = last.Cookies
	}
	if string(last.Body) != "3" {
		t.Errorf("the count is %s, want 3", last.Body)
	}
}

func TestSessionCookie(t *testing.T) {
	session := make(chan string, 1)
	s := newServer(t, ServerOptions{Name: "counter"})
	s.Handle("POST /who", func(_ context.Context, r *Request) (*Reply, error) {
		if _, brought := r.Cookies.Get("Gym___counter"); r.Fresh != (!brought || len(r.Session) == 36 && !strings.Contains(r.Cookies[len(r.Cookies)-1], r.Session)) {
			t.Errorf("with the cookies %q the session %s is fresh: %v", r.Cookies, r.Session, r.Fresh)
		}
		if !strings.HasPrefix(r.Host, "127.0.0.1:") {
			t.Errorf("the host is %q", r.Host)
		}
		session <- r.Session
		return &Reply{Cookies: Cookies{"Gym___counter=forged", "Other=1"}}, nil
	})
	c := newClient(t, ClientOptions{}, "counter", start(t, s))
	who := func(cookies ...string) (string, []string) {
		res := do(t, c, Call{Server: "counter", Path: "/who", Cookies: cookies})
		return receive(t, session, "the call"), res.Header["Set-Cookie"]
	}

	fresh, set := who()
	if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(fresh) {
		t.Errorf("a new session is %q, want a UUID", fresh)
	}
	if want := []string{
		"Other=1; path=/; SameSite=lax",
		"Gym___counter=" + fresh + "; path=/; Max-Age=1209600; HttpOnly; SameSite=lax",
	}; !slices.Equal(set, want) {
		t.Errorf("Set-Cookie is\n%q, want\n%q", set, want)
	}
	if again, _ := who(); again == fresh {
		t.Error("two callers without a cookie share a session")
	}
	for cookie, want := range map[string]string{
		"Gym___counter=" + fresh:           fresh,
		`Gym___counter="` + fresh + `"`:    fresh,
		"Gym___counter=opaque.value==.sig": "opaque.value==.sig",
		`Gym___counter="`:                  `"`,
	} {
		got, set := who("Gym___counterfeit=1", cookie)
		if got != want {
			t.Errorf("%s is the session %q, want %q", cookie, got, want)
		}
		if !strings.HasPrefix(set[len(set)-1], "Gym___counter="+want+";") {
			t.Errorf("%s is answered with %q", cookie, set)
		}
	}
	for _, cookie := range []string{"Gym___counter=", `Gym___counter=""`, "Gym___counter=" + strings.Repeat("x", 129)} {
		if got, _ := who(cookie); len(got) != 36 {
			t.Errorf("%s is the session %q, want a new one", cookie, got)
		}
	}
}

// GY-23: the cause of an error three servers below is still there at the top, with the servers' names.
func TestInnerCauseIsVisible(t *testing.T) {
	resources := newServer(t, ServerOptions{Name: "my_resources"})
	resources.Handle("POST /verify", func(context.Context, *Request) (*Reply, error) { return nil, errors.New("boom-42") })
	toResources := newClient(t, ClientOptions{}, "my_resources", start(t, resources))

	agent := newServer(t, ServerOptions{Name: "my_agent"})
	agent.Handle("POST /run", func(ctx context.Context, r *Request) (*Reply, error) {
		res, err := toResources.Do(ctx, Call{Server: "my_resources", Path: "/verify", Body: r.Body})
		if err != nil {
			return nil, err
		}
		return &Reply{Body: res.Body}, res.Err()
	})
	driver := newClient(t, ClientOptions{}, "my_agent", start(t, agent))

	err := do(t, driver, Call{Server: "my_agent", Path: "/run", Body: []byte("{}")}).Err()
	const want = "my_agent answered 500 to POST /run: my_agent cannot serve POST /run: " +
		"my_resources answered 500 to POST /verify: my_resources cannot serve POST /verify: boom-42"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestServerLogs(t *testing.T) {
	var buf bytes.Buffer
	s := newServer(t, ServerOptions{Name: "counter", Logger: slog.New(slog.NewJSONHandler(&buf, nil))})
	s.Handle("POST /panic", func(context.Context, *Request) (*Reply, error) { panic("oh no") })
	s.Handle("POST /fail", func(context.Context, *Request) (*Reply, error) { return nil, errors.New("boom-42") })
	s.Handle("POST /fine", func(context.Context, *Request) (*Reply, error) { return nil, nil })
	s.Handle("POST /choose", func(context.Context, *Request) (*Reply, error) { return nil, &HTTPError{Status: 400} })
	url, stop := startStoppable(t, s)
	c := newClient(t, ClientOptions{}, "counter", url)
	for _, path := range []string{"/fine", "/ng-rollout/7-2/panic", "/choose", "/fail"} {
		do(t, c, Call{Server: "counter", Path: path})
	}
	c.Close()
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	var lines []map[string]any
	for line := range strings.Lines(buf.String()) {
		var m map[string]any
		if err := json.Unmarshal([]byte(line), &m); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, m)
	}
	if len(lines) != 2 {
		t.Fatalf("%d lines, want one for the panic and one for the failure:\n%s", len(lines), buf.String())
	}
	if p := lines[0]; p["panic"] != "oh no" || p["rollout"] != "7-2" || p["path"] != "/panic" ||
		!strings.Contains(fmt.Sprint(p["stack"]), "TestServerLogs") {
		t.Errorf("the panic's line is %v", p)
	}
	if f := lines[1]; f["error"] != "boom-42" || f["server"] != "counter" || f["status"] != 500.0 {
		t.Errorf("the failure's line is %v", f)
	}
}

// http.ErrAbortHandler keeps the meaning that net/http gave it: no answer, no line.
func TestServerAborts(t *testing.T) {
	s := newServer(t, ServerOptions{})
	s.Handle("POST /abort", func(context.Context, *Request) (*Reply, error) { panic(http.ErrAbortHandler) })
	c := newClient(t, ClientOptions{}, "counter", start(t, s))
	if res, err := c.Do(context.Background(), Call{Server: "counter", Path: "/abort"}); err == nil {
		t.Errorf("got %d %s", res.Status, res.Body)
	}
}
