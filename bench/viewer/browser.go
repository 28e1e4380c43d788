package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"

	protobrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/tracing"
	"github.com/chromedp/chromedp"
)

// probe is what is counted in a page.
//
//go:embed probe.js
var probe string

// patience is how long a page may take for anything.
const patience = time.Minute

// browser is a running Chromium.
type browser struct {
	ctx  context.Context
	stop func()
}

// openBrowser starts Chromium. Where there is none it says so, and returns nil.
func (r *run) openBrowser() (*browser, error) {
	path, err := chromium()
	if err != nil {
		r.report.note("what needs a browser was left out: %v", err)
		return nil, nil
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WindowSize(1440, 900))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // as root it refuses to start with it
	}
	allocator, release := chromedp.NewExecAllocator(context.WithoutCancel(r), options...)
	ctx, stop := chromedp.NewContext(allocator)
	b := &browser{ctx: ctx, stop: func() { stop(); release() }}
	if err := chromedp.Do(ctx); err != nil {
		b.stop()
		return nil, fmt.Errorf("cannot start %s: %w", path, err)
	}
	version, err := chromedp.CallBrowser(ctx, protobrowser.GetVersion, cdp.Empty{})
	if err != nil {
		return nil, errors.Join(err, b.close())
	}
	r.report.Browser = version.Product
	return b, nil
}

func chromium() (string, error) {
	if path := os.Getenv("LENS_CHROMIUM"); path != "" {
		return exec.LookPath(path)
	}
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("there is no chromium on PATH, and LENS_CHROMIUM is not set")
}

// close ends the browser and waits for it.
func (b *browser) close() error {
	err := chromedp.Cancel(b.ctx)
	b.stop()
	if err != nil && !errors.Is(err, context.Canceled) {
		return fmt.Errorf("cannot close the browser: %w", err)
	}
	return nil
}

// tab is a page.
type tab struct {
	ctx    context.Context
	mu     sync.Mutex
	events []json.RawMessage // of the trace that is recorded
	faults []error           // what the page's scripts threw
	traced chan struct{}
}

// tab opens an empty one, with the probe in all that it will show.
func (b *browser) tab() (*tab, error) {
	ctx, _ := chromedp.NewContext(b.ctx) // it is closed with the browser
	t := &tab{ctx: ctx, traced: make(chan struct{}, 1)}
	if err := chromedp.Listen(ctx, t.see); err != nil {
		return nil, fmt.Errorf("cannot open a tab: %w", err)
	}
	if _, err := chromedp.Call(ctx, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		return nil, err // a page that nobody sees does less
	}
	_, err := chromedp.Call(ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: probe})
	return t, err
}

// see takes the events of a recording.
func (t *tab) see(event any) {
	switch e := event.(type) {
	case *tracing.EventDataCollected:
		t.mu.Lock()
		defer t.mu.Unlock()
		for _, v := range e.Value {
			t.events = append(t.events, json.RawMessage(v))
		}
	case *runtime.EventExceptionThrown:
		t.mu.Lock()
		defer t.mu.Unlock()
		text := e.ExceptionDetails.Text
		if e.ExceptionDetails.Exception != nil {
			text = e.ExceptionDetails.Exception.Description
		}
		t.faults = append(t.faults, errors.New(text))
	case *tracing.EventTracingComplete:
		t.traced <- struct{}{}
	}
}

// failed is what the page's scripts threw.
func (t *tab) failed() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return errors.Join(t.faults...)
}

func (t *tab) do(actions ...chromedp.Action[chromedp.Void]) error {
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	return chromedp.Do(ctx, actions...)
}

// eval computes an expression in the page; of a promise, what it comes to.
func eval[T any](t *tab, expression string) (T, error) {
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		return v, fmt.Errorf("cannot compute %s: %w", expression, err)
	}
	return v, nil
}

// until waits for an expression to come true.
func (t *tab) until(expression string) error {
	for end := time.Now().Add(patience); ; {
		ok, err := eval[bool](t, "!!("+expression+")")
		if ok {
			return nil
		}
		if time.Now().After(end) {
			text, _ := eval[string](t, "document.body.innerText.slice(0, 500)")
			return fmt.Errorf("%s was not true within %v: %w", expression, patience, errors.Join(err, t.failed(), fmt.Errorf("the page says: %s", text)))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// open shows a page of a viewer, and waits until it has had its first live update.
func (t *tab) open(v *viewerProcess, path string) error {
	if err := t.do(chromedp.Navigate(v.page + path + "?token=" + v.token)); err != nil {
		return fmt.Errorf("cannot open %s: %w", path, err)
	}
	return t.until("window.probe && probe.updates > 0 && document.readyState === 'complete'")
}

func (t *tab) updates() (float64, error) { return eval[float64](t, "probe.updates") }

// blank shows nothing, which costs nothing.
func (t *tab) blank() error { return t.do(chromedp.Navigate("about:blank")) }

// press types keys.
func (t *tab) press(keys string) error { return t.do(chromedp.KeyEvent(keys)) }

// wheel turns the mouse wheel over a place for some time.
func (t *tab) wheel(x, y float64, d time.Duration) error {
	ctx, cancel := context.WithTimeout(t.ctx, d+patience)
	defer cancel()
	const speed = 4000 // pixels a second
	_, err := chromedp.Call(ctx, input.SynthesizeScrollGesture, input.SynthesizeScrollGestureParams{
		X: x, Y: y, YDistance: -speed * d.Seconds(), Speed: speed, GestureSourceType: input.GestureSourceTypeMouse,
	})
	return err
}

// record returns what Chromium did while fn ran.
func (t *tab) record(fn func() error) ([]traceEvent, error) {
	t.mu.Lock()
	t.events = nil
	t.mu.Unlock()
	categories := []string{"devtools.timeline", "disabled-by-default-devtools.timeline", "v8", "toplevel", "blink.user_timing"}
	if _, err := chromedp.Call(t.ctx, tracing.Start, tracing.StartParams{TransferMode: tracing.StartTransferModeReportEvents,
		TraceConfig: &tracing.TraceConfig{IncludedCategories: categories, ExcludedCategories: []string{"*"}}}); err != nil {
		return nil, fmt.Errorf("cannot record: %w", err)
	}
	failed := fn()
	if _, err := chromedp.Call(t.ctx, tracing.End, cdp.Empty{}); err != nil {
		return nil, errors.Join(failed, err)
	}
	select {
	case <-t.traced:
	case <-time.After(patience):
		return nil, errors.Join(failed, errors.New("the recording never came"))
	}
	if failed != nil {
		return nil, failed
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return parseTrace(t.events)
}
