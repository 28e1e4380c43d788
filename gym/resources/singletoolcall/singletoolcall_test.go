package singletoolcall

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/config"
)

func TestServer(t *testing.T) {
	server, err := Build(&config.Instance{Name: "weather"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	const answer = `{"id":"r","created_at":1,"model":"m","object":"response","parallel_tool_calls":false,"tool_choice":"auto","tools":[],"output":[]}`
	tests := map[string]struct {
		path, body string
		status     int
		want       string
	}{
		"seed":    {"/seed_session", `{"responses_create_params":{"input":"q"}}`, 200, `{}`},
		"weather": {"/get_weather", `{"city":"Oslo"}`, 200, `{"city":"Oslo","weather_description":"It is freezing cold in Oslo today."}`},
		"no_city": {"/get_weather", `{}`, 422, `"loc":["body","city"]`},
		"verify":  {"/verify", `{"responses_create_params":{"input":"q"},"response":` + answer + `}`, 200, `"reward":1}`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := httptest.NewRecorder()
			server.ServeHTTP(w, httptest.NewRequest("POST", test.path, strings.NewReader(test.body)))
			if w.Code != test.status || !strings.Contains(w.Body.String(), test.want) {
				t.Errorf("got %d %s\nwant %d with %s", w.Code, w.Body, test.status, test.want)
			}
		})
	}
}
