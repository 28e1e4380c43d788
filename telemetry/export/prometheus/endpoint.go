//go:build !lens_off

package prometheus

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	client "github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/otlptranslator"
	stock "go.opentelemetry.io/otel/exporters/prometheus"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/lensgo/lens/telemetry/internal/repair"
	"github.com/lensgo/lens/telemetry/internal/scrape"
)

func init() {
	scrape.Register(func(source scrape.Source) (scrape.Endpoint, error) {
		e, err := newEndpoint(source)
		if err != nil {
			return nil, err
		}
		return newServer(e, source), nil
	})
}

// mostScrapes is how many may be under way; further ones are answered 503.
const mostScrapes = 4

// endpoint collects metrics and writes them as Prometheus reads them.
type endpoint struct {
	reader *sdkmetric.ManualReader // of the instruments of the program
	page   http.Handler
}

// newEndpoint wires the stock exporter. It has a reader of its own, which nobody can get in front of; so that one reads no
// instruments, and gets what ours has collected from a [collection].
func newEndpoint(source scrape.Source) (*endpoint, error) {
	var producers []sdkmetric.ManualReaderOption
	for _, p := range source.Producers {
		producers = append(producers, sdkmetric.WithProducer(p))
	}
	e := &endpoint{reader: sdkmetric.NewManualReader(producers...)}
	registry := client.NewRegistry()
	exporter, err := stock.New(
		stock.WithRegisterer(registry),
		stock.WithTranslationStrategy(otlptranslator.UnderscoreEscapingWithSuffixes),
		stock.WithProducer(&collection{reader: e.reader}))
	if err != nil {
		return nil, fmt.Errorf("cannot make the exporter for Prometheus: %w", err)
	}
	sdkmetric.NewMeterProvider(sdkmetric.WithResource(repair.Resource(source.Resource)), sdkmetric.WithReader(exporter))
	e.page = promhttp.HandlerFor(registry, promhttp.HandlerOpts{
		ErrorLog:            &sayOnce{log: source.Log},
		ErrorHandling:       promhttp.ContinueOnError, // one series that is wrong must not cost the others
		EnableOpenMetrics:   true,                     // exemplars
		MaxRequestsInFlight: mostScrapes,
	})
	return e, nil
}

// Reader collects from instruments.
func (e *endpoint) Reader() sdkmetric.Reader { return e.reader }

// collection brings what a reader collects to the stock exporter.
type collection struct {
	mu     sync.Mutex // producers are called by one at a time
	reader *sdkmetric.ManualReader
}

// patience bounds a collection. Prometheus itself waits ten seconds unless it is told otherwise.
const patience = 10 * time.Second

func (c *collection) Produce(ctx context.Context) ([]metricdata.ScopeMetrics, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var data metricdata.ResourceMetrics
	err := c.reader.Collect(ctx, &data)
	if errors.Is(err, sdkmetric.ErrReaderShutdown) {
		return nil, nil
	}
	repair.Metrics(&data)
	for _, s := range data.ScopeMetrics {
		for _, m := range s.Metrics {
			fitExemplars(m.Data)
		}
	}
	return data.ScopeMetrics, err
}

// sayOnce is the log of a handler, which would say the same at each scrape.
type sayOnce struct {
	log  *slog.Logger
	once sync.Once
}

func (s *sayOnce) Println(v ...any) {
	s.once.Do(func() {
		s.log.Warn("telemetry: Prometheus does not get all metrics; this is said once", "error", fmt.Sprint(v...))
	})
}
