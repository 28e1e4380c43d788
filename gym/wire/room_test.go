package wire

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
)

// Room is asked before a body is read, and knows its length where the answer says it.
func TestRoom(t *testing.T) {
	url := serveRaw(t, func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte("four"))
		if r.URL.Path == "/unknown" {
			http.NewResponseController(w).Flush()
			w.Write([]byte("more"))
		}
	})
	c := newClient(t, ClientOptions{}, "s", url)
	for path, want := range map[string]int64{"/known": 4, "/unknown": -1} {
		asked := int64(-2)
		res := do(t, c, Call{Server: "s", Path: path, Room: func(_ context.Context, length int64) error { asked = length; return nil }})
		if asked != want || !strings.HasPrefix(string(res.Body), "four") {
			t.Errorf("%s: asked for %d bytes, want %d; got %q", path, asked, want, res.Body)
		}
	}
	full := errors.New("full")
	_, err := c.Do(t.Context(), Call{Server: "s", Path: "/known", Room: func(context.Context, int64) error { return full }})
	if !errors.Is(err, full) || !strings.Contains(err.Error(), "there was no room for the body") {
		t.Errorf("error %v", err)
	}
}
