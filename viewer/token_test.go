package viewer_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/lensgo/lens/viewer"
)

// What was said may arrive at any time, so the page asks for the token from the beginning, on loopback too, and nobody reads a
// conversation without it.
func TestConversationNeedsToken(t *testing.T) {
	v := start(t, viewer.Options{Data: t.TempDir(), OTLPHTTP: "127.0.0.1:0"})
	page, err := url.Parse(v.URL())
	if err != nil {
		t.Fatal(err)
	}
	defer http.DefaultClient.CloseIdleConnections()
	ask := func(token string) (int, string) {
		t.Helper()
		req, err := http.NewRequest(http.MethodGet, page.Scheme+"://"+page.Host+"/api/v1/traces/0af7651916cd43dd8448eb211c80319c/conversation", nil)
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			req.Header.Set("Authorization", "Bearer "+token)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return resp.StatusCode, string(body)
	}
	if status, _ := ask(""); status != http.StatusUnauthorized {
		t.Errorf("while nothing is stored it answers %d", status)
	}
	const body = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","name":"chat gpt","kind":3,
		"startTimeUnixNano":"1796000000000000000","endTimeUnixNano":"1796000000250000000","attributes":[
		{"key":"gen_ai.operation.name","value":{"stringValue":"chat"}},
		{"key":"gen_ai.input.messages","value":{"stringValue":"[{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"content\":\"a private matter\"}]}]"}}]}]}]}]}`
	resp, err := http.Post(v.OTLPEndpoint()+"/v1/traces", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	for token, want := range map[string]int{"": http.StatusUnauthorized, "0123456789012345678901234567890123456789": http.StatusUnauthorized, page.Query().Get("token"): http.StatusOK} {
		if status, text := ask(token); status != want || strings.Contains(text, "a private matter") != (want == http.StatusOK) {
			t.Errorf("with the token %q it answers %d %s", token, status, text)
		}
	}
}
