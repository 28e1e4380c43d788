package sessionstate

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/lensgo/lens/gym/config"
)

// client is one caller that keeps the cookie it was given last, as an agent does.
type client struct {
	t      *testing.T
	server http.Handler
	cookie string
}

func (c *client) post(path, body string) (int, string) {
	c.t.Helper()
	r := httptest.NewRequest("POST", path, strings.NewReader(body))
	if c.cookie != "" {
		r.Header.Set("Cookie", c.cookie)
	}
	w := httptest.NewRecorder()
	c.server.ServeHTTP(w, r)
	if c.cookie, _, _ = strings.Cut(w.Header().Get("Set-Cookie"), ";"); c.cookie == "" {
		c.t.Errorf("the answer to %s sets no cookie", path)
	}
	return w.Code, w.Body.String()
}

// step is a call and a part of the answer to it.
type step struct{ path, body, want string }

// TestServer holds case GY-07 too: a session lives through every call, and every answer sets its cookie again.
func TestServer(t *testing.T) {
	server, err := Build(&config.Instance{Name: "counter"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	verify := func(expected string) string {
		return `{"initial_count":3,"expected_count":` + expected + `,"responses_create_params":{"input":"q"},"response":` +
			`{"id":"r","created_at":1,"model":"m","object":"response","parallel_tool_calls":false,"tool_choice":"auto","tools":[],"output":[]}}`
	}
	tests := map[string][]step{
		"seed_count_verify": {
			{"/seed_session", `{"initial_count":3,"expected_count":6}`, `{"supports_explicit_close":true}`},
			{"/increment_counter", `{"count":1}`, `{"success":true}`},
			{"/increment_counter", `{"count":2}`, `{"success":true}`},
			{"/get_counter_value", `{}`, `{"count":6}`},
			{"/verify", verify("6"), `"reward":1}`},
			{"/verify", verify("6"), `"reward":1}`},
			{"/verify", verify("7"), `"reward":0}`},
		},
		"a_second_seed_changes_nothing": {
			{"/seed_session", `{"initial_count":3}`, `{"supports_explicit_close":true}`},
			{"/increment_counter", `{"count":1}`, `{"success":true}`},
			{"/seed_session", `{"initial_count":30}`, `{"supports_explicit_close":true}`},
			{"/get_counter_value", `{}`, `{"count":4}`},
		},
		"without_seed_it_counts_from_zero": {
			{"/get_counter_value", `{}`, `{"count":0}`},
			{"/verify", verify("0"), `"reward":1}`},
			{"/increment_counter", `{"count":-2}`, `{"success":true}`},
			{"/verify", verify("-2"), `"reward":1}`},
		},
		"a_session_nobody_used_has_no_counter": {
			{"/verify", verify("0"), `"reward":0}`},
		},
		"three_calls_from_zero": {
			{"/seed_session", `{"initial_count":0}`, `{"supports_explicit_close":true}`},
			{"/increment_counter", `{"count":1}`, `{"success":true}`},
			{"/increment_counter", `{"count":1}`, `{"success":true}`},
			{"/increment_counter", `{"count":1}`, `{"success":true}`},
			{"/verify", verify("3"), `"reward":1}`},
		},
		"seed_zero": {
			{"/seed_session", `{"initial_count":0}`, `{"supports_explicit_close":true}`},
			{"/verify", verify("0"), `"reward":1}`},
		},
		"seed_needs_a_count": {
			{"/seed_session", `{}`, `"loc":["body","initial_count"]`},
		},
	}
	for name, steps := range tests {
		t.Run(name, func(t *testing.T) {
			c := &client{t: t, server: server}
			for i, s := range steps {
				if _, got := c.post(s.path, s.body); !strings.Contains(got, s.want) {
					t.Errorf("step %d, %s: got %s, want %s", i, s.path, got, s.want)
				}
			}
		})
	}
	t.Run("a_lost_cookie_loses_the_counter", func(t *testing.T) {
		c := &client{t: t, server: server}
		c.post("/seed_session", `{"initial_count":3}`)
		c.cookie = ""
		if _, got := c.post("/verify", verify("3")); !strings.Contains(got, `"reward":0}`) {
			t.Errorf("got %s", got)
		}
	})
	t.Run("a_session_that_the_server_lost_is_no_reward", func(t *testing.T) {
		c := &client{t: t, server: server, cookie: "Gym___counter=of-another-process"}
		for _, s := range []step{{"/increment_counter", `{"count":1}`, ""}, {"/get_counter_value", `{}`, ""}, {"/verify", verify("0"), ""}} {
			if code, got := c.post(s.path, s.body); code != 410 || !strings.Contains(got, "the session is not there any more") {
				t.Errorf("%s: got %d %s", s.path, code, got)
			}
		}
	})
	t.Run("closed", func(t *testing.T) {
		c := &client{t: t, server: server}
		c.post("/seed_session", `{"initial_count":3}`)
		for range 2 {
			if code, got := c.post("/close_session", `{}`); code != 200 || got != "{}" {
				t.Errorf("got %d %s", code, got)
			}
		}
		if code, got := c.post("/verify", verify("3")); code != 410 {
			t.Errorf("got %d %s", code, got)
		}
	})
}
