package spanname

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/lensgo/lens"

	"example.com/vetted/wrap"
)

var step = lens.NewGroup("step")

const prefix = "train."

type kind int

const (
	small kind = iota
	large
)

func (k kind) String() string { return [...]string{"small", "large"}[k] }

type phase string

const warmup phase = "warmup"

type request struct {
	Name string `json:"name"`
	id   int
}

func built(ctx context.Context, r request, err error) {
	_, a := step.Start(ctx, fmt.Sprintf("step %d", r.id)) // want `the name of a span must be constant`
	_, b := step.Start(ctx, "step "+strconv.Itoa(r.id))   // want `must be constant`
	_, c := lens.Start(ctx, r.Name)                       // want `must be constant`
	step.EmitWith(ctx, r.Name, lens.EmitConfig{})         // want `must be constant`
	_, d := step.StartKind(ctx, err.Error(), lens.Client) // want `must be constant`
	name := prefix + r.Name
	_, e := step.StartWith(ctx, name, lens.StartConfig{}) // want `must be constant`
	_, f := (*lens.Group).Start(step, ctx, r.Name)        // want `must be constant`
	_ = step.Do(ctx, strings.ToLower(r.Name), nil)        // want `must be constant`
	_ = lens.Wrap[int, int](step, r.Name, nil)            // want `must be constant`
	_, g := wrap.Begin(ctx, r.Name)                       // want `must be constant`
	_, h := begin(ctx, "request", r.Name)                 // want `must be constant`
	for _, s := range []lens.Span{a, b, c, d, e, f, g, h} {
		s.End()
	}
}

func each(ctx context.Context, tasks []string) {
	tasks = append(tasks, "last")
	for _, task := range load() {
		_, span := step.Start(ctx, task) // want `must be constant`
		span.End()
	}
}

func numbered(ctx context.Context, i int) {
	_, span := step.Start(ctx, fmt.Sprint("step ", i)) // want `must be constant`
	span.End()
}

func foreign(ctx context.Context, r *http.Request) {
	_, span := step.Start(ctx, r.URL.Path) // want `must be constant`
	span.End()
}

func load() []string { return nil }

func pick(r request) string {
	if r.id > 0 {
		return r.Name
	}
	return "none"
}

func picked(ctx context.Context, r request) {
	_, span := step.Start(ctx, pick(r)) // want `must be constant`
	span.End()
}

// What follows is right.

func generic[K ~string](ctx context.Context, k K) {
	_, span := step.Start(ctx, string(k)) // a parameter, as one that is a string
	span.End()
}

func generics(ctx context.Context) { generic(ctx, phase("warmup")) }

func badGeneric(ctx context.Context, r request) { generic(ctx, r.Name) } // want `must be constant`

func constant(ctx context.Context, ok bool, k kind, p phase, names map[kind]string) {
	_, a := step.Start(ctx, "step")
	_, b := step.Start(ctx, prefix+"step")
	name := "good"
	if !ok {
		name = "bad"
	}
	_, c := step.Start(ctx, prefix+name)
	_, d := step.Start(ctx, k.String())
	_, e := step.Start(ctx, string(p))
	_, f := step.Start(ctx, table[k])
	if known, ok := table[k]; ok {
		_, found := step.Start(ctx, known)
		found.End()
	}
	_, g := step.Start(ctx, step.Name())
	_, h := step.Start(ctx, wrap.Label(ok))
	_, i := step.Start(ctx, names[k])
	_, j := step.Start(ctx, fmt.Sprintf("%s.%s", prefix, k.String()))
	_, l := step.Start(ctx, either("a", "b", ok))
	for _, s := range []lens.Span{a, b, c, d, e, f, g, h, i, j, l} {
		s.End()
	}
	for _, name := range []string{"one", "two"} {
		_, span := step.Start(ctx, name)
		span.End()
	}
}

var table = map[kind]string{small: "small", large: "large"}

func either(a, b string, first bool) string {
	if first {
		return a
	}
	return b
}

// begin gets its name from its callers, who are asked instead.
func begin(ctx context.Context, kind, name string) (context.Context, lens.Span) {
	ctx, span := step.Start(ctx, prefix+name)
	span.Str("kind", kind)
	return ctx, span
}

func callers(ctx context.Context, r request) {
	_, span := begin(ctx, r.Name, "request")
	span.End()
	_, other := wrap.Begin(ctx, "request")
	other.End()
}

type tool struct{ span string }

func newTool(name string) *tool { return &tool{span: "tool." + name} }

var tools = []*tool{newTool("add"), {span: "tool.sub"}}

func (t *tool) call(ctx context.Context) {
	_, span := step.Start(ctx, t.span)
	defer span.End()
}

func route(w http.ResponseWriter, r *http.Request) {
	_, span := step.StartKind(r.Context(), r.Method+" "+r.Pattern, lens.Server)
	defer span.End()
	span.SetName(r.Method + " " + r.URL.Path) // told later: routers know late
}

// Options are set by whoever uses the package.
type Options struct{ SpanName string }

func optional(ctx context.Context, o *Options) {
	_, span := step.Start(ctx, o.SpanName)
	span.End()
}

func silenced(ctx context.Context, r request) {
	//lensvet:ignore spanname there are three of them
	_, span := step.Start(ctx, r.Name)
	span.End()
}

// Of what a call spreads over the parameters nothing is said.
func spread(t tagged) {
	_, span := begin(parts(t))
	defer span.End()
	_, other := wrap.Begin(named(t))
	defer other.End()
}

type tagged struct{ kind, name string }

func parts(t tagged) (context.Context, string, string) { return context.Background(), t.kind, t.name }

func named(t tagged) (context.Context, string) { return context.Background(), t.name }
