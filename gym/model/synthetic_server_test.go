package model

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/lensgo/lens/gym/config"
	"github.com/lensgo/lens/gym/responses"
)

func ask(t *testing.T, settings, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	s, err := BuildSynthetic(&config.Instance{Name: "policy_model", Settings: jsontext.Value(settings)}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r := httptest.NewRequest(http.MethodPost, path, strings.NewReader(body))
	w := httptest.NewRecorder()
	s.ServeHTTP(w, r)
	return w
}

const noWait = `"latency":{"distribution":"none"}`

func TestSyntheticServer(t *testing.T) {
	for _, path := range []string{"/v1/responses", "/ng-rollout/1-0/v1/responses"} {
		w := ask(t, `{"mistake_rate":0,`+noWait+`}`, path, body("'a'", "", lookTool))
		if w.Code != http.StatusOK {
			t.Fatalf("%s: status %d: %s", path, w.Code, w.Body)
		}
		r, err := responses.ParseResponse(w.Body.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		output, err := r.Output()
		if err != nil || len(output) != 1 || output[0].Arguments() != `{"word":"a"}` {
			t.Errorf("%s: output %s, error %v", path, w.Body, err)
		}
	}
}

func TestSyntheticServer_statuses(t *testing.T) {
	failing := `{"failures":{"rate":1,"kinds":[429]},` + noWait + `}`
	tests := []struct {
		name, settings, body string
		status               int
		text                 string // part of the answer
	}{
		{"drawn failure", failing, body("'a'", "", lookTool), 429, "synthetic failure"},
		{"no input", failing, `{}`, 422, "input"},
		{"unknown field", failing, `{"input":"a","seed":1}`, 422, "seed"},
		{"extra body that is no JSON", failing, `{"input":"a","metadata":{"extra_body":"seed=1"}}`, 422, "extra_body"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := ask(t, tt.settings, "/v1/responses", tt.body)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.text) {
				t.Errorf("%d %s, want %d with %q", w.Code, w.Body, tt.status, tt.text)
			}
		})
	}
}

func TestBuildSynthetic_bad_settings(t *testing.T) {
	_, err := BuildSynthetic(&config.Instance{Name: "m", Settings: jsontext.Value(`{"mistake_rate":2}`)}, nil, nil)
	if err == nil || !strings.Contains(err.Error(), "mistake_rate is 2") {
		t.Errorf("error %v", err)
	}
}

func TestRespond_takes_the_drawn_time(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := mustSynthetic(t, DefaultSyntheticSettings())
		p := wordTask(t, 1)
		start := time.Now()
		if _, err := m.Respond(t.Context(), &Request{Params: p}); err != nil {
			t.Fatal(err)
		}
		if took, want := time.Since(start), mustAnswer(t, m, p).Wait; took != want || want == 0 {
			t.Errorf("took %v, want %v", took, want)
		}
	})
}

func TestRespond_ends_with_its_context(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := mustSynthetic(t, SyntheticSettings{Latency: Latency{Distribution: Constant, Constant: time.Minute}})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		_, err := m.Respond(ctx, &Request{Params: wordTask(t, 1)})
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Second {
			t.Errorf("error %v after %v, want the deadline's after 1s", err, time.Since(start))
		}
		cancel()
		quick := mustSynthetic(t, SyntheticSettings{})
		if _, err := quick.Respond(ctx, &Request{Params: wordTask(t, 1)}); err == nil {
			t.Error("a request whose context has ended is answered")
		}
	})
}
