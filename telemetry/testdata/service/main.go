// Command service is a whole program with telemetry, for a look at what is left of it under lens_off.
package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lenshttp"
	"github.com/lensgo/lens/telemetry"
)

var server, client = lens.NewGroup("server"), lens.NewGroup("http_client")

func init() {
	lens.MustRegister(lens.Library{Namespace: "service", Groups: []*lens.Group{server, client},
		Presets: lens.Presets{"default": {"server", "http_client"}}})
}

func main() {
	ctx := context.Background()
	c, err := telemetry.FromEnv("")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	h, err := telemetry.Setup(ctx, c)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	defer h.Shutdown(ctx)
	fmt.Fprintln(os.Stderr, "the service serves", serve(ctx))
}

func serve(ctx context.Context) string {
	s := httptest.NewServer(lenshttp.Handler(server, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, r.Header.Get("Traceparent") != "")
	})))
	defer s.Close()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.URL, nil)
	if err != nil {
		return err.Error()
	}
	resp, err := (&http.Client{Transport: lenshttp.Transport(client, nil)}).Do(req)
	if err != nil {
		return err.Error()
	}
	defer resp.Body.Close()
	return resp.Status
}
