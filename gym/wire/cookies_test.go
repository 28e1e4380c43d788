package wire

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// The values are of the forms that Python's servers and clients write: Starlette's signed session, the standard
// library's quoting, and the deletion of a cookie.
const (
	starlette = `CounterServer___counter=eyJzZXNzaW9uX2lkIjogIjFiN2MifQ==.Zz0A1w.Pq-x_7Yh0nW2aLr3mJ9t4kVbE8c`
	quoted    = `CounterServer___counter="eyJzZXNzaW9uX2lkIjogIjFiN2MifQ==.Zz0A1w.Pq-x_7Yh0nW2aLr3mJ9t4kVbE8c"`
	escaped   = `note="a\054 b\073 c"`
)

func TestParseCookies(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		want  Cookies
	}{
		{"none", nil, nil},
		{"empty", []string{""}, nil},
		{"one", []string{"a=1"}, Cookies{"a=1"}},
		{"starlette session", []string{starlette}, Cookies{starlette}},
		{"quoted session", []string{quoted}, Cookies{quoted}},
		{"escapes of Python", []string{escaped + "; a=1"}, Cookies{escaped, "a=1"}},
		{"order and repeats", []string{"b=1; a=2; b=3"}, Cookies{"b=1", "a=2", "b=3"}},
		{"two lines", []string{"a=1", "b=2; c=3"}, Cookies{"a=1", "b=2", "c=3"}},
		{"no blank", []string{"a=1;b=2"}, Cookies{"a=1", "b=2"}},
		{"blanks and tabs", []string{" a=1 ;\tb=2\t;; "}, Cookies{"a=1", "b=2"}},
		{"empty value", []string{"a="}, Cookies{"a="}},
		{"no name", []string{"lonely; a=1"}, Cookies{"lonely", "a=1"}},
		{"what net/http drops", []string{`a[b]=1; c=x,y z; d=é`}, Cookies{"a[b]=1", "c=x,y z", "d=é"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := parseCookies(tt.lines); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestSetCookies(t *testing.T) {
	for _, tt := range []struct {
		name  string
		lines []string
		want  Cookies
	}{
		{"none", nil, nil},
		{"attributes", []string{starlette + "; path=/; Max-Age=1209600; httponly; samesite=lax"}, Cookies{starlette}},
		{"quoted", []string{quoted + "; Path=/; SameSite=lax"}, Cookies{quoted}},
		{"bare", []string{"a=1"}, Cookies{"a=1"}},
		{"several", []string{"a=1; path=/", "b=2"}, Cookies{"a=1", "b=2"}},
		{"deleted", []string{"a=null; path=/; expires=Thu, 01 Jan 1970 00:00:00 GMT"}, Cookies{"a=null"}},
		{"attributes only", []string{"; path=/"}, Cookies{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := setCookies(tt.lines); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestCookies(t *testing.T) {
	c := Cookies{"a=1", "b=x=y", "lonely", "a=2"}
	if v, ok := c.Get("a"); v != "2" || !ok {
		t.Errorf("Get(a) = %q, %v; want the last one, 2", v, ok)
	}
	if v, ok := c.Get("b"); v != "x=y" || !ok {
		t.Errorf("Get(b) = %q, %v; want x=y", v, ok)
	}
	if v, ok := c.Get("lonely"); ok {
		t.Errorf("Get(lonely) = %q: a text without = has no name", v)
	}
	if got, want := c.Names(), []string{"a", "b", "", "a"}; !slices.Equal(got, want) {
		t.Errorf("Names() = %q, want %q", got, want)
	}
}

func TestCookiesMerge(t *testing.T) {
	old, newer := Cookies{"a=1", "b=2"}, Cookies{"c=3", "a=9"}
	if got, want := old.Merge(newer), (Cookies{"a=9", "b=2", "c=3"}); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if old[0] != "a=1" || newer[0] != "c=3" {
		t.Errorf("Merge changed its operands: %q, %q", old, newer)
	}
	if got := Cookies(nil).Merge(nil); len(got) != 0 {
		t.Errorf("got %q from nothing", got)
	}
}

// A cookie goes through a client, a server and back without a byte of it changing.
func TestCookiesTravelUnchanged(t *testing.T) {
	s := newServer(t, ServerOptions{Name: "agent"})
	s.Handle("POST /run", func(_ context.Context, r *Request) (*Reply, error) {
		return &Reply{Cookies: r.Cookies}, nil
	})
	c := newClient(t, ClientOptions{}, "agent", start(t, s))
	sent := Cookies{starlette, `other="quoted, with = and blank"`, escaped, "a[b]=1", "lonely"}
	res := do(t, c, Call{Server: "agent", Path: "/run", Cookies: sent})
	if got := res.Cookies[:len(res.Cookies)-1]; !slices.Equal(got, sent) {
		t.Errorf("got  %q\nwant %q", got, sent)
	}
	if own := res.Cookies[len(res.Cookies)-1]; !strings.HasPrefix(own, "Gym___agent=") {
		t.Errorf("the last cookie is %q, want the server's own", own)
	}
}

func FuzzCookies(f *testing.F) {
	for _, seed := range []string{"", "a=1", starlette, quoted, escaped, ";;", " = ; =", "a=1;b=2; a=3"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, line string) {
		c := parseCookies([]string{line})
		for _, text := range c {
			if text == "" || strings.Contains(text, ";") || text != trimBlank(text) {
				t.Fatalf("%q has the cookie %q", line, text)
			}
			if !strings.Contains(line, text) {
				t.Fatalf("%q has no %q in it", line, text)
			}
		}
		if again := parseCookies([]string{c.header()}); !slices.Equal(again, c) {
			t.Fatalf("%q became %q and then %q", line, c, again)
		}
		if merged := c.Merge(c); len(merged) != len(c) {
			t.Fatalf("%q merged with itself is %q", c, merged)
		}
		if set := setCookies([]string{line}); len(set) > 1 || len(set) == 1 && set[0] != trimBlank(strings.SplitN(line, ";", 2)[0]) {
			t.Fatalf("%q sets %q", line, set)
		}
	})
}
