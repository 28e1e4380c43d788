package page

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/lensgo/lens/internal/need"
)

// names are what a Chromium is called on PATH.
var names = []string{"chromium", "chromium-browser", "google-chrome"}

func chromium() (string, error) {
	if path := os.Getenv("LENS_CHROMIUM"); path != "" {
		found, err := exec.LookPath(path)
		if err != nil {
			err = fmt.Errorf("cannot use the Chromium that LENS_CHROMIUM names: %w", err)
		}
		return found, err
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("cannot find a Chromium: none of %v is on PATH, and LENS_CHROMIUM is not set", names)
}

// browser is the one browser of the package, nil until a test needs it.
var browser struct {
	sync.Mutex
	ctx  context.Context
	stop func()
}

// theBrowser starts the browser at the first call. Without one the test is skipped, unless CI=true.
func theBrowser(t *testing.T) context.Context {
	t.Helper()
	path, err := chromium()
	need.NoError(t, err)
	browser.Lock()
	defer browser.Unlock()
	if browser.ctx != nil {
		return browser.ctx
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(path), chromedp.WindowSize(wide.width, wide.height), chromedp.Flag("lang", "en"), chromedp.Flag("hide-scrollbars", true),
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // a Chromium refuses to run as root with it
	}
	allocator, release := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stop := chromedp.NewContext(allocator)
	if err := chromedp.Do(ctx); err != nil {
		stop()
		release()
		t.Fatalf("cannot start %s: %v", path, err)
	}
	browser.ctx, browser.stop = ctx, func() { stop(); release() }
	return ctx
}

// closeBrowser ends the browser and waits for it.
func closeBrowser() (err error) {
	browser.Lock()
	defer browser.Unlock()
	if browser.ctx == nil {
		return nil
	}
	if err = chromedp.Cancel(browser.ctx); err != nil && !errors.Is(err, context.Canceled) {
		err = fmt.Errorf("cannot close the browser: %w", err)
	}
	browser.stop()
	return err
}
