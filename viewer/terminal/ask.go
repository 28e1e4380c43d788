package terminal

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/go-json-experiment/json"

	"github.com/lensgo/lens/internal/printable"
)

// maxAnswer bounds an answer of the API, all of which are bounded themselves.
const maxAnswer = 64 << 20

// API is a viewer to ask.
type API struct {
	base   string
	token  string
	client *http.Client
}

// Remote asks a running viewer at a URL such as http://127.0.0.1:4319. The token may be empty.
func Remote(base, token string) *API {
	return &API{base: base, token: token, client: &http.Client{}}
}

// Local asks a viewer's handler in this process.
func Local(h http.Handler) *API {
	return &API{base: "http://localhost", client: &http.Client{Transport: inProcess{h}}}
}

// inProcess answers requests by calling a handler.
type inProcess struct{ handler http.Handler }

func (t inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := &answer{header: http.Header{}, status: http.StatusOK}
	t.handler.ServeHTTP(w, r)
	return &http.Response{
		StatusCode: w.status, Header: w.header, Body: io.NopCloser(&w.body), Request: r,
		ProtoMajor: 1, ProtoMinor: 1, ContentLength: int64(w.body.Len()),
	}, nil
}

// answer collects what a handler writes.
type answer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answer) Header() http.Header         { return a.header }
func (a *answer) WriteHeader(status int)      { a.status = status }
func (a *answer) Write(p []byte) (int, error) { return a.body.Write(p) }

// Fault is an error that the API answered with.
type Fault struct {
	Status int
	Code   string `json:"code"`
	What   string `json:"what"`
	Why    string `json:"why"`
	Now    string `json:"now"`
}

// Error is what happened, why, and what to do.
func (f *Fault) Error() string {
	text := f.What
	for _, more := range []string{f.Why, f.Now} {
		if more != "" {
			text += " " + more
		}
	}
	return printable.Line(text)
}

// get asks for a path of the API and reads the answer into v.
func (a *API) get(ctx context.Context, path string, q url.Values, v any) error {
	address := a.base + "/api/v1" + path
	if len(q) > 0 {
		address += "?" + q.Encode()
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	if a.token != "" {
		req.Header.Set("Authorization", "Bearer "+a.token)
	}
	resp, err := a.client.Do(req)
	if err != nil {
		return fmt.Errorf("cannot ask the viewer: %w", err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("cannot read the viewer's answer to %s: %w", path, err)
	}
	if resp.StatusCode >= 400 {
		return faultOf(resp.StatusCode, body)
	}
	if err := json.Unmarshal(body, v); err != nil {
		return fmt.Errorf("cannot read the viewer's answer to %s: %w", path, err)
	}
	return nil
}

func faultOf(status int, body []byte) error {
	var doc struct {
		Error Fault `json:"error"`
	}
	if err := json.Unmarshal(body, &doc); err != nil || doc.Error.What == "" {
		return fmt.Errorf("the viewer answered with status %d", status)
	}
	doc.Error.Status = status
	return &doc.Error
}
