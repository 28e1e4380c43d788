package main_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// faults are the ways in which an unreliable endpoint fails.
var faults = []string{"429", "500", "reset", "hang", "half"}

// unreliable is an endpoint of Chat Completions that calls get_weather and then says something, if it does not fail: a request with
// "always 500" in it fails in that way each time, of the others every third try does in any way.
type unreliable struct {
	*httptest.Server
	end chan struct{} // of those that hang

	mu     sync.Mutex
	chance *rand.Rand
	count  map[string]int // of faults
}

func newUnreliable(t *testing.T) *unreliable {
	u := &unreliable{end: make(chan struct{}), chance: rand.New(rand.NewPCG(1, 2)), count: map[string]int{}}
	u.Server = httptest.NewServer(u)
	t.Cleanup(func() {
		close(u.end)
		u.Close()
	})
	return u
}

// draw says how a request fails; "" is not at all.
func (u *unreliable) draw(body string) (fault string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if i := u.chance.IntN(3 * len(faults)); i < len(faults) {
		fault = faults[i]
	}
	for _, f := range faults {
		if strings.Contains(body, "always "+f) {
			fault = f
		}
	}
	u.count[fault]++
	return fault
}

func (u *unreliable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the model server has left
	}
	answer := completion(strings.Contains(string(body), `"role":"tool"`))
	switch fault := u.draw(string(body)); fault {
	case "":
		io.WriteString(w, answer) //nolint:errcheck // it may have left
	case "429", "500":
		status, _ := strconv.Atoi(fault)
		http.Error(w, `{"error":{"message":"not now"}}`, status)
	case "hang":
		select {
		case <-r.Context().Done():
		case <-u.end:
		}
	case "half":
		w.Header().Set("Content-Length", strconv.Itoa(len(answer)))
		io.WriteString(w, answer[:len(answer)/2]) //nolint:errcheck // it may have left
		panic(http.ErrAbortHandler)
	case "reset":
		if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
			conn.(*net.TCPConn).SetLinger(0) //nolint:errcheck // then it is no reset, but an end all the same
			conn.Close()
		}
	}
}

// completion is a whole answer: a call of the tool, or what is said after it.
func completion(last bool) string {
	message, reason := `"content":null,"tool_calls":[{"id":"call_1","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}}]`, "tool_calls"
	if last {
		message, reason = `"content":"It is cold."`, "stop"
	}
	return fmt.Sprintf(`{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":%q,`+
		`"message":{"role":"assistant",%s}}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`, reason, message)
}
