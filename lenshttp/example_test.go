package lenshttp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lenshttp"
)

var (
	serverGroup = lens.NewGroup("server")
	clientGroup = lens.NewGroup("http_client")
)

// The context goes through the server and out of the client, whether their groups are on or, as here, off.
func Example() {
	backend := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		fmt.Println(r.Header.Get("Traceparent"))
	}))
	defer backend.Close()
	base := &http.Transport{}
	defer base.CloseIdleConnections()
	client := &http.Client{Transport: lenshttp.Transport(clientGroup, base)}

	mux := http.NewServeMux()
	mux.HandleFunc("GET /call", func(w http.ResponseWriter, r *http.Request) {
		call, _ := http.NewRequestWithContext(r.Context(), "GET", backend.URL, nil)
		resp, err := client.Do(call)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		resp.Body.Close()
	})
	handler := lenshttp.Handler(serverGroup, mux)

	r := httptest.NewRequest("GET", "/call", nil)
	r.Header.Set("Traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
	handler.ServeHTTP(httptest.NewRecorder(), r)
	// Output: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
}
