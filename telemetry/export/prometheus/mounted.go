//go:build !lens_off

package prometheus

import (
	"context"
	"net/http"
	"sync/atomic"

	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/internal/option"
	"github.com/lensgo/lens/telemetry/internal/scrape"
)

// binding is what a handler serves.
type binding struct{ current atomic.Pointer[endpoint] }

func (b *binding) option() telemetry.Option {
	return option.Func(func(s *option.Set) {
		s.Scrape = func(source scrape.Source) (scrape.Endpoint, error) {
			e, err := newEndpoint(source)
			if err != nil {
				return nil, err
			}
			return &mounted{e, b}, nil
		}
	})
}

// page is what there is to serve, if there is anything.
func (b *binding) page() http.Handler {
	if e := b.current.Load(); e != nil {
		return e.page
	}
	return nil
}

// mounted is an endpoint whose port is the program's.
type mounted struct {
	*endpoint
	binding *binding
}

func (m *mounted) Serve() { m.binding.current.Store(m.endpoint) }

func (m *mounted) Addr() string { return "" }

func (m *mounted) Shutdown(context.Context) error {
	m.binding.current.CompareAndSwap(m.endpoint, nil)
	return nil
}
