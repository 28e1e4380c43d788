package page

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/lensgo/lens/cmd/internal/blackbox"

	// The tests start programs that they build. With these imports their results are not taken from the cache when the
	// programs have changed.
	_ "github.com/lensgo/lens/cmd/internal/cli"
	_ "github.com/lensgo/lens/gym/demo"
)

// scratch is a folder for what all tests of the package share.
var scratch string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) (code int) {
	if compiledOut {
		fmt.Println("nothing to see: the page shows what programs record, and with lens_off they record nothing")
		return 0
	}
	var err error
	if scratch, err = os.MkdirTemp("", "lens-page-"); err != nil {
		fmt.Fprintln(os.Stderr, "cannot make a folder for the programs:", err)
		return 1
	}
	defer os.RemoveAll(scratch)
	code = m.Run()
	if err := errors.Join(closeBrowser(), goleak.Find()); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// programs builds gym and lens, once for the package.
var programs = sync.OnceValues(func() (string, error) {
	return scratch, blackbox.Build(scratch, "", "../../gym", "../../lens")
})
