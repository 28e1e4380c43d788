package wire

import (
	"context"
	"regexp"
	"strings"
	"testing"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/semconv"
)

func TestStripRollout(t *testing.T) {
	for _, tt := range []struct {
		path, id string
		capture  bool
		rest     string
	}{
		{"/verify", "", false, "/verify"},
		{"/", "", false, "/"},
		{"/ng-rollout/7-2-a1/verify", "7-2-a1", false, "/verify"},
		{"/ng-rollout/7-2/v1/responses", "7-2", false, "/v1/responses"},
		{"/ng-rollout/7-2/training-token-capture/v1/responses", "7-2", true, "/v1/responses"},
		{"/ng-rollout/7-2/", "7-2", false, "/"},
		{"/ng-rollout/7-2/training-token-capture/", "7-2", true, "/"},
		// A tool may be named like the second part of the prefix.
		{"/ng-rollout/7-2/training-token-capture", "7-2", false, "/training-token-capture"},
		{"/ng-rollout/7-2/training-token-captured/x", "7-2", false, "/training-token-captured/x"},
		{"/ng-rollout/A.b_c-9/x", "A.b_c-9", false, "/x"},
		// Only once: what follows is a path like any other.
		{"/ng-rollout/a/ng-rollout/b/x", "a", false, "/ng-rollout/b/x"},
		// Not of the form: no route fits these.
		{"/ng-rollout/7-2", "", false, "/ng-rollout/7-2"},
		{"/ng-rollout//verify", "", false, "/ng-rollout//verify"},
		{"/ng-rollout/-a/verify", "", false, "/ng-rollout/-a/verify"},
		{"/ng-rollout/.hidden/verify", "", false, "/ng-rollout/.hidden/verify"},
		{"/ng-rollout/a b/verify", "", false, "/ng-rollout/a b/verify"},
		{"/ng-rollout/é/verify", "", false, "/ng-rollout/é/verify"},
		{"/ng-rollouts/7/verify", "", false, "/ng-rollouts/7/verify"},
	} {
		id, capture, rest := stripRollout(tt.path)
		if id != tt.id || capture != tt.capture || rest != tt.rest {
			t.Errorf("%s: got %q, %v, %q; want %q, %v, %q", tt.path, id, capture, rest, tt.id, tt.capture, tt.rest)
		}
	}
}

func FuzzStripRollout(f *testing.F) {
	for _, seed := range []string{"/", "/verify", "/ng-rollout/7-2/x", "/ng-rollout/7/training-token-capture/x", "/ng-rollout//x"} {
		f.Add(seed)
	}
	form := regexp.MustCompile(`(?s)^/ng-rollout/(` + strings.Trim(RolloutIDPattern, "^$") + `)(/training-token-capture)?(/.*)$`)
	f.Fuzz(func(t *testing.T, path string) {
		id, capture, rest := stripRollout(path)
		m := form.FindStringSubmatch(path)
		if m == nil {
			if id != "" || capture || rest != path {
				t.Fatalf("%q has no prefix; got %q, %v, %q", path, id, capture, rest)
			}
			return
		}
		if id != m[1] || capture != (m[2] != "") || rest != m[3] {
			t.Fatalf("%q: got %q, %v, %q; want %q", path, id, capture, rest, m[1:])
		}
	})
}

func TestRolloutID(t *testing.T) {
	mark := func(ctx context.Context, id string) context.Context {
		t.Helper()
		ctx, err := lens.WithBaggage(ctx, semconv.GymRolloutID, id)
		if err != nil {
			t.Fatal(err)
		}
		return ctx
	}
	bare := context.Background()
	prefixed := context.WithValue(bare, inboundKey{}, &inbound{rollout: "7-2", capture: true})
	for _, tt := range []struct {
		name     string
		ctx      context.Context
		id, mark string
	}{
		{"nothing", bare, "", ""},
		{"prefix", prefixed, "7-2", ""},
		{"mark", mark(bare, "1-0"), "1-0", "1-0"},
		{"mark wins", mark(prefixed, "1-0"), "1-0", "1-0"},
		{"mark that is no id", mark(prefixed, "-1"), "7-2", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := RolloutID(tt.ctx); got != tt.id {
				t.Errorf("RolloutID = %q, want %q", got, tt.id)
			}
			if got, ok := MarkedRollout(tt.ctx); got != tt.mark || ok != (tt.mark != "") {
				t.Errorf("MarkedRollout = %q, %v; want %q", got, ok, tt.mark)
			}
		})
	}
	if TokenCapture(bare) || !TokenCapture(prefixed) {
		t.Error("TokenCapture does not tell the prefix")
	}
}

func TestServerTakesThePrefixOnEveryPath(t *testing.T) {
	type seen struct {
		path, id string
		capture  bool
	}
	got := make(chan seen, 1)
	s := newServer(t, ServerOptions{})
	look := func(ctx context.Context, r *Request) (*Reply, error) {
		got <- seen{r.Path, RolloutID(ctx), TokenCapture(ctx)}
		return nil, nil
	}
	for _, path := range []string{"/verify", "/made_up", "/ng-rollout/-7/verify", "/what? #and/or"} {
		s.Handle("POST "+path, look)
	}
	c := newClient(t, ClientOptions{}, "counter", start(t, s))
	for path, want := range map[string]seen{
		"/verify":                                     {"/verify", "", false},
		"/ng-rollout/7-2/verify":                      {"/verify", "7-2", false},
		"/ng-rollout/7-2/made_up":                     {"/made_up", "7-2", false},
		"/ng-rollout/-7/verify":                       {"/ng-rollout/-7/verify", "", false},
		"/ng-rollout/7-2/what? #and/or":               {"/what? #and/or", "7-2", false},
		"/ng-rollout/7/training-token-capture/verify": {"/verify", "7", true},
	} {
		do(t, c, Call{Server: "counter", Path: path})
		if saw := receive(t, got, "the call"); saw != want {
			t.Errorf("%s: the handler saw %+v, want %+v", path, saw, want)
		}
	}
	res := do(t, c, Call{Server: "counter", Method: "GET", Path: "/ng-rollout/7-2/health"})
	if !strings.Contains(string(res.Body), "ok") {
		t.Errorf("health below the prefix answers %s", res.Body)
	}
}
