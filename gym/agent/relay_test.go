package agent

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/wire"
)

func TestRelay(t *testing.T) {
	agent := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "Gym___simple=1; path=/")
		w.Header().Set("Content-Type", "text/odd")
		w.WriteHeader(http.StatusTeapot)
		body := make([]byte, r.ContentLength)
		_, _ = r.Body.Read(body)
		_, _ = w.Write([]byte(r.URL.Path + " " + r.Header.Get("Cookie") + " " + string(body)))
	}))
	defer agent.Close()
	client := wire.NewClient(wire.ClientOptions{Servers: map[string]string{"simple": agent.URL}})
	defer client.Close()
	build := func(settings string) (*wire.Server, error) {
		return BuildRelay(&config.Instance{Name: "front", Type: config.TypeEnvironment, Settings: jsontext.Value(settings)}, client, nil)
	}
	server, err := build(`{"agent_server":{"type":"responses_api_agents","name":"simple"}}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/run", "/aggregate_metrics"} {
		r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(`{"n": 1e3}`))
		r.Header.Set("Cookie", "a=b")
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		cookies := strings.Join(w.Header()["Set-Cookie"], " ")
		if w.Code != http.StatusTeapot || w.Body.String() != path+` a=b {"n": 1e3}` || w.Header().Get("Content-Type") != "text/odd" ||
			!strings.Contains(cookies, "Gym___simple=1") || !strings.Contains(cookies, "Gym___front=") {
			t.Errorf("%s: %d %s, %v", path, w.Code, w.Body, w.Header())
		}
	}
	if _, err := build(`{}`); err == nil || !strings.Contains(err.Error(), "agent_server.name is missing") {
		t.Error(err)
	}
}
