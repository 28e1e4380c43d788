package backends_test

import (
	"context"
	"log/slog"
	"math"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/config"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage/remote"
	"github.com/prometheus/prometheus/tsdb"
)

// lookback is Prometheus's: how long the last sample of a series counts.
const lookback = 5 * time.Minute

// server is a Prometheus without its pages: receiver of OTLP, storage and query engine, with the configuration of deploy.
type server struct {
	http.Handler // of the receiver of OTLP

	db     *tsdb.DB
	engine *promql.Engine
}

func newServer(t *testing.T) *server {
	t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	c, err := config.LoadFile(filepath.Join(deploy, "prometheus.yaml"), false, quiet)
	if err != nil {
		t.Fatalf("Prometheus does not take its configuration: %v", err)
	}
	o := tsdb.DefaultOptions()
	o.EnableExemplarStorage, o.MaxExemplars = true, 10_000
	db, err := tsdb.Open(t.TempDir(), quiet, nil, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	return &server{
		Handler: remote.NewOTLPWriteHandler(slog.New(slog.NewTextHandler(t.Output(), nil)), prometheus.NewRegistry(), db,
			func() config.Config { return *c }, remote.OTLPOptions{LookbackDelta: lookback}),
		db: db,
		engine: promql.NewEngine(promql.EngineOpts{MaxSamples: 10_000_000, Timeout: time.Minute, LookbackDelta: lookback,
			EnableAtModifier: true, EnableNegativeOffset: true, Parser: parser.NewParser(parser.Options{})}),
	}
}

// query is what a query gives at a moment.
func (s *server) query(t *testing.T, expr string, at time.Time) promql.Vector {
	t.Helper()
	q, err := s.engine.NewInstantQuery(context.Background(), s.db, nil, expr, at)
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	defer q.Close()
	r := q.Exec(context.Background())
	if r.Err != nil {
		t.Fatalf("%s: %v", expr, r.Err)
	}
	switch v := r.Value.(type) {
	case promql.Vector:
		return append(promql.Vector(nil), v...)
	case promql.Scalar:
		return promql.Vector{{T: v.T, F: v.V}}
	}
	t.Fatalf("%s: %T is nothing that a panel shows", expr, r.Value)
	return nil
}

// names are those of all series, with the labels of each.
func (s *server) names(t *testing.T) map[string]map[string]bool {
	t.Helper()
	q, err := s.db.Querier(0, math.MaxInt64)
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	all := q.Select(context.Background(), false, nil, labels.MustNewMatcher(labels.MatchRegexp, model.MetricNameLabel, ".+"))
	found := map[string]map[string]bool{}
	for all.Next() {
		l := all.At().Labels()
		name := strings.Clone(l.Get(model.MetricNameLabel))
		if found[name] == nil {
			found[name] = map[string]bool{}
		}
		l.Range(func(l labels.Label) { found[name][strings.Clone(l.Name)] = true })
	}
	if err := all.Err(); err != nil {
		t.Fatal(err)
	}
	return found
}
