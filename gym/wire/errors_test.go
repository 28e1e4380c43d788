package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/lensgo/lens/gym/responses"
)

func TestStatusError(t *testing.T) {
	for _, tt := range []struct {
		err  StatusError
		want string
	}{
		{StatusError{"judge", "POST", "/verify", 500, []byte("boom")}, "judge answered 500 to POST /verify: boom"},
		{StatusError{"judge", "", "/verify", 500, []byte("boom")}, "judge answered 500 to POST /verify: boom"},
		{StatusError{"judge", "GET", "/x", 404, nil}, "judge answered 404 to GET /x with an empty body"},
		{StatusError{"judge", "GET", "/x", 500, []byte("  \"a \\\"b\\\"\\n\"\n")}, "judge answered 500 to GET /x: a \"b\"\n"},
		{StatusError{"judge", "GET", "/x", 500, []byte(`"torn`)}, `judge answered 500 to GET /x: "torn`},
		{StatusError{"judge", "GET", "/x", 500, []byte("\xff")}, "judge answered 500 to GET /x: \uFFFD"},
	} {
		if got := tt.err.Error(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
	long := StatusError{"judge", "POST", "/verify", 500, []byte(strings.Repeat("é", 1<<20))}
	if text := long.Error(); len(text) > maxErrorBody+100 || !strings.HasSuffix(text, "é [cut]") || !utf8.ValidString(text) {
		t.Errorf("%d bytes, ending in %q", len(text), text[len(text)-20:])
	}
}

func TestResultErr(t *testing.T) {
	for status := 100; status < 600; status++ {
		err := (&Result{Status: status}).Err()
		if ok := status >= 200 && status < 300; (err == nil) != ok {
			t.Fatalf("%d: %v", status, err)
		}
	}
}

func TestSpanError(t *testing.T) {
	inner := &StatusError{Server: "judge", Method: "POST", Path: "/verify", Status: 500, Body: []byte("s3cret")}
	chosen := &HTTPError{Status: 404, Detail: "s3cret"}
	fields := responses.FieldErrors{responses.Missing([]byte(`{"s3cret":1}`), "body", "input")}
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"plain", io.EOF, "EOF"},
		{"inner", inner, "judge answered 500 to POST /verify"},
		{"wrapped", fmt.Errorf("task 7: %w (gave up)", inner), "task 7: judge answered 500 to POST /verify (gave up)"},
		{"joined", errors.Join(inner, io.EOF, chosen), "judge answered 500 to POST /verify\nEOF\nthe answer is 404"},
		{"two in one", fmt.Errorf("%w, then %w", chosen, inner), "the answer is 404, then judge answered 500 to POST /verify"},
		{"rewritten", rewritten{inner}, "judge answered 500 to POST /verify"},
		{"fields", fields, fields.Error()},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := SpanError(tt.err)
			if got.Error() != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if strings.Contains(got.Error(), "s3cret") {
				t.Error("a body is in it")
			}
			if tt.name != "fields" && !errors.Is(got, tt.err) {
				t.Error("it does not unwrap to the error")
			}
		})
	}
	if SpanError(nil) != nil {
		t.Error("nil is an error")
	}
	if err := SpanError(io.EOF); err != io.EOF {
		t.Error("an error that is fit was wrapped")
	}
	if text := SpanError(errors.New(strings.Repeat("x", 5000))).Error(); len(text) != maxSpanText {
		t.Errorf("%d bytes", len(text))
	}
}

// rewritten quotes the body of an inner error in words of its own.
type rewritten struct{ inner *StatusError }

func (r rewritten) Error() string { return "it said: " + string(r.inner.Body) }
func (r rewritten) Unwrap() error { return r.inner }

func TestBlameContext(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	reason := errors.New("the run is over")
	because, cancelCause := context.WithCancelCause(context.Background())
	cancelCause(reason)
	for _, tt := range []struct {
		ctx  context.Context
		err  error
		want string
	}{
		{context.Background(), io.EOF, "EOF"},
		{ended, context.Canceled, "context canceled"},
		{ended, io.EOF, "context canceled: EOF"},
		{because, reason, "context canceled: the run is over"},
		{because, io.EOF, "context canceled: the run is over: EOF"},
	} {
		if got := blameContext(tt.ctx, tt.err); got.Error() != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
	if blameContext(ended, nil) != nil {
		t.Error("success was blamed")
	}
}

func TestReadBody(t *testing.T) {
	big := strings.Repeat("0123456789abcdef", firstRead/8) // twice the first read
	for _, tt := range []struct {
		name        string
		body        string
		length, max int64
		want        error
	}{
		{"empty", "", 0, 10, nil},
		{"known", "hello", 5, 5, nil},
		{"unknown", "hello", -1, 5, nil},
		{"unknown and empty", "", -1, 5, nil},
		{"known, large", big, int64(len(big)), 1 << 30, nil},
		{"known, larger", big + big + big + "x", int64(3*len(big) + 1), 1 << 30, nil},
		{"unknown, large", big, -1, 1 << 30, nil},
		{"known over the bound", "hello", 5, 4, errTooLarge},
		{"unknown over the bound", "hello", -1, 4, errTooLarge},
		{"torn", "hell", 5, 10, io.ErrUnexpectedEOF},
		{"torn at once", "", 5, 10, io.ErrUnexpectedEOF},
		{"torn, large", big, int64(len(big) + 1), 1 << 30, io.ErrUnexpectedEOF},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readBody(strings.NewReader(tt.body), tt.length, tt.max)
			if !errors.Is(err, tt.want) || err == nil && string(got) != tt.body {
				t.Errorf("got %d bytes, %v; want %v", len(got), err, tt.want)
			}
			if err == nil && len(tt.body) == 0 && got != nil {
				t.Error("an empty body is not nil")
			}
		})
	}
}

// A server that died is a 502 of its callers, and so is a session that it has lost; what a server says of itself is a 500.
func TestLostServer(t *testing.T) {
	inner := newServer(t, ServerOptions{Name: "counter"})
	inner.Handle("POST /abort", func(context.Context, *Request) (*Reply, error) { panic(http.ErrAbortHandler) })
	inner.Handle("POST /gone", func(context.Context, *Request) (*Reply, error) {
		return nil, &HTTPError{Status: http.StatusGone, Detail: "the session is lost"}
	})
	inner.Handle("POST /fails", func(context.Context, *Request) (*Reply, error) { return nil, errors.New("boom") })
	inner.Handle("POST /slow", func(ctx context.Context, _ *Request) (*Reply, error) { <-ctx.Done(); return nil, ctx.Err() })
	c := newClient(t, ClientOptions{}, "counter", start(t, inner))
	agent := newServer(t, ServerOptions{Name: "agent"})
	for _, path := range []string{"/abort", "/gone", "/fails", "/slow"} {
		agent.Handle("POST "+path, func(ctx context.Context, _ *Request) (*Reply, error) {
			call := Call{Server: "counter", Path: path}
			if path == "/slow" {
				call.Timeout = time.Millisecond
			}
			res, err := c.Do(ctx, call)
			if err == nil {
				err = res.Err()
			}
			return nil, fmt.Errorf("cannot verify: %w", err)
		})
	}
	driver := newClient(t, ClientOptions{}, "agent", start(t, agent))
	for path, want := range map[string]int{"/abort": 502, "/gone": 502, "/fails": 500, "/slow": 500} {
		res := do(t, driver, Call{Server: "agent", Path: path})
		if res.Status != want || !strings.Contains(string(res.Body), "cannot verify") {
			t.Errorf("%s: %d %s, want %d", path, res.Status, res.Body, want)
		}
	}
}
