package viewer_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.uber.org/goleak"

	"github.com/lensgo/lens/viewer"
	"github.com/lensgo/lens/viewer/terminal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// demo is a small run of `gym demo`, as its receiver wrote it.
const demo = "runs/testdata/demo.jsonl.gz"

func start(t *testing.T, o viewer.Options) *viewer.Viewer {
	t.Helper()
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	v, err := viewer.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, v) })
	return v
}

func stop(t *testing.T, v *viewer.Viewer) {
	t.Helper()
	if err := v.Shutdown(context.Background()); err != nil {
		t.Error(err)
	}
}

// list is what `lens traces ls` prints for a folder.
func list(t *testing.T, o viewer.ViewOptions) string {
	t.Helper()
	v, err := viewer.View(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	err = v.API().List(t.Context(), &out, terminal.ListOptions{})
	if err := errors.Join(err, v.Close()); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// What a running viewer holds, what its folder holds afterwards, and what the file holds that was read in, are the same.
func TestSameAnswersEverywhere(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	v := start(t, viewer.Options{Data: data, Files: []string{demo}})
	running := list(t, viewer.ViewOptions{Data: data})
	stop(t, v)
	if !strings.Contains(running, "gym.rollout") || !strings.Contains(running, "attempt 2") {
		t.Fatalf("the running viewer answers\n%s", running)
	}
	if closed := list(t, viewer.ViewOptions{Data: data}); closed != running {
		t.Errorf("the folder answers\n%s\nand the running viewer\n%s", closed, running)
	}
	if file := list(t, viewer.ViewOptions{Files: []string{demo}}); file != running {
		t.Errorf("the file answers\n%s\nand the running viewer\n%s", file, running)
	}
	again := start(t, viewer.Options{Data: data})
	if reopened := list(t, viewer.ViewOptions{Data: data}); reopened != running {
		t.Errorf("after a restart\n%s\nbefore\n%s", reopened, running)
	}
	stop(t, again)
}

// Spans that come in over OTLP are there when their sender was told so.
func TestReceives(t *testing.T) {
	data := t.TempDir()
	v := start(t, viewer.Options{Data: data, OTLPHTTP: "127.0.0.1:0", OTLPGRPC: "127.0.0.1:0"})
	const body = `{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},"scopeSpans":[{"spans":[
		{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331","name":"checkout","kind":2,"startTimeUnixNano":"1796000000000000000","endTimeUnixNano":"1796000000250000000"}]}]}]}`
	resp, err := http.Post(v.OTLPEndpoint()+"/v1/traces", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if resp.StatusCode != http.StatusOK {
		t.Fatalf("status %d", resp.StatusCode)
	}
	if got := list(t, viewer.ViewOptions{Data: data}); !strings.Contains(got, "checkout") || !strings.Contains(got, "250 ms") {
		t.Errorf("the trace is not there:\n%s", got)
	}
	if v.OTLPGRPCEndpoint() == "" {
		t.Error("nothing listens for gRPC")
	}
}

// A run hands its traces over itself: the page says what comes in all the same.
func TestCountsWhatIsHandedOver(t *testing.T) {
	v := start(t, viewer.Options{Data: t.TempDir()})
	td := ptrace.NewTraces()
	span := td.ResourceSpans().AppendEmpty().ScopeSpans().AppendEmpty().Spans().AppendEmpty()
	span.SetName("step")
	span.SetTraceID([16]byte{1})
	span.SetSpanID([8]byte{2})
	span.SetStartTimestamp(1)
	span.SetEndTimestamp(2)
	req, err := (&ptrace.ProtoMarshaler{}).MarshalTraces(td)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := v.Sink().Traces(t.Context(), req); err != nil {
		t.Fatal(err)
	}
	if _, _, err := v.Sink().Traces(t.Context(), []byte("no protobuf")); err == nil {
		t.Error("it takes what is no request")
	}
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar}
	defer client.CloseIdleConnections()
	for _, path := range []string{v.URL(), strings.Replace(v.URL(), "/?", "/api/v1/status?", 1)} {
		resp, err := client.Get(path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(path, "status") && (!bytes.Contains(body, []byte(`"requests":{"received":1,`)) || !bytes.Contains(body, []byte(`"spans":{"received":1,`))) {
			t.Errorf("status: %s", body)
		}
	}
}

// What is dropped on the page goes to the receiver: the page may speak to it, and it takes from that page and from no other.
func TestPageMaySend(t *testing.T) {
	v := start(t, viewer.Options{Data: t.TempDir(), OTLPHTTP: "127.0.0.1:0", OTLPGRPC: "127.0.0.1:0"})
	defer http.DefaultClient.CloseIdleConnections()
	page, err := url.Parse(v.URL())
	if err != nil {
		t.Fatal(err)
	}
	origin := page.Scheme + "://" + page.Host
	resp, err := http.Get(origin)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if policy := resp.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "connect-src 'self' "+v.OTLPEndpoint()+";") {
		t.Errorf("the policy %q does not name %s", policy, v.OTLPEndpoint())
	}
	for from, want := range map[string]int{origin: http.StatusOK, "http://127.0.0.1:1": http.StatusForbidden} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, v.OTLPEndpoint()+"/v1/traces", strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Origin", from)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("from %s: status %d, want %d", from, resp.StatusCode, want)
		}
	}
}

// The page asks for the token, and the folder keeps it for tomorrow.
func TestToken(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	v := start(t, viewer.Options{Data: data})
	u, err := url.Parse(v.URL())
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	defer client.CloseIdleConnections()
	for address, want := range map[string]int{
		u.String():                      http.StatusSeeOther, // to the page, with a cookie
		u.Scheme + "://" + u.Host + "/": http.StatusUnauthorized,
	} {
		resp, err := client.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, resp.Body) //nolint:errcheck // only the status matters
		resp.Body.Close()
		if resp.StatusCode != want {
			t.Errorf("%s answers %d, want %d", address, resp.StatusCode, want)
		}
	}
	stop(t, v)
	for path, want := range map[string]os.FileMode{data: 0o700, filepath.Join(data, "token"): 0o600} {
		info, err := os.Stat(path)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v, want %v", path, info.Mode(), err, want)
		}
	}
	again := start(t, viewer.Options{Data: data})
	if second, _ := url.Parse(again.URL()); second.Query().Get("token") != u.Query().Get("token") {
		t.Error("a restart made another token, so that an old link does not work")
	}
}

func TestStartFails(t *testing.T) {
	data := t.TempDir()
	v := start(t, viewer.Options{Data: data})
	page, _ := url.Parse(v.URL())
	for name, test := range map[string]struct {
		o    viewer.Options
		want string
	}{
		"port of the page":       {viewer.Options{Data: t.TempDir(), Listen: page.Host}, "the port is taken by this process"},
		"port of the receiver":   {viewer.Options{Data: t.TempDir(), Listen: "127.0.0.1:0", OTLPHTTP: page.Host}, "the port is taken by this process"},
		"folder of a running":    {viewer.Options{Data: data, Listen: "127.0.0.1:0"}, "process"},
		"file that is not there": {viewer.Options{Data: t.TempDir(), Listen: "127.0.0.1:0", Files: []string{"missing.jsonl"}}, "missing.jsonl"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := viewer.Start(t.Context(), test.o)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error is %v, want %q in it", err, test.want)
			}
			if strings.HasPrefix(name, "port") && !errors.Is(err, syscall.EADDRINUSE) {
				t.Errorf("error is %v, want EADDRINUSE", err)
			}
		})
	}
}

func TestViewNothing(t *testing.T) {
	_, err := viewer.View(t.Context(), viewer.ViewOptions{Data: filepath.Join(t.TempDir(), "none")})
	if err == nil {
		t.Error("a folder that is not there was opened")
	}
}
