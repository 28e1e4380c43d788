package resources_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lensgo/lens/gym/resources"
	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

// exposed is an environment whose tools are exposed over MCP, with a counter for each session.
func exposed(t *testing.T) *wire.Server {
	t.Helper()
	in := instance()
	in.Settings = jsontext.Value(`{"expose_tools_over_mcp":true}`)
	counters := resources.NewSessions[int](resources.SessionOptions{})
	s := resources.New(in, slog.New(slog.DiscardHandler))
	resources.Tool(s, "add", func(_ context.Context, c resources.Call, in struct {
		Count int `json:"count"`
	}) (out map[string]int, err error) {
		err = counters.Do(c.Session, func(n *int) error { *n += in.Count; out = map[string]int{"total": *n}; return nil })
		return out, err
	}, resources.Describe("Adds to the counter."))
	resources.Tool(s, "word", func(context.Context, resources.Call, struct{}) (string, error) { return "a \"word\"", nil })
	resources.Tool(s, "list", func(context.Context, resources.Call, jsontext.Value) ([]int, error) { return []int{1, 2}, nil })
	resources.Tool(s, "teapot", func(context.Context, resources.Call, struct{}) (any, error) {
		return nil, &wire.HTTPError{Status: 418, Detail: "short and stout"}
	})
	resources.Tool(s, "page", func(context.Context, resources.Call, struct{}) (*wire.Reply, error) {
		return &wire.Reply{Status: 404, ContentType: "text/plain", Body: []byte("gone")}, nil
	})
	resources.Tool(s, "panic", func(context.Context, resources.Call, struct{}) (any, error) { panic("boom-42") })
	resources.Verify(s, func(_ context.Context, v resources.Verification[struct{}]) (reward float64, more struct {
		Names []string `json:"names"`
	}, err error) {
		counters.Peek(v.Session, func(n *int) { reward = float64(*n) })
		for _, call := range v.Calls() {
			more.Names = append(more.Names, call.Name())
		}
		return reward, more, nil
	})
	server, err := s.Build()
	if err != nil {
		t.Fatal(err)
	}
	return server
}

// seeded begins a session and returns its cookie and its token.
func seeded(t *testing.T, h http.Handler, cookie string) (string, string) {
	t.Helper()
	r := httptest.NewRequest("POST", "/seed_session", strings.NewReader("{}"))
	r.Header.Set("Cookie", cookie)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	found := regexp.MustCompile(`^\{"mcp":\{"server_name":"env","url_path":"/mcp","transport":"http","headers":\{"X-NeMo-Gym-Session-Token":"([0-9a-f]{32})"\}\}\}$`).
		FindStringSubmatch(w.Body.String())
	if found == nil {
		t.Fatalf("the answer to /seed_session is %s", w.Body)
	}
	cookie, _, _ = strings.Cut(w.Header().Get("Set-Cookie"), ";")
	return cookie, found[1]
}

// withToken sends the token with each request, as an MCP client is told to.
type withToken string

func (token withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(resources.TokenHeader, string(token))
	return http.DefaultTransport.RoundTrip(r)
}

// connect is an MCP client of the server, in the session of the token.
func connect(t *testing.T, url, token string) (*mcp.ClientSession, error) {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: withToken(token)}, DisableStandaloneSSE: true,
	}, nil)
	if err == nil {
		t.Cleanup(func() { session.Close() })
	}
	return session, err
}

// listen serves h until the test ends.
func listen(t *testing.T, h http.Handler) string {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		server.Close()
	})
	return server.URL
}

func TestToolsOverMCP(t *testing.T) {
	server := exposed(t)
	url := listen(t, server)
	cookie, token := seeded(t, server, "")
	client, err := connect(t, url, token)
	if err != nil {
		t.Fatal(err)
	}

	listed, err := client.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range listed.Tools {
		names = append(names, tool.Name)
		if tool.Name == "add" {
			schema, _ := json.Marshal(tool.InputSchema, json.Deterministic(true))
			if want := `{"properties":{"count":{"type":"integer"}},"required":["count"],"type":"object"}`; string(schema) != want || tool.Description != "Adds to the counter." {
				t.Errorf("add is %q with %s, want %s", tool.Description, schema, want)
			}
		}
	}
	if got := strings.Join(names, " "); got != "add list page panic teapot word" {
		t.Errorf("the tools are %s", got)
	}

	for _, test := range []struct {
		tool, arguments, want string
		failed                bool
	}{
		{"add", `{"count":"2"}`, `{"total":2}`, false},
		{"add", `{"count":3}`, `{"total":5}`, false},
		{"add", `{}`, `HTTP 422 from POST /add: {"detail":[{"type":"missing","loc":["body","count"],"msg":"Field required","input":{}}]}`, true},
		{"word", `{}`, `a "word"`, false},
		{"list", `{}`, `[1,2]`, false},
		{"teapot", `{}`, `HTTP 418 from POST /teapot: short and stout`, true},
		{"page", `{}`, `HTTP 404 from POST /page: gone`, true},
		{"panic", `{}`, `HTTP 500 from POST /panic: panic: boom-42`, true},
	} {
		result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: test.tool, Arguments: jsontextArguments(test.arguments)})
		if err != nil {
			t.Errorf("%s: %v", test.tool, err)
			continue
		}
		text := result.Content[0].(*mcp.TextContent).Text
		if text != test.want || result.IsError != test.failed {
			t.Errorf("%s%s is %q, error %v; want %q", test.tool, test.arguments, text, result.IsError, test.want)
		}
		if structured, _ := json.Marshal(result.StructuredContent); strings.HasPrefix(text, "{") != (string(structured) == text) {
			t.Errorf("%s has the structured content %s", test.tool, structured)
		}
	}

	// The session of the cookie and that of the token are one, and the verifier finds the tools by their own names.
	r := httptest.NewRequest("POST", "/verify", strings.NewReader(strings.Replace(rollout, `"output":[]`,
		`"output":[{"type":"function_call","call_id":"1","name":"mcp__env__add","arguments":"{}"},`+
			`{"type":"function_call","call_id":"2","name":"mcp__other__add","arguments":"{}"}]`, 1)))
	r.Header.Set("Cookie", cookie)
	w := httptest.NewRecorder()
	server.ServeHTTP(w, r)
	if want := `"reward":5,"names":["add","mcp__other__add"]}`; !strings.HasSuffix(w.Body.String(), want) {
		t.Errorf("got %s, want it to end with %s", w.Body, want)
	}
}

// jsontextArguments has the client send arguments as they stand.
func jsontextArguments(text string) any {
	o, err := responses.ParseObject([]byte(text))
	if err != nil {
		return text
	}
	m := map[string]any{}
	for name, v := range o.All() {
		var value any
		if json.Unmarshal(v, &value) == nil {
			m[name] = value
		}
	}
	return m
}

func TestTokens(t *testing.T) {
	server := exposed(t)
	url := listen(t, server)
	cookieA, tokenA := seeded(t, server, "")
	_, tokenB := seeded(t, server, "")
	if tokenA == tokenB {
		t.Fatal("two sessions have one token")
	}
	add := func(token string) string {
		client, err := connect(t, url, token)
		if err != nil {
			return err.Error()
		}
		result, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: "add", Arguments: map[string]any{"count": 1}})
		if err != nil {
			return err.Error()
		}
		return result.Content[0].(*mcp.TextContent).Text
	}
	refused := func(what, token string) {
		t.Helper()
		if got := add(token); !strings.Contains(got, "Unauthorized") && !strings.Contains(got, "401") {
			t.Errorf("%s: got %s, want a 401", what, got)
		}
	}
	if a, b := add(tokenA), add(tokenB); a != `{"total":1}` || b != `{"total":1}` {
		t.Errorf("the tokens of two sessions give %s and %s", a, b)
	}
	refused("no token", "")
	refused("a wrong token", strings.Repeat("0", 32))
	refused("a token that is too long", tokenA+"0")

	_, again := seeded(t, server, cookieA)
	refused("the token before the last seed", tokenA)
	if got := add(again); got != `{"total":2}` {
		t.Errorf("the token after the last seed gives %s", got)
	}
	r := httptest.NewRequest("POST", "/close_session", strings.NewReader("{}"))
	r.Header.Set("Cookie", cookieA)
	w := httptest.NewRecorder()
	server.ServeHTTP(w, r)
	if w.Code != 200 || w.Body.String() != "{}" {
		t.Errorf("/close_session answers %d %s", w.Code, w.Body)
	}
	refused("the token of a closed session", again)
	if got := add(tokenB); got != `{"total":2}` {
		t.Errorf("the other session's token gives %s", got)
	}
}

func TestOrigin(t *testing.T) {
	in := instance()
	in.Host, in.Settings = "node-7", jsontext.Value(`{"expose_tools_over_mcp":true}`)
	s := resources.New(in, nil)
	resources.Verify(s, func(context.Context, resources.Verification[struct{}]) (float64, struct{}, error) {
		return 1, struct{}{}, nil
	})
	server, err := s.Build()
	if err != nil {
		t.Fatal(err)
	}
	_, token := seeded(t, server, "")
	for _, test := range []struct {
		host, origin string
		want         int
	}{
		{"127.0.0.1:8001", "", 200},
		{"localhost:8001", "", 200},
		{"[::1]:8001", "", 200},
		{"[::1]", "", 200},
		{"10.0.0.7:8001", "", 200},
		{"Node-7:8001", "", 200},
		{"127.0.0.1:8001", "http://127.0.0.1:8001", 200},
		{"evil.example:8001", "", 403},
		{"evil.example:8001", "http://evil.example:8001", 403},
		{"127.0.0.1:8001", "http://evil.example", 403},
		{"127.0.0.1:8001", "http://127.0.0.1:9999", 403},
		{"127.0.0.1:8001", "null", 403},
		{"node-70:8001", "", 403},
	} {
		r := httptest.NewRequest("POST", "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
		r.Host = test.host
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, resources.TokenHeader: {token}}
		// As net/http does with what comes in.
		r.Header = canonical(r.Header)
		if test.origin != "" {
			r.Header.Set("Origin", test.origin)
		}
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		if w.Code != test.want {
			t.Errorf("Host %s, Origin %q: got %d %s, want %d", test.host, test.origin, w.Code, w.Body, test.want)
		}
	}
}

func canonical(h http.Header) http.Header {
	out := http.Header{}
	for name, values := range h {
		out[http.CanonicalHeaderKey(name)] = values
	}
	return out
}

// TestMCPRefusals are environments that cannot be exposed, and requests of another form.
func TestMCPRefusals(t *testing.T) {
	for _, name := range []string{"mcp", "verify", "seed_session", "close_session", "aggregate_metrics", "reverify_mode"} {
		s := resources.New(instance(), nil)
		resources.Tool(s, name, func(context.Context, resources.Call, struct{}) (any, error) { return nil, nil })
		if _, err := s.Build(); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("tool %q: the name is a route of every resources server", name)) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	in := instance()
	in.Settings = jsontext.Value(`{"expose_tools_over_mcp":true}`)
	s := resources.New(in, nil)
	resources.Tool(s, "sum", func(context.Context, resources.Call, []int) (any, error) { return nil, nil })
	resources.Verify(s, func(context.Context, resources.Verification[struct{}]) (float64, struct{}, error) {
		return 1, struct{}{}, nil
	})
	if _, err := s.Build(); err == nil || !strings.Contains(err.Error(), "tool sum: its arguments are no object") {
		t.Errorf("got %v", err)
	}
	in.Settings = jsontext.Value(`{"expose_tools_over_mcp":"maybe"}`)
	if _, err := resources.New(in, nil).Build(); err == nil || !strings.Contains(err.Error(), "expose_tools_over_mcp") {
		t.Errorf("got %v", err)
	}
	if w := post(t, newServer(t), "/mcp", "{}"); w.Code != 404 {
		t.Errorf("a server that exposes nothing answers /mcp with %d", w.Code)
	}
	if w := post(t, newServer(t), "/seed_session", "{}"); w.Body.String() != "{}" {
		t.Errorf("a server that exposes nothing answers /seed_session with %s", w.Body)
	}
	res, err := http.Get(listen(t, exposed(t)) + "/mcp")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, _ := io.ReadAll(res.Body); res.StatusCode != 405 || !bytes.Contains(body, []byte("Method Not Allowed")) {
		t.Errorf("GET /mcp answers %d %s", res.StatusCode, body)
	}
}
