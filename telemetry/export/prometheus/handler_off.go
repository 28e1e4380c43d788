//go:build lens_off

package prometheus

import (
	"net/http"

	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/internal/option"
)

// binding is what a handler serves: nothing.
type binding struct{}

func (*binding) option() telemetry.Option { return option.Func(func(*option.Set) {}) }

func (*binding) page() http.Handler { return nil }
