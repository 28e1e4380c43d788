package lensotel

import (
	"context"
	"slices"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/embedded"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/lensgo/lens"
	"github.com/lensgo/lens/internal/seam"
)

// TracerProvider gives a provider whose spans belong to group: hand it to any package that is instrumented with
// OpenTelemetry, and the group switches that package's spans, live. See the package's page for what happens while the group
// is on and off. A nil group is off for ever, and so is every group in a build with lens_off.
//
// The provider may be made before anything is registered or set up, and be kept for ever: where its spans go is looked up
// at each start. It is safe for concurrent use.
func TracerProvider(group *lens.Group, options ...Option) trace.TracerProvider {
	p := &provider{group: group}
	for _, o := range options {
		if o != nil {
			o.apply(p)
		}
	}
	p.off = &offSpan{provider: p}
	return p
}

// Option changes what [TracerProvider] makes. A nil Option is skipped.
type Option interface{ apply(p *provider) }

type optionFunc func(p *provider)

func (f optionFunc) apply(p *provider) { f(p) }

// ShieldParent hides the span that is in the caller's context from a package that looks for its own span there instead of
// keeping what Start returned, as packages do that are called once for the beginning of an operation and once for its end:
// while the group is off they would find their caller's span, write on it and end it. With this option Start puts a span
// in the way which does nothing and stands for the caller's: what is below has the same parent as without it. It is put
// there only where the caller's span records, and costs two allocations then.
//
// Default: on for packages that are known to need it (otelgrpc, otelaws, otelpgx, the tracing plugin of gorm), and off for
// all others.
func ShieldParent() Option { return optionFunc(func(p *provider) { p.shield = true }) }

// lookInContext has the tracers of packages that look for their span in the context. See ShieldParent.
var lookInContext = []string{
	"go.opentelemetry.io/contrib/instrumentation/google.golang.org/grpc/otelgrpc",
	"go.opentelemetry.io/contrib/instrumentation/github.com/aws/aws-sdk-go-v2/otelaws",
	"github.com/exaring/otelpgx",
	"gorm.io/plugin/opentelemetry",
}

type provider struct {
	embedded.TracerProvider
	group   *lens.Group
	shield  bool
	off     *offSpan
	tracers sync.Map // of *tracer by scope; each is made once
}

var _ seam.Bridge = (*provider)(nil)

// scope is what tells tracers apart.
type scope struct {
	name, version, schema string
	attributes            attribute.Distinct
}

// Bridge says that spans of the provider go to a registry.
func (p *provider) Bridge() {}

func (p *provider) Tracer(name string, options ...trace.TracerOption) trace.Tracer {
	c := trace.NewTracerConfig(options...)
	attributes := c.InstrumentationAttributes()
	key := scope{name, c.InstrumentationVersion(), c.SchemaURL(), attributes.Equivalent()}
	if t, ok := p.tracers.Load(key); ok {
		return t.(*tracer)
	}
	t, _ := p.tracers.LoadOrStore(key, &tracer{
		begin:  seam.NewBridge(p.group, name, options),
		shield: p.shield || slices.Contains(lookInContext, name),
		off:    p.off,
	})
	return t.(*tracer)
}

type tracer struct {
	embedded.Tracer
	begin  seam.Start // nil in a build without telemetry
	shield bool
	off    *offSpan
}

func (t *tracer) Start(ctx context.Context, name string, options ...trace.SpanStartOption) (context.Context, trace.Span) {
	if t.begin != nil {
		if ctx, span := t.begin(ctx, name, options); span != nil {
			return ctx, span
		}
	}
	if t.shield && ctx != nil {
		ctx = t.off.shield(ctx)
	}
	return ctx, t.off
}

// shield gives a context that has a span which does nothing in place of one that records.
func (s *offSpan) shield(ctx context.Context) context.Context {
	span := trace.SpanFromContext(ctx)
	if !span.IsRecording() {
		return ctx
	}
	return trace.ContextWithSpan(ctx, &shieldSpan{s, span})
}

// offSpan is what a package gets while the group is off. A provider has one.
type offSpan struct {
	noop.Span
	provider *provider
}

// TracerProvider gives the group's, so that spans a package starts below its own are of the group too.
func (s *offSpan) TracerProvider() trace.TracerProvider { return s.provider }

// shieldSpan stands in a context for a span that is not to be touched.
type shieldSpan struct {
	*offSpan
	of trace.Span
}

func (s *shieldSpan) SpanContext() trace.SpanContext       { return s.of.SpanContext() }
func (s *shieldSpan) TracerProvider() trace.TracerProvider { return s.of.TracerProvider() }
