package page

import (
	"testing"

	"github.com/chromedp/chromedp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestBrowserStarts(t *testing.T) {
	ctx, cancel := chromedp.NewExecAllocator(t.Context(), append(chromedp.DefaultExecAllocatorOptions[:], chromedp.NoSandbox)...)
	defer cancel()
	tab, stop := chromedp.NewContext(ctx)
	defer stop()
	if err := chromedp.Do(tab); err != nil {
		t.Fatal(err)
	}
}
