package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxBody bounds a request's body. The suite sends a few hundred bytes.
const maxBody = 1 << 20

// callback is one thing that the suite asks for.
type callback struct {
	URL       string         `json:"url"`
	Arguments jsontext.Value `json:"arguments"` // passed on as it is
}

// caller answers the suite's requests.
type caller struct {
	client *http.Client
}

func (c *caller) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		http.Error(w, fmt.Sprintf("cannot read the body: %v", err), http.StatusBadRequest)
		return
	}
	var callbacks []callback
	if err := json.Unmarshal(body, &callbacks); err != nil {
		http.Error(w, fmt.Sprintf("cannot read the body as callbacks: %v", err), http.StatusBadRequest)
		return
	}
	var failed []error
	for _, cb := range callbacks {
		failed = append(failed, c.call(r.Context(), cb))
	}
	if err := errors.Join(failed...); err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, "null")
}

func (c *caller) call(ctx context.Context, cb callback) error {
	if len(cb.Arguments) == 0 {
		cb.Arguments = jsontext.Value("[]")
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, cb.URL, bytes.NewReader(cb.Arguments))
	if err != nil {
		return fmt.Errorf("cannot call back %q: %w", cb.URL, err)
	}
	r.Header.Set("Content-Type", "application/json")
	resp, err := c.client.Do(r)
	if err != nil {
		return fmt.Errorf("cannot call back: %w", err)
	}
	defer resp.Body.Close()
	_, _ = io.CopyN(io.Discard, resp.Body, maxBody) // so that the connection is used again
	return nil
}
