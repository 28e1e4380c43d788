//go:build !lens_off

package lens_test

import (
	"context"
	"errors"
	"fmt"

	otelapi "go.opentelemetry.io/otel"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/lensgo/lens"
)

// A library makes its groups once, in package variables, and registers them in an init function.
var (
	fetch = lens.NewGroup("fetch")
	parse = lens.NewGroup("parse")
)

func init() {
	lens.MustRegister(lens.Library{
		Namespace: "crawler",
		Version:   "1.4.0",
		Groups:    []*lens.Group{fetch, parse},
		Presets:   lens.Presets{"default": {"fetch"}},
	})
}

func crawl(ctx context.Context, page string) (err error) {
	ctx, span := fetch.Start(ctx, "crawler.fetch")
	defer span.EndErr(&err)
	span.Str("page", page).Int("depth", 2)

	_, inner := parse.Start(ctx, "crawler.parse")
	defer inner.End()
	inner.Int("links", 12)

	if page == "/broken" {
		return errors.New("no such page")
	}
	return nil
}

// A program decides what is recorded, with a spec, and where it goes: here to a plain OpenTelemetry provider. Package
// telemetry does both from the environment.
func Example() {
	otelapi.SetTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(printer{})))

	lens.SetSpec("default") // fetch, not parse
	_ = crawl(context.Background(), "/")
	_ = crawl(context.Background(), "/broken")

	lens.SetSpec("all")
	_ = crawl(context.Background(), "/")

	lens.SetSpec("")
	_ = crawl(context.Background(), "/")
	// Output:
	// crawler.fetch {page: /} {depth: 2} Unset
	// crawler.fetch {page: /broken} {depth: 2} Error
	// crawler.parse {links: 12} Unset
	// crawler.fetch {page: /} {depth: 2} Unset
}

// printer prints spans as they end.
type printer struct{ noProcessor }

func (printer) OnEnd(s sdktrace.ReadOnlySpan) {
	fmt.Print(s.Name())
	for _, kv := range s.Attributes() {
		fmt.Printf(" {%s: %s}", kv.Key, kv.Value.String())
	}
	fmt.Println("", s.Status().Code)
}

// A spec is read from left to right. What it names in vain is pending, and counts once somebody registers it.
func ExampleSetSpec() {
	r := lens.NewRegistry()
	r.SetLogger(quiet)
	r.MustRegister(lens.Library{
		Namespace: "trainer",
		Groups:    []*lens.Group{r.NewGroup("step"), r.NewGroup("layer"), r.NewGroup("checkpoint")},
		Presets:   lens.Presets{"default": {"step", "checkpoint"}},
	})
	for _, spec := range []string{"default", "default, LAYER", "all,-layer", "default,-checkpoint,sandbox"} {
		s := r.SetSpec(spec)
		fmt.Println(spec, "=>", s.Enabled, "pending", s.Pending)
	}
	// Output:
	// default => [checkpoint step] pending []
	// default, LAYER => [checkpoint layer step] pending []
	// all,-layer => [checkpoint step] pending []
	// default,-checkpoint,sandbox => [step] pending [sandbox]
}

// A spec that is lent for a while goes back only if nobody has switched in the meantime.
func ExampleSetSpecIf() {
	r := lens.NewRegistry()
	r.SetLogger(quiet)
	before := r.SetSpec("default")
	lent := r.SetSpec("all")
	// ... a minute later
	s, ok := r.SetSpecIf(lent.Generation, before.Spec)
	fmt.Println(s.Spec, ok)
	s, ok = r.SetSpecIf(lent.Generation, "all") // somebody who still believes in the old state
	fmt.Println(s.Spec, ok)
	// Output:
	// default true
	// default false
}

// Wrap puts a span around every call of a function, for instance a handler in a table.
func ExampleWrap() {
	double := lens.Wrap(parse, "double", func(_ context.Context, n int) (int, error) { return 2 * n, nil })
	n, err := double(context.Background(), 21)
	fmt.Println(n, err)
	// Output: 42 <nil>
}

// Keys of credentials are recognised in any case, and whole: a number of tokens is no token.
func ExampleRedact() {
	fmt.Println(lens.Redact("Authorization", "Bearer 1234"))
	fmt.Println(lens.Redact("max_tokens", "1234"))
	// Output:
	// [REDACTED]
	// 1234
}

// printing gives a registry of an example's own, whose spans are printed.
func printing() (r *lens.Registry, restore func()) {
	before := otelapi.GetTracerProvider()
	otelapi.SetTracerProvider(sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(printer{})))
	return lens.NewRegistry(), func() { otelapi.SetTracerProvider(before) }
}
