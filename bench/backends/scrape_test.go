package backends_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"

	"github.com/lensgo/lens/metrics"
	"github.com/lensgo/lens/telemetry"
	"github.com/lensgo/lens/telemetry/export/prometheus"
)

// betweenPages stands between two pages that Prometheus would fetch.
const betweenPages = "\n# next\n"

// bothWays records all that a trainer records, sends it and prints what Prometheus would fetch, twice.
func bothWays() error {
	groups := []metrics.Group{metrics.Training(), metrics.RL()}
	for _, g := range groups {
		metrics.MustRegister(g)
	}
	ctx := context.Background()
	c, err := telemetry.FromEnv("NEMO_LENS")
	if err != nil {
		return err
	}
	page := prometheus.NewHandler()
	h, err := telemetry.Setup(ctx, c, page.Option(), telemetry.WithRuntimeMetrics())
	if err != nil {
		return err
	}
	for i := range 2 {
		if i > 0 {
			fmt.Print(betweenPages)
		}
		train(ctx, groups)
		rare(ctx)
		err = errors.Join(err, h.ForceFlush(ctx))
		w := httptest.NewRecorder()
		page.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", http.NoBody))
		_, _ = io.Copy(os.Stdout, w.Body)
	}
	return errors.Join(err, h.Shutdown(ctx))
}

// TestScrape: what Prometheus fetches from a program has the names that it makes of what the program sends, and the dashboards show
// it as well, also where target_info does not name the service.
func TestScrape(t *testing.T) {
	pushed, scraped, nameless := newServer(t), newServer(t), newServer(t)
	receiver := httptest.NewServer(pushed)
	defer receiver.Close()
	cmd := start(t.Context(), "both ways", []string{"NEMO_LENS_ENABLED=1", "NEMO_LENS_TRACES_ENABLED=0", "NEMO_LENS_RUN_ID=both", "OTEL_SERVICE_NAME=both",
		"OTEL_EXPORTER_OTLP_METRICS_ENDPOINT=" + receiver.URL})
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	pages := bytes.Split(out, []byte(betweenPages))
	if len(pages) != 2 {
		t.Fatalf("%d pages", len(pages))
	}
	now := time.Now()
	for i, at := range []time.Time{now.Add(-10 * time.Second), now} {
		scraped.scrape(t, pages[i], at)
		nameless.scrape(t, pages[i], at, "service_name", "service_instance_id")
	}

	ours := func(names map[string]map[string]bool) []string {
		return slices.DeleteFunc(slices.Sorted(maps.Keys(names)), func(name string) bool {
			return strings.HasPrefix(name, "otel_sdk_exporter_metric_data_point") // what is sent is counted where it is sent
		})
	}
	if a, b := ours(pushed.names(t)), ours(scraped.names(t)); !slices.Equal(a, b) || len(a) < 50 {
		t.Errorf("sent:    %v\nscraped: %v", a, b)
	}
	for _, d := range dashboards(t) {
		if d.UID != "lens-training" {
			continue
		}
		for _, p := range d.panels() {
			for _, q := range p.Targets {
				scraped.checkQuery(t, "scraped, "+p.Title+" "+q.RefID, q, []time.Time{now})
				nameless.checkQuery(t, "nameless, "+p.Title+" "+q.RefID, q, []time.Time{now})
			}
		}
	}
}

// scrape stores a page as Prometheus does that fetches it from an address, without some labels.
func (s *server) scrape(t *testing.T, page []byte, at time.Time, without ...string) {
	t.Helper()
	p, err := textparse.New(page, "text/plain; version=0.0.4", nil, textparse.ParserOptions{})
	if err != nil {
		t.Fatal(err)
	}
	app := s.db.Appender(t.Context())
	for {
		entry, err := p.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if entry != textparse.EntrySeries {
			continue
		}
		var l labels.Labels
		p.Labels(&l)
		_, _, value := p.Series()
		b := labels.NewBuilder(l)
		b.Set("job", "lens").Set("instance", "127.0.0.1:9464").Del(without...)
		if _, err := app.Append(0, b.Labels(), at.UnixMilli(), value); err != nil {
			t.Fatal(err)
		}
	}
	if err := app.Commit(); err != nil {
		t.Fatal(err)
	}
}
