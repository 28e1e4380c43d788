//go:build !lens_off

package lens

import (
	"context"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync/atomic"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/lensgo/lens/internal/tracecontext"
	"github.com/lensgo/lens/semconv"
)

// compiled is false in a build that leaves telemetry out; then the compiler drops everything behind a gate.
const compiled = true

// groupAttributeEnv asks for lens.group on every span, for backends that drop the attributes of a scope.
const groupAttributeEnv = "NEMO_LENS_GROUP_ATTRIBUTE"

// gate is what the state word of a group summarises.
type gate struct {
	config atomic.Pointer[config]
}

// mode is what a group does with its spans. More modes come with the reserved bits of the state word.
type mode uint8

const (
	modeOff mode = iota
	modeRecord
)

// config is all that starting a span depends on. It is immutable and replaced under the registry's lock, save for the
// tracer: that is looked up at the first span, without the lock, since a provider is foreign code that may log and a
// log handler may come back for a span.
type config struct {
	mode      mode
	threshold uint64 // reserved: for modes that record some traces
	scope     scope
	mark      bool // also write lens.group on each span
	source    source
	open      *openList            // of the registry, or of the global provider
	more      []trace.TracerOption // of a foreign package whose spans the group gates; see bridge_on.go
	tracer    atomic.Pointer[tracer]
}

// scope is an instrumentation scope.
type scope struct {
	name, version string
	group         string // empty for ungated spans
}

// source is where a registry's spans come from. The zero source is the OpenTelemetry global provider, whichever that is
// at the moment.
type source struct {
	provider trace.TracerProvider // nil: the global
	epoch    uint64               // grows with every SetProvider: two sources are compared by it
}

// tracer is what one provider gave for a scope.
type tracer struct {
	of     trace.TracerProvider // only if it is a pointer; others cannot be compared safely
	tracer trace.Tracer         // nil when the provider can record nothing
}

// setProvider makes the registry start spans with tp; nil: with the OpenTelemetry global provider.
func (r *Registry) setProvider(tp trace.TracerProvider) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.source = source{provider: tp, epoch: r.source.epoch + 1}
	r.configureAll()
}

// configureAll tells every gate what the registry now says. The lock is held.
func (r *Registry) configureAll() {
	r.configure(r.ungated)
	for _, g := range r.handles {
		r.configure(g)
	}
}

// configure tells one gate. The lock is held, or the registry not yet shared. A config that would say the same again is
// left in place, with its tracer.
func (r *Registry) configure(g *Group) {
	next := r.configOf(g)
	if old := g.config.Load(); old == nil || !old.same(next) {
		g.config.Store(next)
	}
	var word uint32
	if next.mode == modeRecord && !isNoop(r.source.provider) {
		word = mayRecord
	}
	atomic.StoreUint32(&g.word, word)
}

func (r *Registry) configOf(g *Group) *config {
	c := &config{scope: scope{name: semconv.ScopeLens, group: g.name}, source: r.source, open: &r.open}
	if r.source.provider == nil {
		c.open = &globalOpen
	}
	if g == r.ungated {
		c.mode = modeRecord
		return c
	}
	if r.enabled[g.name] {
		c.mode = modeRecord
	}
	if namespace, lib := r.first(g.name); lib != nil {
		c.scope.name, c.scope.version = namespace, lib.version
	}
	c.mark = groupAttributeWanted()
	return c
}

func (c *config) same(d *config) bool {
	return c.mode == d.mode && c.threshold == d.threshold && c.scope == d.scope && c.mark == d.mark &&
		c.source.epoch == d.source.epoch
}

func groupAttributeWanted() bool {
	switch normalise(os.Getenv(groupAttributeEnv)) {
	case "1", "true", "yes", "on":
		return true
	}
	return false
}

// records is the rest of Enabled, behind the state word. Compiled into Enabled, it would keep that from being compiled
// into its callers.
//
//go:noinline
func (g *Group) records() bool { return g.config.Load().current() != nil }

// current returns the tracer to start a span with, or nil when none can be recorded: the group was switched off since
// its word was read, or there is nowhere to record to. A registry's own provider stays with the config. The global one
// may be replaced at any time, and a tracer from before the first replacement knows only that one, so such a tracer is
// good only for the provider that it came from.
func (c *config) current() trace.Tracer {
	if c.mode != modeRecord {
		return nil
	}
	t, tp := c.tracer.Load(), c.source.provider
	if tp == nil {
		tp = otel.GetTracerProvider()
		if t != nil && (t.of == nil || t.of != tp) {
			t = nil
		}
	}
	if t == nil {
		t = c.lookUp(tp)
	}
	return t.tracer
}

func (c *config) lookUp(tp trace.TracerProvider) *tracer {
	t := &tracer{}
	if tp == nil {
		return t // somebody set the global to nil
	}
	if reflect.TypeOf(tp).Kind() == reflect.Pointer {
		t.of = tp
	}
	if !isNoop(tp) && (c.source.provider != nil || !isUnset(tp) && !isBridge(tp)) {
		t.tracer = tp.Tracer(c.scope.name, append(slices.Clip(c.more), c.scope.options()...)...)
	}
	c.tracer.Store(t)
	return t
}

func (s scope) options() []trace.TracerOption {
	var options []trace.TracerOption
	if s.version != "" {
		options = append(options, trace.WithInstrumentationVersion(s.version))
	}
	if s.group != "" {
		options = append(options, trace.WithInstrumentationAttributes(attribute.String(semconv.LensGroup, s.group)))
	}
	return options
}

// isNoop reports whether a provider can never record.
func isNoop(tp trace.TracerProvider) bool {
	switch tp.(type) {
	case noop.TracerProvider, *noop.TracerProvider:
		return true
	}
	return false
}

// isUnset reports whether tp is the global's stand-in from before the first otel.SetTracerProvider. Its type has no
// exported name, so it is known by its package.
func isUnset(tp trace.TracerProvider) bool {
	t := reflect.TypeOf(tp)
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return strings.HasSuffix(t.PkgPath(), "go.opentelemetry.io/otel/internal/global")
}

// kindOptions has the ready-made options of each Kind; Internal is the default and needs none.
var kindOptions = [...][]trace.SpanStartOption{
	Internal: nil,
	Server:   {trace.WithSpanKind(trace.SpanKindServer)},
	Client:   {trace.WithSpanKind(trace.SpanKindClient)},
	Producer: {trace.WithSpanKind(trace.SpanKindProducer)},
	Consumer: {trace.WithSpanKind(trace.SpanKindConsumer)},
}

func (k Kind) options() []trace.SpanStartOption {
	if int(k) < len(kindOptions) {
		return kindOptions[k]
	}
	return nil
}

// start is the rest of Start, behind the state word.
func (g *Group) start(ctx context.Context, name string, k Kind) (context.Context, Span) {
	c := g.config.Load()
	tracer := c.current()
	if tracer == nil {
		return ctx, Span{}
	}
	if ctx == nil {
		ctx = context.Background()
	}
	return c.begin(ctx, tracer, name, k.options())
}

// startWith is the rest of StartWith. A root is started in a context without a parent, rather than with the option for a
// new root: a provider that reads more than the parent from the context (a reserved trace id, the random flag) then
// sees what is meant.
func (g *Group) startWith(ctx context.Context, name string, sc StartConfig) (context.Context, Span) {
	c := g.config.Load()
	tracer := c.current()
	if tracer == nil {
		return ctx, Span{}
	}
	if ctx == nil {
		ctx = context.Background()
	}
	if sc.Root {
		ctx = tracecontext.Detach(ctx)
	}
	return c.begin(ctx, tracer, name, sc.options())
}

func (c StartConfig) options() []trace.SpanStartOption {
	options := slices.Clone(c.Kind.options())
	if !c.Time.IsZero() {
		options = append(options, trace.WithTimestamp(c.Time))
	}
	return linked(options, c.Links)
}

// linked adds the option for links, if there are any.
func linked(options []trace.SpanStartOption, refs []Ref) []trace.SpanStartOption {
	var links []trace.Link
	for _, r := range refs {
		if r.Valid() {
			links = append(links, trace.Link{SpanContext: r.spanContext()})
		}
	}
	if links != nil {
		options = append(options, trace.WithLinks(links...))
	}
	return options
}

// begin starts a span and keeps a record of it. What the sampler refuses has none.
func (c *config) begin(
	ctx context.Context, t trace.Tracer, name string, options []trace.SpanStartOption,
) (context.Context, Span) {
	ctx, span := c.startSpan(ctx, t, name, options)
	if !span.IsRecording() {
		return ctx, Span{}
	}
	return ctx, Span{c.keep(span)}
}

// startSpan starts a span with the attributes of [With].
func (c *config) startSpan(
	ctx context.Context, t trace.Tracer, name string, options []trace.SpanStartOption,
) (context.Context, trace.Span) {
	if w := withOf(ctx); w != nil {
		options = append(slices.Clip(options), w.option)
	}
	return t.Start(ctx, name, options...)
}

// keep makes the record of a span that has just been started, and puts it into the list of open ones.
func (c *config) keep(span trace.Span) *record {
	r := &record{span: span, list: c.open}
	if c.mark {
		r.str(semconv.LensGroup, c.scope.group)
	}
	c.open.add(r)
	return r
}
