//go:build !lens_off

package prometheus_test

import (
	"context"
	"log"
	"net/http"

	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/export/prometheus"
)

// A program that serves HTTP already.
func ExampleHandler() {
	c := telemetry.Default()
	c.Enabled = true
	page := prometheus.NewHandler()
	h, err := telemetry.Setup(context.Background(), c, page.Option())
	if err != nil {
		log.Print(err)
	}
	defer func() { _ = h.Shutdown(context.Background()) }()

	mux := http.NewServeMux()
	mux.Handle("GET /metrics", page)
	// http.ListenAndServe(address, mux), with the program's own pages
}
