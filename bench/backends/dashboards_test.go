package backends_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
)

// dashboard is what a test looks at of one.
type dashboard struct {
	UID, Title, Description string
	SchemaVersion           int
	Tags                    []string
	Panels                  []panel
	Templating              struct{ List []variableOf }

	file string
}

type panel struct {
	ID                       int
	Type, Title, Description string
	Collapsed                bool
	GridPos                  struct{ X, Y, W, H int }
	Datasource               datasource
	Targets                  []target
	Panels                   []panel // of a row that is closed
	FieldConfig              struct{ Defaults struct{ Unit string } }
}

type datasource struct{ Type, UID string }

type target struct {
	RefID, Expr, Query, LegendFormat string
	Datasource                       datasource
	Instant, Range                   bool
}

type variableOf struct {
	Name, Type, AllValue string
	IncludeAll, Multi    bool
	Query                json.RawMessage
}

func dashboards(t *testing.T) (all []dashboard) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(deploy, "grafana", "dashboards", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no dashboards (%v)", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		d := dashboard{file: filepath.Base(file)}
		if err := json.Unmarshal(text, &d); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, d)
	}
	return all
}

// panels are all but rows.
func (d dashboard) panels() (all []panel) {
	for _, p := range d.Panels {
		if p.Type != "row" {
			all = append(all, p)
		}
		all = append(all, p.Panels...)
	}
	return all
}

// TestDashboards_shape: identifiers are there once, panels lie beside each other and say what they show and in which unit.
func TestDashboards_shape(t *testing.T) {
	uids := map[string]bool{}
	for _, d := range dashboards(t) {
		if d.UID == "" || uids[d.UID] || d.Title == "" || d.Description == "" || d.SchemaVersion < 39 || !slices.Contains(d.Tags, "lens") {
			t.Errorf("%s: uid %q, title %q, schema %d, tags %q", d.file, d.UID, d.Title, d.SchemaVersion, d.Tags)
		}
		uids[d.UID] = true
		ids := map[int]bool{}
		taken := map[[2]int]string{}
		for _, p := range append(d.panels(), rows(d)...) {
			if p.ID == 0 || ids[p.ID] {
				t.Errorf("%s: %s has the id %d of another", d.file, p.Title, p.ID)
			}
			ids[p.ID] = true
			g := p.GridPos
			if g.W < 3 || g.H < 1 || g.X < 0 || g.X+g.W > 24 {
				t.Errorf("%s: %s is %d wide and %d high at %d", d.file, p.Title, g.W, g.H, g.X)
			}
			for x := g.X; x < g.X+g.W; x++ {
				for y := g.Y; y < g.Y+g.H; y++ {
					if other := taken[[2]int{x, y}]; other != "" {
						t.Fatalf("%s: %s lies over %s", d.file, p.Title, other)
					}
					taken[[2]int{x, y}] = p.Title
				}
			}
		}
		for _, p := range d.panels() {
			d.checkPanel(t, p)
		}
	}
}

func rows(d dashboard) (all []panel) {
	for _, p := range d.Panels {
		if p.Type == "row" {
			all = append(all, p)
		}
	}
	return all
}

func (d dashboard) checkPanel(t *testing.T, p panel) {
	t.Helper()
	if p.Title == "" || p.Description == "" || len(p.Targets) == 0 {
		t.Errorf("%s: panel %d %q says nothing (%q), or asks nothing", d.file, p.ID, p.Title, p.Description)
	}
	refs := map[string]bool{}
	for _, q := range p.Targets {
		if q.RefID == "" || refs[q.RefID] {
			t.Errorf("%s: %s has two queries %q", d.file, p.Title, q.RefID)
		}
		refs[q.RefID] = true
		if q.Datasource != p.Datasource || !slices.ContainsFunc(d.Templating.List, func(v variableOf) bool {
			return v.Type == "datasource" && q.Datasource.UID == "${"+v.Name+"}" && string(v.Query) == fmt.Sprintf("%q", q.Datasource.Type)
		}) {
			t.Errorf("%s: %s asks %v, which is no variable of the dashboard", d.file, p.Title, q.Datasource)
		}
		if q.Datasource.Type == "prometheus" && (q.LegendFormat == "" || q.Instant == q.Range || p.FieldConfig.Defaults.Unit == "") {
			t.Errorf("%s: %s: legend %q, instant %v, range %v, unit %q", d.file, p.Title, q.LegendFormat, q.Instant, q.Range, p.FieldConfig.Defaults.Unit)
		}
	}
}

// everything is what a variable stands for when all is chosen: also series without the label, which a Collector's own exporter for
// Prometheus makes.
const everything = ".*"

// fill is what Grafana makes of its variables. The windows reach over the whole test.
func fill(text, run, service string) string {
	return strings.NewReplacer("$__rate_interval", "30m", "$__range", "1h", "${run}", run, "$run", run, "${service}", service, "$service", service).Replace(text)
}

// TestDashboards_data sends what real programs tell through the Collector of the local stack to a Prometheus, and asks it every
// query of every dashboard: there is an answer, with the labels that its legend names, and none for a run that there is not.
func TestDashboards_data(t *testing.T) {
	s := newServer(t)
	c, elsewhere := localStack(t, s)
	var ends []time.Time // each program has ended
	end := func() { ends = append(ends, time.Now()) }
	gym := buildGym(t)
	toolRun(t, gym, c.url, "tools")
	end()
	codeRun(t, gym, c.url, "code")
	end()
	programRun(t, c.url, "a trainer", "training")
	end()
	programRun(t, c.url, "rare things", "rare")
	end()
	loserRun(t, c.url)
	end()
	c.stop()
	if n := elsewhere.Load(); n == 0 {
		t.Error("no traces and no logs came through the Collector")
	}
	s.exemplars(t, "gym_rollout_duration_ms_milliseconds_bucket", ends)

	for _, d := range dashboards(t) {
		for _, v := range d.Templating.List {
			if v.Type == "query" {
				s.checkVariable(t, d, v, ends)
			}
		}
		for _, p := range d.panels() {
			for _, q := range p.Targets {
				if q.Datasource.Type == "prometheus" {
					s.checkQuery(t, d.file+": "+p.Title+" "+q.RefID, q, ends)
				}
			}
		}
	}
}

// localStack is the Collector of deploy before s. What goes to Tempo and Loki is counted.
func localStack(t *testing.T, s *server) (*collector, *atomic.Int64) {
	t.Helper()
	prometheus := httptest.NewServer(http.StripPrefix("/api/v1/otlp/v1/metrics", s))
	t.Cleanup(prometheus.Close)
	var elsewhere atomic.Int64
	others := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		elsewhere.Add(1)
		w.Header().Set("Content-Type", "application/x-protobuf")
	}))
	t.Cleanup(others.Close)
	return newCollector(t, filepath.Join(deploy, "collector", "local.yaml"), func(endpoint string) string {
		if strings.HasPrefix(endpoint, "http://prometheus:9090/") {
			return prometheus.URL + strings.TrimPrefix(endpoint, "http://prometheus:9090")
		}
		return others.URL
	}, func() string { return "" }), &elsewhere
}

func programRun(t *testing.T, url, name, runID string) {
	t.Helper()
	runProgram(t, name, []string{"NEMO_LENS_ENABLED=1", "NEMO_LENS_LOGS_ENABLED=1", "NEMO_LENS_RUN_ID=" + runID, "OTEL_SERVICE_NAME=" + runID,
		"OTEL_EXPORTER_OTLP_ENDPOINT=" + url})
}

// loserRun is a program that has a collector for metrics alone, and not for the first of them: it tells what it has lost.
func loserRun(t *testing.T, url string) {
	t.Helper()
	var first atomic.Bool
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/metrics" || !first.Swap(true) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		q, _ := http.NewRequestWithContext(r.Context(), r.Method, url+r.URL.Path, r.Body)
		q.Header = r.Header
		answer, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Error(err)
			return
		}
		defer answer.Body.Close()
		w.WriteHeader(answer.StatusCode)
	}))
	defer proxy.Close()
	runProgram(t, "a loser", []string{"NEMO_LENS_ENABLED=1", "NEMO_LENS_LOGS_ENABLED=1", "NEMO_LENS_RUN_ID=loser", "OTEL_SERVICE_NAME=loser",
		"OTEL_EXPORTER_OTLP_ENDPOINT=" + proxy.URL, "OTEL_BSP_MAX_QUEUE_SIZE=1", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE=1"})
}

func (s *server) checkQuery(t *testing.T, where string, q target, ends []time.Time) {
	t.Helper()
	expr := fill(q.Expr, everything, everything)
	if _, err := parser.NewParser(parser.Options{}).ParseExpr(expr); err != nil {
		t.Errorf("%s: %v", where, err)
		return
	}
	var got promql.Vector
	for _, at := range ends {
		for _, sample := range s.query(t, expr, at) {
			if !math.IsNaN(sample.F) {
				got = append(got, sample)
			}
		}
	}
	if len(got) == 0 {
		t.Errorf("%s: no data: %s", where, expr)
		return
	}
	for _, name := range legends.FindAllStringSubmatch(q.LegendFormat, -1) {
		if !slices.ContainsFunc(got, func(s promql.Sample) bool { return name[1] == model.MetricNameLabel || s.Metric.Get(name[1]) != "" }) {
			t.Errorf("%s: nothing has the label %s of its legend", where, name[1])
		}
	}
	for _, at := range ends {
		for _, sample := range s.query(t, fill(q.Expr, "no such run", everything), at) {
			if sample.F != 0 && !math.IsNaN(sample.F) {
				t.Errorf("%s: there is %v for a run that there is not: %s", where, sample, q.Expr)
				return
			}
		}
	}
}

var (
	legends  = regexp.MustCompile(`{{(\w+)}}`)
	byValues = regexp.MustCompile(`^label_values\((.+), (\w+)\)$`)
)

// checkVariable: the choice has something to choose from.
func (s *server) checkVariable(t *testing.T, d dashboard, v variableOf, ends []time.Time) {
	t.Helper()
	var q struct{ Query string }
	if err := json.Unmarshal(v.Query, &q); err != nil {
		t.Errorf("%s: variable %s: %v", d.file, v.Name, err)
		return
	}
	parts := byValues.FindStringSubmatch(q.Query)
	if parts == nil || !v.Multi || !v.IncludeAll || v.AllValue != everything {
		t.Errorf("%s: variable %s: %+v %q", d.file, v.Name, v, q.Query)
		return
	}
	for _, at := range ends {
		if slices.ContainsFunc(s.query(t, fill(parts[1], everything, everything), at), func(s promql.Sample) bool { return s.Metric.Get(parts[2]) != "" }) {
			return
		}
	}
	t.Errorf("%s: nothing to choose for %s from %s", d.file, v.Name, q.Query)
}

// exemplars: samples of a histogram lead to traces.
func (s *server) exemplars(t *testing.T, name string, ends []time.Time) {
	t.Helper()
	q, err := s.db.ExemplarQuerier(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	last := slices.MaxFunc(ends, func(a, b time.Time) int { return cmp.Compare(a.UnixNano(), b.UnixNano()) })
	found, err := q.Select(0, last.UnixMilli(), []*labels.Matcher{labels.MustNewMatcher(labels.MatchEqual, model.MetricNameLabel, name)})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range found {
		for _, e := range f.Exemplars {
			if len(e.Labels.Get("trace_id")) == 32 {
				return
			}
		}
	}
	t.Errorf("no sample of %s has the id of its trace", name)
}
