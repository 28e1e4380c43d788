package lens

import (
	"context"
	"sync/atomic"
	"time"
)

// Group is the handle of a named span group: a set of call sites that a user switches together. Make handles once, in
// package variables, with [NewGroup]; the same name is the same handle. A nil *Group is off, and so is a handle that no
// registered [Library] lists. All methods are safe for concurrent use and none takes a lock.
type Group struct {
	// word is zero when the group is off, and that is all that a call site asks. It summarises the config behind it, is
	// written under the registry's lock only, and stands first, apart from anything that is written often: a flag on
	// the cache line of a busy counter reads several times slower.
	word uint32
	gate // what the word summarises; see group_on.go and group_off.go

	name  string
	fault string    // why the name cannot be registered; empty when it can
	reg   *Registry // that made it
	pc    uintptr   // of the first NewGroup with this name
}

// Bits of the state word. Only mayRecord is set so far; the others are taken, so that counting, sampling by ratio and
// recording on trial can come without a change to what call sites compile to.
const (
	mayRecord uint32 = 1 << iota // a span may be recorded
	mayCount                     // reserved: spans are counted, not recorded
	byRatio                      // reserved: some traces are recorded
	onHold                       // reserved: recorded, and kept back until something asks for it
)

// Kind says which side of an operation a span stands for.
type Kind uint8

// The kinds of the OpenTelemetry conventions. Internal is the zero value.
const (
	Internal Kind = iota
	Server
	Client
	Producer
	Consumer
)

// StartConfig is what [Group.StartWith] can be told beyond a name. The zero value asks for what Start does.
type StartConfig struct {
	Kind  Kind
	Time  time.Time // when the operation began; zero: now
	Root  bool      // begin a trace of its own, whatever the context holds; see Detach
	Links []Ref     // related spans; invalid ones are left out
}

// NewGroup returns the handle with this name in the default registry. The name is trimmed and lower-cased. It never
// panics: an invalid name gives a handle that is off for ever and that Register refuses. A name is invalid if it is
// empty or "all", holds a comma, =, @, :, *, a blank or a control character, or begins with - or +.
func NewGroup(name string) *Group { return defaultRegistry.newGroup(name, 1) }

// Name returns the normalised name; empty for a nil group.
func (g *Group) Name() string {
	if g == nil {
		return ""
	}
	return g.name
}

// Enabled reports whether a span of the group may be recorded: a guard for work that only a span would need. The
// sampler may still refuse one trace; [Span.Recording] knows.
func (g *Group) Enabled() bool {
	return compiled && g != nil && atomic.LoadUint32(&g.word) != 0 && g.records()
}

// Start starts a span and returns a context that carries it; end the span with a deferred End or EndErr. When the group
// is off it returns ctx as it was given and the zero Span, and has done nothing else. A nil ctx counts as
// context.Background() when the group is on. The parent is the nearest span in ctx.
//
// When the sampler refuses the trace, the span is zero but the context is new: the refusal holds for what is below.
func (g *Group) Start(ctx context.Context, name string) (_ context.Context, s Span) {
	// One exit, and a plain word: an early return or an atomic.Uint32 costs more than the inliner allows.
	if compiled && g != nil && atomic.LoadUint32(&g.word) != 0 {
		ctx, s = g.start(ctx, name, Internal)
	}
	return ctx, s
}

// StartKind is Start with a kind.
func (g *Group) StartKind(ctx context.Context, name string, k Kind) (_ context.Context, s Span) {
	if compiled && g != nil && atomic.LoadUint32(&g.word) != 0 {
		ctx, s = g.start(ctx, name, k)
	}
	return ctx, s
}

// StartWith is Start with everything that can be said about a span's beginning.
func (g *Group) StartWith(ctx context.Context, name string, c StartConfig) (context.Context, Span) {
	if !compiled || g == nil || atomic.LoadUint32(&g.word) == 0 {
		return ctx, Span{}
	}
	return g.startWith(ctx, name, c)
}

// Do runs fn inside a span. An error that fn returns is recorded and returned unchanged; a panic is recorded and goes
// on. When the group is off it just calls fn.
func (g *Group) Do(ctx context.Context, name string, fn func(context.Context) error) (err error) {
	if ctx == nil {
		ctx = context.Background()
	}
	if !compiled {
		return fn(ctx)
	}
	ctx, span := g.Start(ctx, name)
	defer span.EndErr(&err)
	return fn(ctx)
}

// Wrap returns fn with a span of the group around each call, as [Group.Do] would put it. The group is asked at each
// call, so that wrapping before it is switched on is fine. A build with lens_off returns fn itself.
func Wrap[A, R any](g *Group, name string, fn func(context.Context, A) (R, error)) func(context.Context, A) (R, error) {
	if !compiled {
		return fn
	}
	return func(ctx context.Context, arg A) (_ R, err error) {
		if ctx == nil {
			ctx = context.Background()
		}
		ctx, span := g.Start(ctx, name)
		defer span.EndErr(&err)
		return fn(ctx, arg)
	}
}

// Start starts a span that belongs to no group: it is recorded whenever anything can be. Where nothing can, because no
// provider is set, telemetry is disabled or has been shut down, it returns ctx as given and the zero Span.
func Start(ctx context.Context, name string) (context.Context, Span) {
	return defaultRegistry.Start(ctx, name)
}

// StartWith is the package's [Start] with everything that can be said about a span's beginning.
func StartWith(ctx context.Context, name string, c StartConfig) (context.Context, Span) {
	return defaultRegistry.StartWith(ctx, name, c)
}
