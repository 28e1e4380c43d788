package page

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

// faults collects what no page may do. Its methods are safe for concurrent use.
type faults struct {
	mu      sync.Mutex
	list    []string
	allowed []*regexp.Regexp
}

// allow lets pass what a test provokes.
func (f *faults) allow(pattern string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.allowed = append(f.allowed, regexp.MustCompile(pattern))
}

func (f *faults) add(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	words := fmt.Sprintf(format, args...)
	for _, re := range f.allowed {
		if re.MatchString(words) {
			return
		}
	}
	f.list = append(f.list, words)
}

// take returns what was collected and begins anew.
func (f *faults) take() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	list := f.list
	f.list = nil
	return list
}

// see judges one event of the browser.
func (f *faults) see(event any) {
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		d := e.ExceptionDetails
		f.add("exception: %s %s (%s:%d)", d.Text, describe(d.Exception), d.URL, d.LineNumber+1)
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.ConsoleAPICalledTypeError || e.Type == runtime.ConsoleAPICalledTypeAssert {
			f.add("console: %s", describe(e.Args...))
		}
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError {
			f.add("%s: %s (%s)", e.Entry.Source, e.Entry.Text, e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		if !onThisMachine(e.Request.URL) {
			f.add("request: %s", e.Request.URL)
		}
	case *network.EventWebSocketCreated:
		f.add("request: %s", e.URL)
	case *page.EventJavascriptDialogOpening:
		f.add("dialog: %s %q", e.Type, e.Message)
	case *inspector.EventTargetCrashed:
		f.add("the page crashed")
	}
}

func describe(objects ...*runtime.RemoteObject) string {
	var out []string
	for _, o := range objects {
		if o == nil {
			continue
		}
		if words := o.Description; words != "" {
			out = append(out, words)
		} else {
			out = append(out, string(o.Value))
		}
	}
	return strings.Join(out, " ")
}

func onThisMachine(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	switch u.Scheme {
	case "data", "blob", "about":
		return true
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// What the tests rely on: a page that misbehaves is noticed, whatever it does.
func TestFaultsAreNoticed(t *testing.T) {
	for name, test := range map[string]struct{ body, want string }{
		"exception":  {`<script>setTimeout(() => { throw new Error("lost") })</script>`, "exception: Uncaught Error: lost"},
		"rejection":  {`<script>Promise.reject(new Error("lost"))</script>`, "exception: Uncaught (in promise) Error: lost"},
		"console":    {`<script>console.error("bad", 7)</script>`, "console: \"bad\" 7"},
		"dialog":     {`<script>alert(7)</script>`, `dialog: alert "7"`},
		"policy":     {`<img src="http://127.0.0.1:1/x.png">`, "security: Loading the image"},
		"elsewhere":  {`<script>fetch("http://192.0.2.1/").catch(() => 0)</script>`, "request: http://192.0.2.1/"},
		"websocket":  {`<script>new WebSocket("ws://192.0.2.1/")</script>`, "request: ws://192.0.2.1/"},
		"not found":  {`<script src="/missing.js"></script>`, "status of 404"},
		"by a frame": {`<iframe srcdoc="<script>console.error('framed')</script>"></iframe>`, "framed"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/" {
					http.NotFound(w, r)
					return
				}
				w.Header().Set("Content-Security-Policy", "img-src 'none'")
				fmt.Fprint(w, "<!doctype html><link rel=icon href=data:,>", test.body)
			}))
			defer server.Close()
			p := newTab(t, server.URL)
			p.visit("/")
			var got []string
			p.await("the fault", func() bool {
				got = append(got, p.faults.take()...)
				return strings.Contains(strings.Join(got, "\n"), test.want)
			}, func() string { return strings.Join(got, "\n") })
			p.faults.allow("") // a request that was noticed may still say that it failed
			p.faults.take()
		})
	}
}
