package resources

import (
	"bytes"
	"context"
	encodingjson "encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/lensgo/lens/gym/responses"
	"github.com/lensgo/lens/gym/wire"
)

const (
	// routeMCP is where tools are exposed: the streamable HTTP transport of MCP, without sessions and streams of its own.
	routeMCP = "POST /mcp"
	// TokenHeader is the header that says which session a request of an MCP client belongs to.
	TokenHeader = "X-NeMo-Gym-Session-Token"
)

// tokenKey is TokenHeader as net/http keeps it.
var tokenKey = http.CanonicalHeaderKey(TokenHeader)

// endpoint is how an MCP client finds the tools of a session.
type endpoint struct {
	ServerName string            `json:"server_name"`
	Path       string            `json:"url_path"`
	Transport  string            `json:"transport"`
	Headers    map[string]string `json:"headers"`
}

// seeded is the answer of /seed_session: {}, but for what the environment has to say about the session.
func (s *Server) seeded(session string) (*wire.Reply, error) {
	var answer struct {
		Closes bool      `json:"supports_explicit_close,omitzero"`
		MCP    *endpoint `json:"mcp,omitzero"`
	}
	answer.Closes = s.closes
	if s.tokens != nil {
		token, err := s.tokens.mint(session)
		if err != nil {
			return nil, statusOf(err)
		}
		answer.MCP = &endpoint{ServerName: s.name, Path: "/mcp", Transport: "http", Headers: map[string]string{TokenHeader: token}}
	}
	return wire.JSON(answer)
}

// toolPrefix is what MCP clients put before the names of this server's tools; "" where it exposes none.
func (s *Server) toolPrefix() string {
	if s.tokens == nil {
		return ""
	}
	return "mcp__" + s.name + "__"
}

// exposeTools returns the handler of MCP requests.
func (s *Server) exposeTools() wire.HandlerFunc {
	server := mcp.NewServer(&mcp.Implementation{Name: s.name, Version: "1"}, &mcp.ServerOptions{
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}},
	})
	for _, t := range s.tools {
		if t.schema.Type == "" && len(t.schema.Types) == 0 {
			t.schema.Type = "object"
		}
		if t.schema.Type != "object" {
			s.fail(fmt.Errorf("tool %s: its arguments are no object, so it cannot be exposed over MCP", t.name))
			continue
		}
		server.AddTool(&mcp.Tool{Name: t.name, Description: t.description, InputSchema: t.schema}, s.callOverMCP(t))
	}
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return server }, &mcp.StreamableHTTPOptions{
		Stateless:                    true,
		JSONResponse:                 true,
		DisableLocalhostProtection:   true, // checkOrigin does it, and for other addresses too
		MaxRequestBodyBytes:          -1,   // the server bounds bodies of all routes
		PropagateRequestCancellation: true,
	})
	return func(ctx context.Context, r *wire.Request) (*wire.Reply, error) {
		if err := checkOrigin(r, s.host); err != nil {
			return nil, &wire.HTTPError{Status: http.StatusForbidden, Detail: err.Error()}
		}
		session, ok := s.tokens.session(r.Header.Get(tokenKey))
		if !ok {
			return nil, &wire.HTTPError{Status: http.StatusUnauthorized, Detail: "The header " + TokenHeader +
				" must have the token that POST /seed_session answered with"}
		}
		return serveHTTP(context.WithValue(ctx, mcpKey{}, &mcpRequest{ctx: ctx, wire: r, session: session}), handler, r)
	}
}

// mcpRequest is the request that a call of a tool came with. The SDK calls tools in contexts that do not end with it.
type mcpRequest struct {
	ctx     context.Context
	wire    *wire.Request
	session string
}

type mcpKey struct{}

// callOverMCP calls a tool as its route does, in the session that the token stands for.
func (s *Server) callOverMCP(t *tool) mcp.ToolHandler {
	return func(ctx context.Context, call *mcp.CallToolRequest) (result *mcp.CallToolResult, err error) {
		from := ctx.Value(mcpKey{}).(*mcpRequest)
		defer func() { // nobody above would
			if v := recover(); v != nil {
				s.logger().LogAttrs(from.ctx, slog.LevelError, "tool panicked", slog.String("server", s.name),
					slog.String("tool", t.name), slog.Any("panic", v), slog.String("stack", string(debug.Stack())))
				result, err = toolFailure(t.name, fmt.Errorf("panic: %v", v)), nil
			}
		}()
		body := []byte(call.Params.Arguments)
		if len(body) == 0 {
			body = []byte("{}")
		}
		reply, err := t.serve(from.ctx, &wire.Request{
			Method: http.MethodPost, Host: from.wire.Host, Path: "/" + t.name, Header: from.wire.Header,
			Body: body, Cookies: from.wire.Cookies, Session: from.session,
		})
		if err != nil {
			return toolFailure(t.name, err), nil
		}
		return toolResult(t.name, reply), nil
	}
}

func (s *Server) logger() *slog.Logger {
	if s.log != nil {
		return s.log
	}
	return slog.Default()
}

// toolResult is what an MCP client reads of a tool's reply: its text, and an object as one too.
func toolResult(name string, reply *wire.Reply) *mcp.CallToolResult {
	if reply == nil {
		reply = &wire.Reply{}
	}
	text := string(reply.Body)
	if reply.Status >= 300 {
		return failed(name, reply.Status, text)
	}
	result := &mcp.CallToolResult{}
	if reply.ContentType == "" {
		switch value := jsontext.Value(reply.Body); value.Kind() {
		case '"':
			text, _ = responses.Text(value)
		case '{':
			result.StructuredContent = encodingjson.RawMessage(value)
		}
	}
	result.Content = []mcp.Content{&mcp.TextContent{Text: text}}
	return result
}

// toolFailure is what an MCP client reads of a tool's error: what its route would have answered.
func toolFailure(name string, err error) *mcp.CallToolResult {
	status, detail := http.StatusInternalServerError, any(err.Error())
	if fields, ok := errors.AsType[responses.FieldErrors](err); ok {
		status, detail = http.StatusUnprocessableEntity, fields
	} else if chosen, ok := errors.AsType[*wire.HTTPError](err); ok {
		status, detail = chosen.Status, chosen.Detail
	}
	text, ok := detail.(string)
	if !ok {
		b, _ := json.Marshal(detail, json.Deterministic(true))
		text = string(b)
	}
	return failed(name, status, text)
}

func failed(name string, status int, text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{
		&mcp.TextContent{Text: fmt.Sprintf("HTTP %d from POST /%s: %s", status, name, text)},
	}}
}

// checkOrigin refuses requests that a page in a browser may have been tricked into. Without an Origin it was no page. A Host
// that is a name of somebody else's, pointing here, is how a page gets around that; an address cannot be.
func checkOrigin(r *wire.Request, own string) error {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if net.ParseIP(host) == nil && !strings.EqualFold(host, "localhost") && (own == "" || !strings.EqualFold(host, own)) {
		return fmt.Errorf("the Host %q is not this server: use its address, or the host of its configuration", r.Host)
	}
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
			return fmt.Errorf("the Origin %q is another site than %s", origin, r.Host)
		}
	}
	return nil
}

// serveHTTP has a handler of net/http answer a request.
func serveHTTP(ctx context.Context, h http.Handler, r *wire.Request) (*wire.Reply, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, "http://"+r.Host+r.Path, bytes.NewReader(r.Body))
	if err != nil {
		return nil, err
	}
	req.Header = r.Header
	w := &recorder{header: http.Header{}, status: http.StatusOK}
	h.ServeHTTP(w, req)
	return &wire.Reply{Status: w.status, ContentType: w.header.Get("Content-Type"), Body: w.body.Bytes()}, nil
}

// recorder is a ResponseWriter that keeps what is written.
type recorder struct {
	header  http.Header
	status  int
	written bool
	body    bytes.Buffer
}

func (w *recorder) Header() http.Header { return w.header }

func (w *recorder) WriteHeader(status int) {
	if !w.written {
		w.status, w.written = status, true
	}
}

func (w *recorder) Write(b []byte) (int, error) {
	w.written = true
	return w.body.Write(b)
}
