// Package names has names of every kind, given in every way. What stands behind "want" is what is found in the line, * for what only the
// running program knows.
package names

import (
	"context"
	"fmt"
	"os"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	official "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/lenshttp"
	"github.com/lensgo/lens/metrics"
)

const constant = "from.constant"

var (
	group  = lens.NewGroup("names")
	listed = []string{"listed.one", "listed.two"}
	mapped = map[string]string{"key.one": "value.one"}
)

func spans(ctx context.Context, tracer trace.Tracer) {
	_, _ = group.Start(ctx, "started")                                                         // want span "started"
	_, _ = group.StartKind(ctx, constant, lens.Client)                                         // want span "from.constant"
	_ = group.Do(ctx, "done", nil)                                                             // want span "done"
	_ = lens.Wrap(group, "wrapped", func(context.Context, int) (int, error) { return 0, nil }) // want span "wrapped"
	_ = lens.EmitWith(ctx, "emitted", lens.EmitConfig{})                                       // want span "emitted"
	_, span := tracer.Start(ctx, "by."+"tracer")                                               // want span "by.tracer"
	span.AddEvent("an event")                                                                  // want event "an event"
	span.SetName("renamed")                                                                    // want span "renamed"
	_, _ = lenshttp.StartClient(ctx, group, "HTTP "+os.Getenv("METHOD"), "GET", nil)           // want span "HTTP *"
	_, _ = group.Start(ctx, os.Getenv("NAME"))                                                 // want span "*"
	helped(ctx, "helped")
	helped(ctx, chosen(true))
	for _, s := range stages {
		_, _ = group.Start(ctx, "stage."+s.name) // want span "stage.first" span "stage.second"
	}
}

type stage struct {
	name string
	n    int
}

var stages = []stage{{"first", 1}, {name: "second"}}

// helped is called with names.
func helped(ctx context.Context, name string) {
	_, s := group.Start(ctx, name) // want span "chosen.a" span "chosen.b" span "helped"
	s.Event("happened")            // want event "happened"
}

func chosen(a bool) string {
	name := "chosen.a"
	if !a {
		name = "chosen.b"
	}
	return name
}

func attributes(s lens.Span) {
	s.Str("text", "").Int("count", 0)       // want attribute "text" string attribute "count" int
	s.Set(lens.Bool("yes", true))           // want attribute "yes" boolean
	s.Strs("texts", nil)                    // want attribute "texts" string[]
	s.Duration("took", 0)                   // want attribute "took" double
	_ = attribute.Key("by.key").Int64(1)    // want attribute "by.key" int
	_ = attribute.KeyValue{Key: "by.field"} // want attribute "by.field"
	_ = official.ProcessPID(1)              // want attribute "process.pid"
	_ = official.HostArchKey.String("x")    // want attribute "host.arch" string
	_ = metrics.Str("label", "")            // want attribute "label" string
	put(s, "put")
	for key := range mapped {
		s.Str(key, "") // want attribute "key.one" string
	}
	for _, key := range listed {
		s.Str(key, "") // want attribute "listed.one" string attribute "listed.two" string
	}
	s.Str(mapped["key.one"], "") // want attribute "value.one" string
	for _, f := range []struct{ key, value string }{{"picked.text", ""}, {"picked.number", "1"}} {
		s.Str(f.key, f.value) // want attribute "picked.number" attribute "picked.text"
	}
	add := func(key string) { s.Int(key, 1) } // want attribute "added" int
	add("added")
	s.Str(same("same"), "")            // want attribute "same" string
	s.Str(fmt.Sprint("x"), "")         // want attribute "*" string
	s.Str(strings.ToLower("LOUD"), "") // want attribute "*" string
}

func same(s string) string { return s }

func put(s lens.Span, key string) {
	s.Str(key, "") // want attribute "put" string
}

func instruments(m metric.Meter) {
	_, _ = m.Int64Counter("counted")                                               // want metric "counted"
	_ = metrics.Register(metrics.Group{Name: "grouped", Metrics: []metrics.Metric{ // want scope "grouped"
		{Key: "loss", Name: "grouped.loss"}, // want metric "grouped.loss"
	}})
}

var _ = []any{spans, attributes, instruments, same}
