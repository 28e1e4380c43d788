package page

import (
	"context"
	_ "embed"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	browserproto "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// patience is how long a condition may take to come true: much more than it needs, on a machine that has other work too.
const patience = time.Minute

// look holds the words that expressions in the page may use.
//
//go:embed testdata/look.js
var look string

// window is the size of a page in CSS pixels.
type window struct{ width, height int }

var (
	wide  = window{1440, 900}
	phone = window{390, 844}
)

// tab is one page that a test looks at. Its methods fail the test.
type tab struct {
	t      *testing.T
	ctx    context.Context
	base   string // of the pages to visit
	faults *faults
}

// newTab opens an empty tab with cookies and storage of its own. It is closed with the test, which fails when a page did
// what no page may do.
func newTab(t *testing.T, base string) *tab {
	t.Helper()
	ctx, stop := chromedp.NewContext(theBrowser(t), chromedp.WithNewBrowserContext())
	return prepare(t, ctx, stop, base)
}

// another opens a second tab beside this one, with the same cookies.
func (p *tab) another() *tab {
	p.t.Helper()
	ctx, stop := chromedp.NewContext(p.ctx)
	return prepare(p.t, ctx, stop, p.base)
}

func prepare(t *testing.T, ctx context.Context, stop func(), base string) *tab {
	t.Helper()
	p := &tab{t: t, ctx: ctx, base: base, faults: &faults{}}
	var answering sync.WaitGroup
	t.Cleanup(func() {
		for _, fault := range p.faults.take() {
			t.Error("the page: ", fault)
		}
		stop()
		answering.Wait()
	})
	if err := chromedp.Listen(ctx, func(event any) {
		p.faults.see(event)
		if _, ok := event.(*page.EventJavascriptDialogOpening); ok { // the page stands still until somebody answers
			answering.Go(func() {
				chromedp.Call(ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{}) //nolint:errcheck // the tab may be gone
			})
		}
	}); err != nil {
		t.Fatalf("cannot open a tab: %v", err)
	}
	call(p, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	call(p, emulation.SetTimezoneOverride, emulation.SetTimezoneOverrideParams{TimezoneID: "UTC"})
	p.size(wide)
	return p
}

// do runs actions; none may take for ever.
func (p *tab) do(what string, actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	if err := chromedp.Do(ctx, actions...); err != nil {
		p.t.Fatalf("cannot %s: %v\n%s", what, err, p.state())
	}
}

// size makes the window as large as that.
func (p *tab) size(w window) {
	p.t.Helper()
	p.do("set the size", chromedp.EmulateViewport(int64(w.width), int64(w.height)))
}

// visit opens an address of the page's server.
func (p *tab) visit(path string) {
	p.t.Helper()
	p.do("open "+path, chromedp.Navigate(p.base+path))
}

// eval computes an expression in the page, with the words of look.js.
func eval[T any](p *tab, expression string) T {
	p.t.Helper()
	v, err := tryEval[T](p, expression)
	if err != nil {
		p.t.Fatalf("cannot compute %s: %v", expression, err)
	}
	return v
}

func tryEval[T any](p *tab, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(p.ctx, patience)
	defer cancel()
	return chromedp.Run(ctx, chromedp.Evaluate[T]("(() => {"+look+"\nreturn ("+expression+");\n})()", chromedp.EvalAwaitPromise))
}

// until waits for an expression to come true.
func (p *tab) until(what, expression string) {
	p.t.Helper()
	var last error
	p.await(what, func() bool {
		ok, err := tryEval[bool](p, "!!("+expression+")")
		last = err // between two pages there is nothing to ask
		return ok
	}, func() string { return fmt.Sprintf("%s is not true (%v)\n%s", expression, last, p.state()) })
}

// await waits for a condition; else says what there is instead.
func (p *tab) await(what string, ok func() bool, instead func() string) {
	p.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !ok(); <-tick.C {
		if time.Now().After(deadline) {
			p.t.Fatalf("%s: not within %v\n%s", what, patience, instead())
		}
	}
}

// state describes the page for the message of a failed test.
func (p *tab) state() string {
	s, err := tryEval[string](p, "location.href + '\\n' + document.body.innerText.slice(0, 3000)")
	if err != nil {
		return err.Error()
	}
	if path := os.Getenv("LENS_PAGE_SHOT"); path != "" { // a picture of the moment, for who mends the test
		if png, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot()); err == nil {
			os.WriteFile(path, png, 0o644) //nolint:errcheck // it only helps
		}
	}
	return s
}

// click clicks in the middle of the first visible element that a selector finds and that holds the words, where a person
// would hit it. It waits for the element.
func (p *tab) click(selector, words string) {
	p.t.Helper()
	at := fmt.Sprintf("hit(%q, %q)", selector, words)
	var point []float64
	still := 0 // looks in a row that found it in one place: a page that is being built moves what is to be hit
	p.await("click "+selector+" "+words, func() (ok bool) {
		before := point
		point, _ = tryEval[[]float64](p, at)
		if len(point) != 2 || !slices.Equal(point, before) {
			still = 0
			return false
		}
		still++
		return still >= 4
	}, p.state)
	p.do("click", chromedp.MouseClickXY(point[0], point[1]))
}

// text is what a person reads in the first element that a selector finds; it waits for the element.
func (p *tab) text(selector string) string {
	p.t.Helper()
	p.until(selector, fmt.Sprintf("seen($(%q))", selector))
	return eval[string](p, fmt.Sprintf("words($(%q))", selector))
}

// shows waits until an element holds some words.
func (p *tab) shows(selector, words string) {
	p.t.Helper()
	p.until(fmt.Sprintf("%s with %q", selector, words), fmt.Sprintf("holding(%q, %q)", selector, words))
}

// path is the page's own address, without its server.
func (p *tab) path() string {
	p.t.Helper()
	return eval[string](p, "location.pathname + location.search")
}

// at waits until the address begins with a path.
func (p *tab) at(path string) {
	p.t.Helper()
	p.until("the address "+path, fmt.Sprintf("(location.pathname + location.search).startsWith(%q)", path))
}

// theme makes the page light or dark with the key that a person uses.
func (p *tab) theme(name string) {
	p.t.Helper()
	if eval[string](p, "document.documentElement.dataset.theme") != name {
		p.press("t")
	}
	p.until("the theme "+name, fmt.Sprintf("document.documentElement.dataset.theme === %q", name))
}

// split cuts the address that a program printed into where its server is and what to visit first.
func split(t *testing.T, printed string) (base, first string) {
	t.Helper()
	u, err := url.Parse(strings.TrimSpace(printed))
	if err != nil {
		t.Fatalf("cannot read the address %q: %v", printed, err)
	}
	return u.Scheme + "://" + u.Host, u.RequestURI()
}

// reload loads the page again, as F5 does.
var reload = chromedp.Reload()

// back and forward are the buttons of the browser. Where they lead inside the page nothing is loaded, so there is no load to
// wait for.
func (p *tab) back() { p.t.Helper(); eval[any](p, "(history.back(), null)") }

func (p *tab) forward() { p.t.Helper(); eval[any](p, "(history.forward(), null)") }

// allowClipboard lets the page write and the test read what was copied.
func (p *tab) allowClipboard() {
	p.t.Helper()
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		ctx, cancel := context.WithTimeout(p.ctx, patience)
		_, err := chromedp.CallBrowser(ctx, browserproto.SetPermission, browserproto.SetPermissionParams{
			Permission: &browserproto.PermissionDescriptor{Name: name}, Setting: browserproto.PermissionSettingGranted,
			BrowserContextID: chromedp.FromContext(p.ctx).BrowserContextID,
		})
		cancel()
		if err != nil {
			p.t.Fatalf("cannot allow %s: %v", name, err)
		}
	}
}

// setTheme chooses the theme of the pages that are opened next. Nothing moves there.
func (p *tab) setTheme(name string) {
	p.t.Helper()
	call(p, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: name}, {Name: "prefers-reduced-motion", Value: "reduce"},
	}})
}
